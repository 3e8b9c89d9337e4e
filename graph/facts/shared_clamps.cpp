#include "graph/facts/shared_clamps.h"

#include <set>
#include <utility>

namespace cryolite {
namespace {

// Through how many trivial Funcs loads are followed. Boundary conditions and casts stand in short chains.
constexpr int most_links = 3;

class Loads {
public:
    Loads(const std::vector<Func> &funcs, const std::vector<Stage> &stages,
          const std::vector<Edge> &edges)
        : funcs_(funcs), stages_(stages), edges_(edges) {}

    // Whether an index that is clamped by hand and moves along `dim` of the pure stage is met a second time. path: the
    // dimension and the offset of each index on the way to this Func.
    bool share_clamps(const Func &func, int dim, std::vector<int64_t> path = {}) {
        if (func.stages.empty() || path.size() > 4 * most_links) return false;
        const Stage &stage = stages_[func.stages[0].index()];
        for (EdgeId e : stage.incoming) {
            const Edge &edge = edges_[e.index()];
            const Func &producer = funcs_[edge.producer.index()];
            for (const Access &access : edge.accesses)
                for (size_t d = 0; d < access.index.size(); d++) {
                    const IndexMap &index = access.index[d];
                    if (!moves(index, stage, dim)) continue;
                    std::vector<int64_t> next = path;
                    next.insert(next.end(),
                                {static_cast<int64_t>(producer.id.index()), static_cast<int64_t>(d),
                                 index.offset.numerator, index.offset.denominator});
                    if (index.clamp == Clamp::ByHand && !seen_.insert(next).second) return true;
                    if (producer.is_trivial && producer.can_inline && !producer.is_input() &&
                        share_clamps(producer, static_cast<int>(d), std::move(next)))
                        return true;
                }
        }
        return false;
    }

private:
    static bool moves(const IndexMap &index, const Stage &stage, int dim) {
        for (size_t l = 0; l < stage.loops.size(); l++)
            if (stage.loops[l].func_dim == dim && index.affine && l < index.depends_on.size() &&
                index.depends_on[l])
                return true;
        return false;
    }

    const std::vector<Func> &funcs_;
    const std::vector<Stage> &stages_;
    const std::vector<Edge> &edges_;
    std::set<std::vector<int64_t>> seen_;
};

}  // namespace

bool shares_hand_clamps(const std::vector<Func> &funcs, const std::vector<Stage> &stages,
                        const std::vector<Edge> &edges, FuncId func, int dim) {
    return Loads(funcs, stages, edges).share_clamps(funcs[func.index()], dim);
}

}  // namespace cryolite
