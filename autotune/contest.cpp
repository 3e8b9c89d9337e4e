#include "autotune/contest.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "autotune/candidate_process.h"
#include "autotune/other_load.h"
#include "autotune/shared_memory.h"
#include "autotune/stray_processes.h"
#include "base/stopwatch.h"

namespace cryolite {
namespace {

constexpr double look_seconds = 0.02;  // between two looks at processes that are prepared
constexpr size_t fewest_rounds = 3, most_rounds = 1000;
constexpr size_t first_question = 10;  // in rounds, see ContestRules::is_decided
constexpr int most_looks = 5;          // at a candidate that seems too slow
// A run that follows a first one is not far from it. A candidate that takes longer than this many times as long as it
// may hangs.
constexpr double patience = 10;
constexpr double shortest_wait_seconds = 5;
constexpr double stray_seconds =
    1;  // between two looks for stray processes while candidates are timed

std::string too_slow_text(double seconds, double slowness) {
    char text[100];
    std::snprintf(text, sizeof text, "a run takes %.4g ms, %.3g times as long as the fastest one",
                  seconds * 1e3, slowness);
    return text;
}

class Contest {
public:
    Contest(size_t candidates, size_t reference, const Prepare &prepare, const ContestRules &rules)
        : reference_(reference),
          prepare_(prepare),
          rules_(rules),
          outputs_(rules.output_bytes),
          processes_(candidates),
          entries_(candidates),
          states_(candidates, State::Waiting),
          started_(candidates),
          fastest_runs_(candidates, std::numeric_limits<double>::infinity()) {}

    std::vector<Entry> run(Conditions *conditions) {
        prepare_all();
        end_all_strays();  // whose they are cannot be told: candidates are prepared side by side
        check(reference_, rules_.longest_run_seconds);
        for (size_t i = 0; i < processes_.size() && is_ready(reference_); i++)
            if (i != reference_ && is_ready(i)) check(i, wait_for_run());
        reference_failed_ = !is_ready(reference_);
        if (!reference_failed_) time_all(conditions);
        for (size_t i = 0; i < processes_.size(); i++) finish(i);
        end_all_strays();
        return std::move(entries_);
    }

private:
    enum class State { Waiting, Preparing, Ready, Out };

    bool is_ready(size_t i) const { return states_[i] == State::Ready; }

    void out(size_t i, Entry::End end, std::string message) {
        states_[i] = State::Out;
        entries_[i].end = end;
        entries_[i].message = std::move(message);
        processes_[i].reset();
    }

    void out(size_t i, const Report &report) {
        switch (report.kind) {
            case Report::Kind::Well: break;
            case Report::Kind::Wrong: return out(i, Entry::End::Wrong, report.message);
            case Report::Kind::Failed: return out(i, Entry::End::Failed, report.message);
            case Report::Kind::Died: return out(i, Entry::End::Died, report.message);
            case Report::Kind::OutOfMemory: return out(i, Entry::End::OutOfMemory, report.message);
            case Report::Kind::GivenUp:
            case Report::Kind::NotStarted: return out(i, Entry::End::NotReady, report.message);
        }
    }

    std::vector<int> live() const {
        std::vector<int> pids;
        for (const auto &process : processes_)
            if (process && process->pid() > 0) pids.push_back(process->pid());
        return pids;
    }

    // How many there were.
    size_t end_all_strays() const { return rules_.ends_strays ? end_strays(live()) : 0; }

    size_t count(State state) const {
        return static_cast<size_t>(std::ranges::count(states_, state));
    }

    // The reference first: without it nothing else is of use.
    std::optional<size_t> next_to_prepare() const {
        if (states_[reference_] == State::Waiting) return reference_;
        for (size_t i = 0; i < states_.size(); i++)
            if (states_[i] == State::Waiting) return i;
        return std::nullopt;
    }

    void prepare_all() {
        const auto at_once = static_cast<size_t>(std::max(1, rules_.prepared_at_once));
        while (count(State::Waiting) + count(State::Preparing) > 0) {
            if (rules_.prepared_by.passed()) break;
            if (states_[reference_] == State::Out) break;
            if (const auto next = next_to_prepare(); next && count(State::Preparing) < at_once) {
                processes_[*next] = std::make_unique<CandidateProcess>(
                    *next, *next == reference_, prepare_, rules_, outputs_.bytes());
                started_[*next] = Stopwatch();
                states_[*next] = State::Preparing;
                continue;
            }
            look_at_prepared();
        }
        for (size_t i = 0; i < states_.size(); i++)
            if (states_[i] != State::Ready && states_[i] != State::Out)
                out(i, Entry::End::NotReady, "it was not ready in time");
    }

