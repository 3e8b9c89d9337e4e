#include "bench/cache_probe/draw_order.h"
#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"

#include <algorithm>
#include <array>

namespace cryolite::bench {
namespace {

constexpr std::array<int64_t, 20> spans = {4,  6,  7,  8,  8,  11, 12, 16, 16, 17,
                                           24, 32, 32, 37, 48, 64, 64, 72, 96, 128};

class Drawer {
public:
    Drawer(const StageGraph &graph, int vector_bytes, Random random)
        : graph_(graph), vector_bytes_(vector_bytes), random_(random), nest_(graph) {}

    LoopNest draw() {
        for (size_t i = 0; i < graph_.num_scheduled(); i++) {
            const FuncId f(i);
            place(f);
            if (nest_.at(f).placement == Placement::Inline) continue;
            for (StageId stage : graph_.func(f).stages) {
                tile(stage);
                vectorize(stage);
                reorder(stage);
            }
        }
        return std::move(nest_);
    }

private:
    bool attempt(const Action &action) {
        Result<LoopNest, Reason> next = cryolite::apply(nest_, action);
        if (!next) return false;
        nest_ = std::move(next).value();
        return true;
    }

    void place(FuncId f) {
        const Func &func = graph_.func(f);
        const bool inlined = func.inline_only || func.is_trivial || random_.chance(0.1);
        if (inlined && attempt(action::Inline{f})) return;
        const std::vector<LoopName> sites = legal_sites(nest_, f);
        const size_t choice = random_.below(sites.size() + 1);
        if (choice < sites.size() && attempt(action::ComputeAt{f, sites[choice]})) {
            if (random_.chance(0.5)) {
                const size_t outer = choice + random_.below(sites.size() - choice + 1);
                attempt(action::StoreAt{
                    f, outer < sites.size() ? std::optional(sites[outer]) : std::nullopt});
            }
            return;
        }
        attempt(action::ComputeRoot{f});
    }

    void tile(StageId stage) {
        const size_t dims = graph_.stage(stage).loops.size();
        const bool at_all = random_.chance(0.85);
        for (size_t d = 0; at_all && d < dims; d++) {
            if (random_.chance(0.3)) continue;
            action::Tile tile{stage, static_cast<int16_t>(d), {spans[random_.below(spans.size())]}};
            if (random_.chance(0.25)) tile.spans.insert(tile.spans.begin(), 4 * tile.spans[0]);
            if (!attempt(tile) && tile.spans.size() > 1) {
                tile.spans.erase(tile.spans.begin());
                attempt(tile);
            }
        }
    }

    void vectorize(StageId stage) {
        if (random_.chance(0.15)) return;
        const Func &func = graph_.func_of(stage);
        const auto &loops = graph_.stage(stage).loops;
        for (size_t d = 0; d < loops.size(); d++)
            if (loops[d].func_dim == func.storage_order[0])
                attempt(action::Vectorize{stage, static_cast<int16_t>(d),
                                          vector_bytes_ / func.bytes_per_point()});
    }

    // Parts of a dimension stay in their order; what Halide would refuse is drawn again.
    void reorder(StageId stage) {
        for (int tries = 0; tries < 8; tries++) {
            std::vector<LoopName> names, fixed;
            for (const LoopLevel &l : nest_.stage_nest(stage).loops)
                (l.kind == LoopKind::Serial ? names : fixed).push_back(l.name);
            std::vector<int16_t> dims;
            for (LoopName l : names) dims.push_back(l.dim);
            for (size_t i = dims.size(); i > 1; i--) std::swap(dims[i - 1], dims[random_.below(i)]);
            action::Reorder order{stage, {}};
            for (int16_t dim : dims) {
                const auto next = std::find_if(names.begin(), names.end(),
                                               [&](LoopName l) { return l.dim == dim; });
                order.order.push_back(*next);
                names.erase(next);
            }
            order.order.insert(order.order.end(), fixed.begin(), fixed.end());
            if (attempt(order)) return;
        }
    }

    const StageGraph &graph_;
    const int vector_bytes_;
    Random random_;
    LoopNest nest_;
};

}  // namespace

LoopNest draw_order(const StageGraph &graph, int vector_bytes, Random random) {
    return Drawer(graph, vector_bytes, random).draw();
}

}  // namespace cryolite::bench
