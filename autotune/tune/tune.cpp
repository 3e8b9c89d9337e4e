#include "autotune/tune/tune.h"

#include <algorithm>
#include <ctime>

#include "autotune/tune/anchor.h"
#include "autotune/tune/trials.h"
#include "autotune/tune/tune_budget.h"
#include "base/random.h"

namespace cryolite {
namespace {

constexpr size_t most_finalists = 5, most_repeated = 4;
// A schedule within this factor of the best may be the best: it is measured again.
constexpr double close_to_best = 1.05;
// How often a round measures one schedule again. Later rounds find others.
constexpr int64_t most_samples_of_one = 4;
constexpr double noticeable_gain = 0.995;
constexpr double seconds_of_anchor =
    3;  // of timing plain and one shot: all later ratios stand on it

class Tuner {
public:
    Tuner(Workshop &workshop, Store &store, const TuneRules &rules, TuneObserver &observer,
          const std::atomic<bool> &stop)
        : workshop_(workshop),
          store_(store),
          rules_(rules),
          observer_(observer),
          stop_(stop),
          ledger_(store, rules.seed, rules.cryolite),
          trials_(workshop, ledger_, stop,
                  {[this](const std::string &doing) { say_where_we_are(doing); },
                   [this](const std::string &text) { observer_.say(text); },
                   [this](const Sample &sample) {
                       progress_.quiet = sample.quiet;
                       observer_.sampled(sample);
                   }}),
          budget_({rules.budget_seconds, rules.budget_samples, rules.final_seconds, rules.batch,
                   rules.group}) {}

    Result<TuneResult> run() {
        for (const auto step : {&Tuner::open, &Tuner::begin, &Tuner::measure_anchor})
            if (const auto done = (this->*step)(); !done.ok()) return done.error();
        // From here on there is something to keep, whatever happens.
        while (result_.ended_by.empty())
            if (const auto done = next_round(); !done.ok()) fail(done.error());
        if (result_.failure.empty())
            if (const auto done = finals(); !done.ok()) fail(done.error());
        say_where_we_are("done");
        result_.best = progress_.best;
        result_.one_shot = progress_.one_shot;
        result_.plain = progress_.plain;
        result_.by_hand = progress_.by_hand;
        result_.samples = progress_.tried;
        result_.spent_seconds = budget_.spent_seconds();
        return std::move(result_);
    }

private:
    const Standings &standings() const { return ledger_.standings(); }

    bool is_over() {
        if (stop_.load())
            result_.ended_by = "stopped";
        else if (budget_.is_spent(ledger_.tried_since_opened()))
            result_.ended_by = "budget";
        return !result_.ended_by.empty();
    }

    void say_where_we_are(std::string doing) {
        progress_.doing = std::move(doing);
        progress_.spent_seconds = budget_.spent_seconds();
        progress_.budget_seconds = rules_.budget_seconds;
        progress_.budget_samples = rules_.budget_samples;
        progress_.tried = ledger_.tried();
        progress_.tried_in_this_run = ledger_.tried_since_opened();
        progress_.by_status.clear();
        for (const Standing &s : standings().all()) progress_.by_status[s.status]++;
        const auto copy = [this](const Standing *s) {
            return s ? std::optional<Standing>(standings().comparable(*s)) : std::nullopt;
        };
        const auto fastest = standings().fastest();
        progress_.best = copy(fastest.empty() ? nullptr : fastest.front());
        progress_.one_shot = copy(standings().first("one shot"));
        progress_.plain = copy(standings().first("plain"));
        progress_.by_hand = copy(standings().first("by hand"));
        observer_.progress(progress_);
    }

    void fail(const Error &error) {
        result_.ended_by = "an error";
        result_.failure = error.message;
    }

