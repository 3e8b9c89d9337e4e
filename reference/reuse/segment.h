// A segment (a group in chapter 6): Funcs that are scheduled together with respect to the loops of
// one output stage (thesis section 5.4). Its buffers live between the output's loops; everything
// else that it reads, inputs and the outputs of other segments, comes from memory.
#pragma once

#include <span>
#include <vector>

#include "graph/stage_graph.h"

namespace cryolite::reuse {

struct Segment {
    FuncId output;
    StageId driver;               // the stage of `output` whose loops are tiled and fused into
    std::vector<FuncId> members;  // fused or inlined for it; readers first, without the output
    bool operator==(const Segment &) const = default;
};

// The last stage that reads a Func of the pipeline, else the last that reads an input, else the
// first: producers can be computed inside the loops of one stage only.
StageId driver_of(const StageGraph &graph, FuncId output);

// The Funcs that cannot be in the middle of a segment, whatever it costs: outputs, extern stages,
// what the user has scheduled and what such Funcs read.
bool must_be_stored(const StageGraph &graph, FuncId f);

// Costs no more than reading it back would, so that it is inlined wherever it is read (algorithm
// 5's trivial()): at most one operation per point, and no more bytes loaded than stored.
bool is_trivial(const StageGraph &graph, FuncId f);

// Trivial, or with no other way to be computed: part of every segment that reads it.
bool is_always_inlined(const StageGraph &graph, FuncId f);

// The segments that follow when `cut` Funcs end one each. Every other Func belongs to the segment
// that reads it. More Funcs are cut where they must be: those that must_be_stored(), and those read
// from two segments or by a stage of an output that does not drive, unless is_always_inlined().
// Consumers first.
std::vector<Segment> segments_between(const StageGraph &graph, std::span<const FuncId> cut);

}  // namespace cryolite::reuse
