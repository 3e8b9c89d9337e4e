// Which vector loads Halide would take for aligned although they may not be: those from an output's buffer, which
// belongs to the user and starts at any address.
//
// Halide (19 to 21 at least) treats an output's buffer like one of its own allocations where a stage loads from it.
// If it knows the index to be a multiple of the vector's width, it makes an aligned load. In a crop of a buffer the
// address is not aligned, and the program crashes.
// Halide knows such an index, relative to the buffer's min, only where it knows the min: as a constant, or because
// the bounds of a loop or a reduction mention the same symbol.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "graph/halide/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

class OutputAlignment {
public:
    explicit OutputAlignment(const PipelineView &view);

    // Whether the min of the output's buffers is known in any dimension.
    bool knows_a_min(const FuncView &output) const;
    // [dimension]: whether vectors that other Funcs' stages load along it may be taken for aligned. All false where
    // an unknown min hides all addresses.
    std::vector<bool> exposed_dimensions(const FuncView &output) const;

private:
    bool knows_min(const FuncView &output, int dim) const;

    std::set<std::string>
        mentioned_;  // variables in definitions, reductions, bounds and constraints
};

// For stages of other Funcs than the output: forbids vectors in loops that move an index in an exposed dimension.
// exposed: [FuncId][dimension], see exposed_dimensions(). Returns whether there were such loops.
bool forbid_aligned_vectors(Stage &stage, std::span<const Edge> edges,
                            std::span<const std::vector<bool>> exposed);

// Whether a constraint gives the stride of a dimension. Halide then builds vectors along it from dense loads.
bool has_known_stride(const FuncView &output, int dim);
// Whether the stride of a dimension is odd, or no constraint gives it. Only then does a split into odd parts hide
// where vectors start.
bool has_odd_stride(const FuncView &output, int dim);
// Whether no constraint gives the extent of the output's buffers in a dimension.
bool has_free_extent(const FuncView &output, int dim);
// Whether the schedule of any Func, or a constraint of an output's buffers, gives its extent in a dimension.
bool has_bounded_extent(const FuncView &func, int dim);
// Whether both the first point and the extent of a dimension are constants: by the schedule of any Func, or by the
// constraints of all of an output's buffers.
bool has_constant_bounds(const FuncView &func, int dim);
// Another dimension whose stride no constraint gives; -1: there is none.
int dimension_of_free_stride(const FuncView &output, int dim);
// Whether nothing is known at compile time about the addresses where rows of a stage with these loops start: the
// loop of another dimension moves by a stride that neither the schedule nor a constraint of the buffer gives.
bool rows_start_anywhere(const FuncView &output, std::span<const StageLoop> loops, int innermost);

}  // namespace cryolite
