// From a Halide pipeline to a StageGraph. Only the builder (cryolite_graph_build) knows Halide.
#pragma once

#include <vector>

#include <Halide.h>

#include "base/result.h"
#include "graph/stage_graph.h"

namespace cryolite {

struct BuiltGraph {
    StageGraph graph;
    // [FuncId]; an undefined handle for pipeline inputs. Calls through wrappers (Func::in) are resolved: a
    // wrapper is a Func like any other.
    std::vector<Halide::Internal::Function> functions;
    // What the user should know, although it is no error.
    std::vector<std::string> warnings;
};

// Errors: a missing estimate (the message names the Func or parameter, the dimension and the line to add), and
// pipelines that Halide refuses. The pipeline is not changed.
Result<BuiltGraph> build_graph(const std::vector<Halide::Internal::Function> &outputs,
                               const Halide::Target &target);

}  // namespace cryolite
