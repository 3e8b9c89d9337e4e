// A Halide pipeline laid out for the builder: its Funcs consumers before producers, with calls to
// wrapped Funcs (Func::in) already replaced as Halide's lowering would, on copies; their stages in
// default loop order whatever the user has scheduled; and its input buffers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/halide_compat.h"

namespace cryolite {

struct LoopView {
    std::string name;
    int func_dim = -1;  // -1: reduction loop
    Expr min, extent;   // of a reduction loop; undefined for a pure one
};

struct StageView {
    ir::Definition definition;    // of the copy; undefined for an extern stage
    std::vector<LoopView> loops;  // innermost first
    std::vector<Expr> arguments;  // left-hand side
    std::vector<Expr> values;     // right-hand side
    Expr predicate;               // RDom::where; undefined if there is none

    // All of the above but the loop bounds.
    std::vector<Expr> expressions() const;
};

struct FuncView {
    ir::Function original;  // what schedules are applied to
    ir::Function copy;      // what is analysed
    bool is_output = false;
    std::vector<StageView> stages;

    const std::string &name() const { return original.name(); }
};

struct InputView {
    std::string name;
    Halide::Type type;
    int dimensions = 0;
    Halide::Parameter parameter;  // of an ImageParam, or
    Halide::Buffer<> buffer;      // a buffer that is embedded in the pipeline
};

struct PipelineView {
    std::vector<FuncView> funcs;
    std::vector<InputView> inputs;
    std::map<std::string, int> func_by_name, input_by_name;
    std::map<std::string, ir::Function> copies;  // by name, as Halide's analyses want them
};

PipelineView view_pipeline(const std::vector<ir::Function> &outputs);

}  // namespace cryolite
