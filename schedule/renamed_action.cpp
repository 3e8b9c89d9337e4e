#include "schedule/renamed_action.h"

#include <variant>
#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {
namespace {

class Renaming {
public:
    Renaming(const StageGraph &graph,
             const std::function<std::optional<FuncId>(FuncId)> &counterpart)
        : graph_(graph), counterpart_(counterpart) {}

    bool is_complete() const { return is_complete_; }

    void operator()(action::Inline &a) { rename(a.func); }
    void operator()(action::ComputeRoot &a) { rename(a.func); }
    void operator()(action::ReorderStorage &a) { rename(a.func); }
    void operator()(action::ComputeAt &a) {
        rename(a.func);
        rename(a.at);
    }
    void operator()(action::ComputeWith &a) {
        rename(a.func);
        rename(a.with);
    }
    void operator()(action::StoreAt &a) {
        rename(a.func);
        if (a.at) rename(*a.at);
    }
    void operator()(action::Tile &a) { rename(a.stage); }
    void operator()(action::Vectorize &a) { rename(a.stage); }
    void operator()(action::Parallel &a) { rename(a.stage); }
    void operator()(action::Unroll &a) { rename(a.loop); }
    void operator()(action::Join &a) { rename(a.loop); }
    void operator()(action::Reorder &a) {
        rename(a.stage);
        rename(a.order);
    }
    void operator()(action::MapToBlocks &a) {
        rename(a.stage);
        rename(a.loops);
    }
    void operator()(action::MapToThreads &a) {
        rename(a.stage);
        rename(a.loops);
    }
    void operator()(action::TensorTile &a) {
        rename(a.stage);
        rename(a.product);
    }

private:
    void rename(FuncId &f) {
        if (const std::optional<FuncId> other = counterpart_(f))
            f = *other;
        else
            is_complete_ = false;
    }
    void rename(StageId &s) {
        const Stage &stage = graph_.stage(s);
        FuncId f = stage.func;
        rename(f);
        if (is_complete_) s = graph_.func(f).stages[static_cast<size_t>(stage.index)];
    }
    void rename(LoopName &loop) { rename(loop.stage); }
    void rename(std::vector<LoopName> &loops) {
        for (LoopName &loop : loops) rename(loop);
    }

    const StageGraph &graph_;
    const std::function<std::optional<FuncId>(FuncId)> &counterpart_;
    bool is_complete_ = true;
};

}  // namespace

std::optional<Action> renamed(const Action &action, const StageGraph &graph,
                              const std::function<std::optional<FuncId>(FuncId)> &counterpart) {
    Action out = action;
    Renaming renaming(graph, counterpart);
    std::visit(renaming, out);
    if (!renaming.is_complete()) return std::nullopt;
    return out;
}

}  // namespace cryolite
