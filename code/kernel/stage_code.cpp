#include "code/kernel/stage_code.h"

#include "code/kernel/channels.h"
#include "schedule/func_nest.h"

namespace cryolite {

StageCode stage_code(const LoopNest &nest, StageId stage, StageExpander &expander) {
    StageCode c;
    c.stage = &nest.graph().stage(stage);
    c.nest = &nest.stage_nest(stage);
    c.body = &expander.expand(nest, stage);
    c.holds_others = holds_others(nest, stage);
    c.inner = inner_loops(*c.stage, *c.nest);
    const auto note_channels = [&](auto &loops) {
        for (UnrolledLoop &u : loops)
            u.is_known |= u.factor == static_cast<double>(c.stage->loops[u.dim].channels) &&
                          walks_known_channels(nest, stage, u.dim);
    };
    note_channels(c.inner.unrolled);
    note_channels(c.inner.copied);
    return c;
}

}  // namespace cryolite