    void look_at_prepared() {
        double wait = look_seconds;  // at one of them is enough
        for (size_t i = 0; i < states_.size(); i++) {
            if (states_[i] != State::Preparing) continue;
            const std::optional<Report> report = processes_[i]->report(wait);
            wait = 0;
            entries_[i].clock_seconds = started_[i].seconds();
            if (report) {
                states_[i] = State::Ready;
                out(i, *report);
            } else if (entries_[i].clock_seconds > rules_.prepare_seconds) {
                out(i, Entry::End::Hung, "it was not ready in time");
            }
        }
    }

    // The shortest time of those that are still in the race.
    double fastest_run() const {
        double least = std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < fastest_runs_.size(); i++)
            if (is_ready(i)) least = std::min(least, fastest_runs_[i]);
        return least;
    }

    // How long to wait for a run.
    double wait_for_run() const {
        return std::max(shortest_wait_seconds, patience * rules_.cut_off * fastest_run());
    }

    // What candidate i says to an order; nothing where it is out.
    std::optional<Report> answer(size_t i, double wait_seconds) {
        const Stopwatch start;
        const std::optional<Report> report = processes_[i]->report(wait_seconds);
        entries_[i].clock_seconds += start.seconds();
        if (report) {
            out(i, *report);
        } else {
            char text[60];
            std::snprintf(text, sizeof text, "no answer within %.3g seconds", wait_seconds);
            out(i, Entry::End::Hung, text);
        }
        return is_ready(i) ? report : std::nullopt;
    }

    void check(size_t i, double wait_seconds) {
        if (!is_ready(i)) return;
        processes_[i]->check();
        const std::optional<Report> report = answer(i, wait_seconds);
        if (!report) {
            end_all_strays();
            return;
        }
        fastest_runs_[i] = report->seconds;
        if (!rules_.ends_strays) return;
        // All others are idle: what runs now is this one's.
        const size_t left = end_all_strays() + children_of(processes_[i]->pid()).size();
        if (left > 0)
            out(i, Entry::End::Failed, "it left " + std::to_string(left) + " processes running");
        if (left > 0) end_all_strays();
    }

    // One sample of a candidate; nothing where it is out.
    std::optional<double> sample(size_t i, double at_least) {
        processes_[i]->time(at_least);
        const std::optional<Report> report = answer(i, at_least + wait_for_run());
        if (!report) return std::nullopt;
        fastest_runs_[i] = std::min(fastest_runs_[i], report->seconds);
        return report->seconds;
    }

    // A first sample warms caches, clocks and threads up and counts for the cut-off alone.
    void warm_up() {
        for (size_t i = 0; i < processes_.size(); i++)
            if (is_ready(i)) sample(i, rules_.sample_seconds);
        // Nobody is slower than one that computes nothing any more.
        for (size_t i = 0; i < processes_.size(); i++) compare_again(i);
        look_again();
        for (size_t i = 0; i < processes_.size(); i++) {
            if (!seems_too_slow(i)) continue;
            entries_[i].seconds = {fastest_runs_[i]};
            out(i, Entry::End::TooSlow, too_slow_text(fastest_runs_[i], slowness(i)));
        }
    }

    // Something else may have run meanwhile, and a short run whose threads wait for their processors takes a hundred
    // times as long. Candidates that seem too slow get as much time as they would have in the rounds to show that they
    // are not, by turns, since what disturbs them passes; one whose single run takes longer than that gets a single
    // look, unless it is slower by far.
    void look_again() {
        const double share = rules_.seconds / static_cast<double>(count(State::Ready));
        std::vector<double> spent(processes_.size(), 0);
        for (int look = 0; look < most_looks; look++)
            for (size_t i = 0; i < processes_.size(); i++) {
                if (!seems_too_slow(i)) continue;
                const bool is_affordable = spent[i] + fastest_runs_[i] <= share;
                const bool is_near = look == 0 && slowness(i) < patience * rules_.cut_off;
                if (!is_affordable && !is_near) continue;
                const Stopwatch start;
                sample(i, rules_.sample_seconds);
                spent[i] += start.seconds();
            }
    }

