// A use by an inlined Func counts as a use by that Func's readers. Loops of different stages of one Func never contain
// each other. So if a pure stage and its update both read a Func, it can only be computed outside of both.
#include "code/legality/legal_sites.h"

#include <algorithm>

#include "code/legality/site_rules.h"
#include "code/legality/tile_kernels.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

class CommonLoops {
public:
    explicit CommonLoops(const LoopNest &nest) : nest_(nest), seen_(nest.graph().funcs().size()) {}

    // Outermost first.
    std::vector<LoopName> of_readers(FuncId f) {
        func_ = f;
        visit_readers(f);
        return std::move(common_);
    }

private:
    void visit_readers(FuncId f) {
        const StageGraph &graph = nest_.graph();
        for (EdgeId e : graph.func(f).outgoing) {
            const StageId consumer = graph.edge(e).consumer;
            const FuncId reader = graph.stage(consumer).func;
            if (!nest_.decided(reader)) {
                narrow({});
            } else if (nest_.at(reader).placement == Placement::Inline) {
                if (!seen_[reader.index()]) {
                    seen_[reader.index()] = true;
                    visit_readers(reader);
                }
            } else {
                narrow(loops_around(graph.edge(e)));
            }
            if (started_ && common_.empty()) return;
        }
    }

    std::vector<LoopName> loops_around(const Edge &reads) const {
        const StageId s = reads.consumer;
        const Func &func = nest_.graph().func_of(s);
        const FuncNest &placed = nest_.at(func.id);
        const Stage &stage = nest_.graph().stage(s);
        if (func.is_extern) return {};
        std::vector<LoopName> loops;
        const bool narrowed = loses_predicate(nest_.graph().func(func_), reads);
        if (narrowed && !stage.predicate_is_plain) return {};
        if (placed.compute_at) loops = nest_.enclosing(*placed.compute_at);
        // A Func that is left alone offers only the loops that the graph knows.
        const bool unknown = is_left_alone(func, placed) && stage.user_loops.empty();
        if (narrowed || unknown) return loops;
        for (const LoopLevel &loop : nest_.stage_nest(s).loops) loops.push_back(loop.name);
        return loops;
    }

    void narrow(std::vector<LoopName> loops) {
        if (!started_) {
            common_ = std::move(loops);
            started_ = true;
            return;
        }
        const auto ends = std::mismatch(common_.begin(), common_.end(), loops.begin(), loops.end());
        common_.erase(ends.first, common_.end());
    }

    const LoopNest &nest_;
    FuncId func_;  // the Func whose sites are looked for
    std::vector<char> seen_;
    std::vector<LoopName> common_;
    bool started_ = false;
};

// How many of the loops common to all readers lie outside of a loop in which the Func has to stay. common: outermost
// first.
size_t first_inside_enclosure(const LoopNest &nest, const Func &func,
                              const std::vector<LoopName> &common) {
    if (!func.enclosed) return 0;
    if (func.enclosed_by.empty()) return common.size();
    size_t first = 0;
    for (const UserSite &site : func.enclosed_by) {
        const std::optional<LoopName> loop = loop_of(nest, site);
        const auto at = loop ? std::ranges::find(common, *loop) : common.end();
        first = std::max(first, static_cast<size_t>(at - common.begin()));
    }
    return first;
}

// Whether the loop is a companion's over a single point: its leader's loops walk the dimension, and it is no loop of
// its own.
bool is_walked_by_leader(const LoopNest &nest, LoopName loop) {
    const Stage &stage = nest.graph().stage(loop.stage);
    const FuncNest &placed = nest.at(stage.func);
    return placed.is_companion &&
           shared_part(nest, placed, stage.loops[static_cast<size_t>(loop.dim)].func_dim) == 1;
}

// Whether the loop may take Funcs. A user's loop may if it has a name.
bool is_open(const StageGraph &graph, LoopName loop, size_t position) {
    const std::vector<UserLoop> &loops = graph.stage(loop.stage).user_loops;
    return loops.empty() || !loops[position].name.empty();
}

}  // namespace

std::vector<LoopName> legal_sites(const LoopNest &nest, FuncId f) {
    const StageGraph &graph = nest.graph();
    if (graph.func(f).root_only) return {};
    std::vector<LoopName> sites;
    const std::vector<LoopName> common = CommonLoops(nest).of_readers(f);
    // A tile kernel has one site for one Func.
    if (const std::optional<Action> only = placement_in_tile_kernel(nest, f)) {
        const auto *at = std::get_if<action::ComputeAt>(&*only);
        if (at && std::ranges::find(common, at->at) != common.end()) sites.push_back(at->at);
        return sites;
    }
    const size_t first = first_inside_enclosure(nest, graph.func(f), common);
    for (size_t i = 0; i < common.size(); i++) {
        const StageNest &loops = nest.stage_nest(common[i].stage);
        const auto at = static_cast<size_t>(nest.position(common[i]));
        const LoopKind kind = loops.loops[at].kind;
        if (kind == LoopKind::Vectorized || kind == LoopKind::Unrolled) break;
        if (is_in_tile_kernel(nest, common[i].stage)) break;
        if (is_walked_by_leader(nest, common[i])) continue;
        if (i >= first && takes_producers(loops, at) && is_open(graph, common[i], at))
            sites.push_back(common[i]);
    }
    std::reverse(sites.begin(), sites.end());
    return sites;
}

}  // namespace cryolite
