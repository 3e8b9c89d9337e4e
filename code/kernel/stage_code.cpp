#include "code/kernel/stage_code.h"

#include "code/kernel/channels.h"
#include "code/kernel/first_points.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

// Whether the copies of the loop, each one row of points or one of woven vectors, know their place in the period of
// what the stage computes.
bool know_their_place(const LoopNest &nest, const StageCode &code, const UnrolledLoop &u) {
    const int64_t period = code.body->period[u.dim];
    if (period == 1 || code.stage->loops[u.dim].is_reduction ||
        (static_cast<int>(u.dim) == code.inner.vector_dim && !u.woven) ||
        static_cast<int64_t>(u.factor) % period != 0)
        return false;
    return begins_at_multiples(nest, code.stage->id, u.dim, code.nest->loops.size(), period);
}

}  // namespace

StageCode stage_code(const LoopNest &nest, StageId stage, StageExpander &expander) {
    StageCode c;
    c.stage = &nest.graph().stage(stage);
    c.nest = &nest.stage_nest(stage);
    c.body = &expander.expand(nest, stage);
    c.holds_others = holds_others(nest, stage);
    c.inner = inner_loops(*c.stage, *c.nest);
    const auto note_known = [&](auto &loops) {
        for (UnrolledLoop &u : loops)
            u.is_known |= (u.factor == static_cast<double>(c.stage->loops[u.dim].channels) &&
                           walks_known_channels(nest, stage, u.dim)) ||
                          know_their_place(nest, c, u);
    };
    note_known(c.inner.unrolled);
    note_known(c.inner.copied);
    return c;
}

}  // namespace cryolite
