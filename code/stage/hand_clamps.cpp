#include "code/stage/hand_clamps.h"

#include <set>
#include <utility>

#include "code/stage/split_tails.h"

namespace cryolite {
namespace {

class HandClamps {
public:
    explicit HandClamps(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {}

    bool move(const Stage &stage, size_t loop) {
        if (!asked_.insert({stage.id, loop}).second) return false;
        for (EdgeId id : stage.incoming) {
            const Edge &edge = graph_.edge(id);
            for (const Access &access : edge.accesses)
                for (size_t d = 0; d < access.index.size(); d++) {
                    const IndexMap &index = access.index[d];
                    if (loop >= index.depends_on.size() || !index.depends_on[loop]) continue;
                    if (index.clamp == Clamp::ByHand || goes_on(edge.producer, d)) return true;
                }
        }
        return false;
    }

private:
    bool goes_on(FuncId f, size_t dim) {
        const Func &func = graph_.func(f);
        if (func.is_input() || !nest_.decided(f) || nest_.at(f).placement != Placement::Inline)
            return false;
        const Stage &pure = graph_.stage(func.stages[0]);
        for (size_t l = 0; l < pure.loops.size(); l++)
            if (pure.loops[l].func_dim == static_cast<int>(dim)) return move(pure, l);
        return false;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    std::set<std::pair<StageId, size_t>> asked_;
};

}  // namespace

bool moves_hand_clamp(const LoopNest &nest, const Stage &stage, size_t loop) {
    return HandClamps(nest).move(stage, loop);
}

bool cuts_shared_clamps(const StageGraph &graph, const StageNest &nest, bool holds_others) {
    if (nest.loops.empty() || nest.loops.back().kind != LoopKind::Vectorized) return false;
    const LoopLevel &vector = nest.loops.back();
    const auto dim = static_cast<size_t>(vector.name.dim);
    return shifts_vectors(graph, nest, dim, holds_others) ||
           (shifts_inwards(graph, nest) && vector.woven == 1 &&
            (vector.name.level == 1 || !holds_others));
}

}  // namespace cryolite
