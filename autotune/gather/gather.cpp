#include "autotune/gather/gather.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "autotune/gather/complete.h"
#include "autotune/tune/anchor.h"
#include "autotune/tune/trials.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/stopwatch.h"

namespace cryolite {
namespace {

constexpr int most_failures_in_a_row = 8;  // of pipelines: then something is wrong with all of them

class Gathering {
public:
    Gathering(const std::vector<Generator> &pipelines, const MakeWorkshop &make, Store &store,
              const GatherRules &rules, GatherObserver &observer, const std::atomic<bool> &stop)
        : pipelines_(pipelines),
          make_(make),
          store_(store),
          rules_(rules),
          observer_(observer),
          stop_(stop) {
        progress_.pipelines = pipelines.size();
        progress_.budget_seconds = rules.budget_seconds;
        progress_.budget_samples = rules.budget_samples;
    }

    Result<GatherResult> run() {
        if (const auto read = complete_.read(store_); !read.ok()) return read.error();
        if (complete_.samples() > 0)
            observer_.say("there are " + std::to_string(complete_.samples()) + " samples of " +
                          std::to_string(complete_.problems()) + " problems in '" + store_.path() +
                          "'; going on");
        int failures = 0;
        for (const Generator &g : pipelines_) {
            if (is_over()) break;
            progress_.pipeline_number++;
            progress_.pipeline = title_of(g.name, g.parameters);
            const std::string mark = CompletePipelines::mark(g, rules_.seed, rules_.schedules_each);
            if (complete_.knows(g, mark)) {
                result_.complete++;
                continue;
            }
            auto workshop = make_(g);
            if (!workshop.ok()) return workshop.error();
            const auto done = sample(**workshop, mark);
            if (done.ok()) {
                failures = 0;
                result_.complete += *done ? 1 : 0;
            } else if (store_failed_ || ++failures >= most_failures_in_a_row) {
                return done.error();
            } else {
                result_.failed++;
                observer_.say(progress_.pipeline + ": passed over: " + done.error().message);
            }
        }
        if (result_.ended_by.empty()) result_.ended_by = "all is there";
        say_where_we_are("done");
        result_.progress = progress_;
        return std::move(result_);
    }

private:
    bool is_over() {
        if (stop_.load())
            result_.ended_by = "stopped";
        else if ((rules_.budget_seconds > 0 && spent_seconds() >= rules_.budget_seconds) ||
                 (rules_.budget_samples > 0 &&
                  progress_.samples_in_this_run >= rules_.budget_samples))
            result_.ended_by = "budget";
        return !result_.ended_by.empty();
    }
    double spent_seconds() const { return start_.seconds(); }
    void say_where_we_are(const std::string &doing) {
        progress_.doing = doing;
        progress_.spent_seconds = spent_seconds();
        observer_.progress(progress_);
    }
    template <typename T>
    Error of_store(const Result<T> &result) {
        store_failed_ = true;
        return result.error();
    }

    // The round of the problem: that of the store, or what was drawn now. Another process may be first.
    Result<std::vector<Draw>> round_of(int64_t problem, const DrawnBatch &batch, uint64_t seed,
                                       const std::string &mark) {
        const TuneRound round{0,
                              seed,
                              draws_text(batch.draws),
                              CompletePipelines::marked(batch.weights, mark),
                              0,
                              std::time(nullptr)};
        if (const auto added = store_.add_round(problem, round); !added.ok())
            return of_store(added);
        const auto rounds = store_.rounds(problem);
        if (!rounds.ok()) return of_store(rounds);
        return parse_draws(rounds->front().draws);
    }

    // False: it was ended before all was measured. Errors: of the pipeline, or of the store.
    Result<bool> sample(Workshop &workshop, const std::string &mark) {
        say_where_we_are("drawing");
        // Pipelines draw by themselves: which others there are has no part in it.
        const uint64_t seed = Random(rules_.seed).fork("pipeline " + progress_.pipeline)();
        const auto batch = workshop.draw({}, std::max<size_t>(1, rules_.schedules_each - 1), seed);
        if (stop_.load()) return false;
        if (!batch.ok()) return batch.error();
        const auto problem = store_.number_of(batch->problem);
        if (!problem.ok()) return of_store(problem);
        Ledger ledger(store_, seed, rules_.cryolite);
        if (const auto opened = ledger.open(*problem); !opened.ok()) return of_store(opened);
        const auto draws = round_of(*problem, *batch, seed, mark);
        if (!draws.ok()) return draws.error();
        Trials trials(workshop, ledger, stop_, hooks());
        return measure(*draws, workshop, ledger, trials);
    }

    Trials::Hooks hooks() {
        return {
            [this](const std::string &doing) { say_where_we_are(doing); },
            [this](const std::string &text) { observer_.say(progress_.pipeline + ": " + text); },
            [this](const Sample &s) {
                progress_.samples_in_this_run++;
                progress_.by_status[s.status]++;
                progress_.quiet = s.quiet;
                observer_.sampled(progress_.pipeline, s);
            }};
    }

    Result<bool> measure(const std::vector<Draw> &draws, Workshop &workshop, Ledger &ledger,
                         Trials &trials) {
        Draw plain, one_shot;
        std::vector<Draw> todo;
        for (const Draw &d : draws) {
            if (d.origin == "plain") plain = d;
            if (d.origin == "one shot") one_shot = d;
            if (!ledger.standings().knows(d.trace)) todo.push_back(d);
        }
        if (todo.empty()) return true;
        if (plain.trace.empty())
            return Error{
                "there is no plain schedule to compare with; is the pipeline scheduled by hand?"};
        const auto begun = Anchor(workshop, ledger, trials, stop_, hooks().doing)
                               .measure(plain, one_shot, rules_.anchor_seconds);
        if (!begun.ok()) return begun.error();
        std::erase_if(todo, [&](const Draw &d) { return ledger.standings().knows(d.trace); });
        for (size_t first = 0; first < todo.size(); first += rules_.group) {
            if (is_over()) return false;
            const size_t count = std::min(rules_.group, todo.size() - first);
            const auto done = trials.run(std::span(todo).subspan(first, count),
                                         rules_.seconds_per_candidate, rules_.cut_off, 0);
            if (!done.ok()) return done.error();
        }
        return !stop_.load();
    }

    const std::vector<Generator> &pipelines_;
    const MakeWorkshop &make_;
    Store &store_;
    const GatherRules &rules_;
    GatherObserver &observer_;
    const std::atomic<bool> &stop_;
    const Stopwatch start_;
    CompletePipelines complete_;
    GatherProgress progress_;
    GatherResult result_;
    bool store_failed_ = false;
};

}  // namespace

std::string title_of(const std::string &pipeline, const std::vector<std::string> &parameters) {
    std::string title = pipeline;
    for (const std::string &p : parameters)
        if (!p.starts_with("autoscheduler.")) title += ":" + p;
    return title;
}

Result<GatherResult> gather(const std::vector<Generator> &pipelines, const MakeWorkshop &make,
                            Store &store, const GatherRules &rules, GatherObserver &observer,
                            const std::atomic<bool> &stop) {
    return Gathering(pipelines, make, store, rules, observer, stop).run();
}

}  // namespace cryolite
