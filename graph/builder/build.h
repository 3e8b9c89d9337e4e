// From a Halide pipeline to a StageGraph. Only the builder (cryolite_graph_build) knows Halide.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <Halide.h>

#include "base/result.h"
#include "graph/stage_graph.h"

namespace cryolite {

// The scheduling calls that have divided a reduction, with the names that they gave. Emission prints them.
struct DivisionCalls {
    struct Loop {
        std::string name;
        bool is_reduction;
    };
    DividedReduction division;
    std::string outer, inner;  // the RVars into which the loop was split
    std::string dimension;     // the Var of the partial results
    // The Func of the partial results, or the copy, in the graph: f_lanes, f_blocks or f_copy. Halide's name depends on
    // how often a pipeline of the process was divided.
    std::string partial;
    // The loops of its update in Halide's default order, innermost first. rfactor() leaves another order.
    std::vector<Loop> order;
    // The same of the update that combines the partial results; empty: it has that order.
    std::vector<Loop> order_of_rest;
    // The dimensions of the partial results, innermost in memory first; empty: as rfactor() leaves them. Lanes lie
    // beside each other, so that one load or store moves a vector of them.
    std::vector<std::string> storage;
};

struct BuiltGraph {
    StageGraph graph;
    // [FuncId]; an undefined handle for pipeline inputs. Calls through wrappers (Func::in) are resolved: a
    // wrapper is a Func like any other.
    std::vector<Halide::Internal::Function> functions;
    // What the user should know, although it is no error.
    std::vector<std::string> warnings;
    // Empty but after build_divided_graph(); the second then has a hash per Func of the pipeline as it was, and 0 for
    // inputs and partial results.
    std::vector<DivisionCalls> divisions = {};
    std::vector<uint64_t> undivided_hashes = {};
};

// Errors: a missing estimate (the message names the Func or parameter, the dimension and the line to add), and
// pipelines that Halide refuses. The pipeline is not changed.
// other_names: of Funcs that were made for the search, and that the graph calls otherwise than Halide does.
Result<BuiltGraph> build_graph(const std::vector<Halide::Internal::Function> &outputs,
                               const Halide::Target &target,
                               const std::map<std::string, std::string> &other_names = {});

}  // namespace cryolite
