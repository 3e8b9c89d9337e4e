// What the loops of a Func can be on a CPU, for those who choose among them: vector_choices.h, unrolled_blocks.h,
// templates.h.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "machine/machine.h"
#include "schedule/loop_nest.h"
#include "search/reads/transposed_reads.h"
#include "search/space/tiling_template.h"

namespace cryolite {

// What the choices depend on. It refers to the nest, the graph and the machine.
struct TilingSpace {
    TilingSpace(const LoopNest &nest, FuncId id, const Machine &machine);

    const StageGraph &graph;
    const Func &func;
    const FuncNest &nest;
    const Machine &machine;
    std::vector<int> order;  // of storage, innermost first
    bool has_reduction = false;
    // The choices that are worth a try.
    std::vector<TilingTemplate::Unrolled> unrolled_reductions = {TilingTemplate::Unrolled::None,
                                                                 TilingTemplate::Unrolled::All};
    SmallVector<int, 4> row_taps;  // TilingTemplate::row_taps
    // A reduction loop has no race once those around it stand still, so that they may be steps (parallel_in_steps).
    bool has_steps = false;
    // A stage has channels, all of which are computed here.
    bool has_channels = false;
    bool reads_product = false;  // see is_product()
    // It sums up, or it alone reads a Func that does: that Func's sums may be kept in registers inside of its loops.
    bool holds_sums = false;
    // The Func reads a copy that may be transposed inside its loops.
    std::optional<TransposedRead> transposed_read = std::nullopt;
    // The Func is a transposing copy, or begins as one (scanned_rows.h): its dimension that walks along the rows of its
    // source.
    std::optional<int> source_row_dim = std::nullopt;
    // The copies of all colours of an output's pixels, which Halide interleaves (KnownAddresses::interleaved); 1: none.
    int64_t colours = 1;
    double points = 0;  // of the stage with the most, perhaps of one inside

    int64_t extent(size_t dim) const { return nest.compute_region[dim].extent(); }
};

}  // namespace cryolite
