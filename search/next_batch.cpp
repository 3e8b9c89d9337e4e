#include "search/next_batch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "analytical/cost_model.h"
#include "base/in_parallel.h"
#include "base/random.h"
#include "search/draw.h"
#include "search/memory_plan.h"
#include "search/refinement/refine.h"
#include "search/refinement/twins.h"
#include "search/search.h"

namespace cryolite {
namespace {

constexpr double changed_share = 0.5;  // of a batch
constexpr size_t structures_share =
    5;  // one in so many is of another structure that the search came by
// A schedule that is predicted to take so many times as long as the best would be built in vain: a tuner cuts it off.
constexpr double hopeless = 3;
constexpr size_t attempts_per_schedule = 4;
// From what a good model confuses to what a poor one does.
constexpr double noises_of_searches[] = {1.1, 1.3, 1.8, 2.5};
constexpr double noises_of_any[] = {10, 1000};
constexpr int64_t only_greedy[] = {1};
constexpr double noises_of_changes[] = {1.05, 1.2, 1.5, 2.5};
constexpr double second_change_probability = 1.0 / 3;
// Tilings tried per place of the Func that is changed.
constexpr int64_t tilings_of_change = 12;

class Batch {
public:
    Batch(const StageGraph &graph, const Hardware &hardware, const BatchOptions &options)
        : graph_(graph),
          hardware_(hardware),
          options_(options),
          full_(effort(graph, options.search)),
          known_(options.known) {}

    std::vector<BatchEntry> draw() {
        if (options_.count > 0 && !over()) search_whole();
        const auto wanted_changes = static_cast<size_t>(
            options_.fastest.empty() ? 0 : changed_share * static_cast<double>(options_.count));
        add(std::min(wanted_changes, missing()), Origin::Changed,
            [this](CostModel &model, size_t attempt) { return changed(model, attempt); });
        add(static_cast<size_t>(options_.any_share * static_cast<double>(missing())), Origin::Any,
            [this](CostModel &model, size_t attempt) {
                return short_search(model, {noises_of_any, only_greedy}, "any", attempt);
            });
        add(missing(), Origin::Greedy, [this](CostModel &model, size_t attempt) {
            return short_search(model, {noises_of_searches, mostly_greedy}, "greedy", attempt);
        });
        std::ranges::stable_sort(batch_, {}, [](const BatchEntry &e) {
            return std::pair(e.origin != Origin::Beam, e.predicted_seconds);
        });
        return std::move(batch_);
    }

private:
    // With the model of a thread.
    using Attempt = std::function<std::optional<LoopNest>(CostModel &, size_t)>;

    size_t threads() const {
        return options_.search.threads > 0 ? static_cast<size_t>(options_.search.threads)
                                           : std::max(1u, std::thread::hardware_concurrency());
    }

    bool over() const { return options_.search.deadline.passed(); }

    // A thread's model has the memory of a search's: short searches fill it.
    std::unique_ptr<CostModel> model_of() const {
        const MemoryPlan memory(options_.search.memory_limit_bytes, std::nullopt);
        auto model = std::make_unique<CostModel>(graph_, hardware_, memory.memo_bytes(threads()),
                                                 KernelMemo::Costs);
        model->correct_by(options_.search.correction);
        return model;
    }

    size_t missing() const { return options_.count - std::min(options_.count, batch_.size()); }

    void take(LoopNest nest, Origin origin, double predicted_seconds) {
        if (batch_.size() < options_.count && known_.insert(nest.hash()).second)
            batch_.push_back({std::move(nest), origin, predicted_seconds});
    }

    // What the search chooses, and the cheapest schedules of other structures that it came by.
    void search_whole() {
        SearchOptions o = options_.search;
        o.candidates =
            std::max<int64_t>(1, static_cast<int64_t>(options_.count / structures_share));
        const SearchResult found = search(graph_, hardware_, o);
        const auto model = model_of();
        const double least = found.time.seconds;
        slowest_ = hopeless * least;
        take(found.nest, Origin::Beam, least);
        for (const LoopNest &nest : found.others) {
            const double seconds = model->evaluate(nest).seconds;
            if (seconds <= slowest_) take(nest, Origin::Structure, seconds);
        }
    }

    // Attempts run side by side and are taken in their order, so that the batch does not depend on the threads.
    void add(size_t count, Origin origin, const Attempt &attempt) {
        while (models_.size() < threads()) models_.push_back(model_of());
        const size_t end = batch_.size() + count;
        for (size_t first = 0; first < attempts_per_schedule * count && batch_.size() < end;) {
            const size_t tried =
                std::min(end - batch_.size(), attempts_per_schedule * count - first);
            std::vector<std::optional<LoopNest>> found(tried);
            std::vector<double> seconds(tried);
            in_parallel(std::span<const std::unique_ptr<CostModel>>(models_), tried,
                        [&](CostModel &model, size_t i) {
                            if (over()) return;
                            found[i] = attempt(model, first + i);
                            model.begin({});  // without a search's noise
                            if (found[i]) seconds[i] = model.evaluate(*found[i]).seconds;
                        });
            for (size_t i = 0; i < tried; i++)
                if (found[i] && (seconds[i] <= slowest_ || origin == Origin::Any))
                    take(std::move(*found[i]), origin, seconds[i]);
            first += tried;
            if (over()) return;
        }
    }

