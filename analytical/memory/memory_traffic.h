// Lines that a kernel's stages bring into each cache, and streams that the prefetchers must find anew there.
//
// - Every line that crosses takes bandwidth, whether it was prefetched or not. line_reuse.h says how many cross.
// - Prefetchers hide the latency of lines that follow each other. They miss the start of a stream, as the thesis's
//   equations (4.3) and (4.8) count one miss per run. A start costs the time in which some lines could have moved.
#pragma once

#include "analytical/memory/line_reuse.h"
#include "base/small_vector.h"
#include "featurize/counts/kernel_work.h"
#include "machine/machine.h"

namespace cryolite {

// Over one run of the pipeline, on all cores that the stage runs on.
struct Traffic {
    double loaded_lines = 0, stored_lines = 0;
    double loaded_starts = 0, stored_starts = 0;  // in lines that could have moved
};

class MemoryTraffic {
public:
    // What the caches hold when the pipeline starts. Pipelines run again and again: the last cache then still holds
    // inputs and outputs from the run before, if they fit, and the allocator gives the same storage again.
    enum class Before : uint8_t { AnotherRun, Nothing };

    // All must outlive it.
    MemoryTraffic(const StageGraph &graph, const Machine &machine, const KernelWork &work,
                  SetLoadsMemo &set_loads, Before before = Before::AnotherRun)
        : graph_(graph), machine_(machine), work_(work), set_loads_(set_loads), before_(before) {}

    // [c]: between Machine::caches[c] and the level behind it. cores: how many cores the stage runs on.
    using PerCache = SmallVector<Traffic, 4>;
    PerCache of(const StageWork &w, double cores) const;

private:
    CacheRoom room(size_t c, double cores) const;
    double bytes_of(const CacheRoom &room) const { return room.ways * room.sets * line(); }
    CacheRoom of_all_tasks(const CacheRoom &of_task) const;
    bool stays_between_runs(size_t c) const;
    double share_loaded(const StageWork &w, const Accesses &r, const CacheRoom &room) const;
    double share_stored(const StageWork &w, const CacheRoom &room) const;
    int line() const { return machine_.line_bytes(); }

    const StageGraph &graph_;
    const Machine &machine_;
    const KernelWork &work_;
    SetLoadsMemo &set_loads_;
    const Before before_;
};

}  // namespace cryolite
