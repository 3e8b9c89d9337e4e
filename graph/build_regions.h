// Bounds: Halide's own interval analysis, asked once per stage with symbolic loop intervals, and its
// answers compiled to region programs.
#pragma once

#include <map>
#include <string>

#include "graph/estimates.h"
#include "graph/pipeline_view.h"
#include "graph/region_program.h"

namespace cryolite {

// The symbolic ends of a loop's interval.
Expr loop_min(const LoopView &loop);
Expr loop_max(const LoopView &loop);

// Compiles a bound over the stage's loop ends; `unbounded` (+ or -) where it says something that no
// region program can say, such as a value that is loaded.
RegionExpression compile_bound(const Expr &bound, const StageView &stage, int64_t unbounded);

// What one stage needs of each Func and input that it reads, by name. For an update also what it
// reads and writes of its own Func.
std::map<std::string, RegionProgram> stage_regions(const FuncView &f, size_t stage,
                                                   const Estimates &estimates,
                                                   const ir::FuncValueBounds &value_bounds);

// The range of a reduction loop at the estimates; nothing if it depends on unbounded loaded values.
std::optional<Interval> reduction_range(const LoopView &loop, const Estimates &estimates,
                                        const ir::FuncValueBounds &value_bounds);

}  // namespace cryolite
