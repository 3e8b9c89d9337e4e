// The loop nest as people draw it: loops in loops, Funcs where they are computed and stored. Inlined
// Funcs are not in it. As text: to_tree_text() in trace_text.h.
#pragma once

#include <string>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

struct NestNode {
    enum class Kind : uint8_t {
        Store,    // storage of `func` is allocated here; `extents` are its region's
        Compute,  // `func` is computed here; `extents` are its region's. Children: its stages
        Loop,     // `loop` of `stage`; `extents` has its iterations. Children: what is inside
        Stage     // the body of `stage`
    };
    Kind kind;
    std::string text;  // the line without its indentation
    FuncId func;
    StageId stage = {};               // Loop, Stage
    const LoopLevel *loop = nullptr;  // Loop; lives as long as the LoopNest
    std::vector<int64_t> extents = {};
    std::vector<NestNode> children = {};
};
const char *name(NestNode::Kind kind);
const char *name(LoopKind kind);

// Producers before readers, as they run.
std::vector<NestNode> nest_tree(const LoopNest &nest);

}  // namespace cryolite
