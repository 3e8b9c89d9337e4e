// Reductions of updates, as far as it matters for dividing them into partial results (divisions.h).
#pragma once

#include <optional>
#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// The loops of the stage along which its reduction may be divided, by index; none if it may not be. Halide has the last
// word: it also has to prove that the update is associative.
std::vector<size_t> dividable_loops(const StageGraph &graph, const Stage &stage);

// An update that reduces, with its loops at the estimates, as if its Func were at root.
struct Reduction {
    const StageGraph &graph;
    const Stage &stage;
    Intervals ranges;  // by loop

    Reduction(const StageGraph &graph, const Stage &stage);

    const Func &func() const { return graph.func(stage.func); }
    int64_t extent(size_t loop) const { return ranges[loop].extent(); }
    // Whether iterations of the loop change the same values.
    bool reduces(size_t loop) const;

    int64_t points() const;     // values that may change at the same time
    double iterations() const;  // of all loops
};

// A single partial result for the update of an output, of all iterations of its outermost loop.
std::optional<DividedReduction> whole_of(const Reduction &r);

// Whether neighbouring iterations of the loop read neighbours in memory, in at least one load.
bool reads_rows_along(const Reduction &r, size_t loop);

// Whether neighbouring points of the Func, at least so many, read neighbours or the same wherever they read.
bool has_vectors(const Reduction &r, int64_t lanes);

// Whether the update writes where its loops say: no loaded value chooses the place.
bool writes_in_place(const Stage &stage);

// The outermost loop that reduces and can be divided into `wanted` parts, else the one with the most; nothing if none
// reduces. parts(loop): how many are possible.
template <typename Parts>
std::optional<size_t> outermost_with_parts(const Reduction &r, int64_t wanted, const Parts &parts) {
    std::optional<size_t> taken;
    for (size_t l = r.stage.loops.size(); l-- > 0;) {
        if (!r.reduces(l)) continue;
        if (!taken || (parts(*taken) < wanted && parts(l) > parts(*taken))) taken = l;
    }
    return taken;
}

}  // namespace cryolite
