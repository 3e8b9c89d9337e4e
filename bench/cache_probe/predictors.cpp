#include "bench/cache_probe/predictors.h"

#include "analytical/memory/cache_misses.h"
#include "reference/locality/nest_of_stage.h"
#include "reference/locality/tile_misses.h"

namespace cryolite::bench {
namespace {

bool all_at_root(const LoopNest &nest) {
    for (size_t i = 0; i < nest.graph().num_scheduled(); i++)
        if (nest.at(FuncId(i)).placement == Placement::At) return false;
    return true;
}

template <typename MissesOfTiling>
std::optional<std::vector<double>> sum_of_nests(const LoopNest &nest, const Machine &machine,
                                                const MissesOfTiling &misses_of) {
    if (!all_at_root(nest)) return std::nullopt;
    StageExpander expander(nest.graph());
    std::vector<double> sum(num_simulated_caches, 0);
    for (size_t i = 0; i < nest.graph().num_scheduled(); i++) {
        for (const StageNest &s : nest.at(FuncId(i)).stages) {
            const Result<locality::PerfectNest> perfect =
                locality::nest_of_stage(nest, expander, s.stage);
            if (!perfect) return std::nullopt;
            const locality::NestRuns runs(*perfect, machine.line_bytes());
            const locality::Tiling tiling = locality::tiling_of_stage(*perfect, s);
            const std::vector<double> misses = misses_of(runs, tiling);
            for (size_t c = 0; c < sum.size(); c++) sum[c] += misses[c];
        }
    }
    return sum;
}

}  // namespace

Machine cachegrind_machine() {
    Machine m;
    m.name = "cachegrind";
    m.vector_bytes = 32;
    m.caches = {{32 << 10, 8, 64, 1, 32, 32}, {256 << 10, 16, 64, 1, 16, 16}};
    // Nobody asks about it: the last cache of a Machine is shared, and a simulated one is not.
    m.caches.push_back({64 << 20, 16, 64, 1, 8, 8});
    m.l1_prefetch_lines = m.l2_prefetch_lines = m.l2_prefetch_distance_lines = 0;
    return m;
}

std::vector<Prediction> predict(const LoopNest &nest, const Machine &machine) {
    std::vector<Prediction> all;
    std::vector<double> model = cache_misses(nest, machine);
    if (!model.empty()) model.resize(num_simulated_caches);
    all.push_back({"model", model.empty() ? std::nullopt : std::optional(model)});
    all.push_back({"thesis", sum_of_nests(nest, machine, [&](const auto &runs, const auto &tiling) {
                       const locality::TileCost cost = tile_cost(runs, tiling, machine);
                       return std::vector<double>{cost.l1_misses, cost.l2_misses};
                   })});
    all.push_back(
        {"thesis_fitted", sum_of_nests(nest, machine, [&](const auto &runs, const auto &tiling) {
             std::vector<double> misses;
             for (size_t c = 0; c < num_simulated_caches; c++) {
                 const int level = locality::fitting_reuse_level(
                     runs, tiling, static_cast<double>(machine.caches[c].size_bytes));
                 misses.push_back(locality::expected_misses(runs, tiling, level, false));
             }
             return misses;
         })});
    return all;
}

}  // namespace cryolite::bench
