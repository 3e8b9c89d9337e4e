// Points that are computed, allocations for them, and the operations and loads of one point with all that is inlined.
#include <algorithm>
#include <cmath>

#include "code/stage/split_tails.h"
#include "featurize/rows/cpu_features.h"

namespace cryolite {
namespace {

// The table lists an integer and a float feature for every kind.
static_assert(index(Feature::expanded_bit_count_float) + 1 ==
              index(Feature::expanded_add_integer) + 2 * static_cast<size_t>(OpKind::Count));

bool is_float(TypeClass type) {
    return type == TypeClass::Float16 || type == TypeClass::Float32 || type == TypeClass::Float64;
}

// Registers for the stage with all that is inlined into it. A load has the Strahler number 1. Take a tree of the number
// s and put trees of the number k in place of its loads: it then has the number s + k - 1. This is a bound where some
// loads stay, or have smaller trees.
int branching_of(const StageGraph &graph, const Stage &stage, const ExpandedStage &body) {
    SmallVector<int, 16>
        deepest;  // [i]: the largest number that inlined Func i calls; [n]: that the stage does
    for (size_t i = 0; i <= body.inlined.size(); i++) deepest.push_back(1);
    const auto with_calls = [](int own, int called) { return own == 0 ? 0 : own + called - 1; };
    // Readers come first, so that all calls of a Func are found before its readers need its number.
    for (size_t i = body.inlined.size(); i-- > 0;) {
        const Func &inlined = graph.func(body.inlined[i]);
        const int number = with_calls(graph.stage(inlined.stages[0]).strahler_number, deepest[i]);
        for (const FootprintStep &step : body.steps) {
            if (!step.to_inlined || static_cast<size_t>(step.to) != i) continue;
            int &caller = deepest[step.from_inlined < 0 ? body.inlined.size()
                                                        : static_cast<size_t>(step.from_inlined)];
            caller = std::max(caller, number);
        }
    }
    return with_calls(stage.strahler_number, deepest[body.inlined.size()]);
}

void storage_features(const StageContext &c) {
    const FuncNest &nest = *c.member.nest;
    c.at(Feature::allocation_bytes) = c.member.allocated_bytes;
    c.at(Feature::folded_share) = 1;
    c.at(Feature::window_new_share) = 1;
    if (nest.slide_dim >= 0) {
        const auto d = static_cast<size_t>(nest.slide_dim);
        const double whole = points(nest.store_region) * c.func.bytes_per_point();
        c.at(Feature::folded_share) = c.member.allocated_bytes / std::max(1.0, whole);
        const auto window = static_cast<double>(nest.compute_region[d].extent());
        c.at(Feature::window_new_share) = static_cast<double>(nest.slide_step) / window;
    }
    c.at(Feature::stored_at_root) = c.member.store_loop < 0;
    const size_t p = c.levels.realisation;
    const bool per_task = p > 0 && p == c.levels.task;
    c.at(Feature::stored_per_task) = per_task;
    c.at(Feature::stored_inside) = p > 0 && !per_task;
}

}  // namespace

void expanded_features(const StageGraph &graph, const Stage &stage, const ExpandedStage &body,
                       std::span<double> row) {
    const auto at = [&](Feature f) -> double & { return row[index(f)]; };
    for (size_t k = 0; k < static_cast<size_t>(OpKind::Count); k++) {
        double sum[2] = {0, 0};
        for (size_t t = 0; t < static_cast<size_t>(TypeClass::Count); t++)
            sum[is_float(static_cast<TypeClass>(t))] += body.ops.count[k][t];
        row[index(Feature::expanded_add_integer) + 2 * k] = sum[0];
        row[index(Feature::expanded_add_integer) + 2 * k + 1] = sum[1];
    }
    at(Feature::inlined_calls) = body.inlined_calls;
    at(Feature::expression_branching) = branching_of(graph, stage, body);
    double loads = 0, gathers = 0;
    for (const LoadGroup &load : body.loads) {
        loads += load.count;
        if (load.gather) gathers += load.count;
    }
    at(Feature::expanded_loads) = loads;
    at(Feature::expanded_gathers) = gathers;
}

void point_features(const StageContext &c) {
    double per_production = 1;
    for (size_t d = 0; d < c.work.code->nest->range.size(); d++)
        per_production *= static_cast<double>(
            computed_extent(c.graph, *c.work.code->nest, d, c.work.code->holds_others));
    const double productions = c.work.code->runs[c.levels.production];
    const double realisations = c.work.code->runs[c.levels.realisation];
    const double computed = productions * per_production * c.member.fill;
    c.at(Feature::points_per_production) = per_production;
    c.at(Feature::productions) = productions;
    c.at(Feature::realisations) = realisations;
    c.at(Feature::points_computed) = computed;
    c.at(Feature::points_per_realisation) = computed / realisations;
    c.at(Feature::recomputation_ratio) = computed / std::max(1.0, c.at(Feature::points_required));
    storage_features(c);
}

}  // namespace cryolite
