// Bytes that a kernel's stages move between the levels of the memory hierarchy. The model is least recently used.
// - A loop's working set is everything that one iteration touches, with all that is computed inside the loop.
// - The outermost loop whose working set fits in a cache keeps its data there from iteration to iteration.
// - So the data that one run of that loop touches crosses the boundary once per run.
#pragma once

#include "base/small_vector.h"
#include "featurize/kernel_work.h"
#include "machine/machine.h"

namespace cryolite {

// Bytes over one run of the pipeline, on all cores that the stage runs on. Prefetchers lose time where a stream starts.
// That time counts as the bytes that could have moved in it.
struct Traffic {
    double loaded = 0, stored = 0;
    double bytes() const { return loaded + stored; }
};

class MemoryTraffic {
public:
    // They must outlive it.
    MemoryTraffic(const StageGraph &graph, const Machine &machine, const KernelWork &work)
        : graph_(graph), machine_(machine), work_(work) {}

    // Between Machine::caches[c] and the level behind it. size: the bytes of the cache that one core of the stage has
    // for itself.
    Traffic across(const StageWork &w, size_t c, double size) const;

private:
    double loaded(const StageWork &w, const Accesses &r, size_t c, double size) const;
    double stored(const StageWork &w, size_t c, double size) const;
    bool stays_between_runs(size_t c) const;
    double crossing(const StageWork &w, const Accesses &a, size_t c, double room) const;
    double stream_starts(const StageWork &w, const Accesses &a, size_t p) const;
    double start_lines(size_t c, double run_bytes) const;
    int line() const { return machine_.line_bytes(); }

    const StageGraph &graph_;
    const Machine &machine_;
    const KernelWork &work_;
};

}  // namespace cryolite
