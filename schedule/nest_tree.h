// The loop nest as people draw it: a tree of loops, with Funcs where they are computed and stored. Inlined Funcs
// are not in it. to_tree_text() in trace_text.h prints it.
#pragma once

#include <string>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

struct NestNode {
    enum class Kind : uint8_t {
        Store,    // storage of `func` is allocated here; `extents`: of the region
        Compute,  // `func` is computed here; `extents`: of the region. Children: its stages
        Loop,     // `loop` of `stage`; `extents`: its iterations. Children: its body
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

// Producers before readers, in the order in which they run.
std::vector<NestNode> nest_tree(const LoopNest &nest);

}  // namespace cryolite
