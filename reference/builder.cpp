#include "reference/builder.h"

#include <algorithm>

#include "code/legality/apply.h"
#include "search/search.h"

namespace cryolite::strategies {
namespace {

std::string text_of(const StageGraph &graph, StageId stage) {
    return graph.func_of(stage).name + ".s" + std::to_string(graph.stage(stage).index);
}

std::string text_of(const StageGraph &graph, LoopName loop) {
    return text_of(graph, loop.stage) + " " +
           graph.stage(loop.stage).loops[static_cast<size_t>(loop.dim)].name + "." +
           std::to_string(loop.level);
}

bool must_keep_order(const Stage &stage, LoopName loop) {
    return !stage.loops[static_cast<size_t>(loop.dim)].reorderable;
}

// The loops that must keep their order, back in the algorithm's, in the places that they have.
std::vector<LoopName> put_back(const Stage &stage, std::vector<LoopName> order) {
    std::vector<LoopName> ordered;
    for (LoopName loop : order)
        if (must_keep_order(stage, loop)) ordered.push_back(loop);
    std::ranges::sort(ordered, [](LoopName a, LoopName b) {
        return a.dim != b.dim ? a.dim > b.dim : a.level < b.level;
    });
    auto next = ordered.begin();
    for (LoopName &loop : order)
        if (must_keep_order(stage, loop)) loop = *next++;
    return order;
}

// Serial levels by the entries of the shape that they are, innermost to innermost: where a split
// was not made, what is left is the loop inside. A vector of a whole tile has taken the innermost
// entry.
class LevelsOfShape {
public:
    LevelsOfShape(const StageNest &nest, const StageShape &shape, const StageSplits &splits)
        : loops_(shape.levels.size()) {
        for (size_t dim = 0; dim < splits.spans.size(); dim++) {
            std::vector<size_t> entries;
            for (size_t e = 0; e < shape.levels.size(); e++)
                if (shape.levels[e].loop == static_cast<int>(dim)) entries.push_back(e);
            std::vector<LoopName> levels;
            bool has_vector = false;
            for (const LoopLevel &l : nest.loops) {
                if (l.name.dim != static_cast<int>(dim)) continue;
                if (l.kind == LoopKind::Vectorized)
                    has_vector = true;
                else
                    levels.push_back(l.name);
            }
            std::ranges::sort(levels);
            const bool vector_is_tile = has_vector && levels.size() == splits.spans[dim].size();
            if (vector_is_tile && !entries.empty()) entries.pop_back();
            for (size_t back = 1; back <= levels.size(); back++) {
                const LoopName level = levels[levels.size() - back];
                if (back <= entries.size())
                    loops_[entries[entries.size() - back]] = level;
                else
                    left_out_.push_back(level);
            }
        }
    }

    const std::vector<std::optional<LoopName>> &loops() const { return loops_; }

    // All serial loops. Those that the shape leaves out stand inside its parallel ones.
    std::vector<LoopName> order(int parallel_levels) const {
        std::vector<LoopName> out;
        for (size_t e = 0; e < loops_.size(); e++) {
            if (e == static_cast<size_t>(parallel_levels)) append_left_out(out);
            if (loops_[e]) out.push_back(*loops_[e]);
        }
        if (loops_.size() <= static_cast<size_t>(parallel_levels)) append_left_out(out);
        return out;
    }

private:
    void append_left_out(std::vector<LoopName> &out) const {
        out.insert(out.end(), left_out_.rbegin(), left_out_.rend());
    }

