#include "search/beam/alternatives.h"

#include <algorithm>

#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "search/plain_schedule.h"
#include "search/search.h"

namespace cryolite {
namespace {

// Length of the chain that ends with a Func computed in `loop`. The loop's Func must be decided.
int depth_in(const LoopNest &nest, LoopName loop) {
    int depth = 1;
    for (const FuncNest *f = &nest.at(nest.graph().stage(loop.stage).func); f->compute_at;
         f = &nest.at(nest.graph().stage(f->compute_at->stage).func))
        depth++;
    return depth;
}

// Repeats a trace. A Func keeps its place if that is shallow enough, else it moves further out.
class Flattening {
public:
    Flattening(const StageGraph &graph, int depth, Hardware hardware)
        : nest_(graph), depth_(depth), hardware_(hardware) {}

    void add(const Action &a) {
        if (const auto *inlined = std::get_if<action::Inline>(&a)) {
            moved_ = !try_apply(nest_, a);
            if (moved_) move_out(inlined->func);
        } else if (std::holds_alternative<action::ComputeRoot>(a)) {
            moved_ = !try_apply(nest_, a);
        } else if (const auto *at = std::get_if<action::ComputeAt>(&a)) {
            const bool has_site = nest_.decided(nest_.graph().stage(at->at.stage).func);
            moved_ = !has_site || depth_in(nest_, at->at) > depth_ || !try_apply(nest_, a);
            if (moved_) move_out(at->func);
        } else if (!moved_) {
            // An action that is refused by now is left out: the state stays legal, if slower.
            try_apply(nest_, a);
        }
    }

    LoopNest result() const { return nest_; }

private:
    void move_out(FuncId f) {
        for (const LoopName &site : legal_sites(nest_, f))
            if (depth_in(nest_, site) <= depth_ && try_apply(nest_, action::ComputeAt{f, site}))
                return shape_plainly(f);
        if (try_apply(nest_, action::ComputeRoot{f})) return shape_plainly(f);
        // The device would read a buffer that may be empty.
        try_apply(nest_, action::Inline{f});
    }

    void shape_plainly(FuncId f) {
        const bool at_root = nest_.at(f).placement == Placement::Root;
        const Func &func = nest_.graph().func(f);
        if (func.locked || func.is_extern) return;
        for (const Action &a : plain_loops(nest_, func, hardware_))
            if (at_root || !std::holds_alternative<action::Parallel>(a)) try_apply(nest_, a);
    }

    LoopNest nest_;
    const int depth_;
    const Hardware hardware_;
    bool moved_ =
        false;  // the current Func got plain loops: the trace's loop actions do not fit them
};

}  // namespace

int nesting_depth(const LoopNest &nest) {
    int deepest = 0;
    for (const Func &f : nest.graph().funcs())
        if (nest.decided(f.id) && nest.at(f.id).compute_at)
            deepest = std::max(deepest, depth_in(nest, *nest.at(f.id).compute_at));
    return deepest;
}

LoopNest flattened(const LoopNest &complete, int depth, Hardware hardware) {
    Flattening flattening(complete.graph(), depth, hardware);
    for (const Action &a : trace_of(complete)) flattening.add(a);
    // For Funcs that found no place above.
    return finish_plainly(flattening.result(), hardware);
}

void Alternatives::add(const BeamState &complete) {
    const auto [known, fresh] = cheapest_.try_emplace(nesting_depth(complete.nest), complete);
    if (!fresh && complete.seconds < known->second.seconds) known->second = complete;
}

const BeamState *Alternatives::at_most(int depth) const {
    const BeamState *best = nullptr;
    for (const auto &[d, state] : cheapest_)
        if (d <= depth && (!best || state.seconds < best->seconds)) best = &state;
    return best;
}

}  // namespace cryolite
