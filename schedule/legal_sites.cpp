// Where a Func may be computed: Halide's rule is that the loop must contain every use. Uses through
// inlined readers count as uses of their readers; loops of different stages of one Func never
// contain each other, so that a Func read by a pure definition and by its update can only be
// computed outside of both.
#include <algorithm>

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
                narrow(loops_around(consumer));
            }
            if (started_ && common_.empty()) return;
        }
    }

    std::vector<LoopName> loops_around(StageId s) const {
        const Func &func = nest_.graph().func_of(s);
        // What such a Func's loops are is not ours to know.
        if (func.locked || func.is_extern) return {};
        const FuncNest &placed = nest_.at(func.id);
        std::vector<LoopName> loops;
        const Stage &stage = nest_.graph().stage(s);
        const bool narrowed = loses_predicate(nest_.graph().func(func_), stage);
        if (narrowed && !stage.predicate_is_plain) return {};
        if (placed.compute_at) loops = nest_.enclosing(*placed.compute_at);
        if (narrowed) return loops;
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
    FuncId func_;  // whose readers they are
    std::vector<char> seen_;
    std::vector<LoopName> common_;
    bool started_ = false;
};

}  // namespace

std::vector<LoopName> LoopNest::legal_sites(FuncId f) const {
    if (graph_->func(f).root_only) return {};
    std::vector<LoopName> sites;
    for (LoopName loop : CommonLoops(*this).of_readers(f)) {
        const StageNest &nest = stage_nest(loop.stage);
        const auto at = static_cast<size_t>(position(loop));
        const LoopKind kind = nest.loops[at].kind;
        if (kind == LoopKind::Vectorized || kind == LoopKind::Unrolled) break;
        if (takes_producers(nest, at)) sites.push_back(loop);
    }
    std::reverse(sites.begin(), sites.end());
    return sites;
}

}  // namespace cryolite
