// A random complete schedule, drawn with the public functions of the room alone.
#pragma once

#include "base/random.h"
#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "schedule/loop_nest.h"

namespace cryolite::testing {

inline Action random_loop_change(const StageGraph &graph, const StageNest &nest, Random &random) {
    const Stage &stage = graph.stage(nest.stage);
    const auto dim = static_cast<int16_t>(random.below(stage.loops.size()));
    switch (random.below(5)) {
        case 0: {
            const int64_t inner = int64_t{1} << random.between(1, 3);
            std::vector<int64_t> spans{inner * (int64_t{1} << random.between(1, 3))};
            if (random.chance(0.5)) spans.push_back(inner);
            return action::Tile{nest.stage, dim, spans};
        }
        case 1: {
            std::vector<LoopName> order;
            for (const LoopLevel &loop : nest.loops) order.push_back(loop.name);
            for (size_t i = order.size(); i > 1; i--)
                std::swap(order[i - 1], order[random.below(i)]);
            return action::Reorder{nest.stage, order};
        }
        case 2: return action::Vectorize{nest.stage, dim, 1 << random.between(1, 4)};
        case 3: return action::Unroll{nest.loops[random.below(nest.loops.size())].name};
        default: return action::Parallel{nest.stage, static_cast<int32_t>(random.between(1, 2))};
    }
}

// Takes what apply() allows and skips what it refuses.
inline LoopNest random_nest(const StageGraph &graph, Random random) {
    LoopNest nest(graph);
    const auto attempt = [&](const Action &action) {
        Result<LoopNest, Reason> next = cryolite::apply(nest, action);
        if (next) nest = std::move(next).value();
        return next.ok();
    };
    for (const Func &func : graph.funcs()) {
        if (func.is_input()) break;
        const std::vector<LoopName> sites = legal_sites(nest, func.id);
        if (random.chance(0.3)) attempt(action::Inline{func.id});
        if (!nest.decided(func.id) && !sites.empty() && random.chance(0.8)) {
            attempt(action::ComputeAt{func.id, sites[random.below(sites.size())]});
            if (random.chance(0.5)) {
                std::optional<LoopName> store;
                if (random.chance(0.7)) store = sites[random.below(sites.size())];
                attempt(action::StoreAt{func.id, store});
            }
            if (random.chance(0.4)) {
                std::vector<int> order = func.storage_order;
                for (size_t i = order.size(); i > 1; i--)
                    std::swap(order[i - 1], order[random.below(i)]);
                attempt(action::ReorderStorage{func.id, order});
            }
        }
        if (!nest.decided(func.id)) attempt(action::ComputeRoot{func.id});
        for (StageId s : func.stages) {
            for (int i = 0; i < 6; i++) {
                if (nest.at(func.id).stages.empty() || nest.stage_nest(s).loops.empty()) break;
                attempt(random_loop_change(graph, nest.stage_nest(s), random));
            }
        }
    }
    return nest;
}

}  // namespace cryolite::testing
