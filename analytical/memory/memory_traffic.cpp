#include "analytical/memory/memory_traffic.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analytical/memory/read_before.h"
#include "code/stage/conditions.h"

namespace cryolite {
namespace {

// Streams of consecutive memory that start in one run of each stack loop.
using Starts = SmallVector<double, 13>;

Starts starts_of(const StageWork &w, const Accesses &a, const Machine &machine) {
    const TouchedByRun &by = a.touched;
    Starts all(by.size(), by.back().streams);
    double starts = by.back().streams;
    for (size_t q = w.code->stack.size(); q-- > 0;) {
        // The prefetchers carry a few streams over to the next iteration. If there are more, all start again.
        // Rows that are walked side by side start again too, even where they form one stretch of memory: no row
        // continues where another one ends.
        const bool followed =
            starts <= machine.followed_streams && starts <= by[q + 1].streams * 1.01;
        const double outer = followed ? by[q].streams : by[q].bytes,
                     inner = followed ? by[q + 1].streams : by[q + 1].bytes;
        if (outer > inner && inner > 0) starts *= outer / inner;
        all[q] = starts;
    }
    return all;
}

// The cost of one start on the way into cache c, in the time of so many lines. run_lines: of one stream.
double start_lines(const Machine &machine, size_t c, double run_lines) {
    if (c + 1 < machine.caches.size())
        return c == 0 ? machine.l1_stream_start_lines : machine.cache_stream_start_lines;
    return std::clamp(2 * run_lines, machine.memory_stream_start_lines,
                      machine.memory_stream_start_lines_max);
}

// The share of what one run of stack loop p touches that is touched although the predicate's conditions on loaded
// values let only some iterations run. A line is touched if any of the iterations that want it runs. Where conditions
// compare sums of loops, the ranges are narrower already. The predicate's own loads are done in all iterations.
double share_touched(const StageWork &w, const Accesses &a, size_t p) {
    const Stage &stage = *w.code->stage;
    if (stage.loaded_share == 1) return 1;
    const size_t around = loops_of_predicate(stage, *w.code->nest);
    if (around == 0 || w.code->nest->loops[around - 1].kind == LoopKind::Vectorized) return 1;
    for (const LoadGroup &load : w.code->body->loads)
        if (load.producer == a.producer && load.of_predicate > 0) return 1;
    const size_t inside = w.code->enclosing + around;
    double wanted = 1;  // how many iterations want a line
    if (p < inside && a.touched[p].lines > 0)
        wanted = std::max(1.0, w.code->runs[inside] / w.code->runs[p] * a.touched[inside].lines /
                                   a.touched[p].lines);
    return 1 - std::pow(1 - stage.loaded_share, wanted);
}

}  // namespace

CacheRoom MemoryTraffic::room(size_t c, double cores) const {
    const CacheLevel &cache = machine_.caches[c];
    const bool last = c + 1 == machine_.caches.size();
    const double sharing = std::max(1.0, std::min<double>(cache.cores_sharing, cores));
    const int64_t sets = sets_of(cache), way_bytes = sets * cache.line_bytes;
    return {.cache = c,
            .ways = static_cast<double>(cache.ways),
            .sets = static_cast<double>(sets) / sharing,
            .way_bytes = way_bytes,
            .hashed = last,
            .scattered = !last && way_bytes > machine_.page_bytes};
}

MemoryTraffic::PerCache MemoryTraffic::of(const StageWork &w, double cores) const {
    const size_t caches = machine_.caches.size();
    PerCache traffic(caches);
    SmallVector<CacheRoom, 4> rooms;
    for (size_t c = 0; c < caches; c++) rooms.push_back(room(c, cores));
    const auto add = [&](const Accesses &a, auto share_of, double Traffic::*lines,
                         double Traffic::*starts) {
        std::optional<LineReuse> reuse;
        Starts streams;
        const ReadBefore read_before(work_, w, a);
        for (size_t c = 0; c < caches; c++) {
            const double share = share_of(rooms[c]);
            if (share <= 0) continue;
            if (!reuse) {
                reuse.emplace(work_, w, a, line(), set_loads_);
                streams = starts_of(w, a, machine_);
            }
            const LineReuse::Weights weights = reuse->brought_in(rooms[c]);
            for (size_t p = 0; p < weights.size(); p++) {
                if (weights[p] <= 0) continue;
                // Rows that the loads skip are not brought in.
                const Touched &t = a.touched[p];
                if (t.lines <= 0) continue;
                const double brought = reuse->lines(p) * t.bytes / t.span_bytes;
                const double missing = share * (1 - read_before.share(p, rooms[c]));
                const double runs = missing * weights[p] * w.code->runs[p] * share_touched(w, a, p);
                traffic[c].*lines += runs * brought;
                traffic[c].*starts += runs * reuse->lines(p) / t.lines * streams[p] *
                                      start_lines(machine_, c, t.bytes / line() / streams[p]);
            }
        }
    };
    for (const Accesses &r : w.reads)
        if (r.producer != w.code->stage->func)  // the stores count a Func's reads of itself
            add(
                r, [&](const CacheRoom &room) { return share_loaded(w, r, room); },
                &Traffic::loaded_lines, &Traffic::loaded_starts);
    if (!w.code->stage->is_undefined)
        add(
            w.stores, [&](const CacheRoom &room) { return share_stored(w, room); },
            &Traffic::stored_lines, &Traffic::stored_starts);
    return traffic;
}

// What a Func at root finds in the last level: its tasks share that, whichever of them made what is there.
CacheRoom MemoryTraffic::of_all_tasks(const CacheRoom &of_task) const {
    return of_task.cache + 1 == machine_.caches.size() ? room(of_task.cache, 1) : of_task;
}

// Whether the last cache still holds inputs and outputs from the run before, together with what the kernel stores at
// root.
bool MemoryTraffic::stays_between_runs(size_t c) const {
    return before_ == Before::AnotherRun && c + 1 == machine_.caches.size() &&
           work_.bytes_between_runs() <= static_cast<double>(machine_.caches[c].size_bytes);
}

// The share of what a stage brings in of a Func that no earlier stage has left in the cache.
double MemoryTraffic::share_loaded(const StageWork &w, const Accesses &r,
                                   const CacheRoom &room) const {
    if (graph_.func(r.producer).is_input()) return stays_between_runs(room.cache) ? 0 : 1;
    const auto member = work_.members().find(r.producer);
    if (member != work_.members().end() && !member->second.is_written_once())
        return 1 - room.kept_beside(0, work_.working_lines(member->second.compute_loop));
    const double all = r.touched[0].lines;
    return all > 0 ? 1 - left_before(work_, w, r, of_all_tasks(room)) / all : 0;
}

double MemoryTraffic::share_stored(const StageWork &w, const CacheRoom &room) const {
    const Func &func = graph_.func(w.code->stage->func);
    const Member &m = work_.members().at(func.id);
    if (func.is_output() && stays_between_runs(room.cache)) return 0;
    if (before_ == Before::AnotherRun && !func.is_output() && m.is_written_once() &&
        m.allocated_bytes <= bytes_of(of_all_tasks(room)) / 2)
        return 0;
    // Storage inside a loop is written again before other data pushes it out.
    if (!m.is_written_once()) return 1 - room.kept_beside(0, work_.working_lines(m.compute_loop));
    if (w.code->stage->index == 0) return 1;
    const double all = w.stores.touched[0].lines;
    return all > 0 ? 1 - left_before(work_, w, w.stores, of_all_tasks(room)) / all : 0;
}

}  // namespace cryolite
