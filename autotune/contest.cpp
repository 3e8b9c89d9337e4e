#include "autotune/contest.h"

#include <algorithm>
#include <limits>

#include "autotune/candidate_process.h"
#include "autotune/shared_memory.h"

namespace cryolite {
namespace {

constexpr double look_seconds = 0.02;  // between two looks at processes that are prepared
constexpr size_t fewest_rounds = 3, most_rounds = 1000;
// A run that follows a first one is not far from it. A candidate that takes longer than this many times as long as it
// may hangs.
constexpr double patience = 10;
constexpr double shortest_wait_seconds = 5;

class Contest {
public:
    Contest(size_t candidates, size_t reference, const Prepare &prepare, const ContestRules &rules)
        : reference_(reference),
          prepare_(prepare),
          rules_(rules),
          outputs_(rules.output_bytes),
          processes_(candidates),
          entries_(candidates),
          states_(candidates, State::Waiting) {}

    std::vector<Entry> run() {
        prepare_all();
        check(reference_, rules_.longest_run_seconds);
        for (size_t i = 0; i < processes_.size() && is_ready(reference_); i++)
            if (i != reference_ && is_ready(i)) check(i, wait_for_run(fastest_run_));
        reference_failed_ = !is_ready(reference_);
        if (!reference_failed_) time_all();
        for (size_t i = 0; i < processes_.size(); i++) finish(i);
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
            case Report::Kind::GivenUp:
            case Report::Kind::NotStarted: return out(i, Entry::End::NotReady, report.message);
        }
    }

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
            if (!report) continue;
            states_[i] = State::Ready;
            out(i, *report);
        }
    }

    // How long to wait for a run that should take so many seconds at most.
    double wait_for_run(double seconds) const {
        return std::max(shortest_wait_seconds, patience * rules_.cut_off * seconds);
    }

    void check(size_t i, double wait_seconds) {
        if (!is_ready(i)) return;
        processes_[i]->check();
        const std::optional<Report> report = processes_[i]->report(wait_seconds);
        if (!report) return out(i, Entry::End::TooSlow, "its first run did not end in time");
        out(i, *report);
        if (is_ready(i)) fastest_run_ = std::min(fastest_run_, report->seconds);
    }

    // One sample of a candidate; nothing where it is out.
    std::optional<double> sample(size_t i, double at_least) {
        processes_[i]->time(at_least);
        const std::optional<Report> report =
            processes_[i]->report(at_least + wait_for_run(fastest_run_));
        if (!report) {
            out(i, Entry::End::TooSlow, "a run did not end in time");
            return std::nullopt;
        }
        out(i, *report);
        if (!is_ready(i)) return std::nullopt;
        fastest_run_ = std::min(fastest_run_, report->seconds);
        return report->seconds;
    }

    void time_all() {
        // A first sample warms caches, clocks and threads up and counts for the cut-off alone.
        std::vector<double> warm(processes_.size(), 0);
        for (size_t i = 0; i < processes_.size(); i++)
            if (is_ready(i)) warm[i] = sample(i, rules_.sample_seconds).value_or(0);
        for (size_t i = 0; i < processes_.size(); i++)
            if (is_ready(i) && warm[i] > rules_.cut_off * fastest_run_)
                out(i, Entry::End::TooSlow, "");
        const Deadline end = Deadline::after(rules_.seconds);
        for (size_t round = 0; round < most_rounds && (round < fewest_rounds || !end.passed());
             round++) {
            // Each round begins with another candidate, so that none always follows the same one.
            for (size_t k = 0; k < processes_.size(); k++) {
                const size_t i = (round + k) % processes_.size();
                if (!is_ready(i)) continue;
                if (const auto seconds = sample(i, rules_.sample_seconds))
                    entries_[i].seconds.push_back(*seconds);
            }
        }
    }

    void finish(size_t i) {
        if (!is_ready(i)) return;
        if (reference_failed_)
            return out(i, Entry::End::NotReady, "the reference could not be run");
        entries_[i].spread = spread_of(entries_[i].seconds);
        out(i, Entry::End::Timed, "");
    }

    const size_t reference_;
    const Prepare &prepare_;
    const ContestRules &rules_;
    const SharedMemory outputs_;  // of the reference
    std::vector<std::unique_ptr<CandidateProcess>> processes_;
    std::vector<Entry> entries_;
    std::vector<State> states_;
    bool reference_failed_ = false;
    double fastest_run_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<Entry> contest(size_t candidates, size_t reference, const Prepare &prepare,
                           const ContestRules &rules) {
    return Contest(candidates, reference, prepare, rules).run();
}

Spread ratio(const Entry &a, const Entry &b) {
    std::vector<double> ratios;
    for (size_t r = 0; r < std::min(a.seconds.size(), b.seconds.size()); r++)
        ratios.push_back(a.seconds[r] / b.seconds[r]);
    return spread_of(ratios);
}

const char *name(Entry::End end) {
    switch (end) {
        case Entry::End::Timed: return "timed";
        case Entry::End::Wrong: return "wrong";
        case Entry::End::Failed: return "failed";
        case Entry::End::Died: return "died";
        case Entry::End::TooSlow: return "too slow";
        case Entry::End::NotReady: break;
    }
    return "not ready";
}

}  // namespace cryolite
