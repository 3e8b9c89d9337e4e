// The regions that stages read. Halide's own interval analysis runs once per stage, with symbolic loop intervals.
// Its answers are compiled to region programs.
#pragma once

#include <map>
#include <string>

#include "graph/halide/estimates.h"
#include "graph/halide/pipeline_view.h"
#include "graph/region_program.h"

namespace cryolite {

// Variables that stand for the ends of a loop's interval.
Expr loop_min(const LoopView &loop);
Expr loop_max(const LoopView &loop);

// Compiles a bound over the stage's loop ends. The constant `unbounded` (+ or -) where no region program can express
// the bound, such as a loaded value.
RegionExpression compile_bound(const Expr &bound, const StageView &stage, int64_t unbounded);

// The region of each Func and input that a stage reads, by name. For an update also the region of its own Func that
// it reads and writes.
std::map<std::string, RegionProgram> stage_regions(const FuncView &f, size_t stage,
                                                   const Estimates &estimates,
                                                   const ir::FuncValueBounds &value_bounds);

// The range of a reduction loop at the estimates; nothing if it depends on loaded values that nothing bounds.
std::optional<Interval> reduction_range(const LoopView &loop, const Estimates &estimates,
                                        const ir::FuncValueBounds &value_bounds);

}  // namespace cryolite
