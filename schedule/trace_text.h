// A trace as text that people can read, store, compare and paste. Each line is one action, with the names of Funcs,
// stages and Vars:
//
//   cryolite-trace 1
//   algorithm 0123456789abcdef
//   compute_root out
//   tile out.s0 x 128 16
//   reorder out.s0 y.0 x.0 x.1 x.2
//   vectorize out.s0 x 16
//   parallel out.s0 1
//   compute_at blur_x out.s0 x.0
//   store_at blur_x out.s0 y.0          (or: store_at blur_x root)
//   compute_with second out.s0 y.0
//   unroll blur_x.s0 y.1
//   map_to_blocks out.s0 y.0 x.0        (outermost first)
//   map_to_threads out.s0 y.1 x.1
//   tensor_tile out.s0 product.s1 128 64 2 2 64 2   (rows and columns of a block, warps down and across, bytes of
//                                                    depth in a chunk, stages)
//
// Reductions that were divided before the search come before all actions:
//   divide hist.s1 r$y blocks 128
//   divide norm.s1 r$x lanes 32
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "schedule/loop_nest.h"

namespace cryolite {

std::string to_text(const StageGraph &graph, const Trace &trace);

// The divided reductions of a trace, by which its graph has to be made. Errors as below.
Result<std::vector<DividedReduction>> divisions_in(std::string_view text);

// Errors name the line and what was expected. A trace with another algorithm hash is refused, and one with other
// divided reductions than the graph's.
Result<Trace> parse_trace(const StageGraph &graph, std::string_view text);

// The loop nest as an indented tree for people (nest_tree.h): loops with their extents, and where Funcs are
// computed and stored. The last line lists the inlined Funcs.
std::string to_tree_text(const LoopNest &nest);

}  // namespace cryolite