    std::vector<std::optional<LoopName>> loops_;
    std::vector<LoopName> left_out_;
};

}  // namespace

bool Builder::try_action(const Action &action) {
    auto next = cryolite::apply(nest_, action);
    if (!next.ok()) {
        report_.rejected[static_cast<size_t>(next.error())]++;
        return false;
    }
    nest_ = std::move(*next);
    return true;
}

bool Builder::try_inline(FuncId f) {
    const LoopNest before = nest_;
    if (!try_action(action::Inline{f})) {
        moved(f, "not inlined");
        return false;
    }
    if (graph_.func(f).inline_only) return true;
    // The stages that its code ends up in.
    std::vector<FuncId> inlined{f};
    for (size_t i = 0; i < inlined.size(); i++) {
        for (EdgeId e : graph_.func(inlined[i]).outgoing) {
            const StageId stage = graph_.edge(e).consumer;
            const FuncId reader = graph_.stage(stage).func;
            if (nest_.at(reader).placement == Placement::Inline) {
                if (std::ranges::find(inlined, reader) == inlined.end()) inlined.push_back(reader);
            } else if (expander_.expand(nest_, stage).too_large) {
                nest_ = before;
                moved(f, "not inlined, as that multiplies the work of " + text_of(graph_, stage) +
                             " beyond reason");
                return false;
            }
        }
    }
    return true;
}

bool Builder::try_window(FuncId f, const Place &wanted) {
    const LoopNest before = nest_;
    std::optional<LoopName> store;
    if (wanted.sites.size() > 1) store = wanted.sites[1];
    if (try_action(action::ComputeAt{f, wanted.sites[0]}) &&
        try_action(action::StoreAt{f, store})) {
        return true;
    }
    nest_ = before;
    return false;
}

void Builder::place(FuncId f, const Place &wanted) {
    if (wanted.slides && try_window(f, wanted)) return;
    for (size_t i = wanted.slides ? 1 : 0; i < wanted.sites.size(); i++) {
        if (!try_action(action::ComputeAt{f, wanted.sites[i]})) continue;
        if (i > 0) moved(f, "computed at " + text_of(graph_, wanted.sites[i]));
        return;
    }
    compute_root(f);
    if (!wanted.sites.empty()) moved(f, "computed at root");
}

void Builder::moved(FuncId f, const std::string &where) {
    report_.funcs_moved++;
    note(graph_.func(f).name + ": " + where);
}

void Builder::adapt(StageId stage, const std::string &how) {
    note(text_of(graph_, stage) + ": " + how);
    if (std::ranges::find(adapted_, stage) == adapted_.end()) adapted_.push_back(stage);
}

void Builder::reorder(StageId id, std::vector<LoopName> order) {
    const StageNest &nest = nest_.stage_nest(id);
    if (std::ranges::equal(nest.loops, order, {}, &LoopLevel::name)) return;
    if (try_action(action::Reorder{id, order})) return;
    adapt(id, "reduction loops put back into their order");
    try_action(action::Reorder{id, put_back(graph_.stage(id), std::move(order))});
}

std::vector<std::optional<LoopName>> Builder::shape(StageId id, const StageShape &shape) {
    const Stage &stage = graph_.stage(id);
    const StageSplits splits = splits_of(stage, nest_.stage_nest(id).range, shape);
    if (splits.adapted) adapt(id, "tiles rounded to whole vectors, or left out under a predicate");
    for (size_t l = 0; l < splits.spans.size(); l++)
        if (!splits.spans[l].empty())
            try_action(action::Tile{id, static_cast<int16_t>(l), splits.spans[l]});
    if (splits.vector_width > 1) {
        const auto dim = static_cast<int16_t>(*shape.vector_loop);
        if (!try_action(action::Vectorize{id, dim, splits.vector_width}))
            adapt(id, "not vectorised");
    }

    const LevelsOfShape levels(nest_.stage_nest(id), shape, splits);
    std::vector<LoopName> order = levels.order(shape.parallel_levels);
    for (const LoopLevel &l : nest_.stage_nest(id).loops)
        if (l.kind == LoopKind::Vectorized) order.push_back(l.name);
    reorder(id, std::move(order));

    for (int loop : shape.unrolled)
        for (size_t e = shape.levels.size(); e-- > 0;) {
            if (shape.levels[e].loop != loop) continue;
            if (levels.loops()[e]) try_action(action::Unroll{*levels.loops()[e]});
            break;
        }
    int parallel = shape.parallel_levels;
    while (parallel > 0 && !try_action(action::Parallel{id, parallel})) parallel--;
    if (parallel < shape.parallel_levels) adapt(id, "fewer parallel loops");

    const bool adapted = std::ranges::find(adapted_, id) != adapted_.end();
    (adapted ? report_.stages_adapted : report_.stages_as_planned)++;
    return levels.loops();
}

void Builder::shape_plainly(StageId stage, const std::string &why) {
    note(text_of(graph_, stage) + ": plain, " + why);
    report_.stages_plain++;
    for (const Action &a : plain_loops(nest_, stage, machine_)) try_action(a);
}

StrategyResult Builder::finish() && {
    return {finish_plainly(std::move(nest_), machine_), std::move(report_)};
}

}  // namespace cryolite::strategies