    // Finds the problem in the store, with all that is known of it.
    Result<bool> open() {
        say_where_we_are("describing the pipeline");
        auto described = workshop_.draw({}, 0, rules_.seed);
        if (!described.ok()) return described.error();
        result_.problem = described->problem;
        result_.weights = described->weights;
        const auto number = store_.number_of(result_.problem);
        if (!number.ok()) return number.error();
        result_.problem_number = *number;
        if (const auto opened = ledger_.open(*number); !opened.ok()) return opened;
        auto rounds = store_.rounds(*number);
        if (!rounds.ok()) return rounds.error();
        for (const TuneRound &r : *rounds) {
            result_.rank_correlations.push_back(r.rank_correlation);
            result_.weights = r.model;
            progress_.rank_correlation = r.rank_correlation;
        }
        rounds_ = std::move(*rounds);
        if (!rounds_.empty())
            observer_.say("going on with round " + std::to_string(rounds_.back().number) + ": " +
                          std::to_string(standings().all().size()) + " schedules are known");
        return true;
    }

    // The first round, drawn or from the store.
    Result<bool> begin() {
        if (rounds_.empty())
            if (const auto drawn = draw_round(0); !drawn.ok()) return drawn;
        const auto first = parse_draws(rounds_.front().draws);
        if (!first.ok()) return first.error();
        for (const Draw &d : *first) {
            if (d.origin == "plain") plain_ = d;
            if (d.origin == "one shot") one_shot_ = d;
        }
        if (plain_.trace.empty())
            return Error{
                "the first round has no plain schedule; is the pipeline scheduled by hand?"};
        return true;
    }

    // 0: nothing can be learned of it.
    static double seconds_to_learn(const Standing &s, double anchor_seconds) {
        if (s.status == SampleStatus::Timed) return s.ratio.median * anchor_seconds;
        return s.status == SampleStatus::TooSlow ? s.seconds.median : 0;
    }

    // Draws a round, keeps it in the store and in rounds_. Another tuner on the same store may be first.
    Result<bool> draw_round(int64_t number) {
        say_where_we_are("drawing");
        std::vector<Lesson> lessons;
        const double anchor = standings().anchor_seconds();
        // The first round draws plain and one shot, as one does who has not learned anything.
        for (const Standing &s : standings().all())
            if (!s.trace.empty() && number > 0)
                lessons.push_back({s.trace, seconds_to_learn(s, anchor)});
        const uint64_t seed = Random(rules_.seed).fork("round", static_cast<uint64_t>(number))();
        // The first draws stand for what one shot gives by default: its seed is the user's.
        auto batch = workshop_.draw(lessons, budget_.batch(), number == 0 ? rules_.seed : seed);
        if (!batch.ok()) return batch.error();
        if (number == 0)
            for (const std::string &trace : rules_.given)
                batch->draws.insert(
                    batch->draws.begin() + std::min<ptrdiff_t>(2, std::ssize(batch->draws)),
                    Draw{"given", trace, 0});
        const TuneRound round{number,
                              seed,
                              draws_text(batch->draws),
                              batch->weights,
                              batch->learned_correlation,
                              std::time(nullptr)};
        const auto added = store_.add_round(result_.problem_number, round);
        if (!added.ok()) return added.error();
        if (*added) {
            rounds_.push_back(round);
        } else {
            auto rounds = store_.rounds(result_.problem_number);
            if (!rounds.ok()) return rounds.error();
            rounds_ = std::move(*rounds);
        }
        result_.weights = rounds_.back().model;
        result_.rank_correlations.push_back(rounds_.back().rank_correlation);
        progress_.rank_correlation = rounds_.back().rank_correlation;
        return true;
    }

    Result<bool> measure_anchor() {
        return Anchor(workshop_, ledger_, trials_, stop_,
                      [this](const std::string &doing) { say_where_we_are(doing); })
            .measure(plain_, one_shot_,
                     std::max(seconds_of_anchor, 2 * rules_.seconds_per_candidate));
    }

