// What a kernel's stages move between the levels of the memory hierarchy, by the least-recently-used model:
// the outermost loop whose iteration's working set (of everything computed inside it) fits in a cache keeps
// its data there; what is touched once per run of the loop around it crosses the boundary once per run.
#pragma once

#include "base/small_vector.h"
#include "featurize/kernel_work.h"
#include "machine/machine.h"

namespace cryolite {

// Over the whole pipeline, on all cores that the stage runs on. In bytes, with what the lines' time that is
// lost where the prefetchers start anew would have moved.
struct Traffic {
    double loaded = 0, stored = 0;
    double bytes() const { return loaded + stored; }
};

class MemoryTraffic {
public:
    // They must outlive it.
    MemoryTraffic(const StageGraph &graph, const Machine &machine, const KernelWork &work)
        : graph_(graph), machine_(machine), work_(work) {}

    // Between Machine::caches[c] and what is behind it. size: the bytes of the cache that the stage's core has.
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
