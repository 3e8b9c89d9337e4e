// Which vectors Halide would take for aligned in an output's buffer, which is the user's and starts anywhere.
//
// Halide (19 to 21 at least) takes an output's buffer for one of its own allocations where any stage loads from
// it. A vector's load is then as aligned as the index is known to be a multiple. In a crop the program dies.
// The index, less the buffer's mins, is known only where the mins are: in their place stand constants, or the
// same symbols as in a loop's or a reduction's bounds.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "graph/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

class OutputAlignment {
public:
    explicit OutputAlignment(const PipelineView &view);

    // Whether something says what the min of an output's buffers is in any of its dimensions.
    bool knows_a_min(const FuncView &output) const;
    // The dimensions along which stages of other Funcs may load vectors that are taken for aligned; all
    // false where an unknown min hides all addresses.
    std::vector<bool> exposed_dimensions(const FuncView &output) const;

private:
    bool knows_min(const FuncView &output, int dim) const;

    std::set<std::string> mentioned_;  // variables of definitions, reductions and constraints
};

// For a stage that is not the output's: forbids the vector loops that move an index in a dimension of which
// `exposed` says that vectors along it count as aligned. exposed: [FuncId][dimension].
// Returns whether there were any.
bool forbid_aligned_vectors(Stage &stage, std::span<const Edge> edges,
                            std::span<const std::vector<bool>> exposed);

// Whether a constraint gives the stride of a dimension: Halide packs vectors along it out of whole loads.
bool has_known_stride(const FuncView &output, int dim);
// A split into odd parts hides where vectors start only if the dimension's stride is odd, too. True of a stride
// that no constraint gives: nothing is known of it either.
bool has_odd_stride(const FuncView &output, int dim);
// Whether no constraint gives the extent of the output's buffers in a dimension.
bool has_free_extent(const FuncView &output, int dim);
// Another dimension of which no constraint gives the stride; -1: there is none.
int dimension_of_free_stride(const FuncView &output, int dim);
// Whether rows of a stage with these loops start at addresses of which nothing is known when it is compiled: some
// loop moves by a stride that neither the schedule nor a constraint of the buffer gives.
bool rows_start_anywhere(const FuncView &output, std::span<const StageLoop> loops, int innermost);

}  // namespace cryolite
