// What a stage touches inside each loop around it.
#pragma once

#include <vector>

#include "base/small_vector.h"
#include "code/kernel/stage_code.h"
#include "featurize/counts/cache_sets.h"
#include "featurize/counts/footprint.h"

namespace cryolite {

// The memory of one Func that one run of a loop touches.
struct Touched {
    double bytes = 0;         // whole cache lines
    double unique_bytes = 0;  // an upper bound of the distinct points
    // Whole cache lines with the rows that the loads skip. Such rows must stay in the cache for a load to find what
    // another load has brought.
    double span_bytes = 0;
    double streams = 1;  // runs of consecutive memory
    // Lines as a simulator counts them, with the rows that the loads skip (touched_memory.h).
    double lines = 0;
    // Where the lines lie: so many of KernelWork::rows(), from first_rows on. None if they may be taken for spread
    // evenly over the sets of a cache.
    uint32_t first_rows = 0, num_rows = 0;
};

// [p]: what one run of stack loop p touches. [n], after the innermost loop: what one of its iterations touches.
using TouchedByRun = SmallVector<Touched, 12>;

// Rows that loads of one box touch.
struct PlacedRows {
    MemoryRows rows;
    double lines = 0;
};

// Where the points lie that one run of a loop touches.
struct Reach {
    Box box;
    double density = 1;  // the share of the box's lines that are touched
};

struct Accesses {
    FuncId producer;
    TouchedByRun touched;
    // [p] as in touched. Empty but for reads of a Func that is stored outside of the kernel and that several of its
    // stages read: what one has read may still be in a cache for the next.
    std::vector<Reach> reach;
};

struct StageWork {
    const StageCode *code = nullptr;
    std::vector<Accesses> reads;
    Accesses stores;  // to its own Func
};

}  // namespace cryolite
