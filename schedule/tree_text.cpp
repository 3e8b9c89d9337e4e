// The loop nest as people draw it: loops indented in loops, Funcs where they are computed and stored.
#include <string>

#include "schedule/func_nest.h"
#include "schedule/trace_text.h"

namespace cryolite {

namespace {

std::string box_text(const Box &box) {
    if (box.empty()) return "1";
    std::string text;
    for (const Interval &i : box) {
        if (!text.empty()) text += "x";
        text += std::to_string(i.extent());
    }
    return text;
}

class TreeWriter {
public:
    explicit TreeWriter(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {}

    std::string all() {
        // Producers first, as they run.
        for (size_t f = graph_.num_scheduled(); f-- > 0;) {
            const FuncId id(f);
            if (!nest_.decided(id)) continue;
            const FuncNest &placed = nest_.at(id);
            if (placed.placement == Placement::Root) realize(placed, 0);
            if (placed.placement == Placement::Inline) {
                inlined_ += (inlined_.empty() ? "" : ", ") + graph_.func(id).name;
            }
            if (placed.placement == Placement::At && !placed.store_at) {
                line(0, "store " + graph_.func(id).name + " " + box_text(placed.store_region));
            }
        }
        if (!inlined_.empty()) line(0, "inlined: " + inlined_);
        return std::move(text_);
    }

private:
    void line(int depth, const std::string &content) {
        text_.append(static_cast<size_t>(depth) * 2, ' ');
        text_ += content + "\n";
    }

    void realize(const FuncNest &placed, int depth) {
        const Func &func = graph_.func(placed.func);
        std::string head = "compute " + func.name + " " + box_text(placed.compute_region);
        if (placed.slide_dim >= 0) {
            head += ", sliding along " + func.dims[static_cast<size_t>(placed.slide_dim)] + " by " +
                    std::to_string(placed.slide_step);
        }
        line(depth, head);
        for (const StageNest &stage : placed.stages) loops(stage, depth + 1);
    }

    void loops(const StageNest &stage_nest, int depth) {
        const Stage &stage = graph_.stage(stage_nest.stage);
        for (const LoopLevel &loop : stage_nest.loops) {
            static constexpr const char *kinds[] = {"for", "parallel", "vectorized", "unrolled"};
            line(depth++, std::string(kinds[static_cast<size_t>(loop.kind)]) + " " +
                              stage.loops[static_cast<size_t>(loop.name.dim)].name + "." +
                              std::to_string(loop.name.level) + " in " +
                              std::to_string(loop.extent));
            for (size_t f = graph_.num_scheduled(); f-- > 0;) {
                const FuncId id(f);
                if (!nest_.decided(id)) continue;
                const FuncNest &placed = nest_.at(id);
                if (placed.placement != Placement::At) continue;
                if (placed.store_at == loop.name && placed.compute_at != loop.name) {
                    line(depth,
                         "store " + graph_.func(id).name + " " + box_text(placed.store_region));
                }
                if (placed.compute_at == loop.name) realize(placed, depth);
            }
        }
        line(depth, graph_.func(stage.func).name +
                        (stage.index > 0 ? " update " + std::to_string(stage.index - 1) : ""));
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    std::string text_, inlined_;
};

}  // namespace

std::string to_tree_text(const LoopNest &nest) { return TreeWriter(nest).all(); }

}  // namespace cryolite
