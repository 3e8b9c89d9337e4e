// Pipelines of any size, as compilers write them for users: random graphs, long chains, sort networks.
// The same arguments make the same pipeline everywhere.
#pragma once

#include <cstdint>

#include "tests/robustness/subject.h"

namespace cryolite::robustness {

struct GraphSize {
    int funcs = 10;  // about: Funcs that join what nobody reads may be added
    int width = 640, height = 480;
    uint64_t seed = 1;
};

// Elementwise Funcs that read one to four others, near and far; three outputs.
void elementwise_graph(Subject &s, const GraphSize &size);
// Each Func reads three points of one Func, along rows and columns in turn, and a point of another.
void stencil_graph(Subject &s, const GraphSize &size);
// Elementwise Funcs, stencils, shifts and short reductions.
void mixed_graph(Subject &s, const GraphSize &size);
// Each Func reads the one before at its own place.
void pointwise_chain(Subject &s, const GraphSize &size);
// Each Func of the chain multiplies and subtracts so many scalar parameters of its own.
void parameter_chain(Subject &s, const GraphSize &size, int parameters);
// Batcher's bitonic network: sorts the elements of every row; a Func per round of exchanges. The number of
// elements is a power of two.
void bitonic_sort_of_rows(Subject &s, int elements, int rows);
// The same for the elements of a tuple.
void bitonic_sort_of_tuples(Subject &s, int elements, int width, int height);

}  // namespace cryolite::robustness
