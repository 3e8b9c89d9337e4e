#include "search/search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "search/beam.h"
#include "search/decision_order.h"
#include "search/expand.h"
#include "search/refine.h"

namespace cryolite {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr uint64_t max_refinement_rounds = 16;
constexpr double latest = 1.5;             // of the time limit: then the rest is plain
constexpr double refinement_gain = 0.995;  // a round that gains less counts as none

class Search {
public:
    Search(const StageGraph &graph, const Machine &machine, const SearchOptions &options,
           const Effort &effort, const Log &log)
        : graph_(graph), machine_(machine), options_(options), effort_(effort), log_(log) {
        int64_t threads = options.threads;
        if (threads <= 0) threads = std::max(1u, std::thread::hardware_concurrency());
        for (int64_t i = 0; i < threads; i++)
            workers_.push_back(std::make_unique<Expander>(
                graph, machine, options, options.memory_limit_bytes / 2 / threads));
    }

    SearchResult run() {
        const LoopNest plain = plain_schedule(graph_, machine_);
        BeamState best{plain, workers_[0]->model().evaluate(plain).seconds};
        for (int64_t pass = 0; pass < effort_.passes && !out_of_time(); pass++) {
            std::optional<BeamState> found = one_pass(pass);
            if (!found) continue;
            found = refine(std::move(*found));
            if (found->seconds < best.seconds) best = std::move(*found);
            log_.info("pass " + std::to_string(pass + 1) + ": predicted " +
                      std::to_string(best.seconds * 1e3) + " ms");
        }
        SearchResult result{best.nest, workers_[0]->model().explain(best.nest), {}};
        result.statistics = statistics_;
        for (const auto &w : workers_) {
            w->statistics().kernels_evaluated = w->model().kernels_evaluated();
            w->statistics().kernels_remembered = w->model().kernels_remembered();
            result.statistics.hit_memory_limit |= w->model().memos_emptied() > 0;
            result.statistics.add(w->statistics());
        }
        result.statistics.seconds_total = seconds_since(start_);
        return result;
    }

private:
    bool beyond(double seconds) const { return seconds_since(start_) >= seconds; }

    bool out_of_time() {
        if (!beyond(options_.time_limit_seconds)) return false;
        statistics_.hit_time_limit = true;
        return true;
    }

    std::optional<BeamState> one_pass(int64_t pass) {
        std::vector<BeamState> beam{{LoopNest(graph_), 0}};
        // Coarse structures first, finer ones in later passes.
        const int coarseness = pass == 0 ? 2 : 1;
        Pace pace(effort_.beam_size, effort_.states);
        for (size_t i = 0; i < order_.size(); i++) {
            const bool hurry = out_of_time();
            if (hurry) {
                // The best state alone goes on: Func by Func as well as a few tries allow.
                if (beyond(latest * options_.time_limit_seconds)) return finish(beam);
                beam.erase(beam.begin() + 1, beam.end());
            }
            const bool by_structure = effort_.by_structure && i + 1 < order_.size();
            std::vector<BeamState> children = expand_all(
                beam, order_[i], pass, hurry ? fewest_tilings : effort_.tilings_in(pass));
            if (children.empty()) return finish(beam);
            const auto select_start = Clock::now();
            const int64_t width =
                hurry ? 1 : pace.width(children.size(), beam.size(), order_.size() - i - 1);
            beam = select(std::move(children), static_cast<size_t>(width),
                          by_structure ? order_[i + 1] : FuncId{}, coarseness,
                          &statistics_.states_duplicate);
            statistics_.seconds_selecting += seconds_since(select_start);
            log_.debug("Func " + graph_.func(order_[i]).name + ": best " +
                       std::to_string(beam[0].seconds * 1e3) + " ms of " +
                       std::to_string(beam.size()) + " states");
        }
        return beam[0];
    }

    // Rounds over all Funcs, each with other draws, until two in a row gain next to nothing.
    BeamState refine(BeamState best) {
        if (!effort_.refine) return best;
        const Random random(static_cast<uint64_t>(options_.seed));
        Refinement refinement(best.nest, machine_, effort_.tilings, effort_.redraw);
        int rounds_without_gain = 0;
        for (uint64_t round = 0; round < max_refinement_rounds && rounds_without_gain < 2;
             round++) {
            const double before = best.seconds;
            for (size_t i = 0; i < refinement.num_funcs() && !out_of_time(); i++) {
                const std::vector<Change> changes =
                    refinement.changes(i, random.fork("refine", round).fork("func", i));
                std::vector<std::optional<BeamState>> tried(changes.size());
                in_parallel(changes.size(), [&](Expander &worker, size_t k) {
                    std::optional<LoopNest> nest = refinement.with(changes[k]);
                    if (nest) tried[k] = worker.evaluated(std::move(*nest));
                });
                const double unchanged = best.seconds;
                for (std::optional<BeamState> &t : tried)
                    if (t && t->seconds < best.seconds) best = std::move(*t);
                if (best.seconds < unchanged)
                    refinement = Refinement(best.nest, machine_, effort_.tilings, effort_.redraw);
            }
            rounds_without_gain =
                best.seconds > before * refinement_gain ? rounds_without_gain + 1 : 0;
        }
        return best;
    }

    // Calls work(worker, i) for every i. Results go to slots of their own: their order, and so the
    // result, does not depend on which worker made them.
    template <typename Work>
    void in_parallel(size_t count, Work work) {
        std::atomic<size_t> next{0};
        auto run = [&](Expander &worker) {
            for (size_t i = next++; i < count; i = next++) work(worker, i);
        };
        std::vector<std::thread> threads;
        for (size_t t = 1; t < workers_.size() && t < count; t++)
            threads.emplace_back([&, t] { run(*workers_[t]); });
        run(*workers_[0]);
        for (std::thread &t : threads) t.join();
    }

    std::optional<BeamState> finish(const std::vector<BeamState> &beam) {
        if (beam.empty()) return std::nullopt;
        const LoopNest nest = finish_plainly(beam[0].nest, machine_);
        return BeamState{nest, workers_[0]->model().evaluate(nest).seconds};
    }

    std::vector<BeamState> expand_all(const std::vector<BeamState> &beam, FuncId func, int64_t pass,
                                      int64_t tilings) {
        const auto start = Clock::now();
        std::vector<std::vector<BeamState>> slots(beam.size());
        in_parallel(beam.size(), [&](Expander &worker, size_t i) {
            worker.expand(beam[i], func, pass, tilings, slots[i]);
        });
        std::vector<BeamState> all;
        for (auto &slot : slots)
            for (BeamState &s : slot) all.push_back(std::move(s));
        statistics_.seconds_expanding += seconds_since(start);
        return all;
    }

    const StageGraph &graph_;
    const Machine &machine_;
    const SearchOptions &options_;
    const Effort effort_;
    const Log &log_;
    std::vector<std::unique_ptr<Expander>> workers_;
    SearchStatistics statistics_;
    const std::vector<FuncId> order_ = decision_order(graph_);
    const Clock::time_point start_ = Clock::now();
};

}  // namespace

SearchResult search(const StageGraph &graph, const Machine &machine, const SearchOptions &options,
                    const Effort &effort, const Log &log) {
    return Search(graph, machine, options, effort, log).run();
}

SearchResult search(const StageGraph &graph, const Machine &machine, const SearchOptions &options,
                    const Log &log) {
    return search(graph, machine, options, effort(graph, options), log);
}

}  // namespace cryolite
