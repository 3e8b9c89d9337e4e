#include "analytical/memory_traffic.h"

#include <algorithm>
#include <cmath>

namespace cryolite {
Traffic MemoryTraffic::across(const StageWork &w, size_t c, double size) const {
    Traffic t{0, stored(w, c, size)};
    for (const Accesses &r : w.reads) t.loaded += loaded(w, r, c, size);
    return t;
}

// Bytes of a read that cross into cache c over one run of the pipeline, with the bytes for starts of streams.
double MemoryTraffic::loaded(const StageWork &w, const Accesses &r, size_t c, double size) const {
    const double room = size * machine_.usable_cache_share;
    auto it = work_.members().find(r.producer);
    if (it != work_.members().end() && it->second.compute_loop >= 0) {
        if (work_.working_set(it->second.compute_loop, c) <= room) return 0;
    } else if (r.producer == w.code->stage->func) {
        // An update of a Func at root reads its own values. stored() counts them.
        return 0;
    } else if (graph_.func(r.producer).is_input()) {
        if (stays_between_runs(c)) return 0;
    } else if (work_.root_bytes() <= room) {
        return 0;  // the cache still holds what was stored at root for this kernel
    }
    return crossing(w, r, c, room);
}

// Pipelines run again and again. The last cache still holds inputs and outputs from the run before, if they fit there
// together with what the kernel stores at root.
bool MemoryTraffic::stays_between_runs(size_t c) const {
    return c + 1 == machine_.caches.size() &&
           work_.bytes_between_runs() <=
               machine_.usable_cache_share * static_cast<double>(machine_.caches[c].size_bytes);
}

double MemoryTraffic::stored(const StageWork &w, size_t c, double size) const {
    const Member &m = work_.members().at(w.code->stage->func);
    const double room = size * machine_.usable_cache_share;
    // A window that is not folded moves on to new lines as long as it slides.
    const bool streams = m.nest->slide_dim >= 0 && !m.folded && m.allocated_bytes > room;
    if (m.compute_loop >= 0 && !streams && work_.working_set(m.compute_loop, c) <= room) return 0;
    if (graph_.func(w.code->stage->func).is_output() && stays_between_runs(c)) return 0;
    if (!graph_.func(w.code->stage->func).is_output() && m.compute_loop < 0 &&
        m.allocated_bytes <= room / 2)
        return 0;
    // The line is read for ownership, then written back.
    return 2 * crossing(w, w.stores, c, room);
}

double MemoryTraffic::crossing(const StageWork &w, const Accesses &a, size_t c, double room) const {
    // Finds the outermost loop of which one iteration fits. Within a run of that loop, the cache still holds what
    // consecutive iterations share. So a run brings in once what it touches.
    size_t p = w.code->stack.size();
    while (p > 0 && work_.working_set(w.code->stack[p - 1].id, c) <= room) p--;
    // Loops further out may touch the same data again and again. The data then stays, if it is small beside the
    // data that streams past it.
    const TouchedByRun &by = a.touched;
    const bool is_private = c + 1 < machine_.caches.size();
    const auto held = [&](const Touched &t) { return is_private ? t.occupied : t.span_bytes; };
    while (p > 0 && by[p - 1].bytes <= by[p].bytes * 1.01 && held(by[p - 1]) <= room / 2) p--;
    const double starts = stream_starts(w, a, p);
    return (by[p].bytes + starts * start_lines(c, by[p].bytes / starts) * line()) * w.code->runs[p];
}

// How many streams of consecutive memory start in one run of loop p.
double MemoryTraffic::stream_starts(const StageWork &w, const Accesses &a, size_t p) const {
    const TouchedByRun &by = a.touched;
    double starts = by.back().streams;
    for (size_t q = w.code->stack.size(); q-- > p;) {
        // The prefetchers carry a few streams over to the next iteration. If there are more, all start again.
        // Rows that are walked side by side start again too, even where they form one stretch of memory: no row
        // continues where another one ends.
        const bool followed =
            starts <= machine_.followed_streams && starts <= by[q + 1].streams * 1.01;
        const double outer = followed ? by[q].streams : by[q].bytes,
                     inner = followed ? by[q + 1].streams : by[q + 1].bytes;
        if (outer > inner && inner > 0) starts *= outer / inner;
    }
    return starts;
}

// The cost of one start on the way into cache c, in the time of so many lines.
double MemoryTraffic::start_lines(size_t c, double run_bytes) const {
    if (c + 1 < machine_.caches.size())
        return c == 0 ? machine_.l1_stream_start_lines : machine_.cache_stream_start_lines;
    return std::clamp(2 * run_bytes / line(), machine_.memory_stream_start_lines,
                      machine_.memory_stream_start_lines_max);
}

}  // namespace cryolite
