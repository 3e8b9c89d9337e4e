#include "code/kernel/stage_code.h"

#include "schedule/func_nest.h"

namespace cryolite {

StageCode stage_code(const LoopNest &nest, StageId stage, StageExpander &expander) {
    StageCode c;
    c.stage = &nest.graph().stage(stage);
    c.nest = &nest.stage_nest(stage);
    c.body = &expander.expand(nest, stage);
    c.holds_others = holds_others(nest, stage);
    c.inner = inner_loops(*c.stage, *c.nest);
    return c;
}

}  // namespace cryolite