    bool seems_too_slow(size_t i) const {
        return is_ready(i) && i != rules_.anchor && slowness(i) > rules_.cut_off;
    }

    // How many times as long as the fastest candidate it takes.
    double slowness(size_t i) const { return fastest_runs_[i] / fastest_run(); }

    void time_all(Conditions *conditions) {
        warm_up();
        const OtherLoad load(live());
        const Deadline end = Deadline::after(rules_.seconds);
        Stopwatch looked;
        size_t asked_after = first_question;
        for (size_t round = 0; round < most_rounds && (round < fewest_rounds || !end.passed());
             round++) {
            // Each round begins with another candidate, so that none always follows the same one.
            for (size_t k = 0; k < processes_.size(); k++) {
                const size_t i = (round + k) % processes_.size();
                if (!is_ready(i)) continue;
                if (const auto seconds = sample(i, rules_.sample_seconds))
                    entries_[i].seconds.push_back(*seconds);
            }
            if (round + 1 == asked_after && is_decided()) break;
            if (round + 1 == asked_after) asked_after *= 2;
            if (looked.seconds() < stray_seconds) continue;
            end_all_strays();
            looked = Stopwatch();
        }
        if (conditions != nullptr) conditions->other_load = load.cores(live());
        for (size_t i = 0; i < processes_.size(); i++) compare_again(i);
    }

    // Those that are still in the race are Timed for the question.
    bool is_decided() const {
        if (!rules_.is_decided) return false;
        std::vector<Entry> so_far = entries_;
        for (size_t i = 0; i < so_far.size(); i++)
            if (is_ready(i)) so_far[i].end = Entry::End::Timed;
        return rules_.is_decided(so_far);
    }

    // What a candidate computes in a later run may be something else than in its first.
    void compare_again(size_t i) {
        if (!is_ready(i)) return;
        processes_[i]->compare();
        answer(i, wait_for_run());
        if (entries_[i].end == Entry::End::Wrong && !is_ready(i))
            entries_[i].message =
                "right in its first run and wrong in a later one: " + entries_[i].message;
    }

    void finish(size_t i) {
        if (is_ready(i)) {
            if (reference_failed_)
                out(i, Entry::End::NotReady, "the reference could not be run");
            else
                out(i, Entry::End::Timed, "");
        }
        if (!entries_[i].seconds.empty()) entries_[i].spread = spread_of(entries_[i].seconds);
    }

    const size_t reference_;
    const Prepare &prepare_;
    const ContestRules &rules_;
    const SharedMemory outputs_;  // of the reference
    std::vector<std::unique_ptr<CandidateProcess>> processes_;
    std::vector<Entry> entries_;
    std::vector<State> states_;
    std::vector<Stopwatch> started_;  // to be prepared
    bool reference_failed_ = false;
    std::vector<double> fastest_runs_;  // seconds of each one's fastest
};

}  // namespace

std::vector<Entry> contest(size_t candidates, size_t reference, const Prepare &prepare,
                           const ContestRules &rules, Conditions *conditions) {
    return Contest(candidates, reference, prepare, rules).run(conditions);
}

Spread ratio(const Entry &a, const Entry &b) {
    std::vector<double> ratios;
    for (size_t r = 0; r < std::min(a.seconds.size(), b.seconds.size()); r++)
        ratios.push_back(a.seconds[r] / b.seconds[r]);
    return spread_of(ratios);
}

namespace {

constexpr std::array<std::pair<Entry::End, const char *>, 8> names = {
    {{Entry::End::Timed, "timed"},
     {Entry::End::Wrong, "wrong"},
     {Entry::End::Failed, "failed"},
     {Entry::End::Died, "died"},
     {Entry::End::OutOfMemory, "out of memory"},
     {Entry::End::TooSlow, "too slow"},
     {Entry::End::Hung, "hung"},
     {Entry::End::NotReady, "not ready"}}};

}  // namespace

const char *name(Entry::End end) {
    return std::ranges::find(names, end, [](const auto &n) { return n.first; })->second;
}

std::optional<Entry::End> end_named(std::string_view name) {
    for (const auto &[end, its_name] : names)
        if (name == its_name) return end;
    return std::nullopt;
}

}  // namespace cryolite
