// What the analysis must know of the machine, and what its text leaves open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/machine.h"

namespace cryolite::reuse {

struct CacheBudget {
    int threads = 8;  // N_threads of eq. 5.14
    int vector_bytes = 32;
    int line_bytes = 64;
    // What the buffers of one thread may take. The text compares with the whole caches; buffers
    // inside the parallel loop exist once per thread, so that a cache that is shared counts by its
    // share.
    double l2_bytes = 256 << 10;
    double last_level_bytes = 1 << 20;
};

CacheBudget cache_budget(const Machine &machine, int threads);

struct Options {
    // w of algorithm 6: a load against an arithmetic operation. 40 is the balance that Halide's
    // Mullapudi2016 assumes of a machine; the text names no number.
    double load_weight = 40;
    // With a streaming prefetcher a run of consecutive data costs one load (eq. 5.6), without one
    // every point does (eq. 5.5).
    bool prefetcher = true;
    // Halide's circular buffers have a power of two of rows; the equations have what is needed.
    bool folds_to_powers_of_two = true;
    // Loops of at most this many iterations (kernels, colours) are neither tiled nor interchanged.
    int64_t few_iterations = 16;
    // The smallest segment that algorithm 8 splits off, in Funcs.
    int min_segment = 1;
    // Tile shapes tried per loop order, and segments analysed in all: bounds on time. Segments of more than four Funcs
    // get fewer shapes in proportion. Past the second the split goes on with the largest segment that fits.
    size_t max_tilings = 512;
    size_t max_segments = 500;
};

}  // namespace cryolite::reuse