    Random random_of(const char *label, size_t attempt) const {
        return Random(static_cast<uint64_t>(options_.search.seed)).fork(label, attempt);
    }

    std::optional<LoopNest> short_search(CostModel &model, const Disturbances &from,
                                         const char *label, size_t attempt) const {
        SearchOptions o = options_.search;
        o.threads = 1;
        o.memory_limit_bytes /= static_cast<int64_t>(threads());
        o.model = &model;
        return disturbed_search(graph_, hardware_, o, full_, from, random_of(label, attempt)).nest;
    }

    std::optional<LoopNest> changed(CostModel &model, size_t attempt) const {
        Random random = random_of("change", attempt);
        // The fastest ones more often.
        const double u = random.unit();
        const auto start =
            static_cast<size_t>(u * u * static_cast<double>(options_.fastest.size()));
        std::optional<LoopNest> nest = changed_once(options_.fastest[start], model, random);
        if (nest && random.chance(second_change_probability))
            if (auto twice = changed_once(*nest, model, random)) nest = std::move(twice);
        return nest;
    }

    // Among all changes of one Func the one that is predicted to be the fastest, with disturbed predictions.
    std::optional<LoopNest> changed_once(const LoopNest &from, CostModel &model,
                                         Random &random) const {
        const std::optional<FuncId> f = func_to_change(from, model, random);
        if (!f) return std::nullopt;
        const double noise =
            std::log(noises_of_changes[random.below(std::size(noises_of_changes))]);
        const Refinement refinement(from, hardware_, twins_, tilings_of_change,
                                    Redraw::PlacesAndLoops);
        const auto near = model.costed(from, nullptr);
        std::optional<LoopNest> best;
        double least = 0;
        for (const Change &c : refinement.changes(f->index(), random.fork("tilings"))) {
            const double disturbance = std::exp(noise * (2 * random.unit() - 1));
            std::optional<LoopNest> nest = refinement.with(c);
            if (!nest || known_.contains(nest->hash())) continue;
            const ScheduleTime time = model.evaluate(*nest, *near);
            if (time.too_large || !std::isfinite(time.seconds) || is_too_long_to_compile(time))
                continue;
            const double cost = time.seconds * disturbance;
            if (best && cost >= least) continue;
            least = cost;
            best = std::move(nest);
        }
        return best;
    }

    bool is_too_long_to_compile(const ScheduleTime &time) const {
        const double budget = options_.search.compile_budget_seconds;
        return budget > 0 && time.compiling.seconds() > budget;
    }

    // Half of the time any, half of the time by the predicted seconds of its stages.
    std::optional<FuncId> func_to_change(const LoopNest &nest, CostModel &model,
                                         Random &random) const {
        std::vector<double> weights(graph_.num_scheduled(), 0);
        double sum = 0;
        for (size_t i = 0; i < weights.size(); i++)
            if (!graph_.func(FuncId(i)).locked) sum += weights[i] = 1;
        if (sum <= 0) return std::nullopt;
        if (random.chance(0.5)) {
            const ScheduleTime time = model.explain(nest);
            for (const StageTime &t : time.stages) {
                const size_t i = graph_.stage(t.stage).func.index();
                if (i >= weights.size() || weights[i] <= 0) continue;
                const double more = sum * t.seconds() / std::max(time.seconds, 1e-12);
                weights[i] += more;
            }
            sum = 0;
            for (double w : weights) sum += w;
        }
        double at = random.unit() * sum;
        for (size_t i = 0; i < weights.size(); i++) {
            if (weights[i] <= 0) continue;
            if (at < weights[i]) return FuncId(i);
            at -= weights[i];
        }
        return std::nullopt;
    }

    const StageGraph &graph_;
    const Hardware hardware_;
    const BatchOptions &options_;
    const Effort full_;
    const Twins twins_{graph_};
    std::unordered_set<uint64_t> known_;
    std::vector<BatchEntry> batch_;
    std::vector<std::unique_ptr<CostModel>> models_;  // [thread]
    double slowest_ =
        std::numeric_limits<double>::infinity();  // predicted, that is worth measuring
};

}  // namespace

const char *name(Origin origin) {
    switch (origin) {
        case Origin::Beam: return "beam";
        case Origin::Structure: return "structure";
        case Origin::Greedy: return "greedy";
        case Origin::Any: return "any";
        case Origin::Changed: break;
    }
    return "changed";
}

std::vector<BatchEntry> next_batch(const StageGraph &graph, const Hardware &hardware,
                                   const BatchOptions &options) {
    return Batch(graph, hardware, options).draw();
}

}  // namespace cryolite
