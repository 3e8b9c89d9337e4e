#include "schedule/nest_tree.h"

#include "schedule/trace_text.h"

namespace cryolite {
namespace {

std::vector<int64_t> extents_of(const Box &box) {
    std::vector<int64_t> extents;
    for (const Interval &i : box) extents.push_back(i.extent());
    return extents;
}

std::string text_of(const std::vector<int64_t> &extents) {
    if (extents.empty()) return "1";
    std::string text;
    for (int64_t e : extents) text += (text.empty() ? "" : "x") + std::to_string(e);
    return text;
}

std::string kind_of(const Stage &stage, const LoopLevel &loop) {
    if (!loop.is_joined) return name(loop.kind);
    return stage.loops[static_cast<size_t>(loop.name.dim)].is_reduction ? "dot" : "joined";
}

class TreeBuilder {
public:
    explicit TreeBuilder(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {}

    std::vector<NestNode> all() const {
        std::vector<NestNode> tree;
        for (size_t f = graph_.num_scheduled(); f-- > 0;) {
            const FuncId id(f);
            if (!nest_.decided(id)) continue;
            const FuncNest &placed = nest_.at(id);
            if (placed.placement == Placement::Root) tree.push_back(compute(placed));
            if (placed.placement == Placement::At && !placed.store_at &&
                !graph_.func(id).is_output())
                tree.push_back(store(placed));
        }
        return tree;
    }

private:
    NestNode store(const FuncNest &placed) const {
        NestNode node{.kind = NestNode::Kind::Store, .text = {}, .func = placed.func};
        node.extents = extents_of(placed.store_region);
        node.text = "store " + graph_.func(placed.func).name + " " + text_of(node.extents);
        return node;
    }

    NestNode compute(const FuncNest &placed) const {
        const Func &func = graph_.func(placed.func);
        NestNode node{.kind = NestNode::Kind::Compute, .text = {}, .func = placed.func};
        node.extents = extents_of(placed.compute_region);
        node.text = "compute " + func.name + " " + text_of(node.extents);
        if (placed.slide_dim >= 0)
            node.text += ", sliding along " + func.dims[static_cast<size_t>(placed.slide_dim)] +
                         " by " + std::to_string(placed.slide_step);
        if (!placed.storage_order.empty()) {
            node.text += ", stored by";
            for (int d : placed.storage_order) node.text += " " + func.dims[static_cast<size_t>(d)];
        }
        for (const StageNest &stage : placed.stages) {
            if (stage.tile_kernel)
                node.text += ", on tensor cores in tiles of " + text_of(stage.tile_kernel->tile);
            add_loops(stage, 0, node.children);
        }
        return node;
    }

    // The loops of a stage from `position` inwards, and its body.
    void add_loops(const StageNest &stage_nest, size_t position, std::vector<NestNode> &to) const {
        const Stage &stage = graph_.stage(stage_nest.stage);
        if (position == stage_nest.loops.size()) {
            to.push_back(
                {.kind = NestNode::Kind::Stage,
                 .text = graph_.func(stage.func).name +
                         (stage.index > 0 ? " update " + std::to_string(stage.index - 1) : ""),
                 .func = stage.func,
                 .stage = stage.id});
            return;
        }
        const LoopLevel &loop = stage_nest.loops[position];
        NestNode node{.kind = NestNode::Kind::Loop,
                      .text = kind_of(stage, loop) +
                              (" " + stage.loops[static_cast<size_t>(loop.name.dim)].name) + "." +
                              std::to_string(loop.name.level) + " in " +
                              std::to_string(loop.extent),
                      .func = stage.func,
                      .stage = stage.id,
                      .loop = &loop,
                      .extents = {loop.extent}};
        for (size_t f = graph_.num_scheduled(); f-- > 0;) {
            const FuncId id(f);
            if (!nest_.decided(id)) continue;
            const FuncNest &placed = nest_.at(id);
            if (placed.placement != Placement::At) continue;
            if (placed.store_at == loop.name && placed.compute_at != loop.name)
                node.children.push_back(store(placed));
            if (placed.compute_at == loop.name) node.children.push_back(compute(placed));
        }
        add_loops(stage_nest, position + 1, node.children);
        to.push_back(std::move(node));
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
};

void append(const NestNode &node, size_t depth, std::string &text) {
    text.append(depth * 2, ' ');
    text += node.text + "\n";
    for (const NestNode &child : node.children) append(child, depth + 1, text);
}

}  // namespace

const char *name(NestNode::Kind kind) {
    switch (kind) {
        case NestNode::Kind::Store: return "store";
        case NestNode::Kind::Compute: return "compute";
        case NestNode::Kind::Loop: return "loop";
        case NestNode::Kind::Stage: break;
    }
    return "stage";
}

const char *name(LoopKind kind) {
    switch (kind) {
        case LoopKind::Serial: return "for";
        case LoopKind::Parallel: return "parallel";
        case LoopKind::Vectorized: return "vectorized";
        case LoopKind::Unrolled: return "unrolled";
        case LoopKind::GpuBlock: return "gpu_block";
        case LoopKind::GpuThread: break;
    }
    return "gpu_thread";
}

std::vector<NestNode> nest_tree(const LoopNest &nest) { return TreeBuilder(nest).all(); }

std::string to_tree_text(const LoopNest &nest) {
    std::string text, inlined;
    for (const NestNode &node : nest_tree(nest)) append(node, 0, text);
    for (size_t f = nest.graph().num_scheduled(); f-- > 0;) {
        const FuncId id(f);
        if (!nest.decided(id) || nest.at(id).placement != Placement::Inline) continue;
        inlined += (inlined.empty() ? "" : ", ") + nest.graph().func(id).name;
    }
    return inlined.empty() ? text : text + "inlined: " + inlined + "\n";
}

}  // namespace cryolite