    Result<bool> next_round() {
        const TuneRound &round = rounds_.back();
        progress_.round = round.number;
        const auto draws = parse_draws(round.draws);
        if (!draws.ok()) return draws.error();
        std::vector<Draw> todo;
        if (rules_.by_hand && !standings().knows("")) todo.push_back({"by hand", "", 0});
        for (const Draw &d : *draws)
            if (!standings().knows(d.trace)) todo.push_back(d);
        const bool is_new = !todo.empty();
        const double before = best_ratio();
        for (size_t first = 0, count = 0; first < todo.size() && !is_over(); first += count) {
            count = std::min(budget_.group(ledger_.tried_since_opened()), todo.size() - first);
            const double start = budget_.spent_seconds();
            const auto done =
                trials_.run(std::span(todo).subspan(first, count), rules_.seconds_per_candidate,
                            rules_.cut_off, round.number);
            if (!done.ok()) return done;
            budget_.note_group(count, budget_.spent_seconds() - start);
        }
        if (is_over()) return true;
        if (const auto again = measure_again(most_repeated, rules_.seconds_per_candidate * 2);
            !again.ok())
            return again;
        if (!is_new && round.number == last_drawn_) {
            result_.ended_by = "no more schedules";
            return true;
        }
        rounds_without_gain_ =
            best_ratio() < before * noticeable_gain ? 0 : rounds_without_gain_ + 1;
        if (rules_.patience > 0 && rounds_without_gain_ >= rules_.patience) {
            result_.ended_by = "plateau";
            return true;
        }
        if (is_over()) return true;
        last_drawn_ = round.number + 1;
        return draw_round(round.number + 1);
    }

    double best_ratio() const {
        const auto fastest = standings().fastest();
        return fastest.empty() ? 1e18 : fastest.front()->ratio.median;
    }

    // The fastest once more, beside the anchor: of many that were measured, the first is often only lucky.
    Result<bool> measure_again(size_t most, double seconds_each) {
        std::vector<Draw> again;
        for (const Standing *s : standings().fastest()) {
            if (again.size() >= most || s->ratio.median > close_to_best * best_ratio()) break;
            if (s->samples < most_samples_of_one && s->origin != "one shot")
                again.push_back({s->origin, s->trace, s->predicted_seconds});
        }
        if (again.empty()) return true;
        return trials_.run(again, seconds_each, rules_.cut_off, progress_.round);
    }

    Result<bool> finals() {
        if (stop_.load()) return true;
        std::vector<Draw> last;
        for (const Standing *s : standings().fastest())
            if (last.size() < most_finalists && s->ratio.median <= close_to_best * best_ratio())
                last.push_back({s->origin, s->trace, s->predicted_seconds});
        for (const char *beside : {"plain", "by hand"}) {
            const Standing *s = standings().first(beside);
            // What was cut off in a round is timed here: people want to know.
            if (s && (s->status == SampleStatus::Timed || s->status == SampleStatus::TooSlow) &&
                std::ranges::find(last, s->trace, &Draw::trace) == last.end())
                last.push_back({s->origin, s->trace, s->predicted_seconds});
        }
        if (last.empty()) return true;
        return trials_.run(last, rules_.final_seconds / static_cast<double>(last.size() + 1),
                           no_cut_off, progress_.round);
    }

    Workshop &workshop_;
    Store &store_;
    const TuneRules &rules_;
    TuneObserver &observer_;
    const std::atomic<bool> &stop_;
    TuneResult result_;
    TuneProgress progress_;
    Ledger ledger_;
    Trials trials_;
    TuneBudget budget_;
    std::vector<TuneRound> rounds_;
    Draw plain_, one_shot_;
    int rounds_without_gain_ = 0;
    int64_t last_drawn_ = -1;
};

}  // namespace

Result<TuneResult> tune(Workshop &workshop, Store &store, const TuneRules &rules,
                        TuneObserver &observer, const std::atomic<bool> &stop) {
    return Tuner(workshop, store, rules, observer, stop).run();
}

}  // namespace cryolite
