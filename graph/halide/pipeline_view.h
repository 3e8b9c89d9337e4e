// A Halide pipeline laid out for the builder: its Funcs, consumers before producers, and its input buffers. All work
// is done on copies of the Funcs, in which calls to wrapped Funcs (Func::in) are replaced as Halide's lowering does.
// Stages have the default loop order, whatever the user has scheduled.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/halide/halide_compat.h"

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

    // Values, arguments and the predicate.
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
    // One of these is defined: an ImageParam's parameter, or a buffer that is embedded in the pipeline.
    Halide::Parameter parameter;
    Halide::Buffer<> buffer;
};

struct PipelineView {
    std::vector<FuncView> funcs;
    std::vector<InputView> inputs;
    std::map<std::string, int> func_by_name, input_by_name;
    std::map<std::string, ir::Function> copies;  // by name, as Halide's analyses want them
};

std::vector<ir::Function> outputs_of(const Halide::Pipeline &pipeline);

PipelineView view_pipeline(const std::vector<ir::Function> &outputs);

}  // namespace cryolite
