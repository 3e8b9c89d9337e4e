#include "analytical/kernel_cost.h"

#include <algorithm>
#include <cmath>

#include "analytical/stage_cycles.h"
#include "featurize/kernel_work.h"

namespace cryolite {
namespace {

// Share of a cache that a working set can fill before conflicts and other data evict it.
constexpr double usable_share = 0.8;
// Share of the lesser of two overlapping costs that is not hidden by out-of-order execution.
constexpr double exposed_share = 0.5;
// Constant-sized allocations up to this go to the stack (Halide's limit) and cost nothing.
constexpr double stack_bytes = 16 * 1024;
// Cores do not finish together: other programs, clocks and caches delay one of them by about this
// share of a task.
constexpr double task_jitter = 0.25;
// Unrolled code beyond this many operations no longer fits a CPU's instruction cache, and takes LLVM
// minutes to compile.
constexpr double max_unrolled_operations = 2048;

class Evaluation {
public:
    Evaluation(const StageGraph &graph, const Machine &machine, const KernelWork &work)
        : graph_(graph), machine_(machine), work_(work), storage_(work, machine) {}

    KernelTime run() const {
        KernelTime out;
        out.stages.reserve(work_.stages().size());
        for (const StageWork &w : work_.stages()) {
            out.stages.push_back(time_of(w));
            out.too_large |= out.stages.back().too_large;
            out.seconds += out.stages.back().seconds;
            if (writes_first(w)) count_allocation(w, out.stages.back(), out.allocations);
        }
        for (const auto &[f, m] : work_.members()) out.peak_bytes += m.allocated_bytes;
        return out;
    }

private:
    int line() const { return machine_.line_bytes(); }

    // The stage that pays for its Func's storage.
    bool writes_first(const StageWork &w) const {
        for (StageId s : graph_.func(w.stage->func).stages)
            if (!graph_.stage(s).is_undefined) return s == w.stage->id;
        return false;
    }

    void count_allocation(const StageWork &w, const StageTime &t, KernelAllocations &out) const {
        const Member &m = work_.members().at(w.stage->func);
        if (graph_.func(w.stage->func).is_output() || m.allocated_bytes <= stack_bytes) return;
        if (m.store_loop < 0) {
            out.root_bytes += m.allocated_bytes;
            out.root_fault_seconds += t.page_fault_seconds;
        } else {
            out.loop_bytes += m.allocated_bytes;
            out.largest_loop_bytes = std::max(out.largest_loop_bytes, m.allocated_bytes);
            out.loop_fault_seconds += t.page_fault_seconds;
        }
    }

    // Bytes of a read that cross into cache c over the whole pipeline, and the lines' time that is
    // lost where streams start, as bytes.
    double traffic(const StageWork &w, const Accesses &r, size_t c, double size) const {
        const double room = size * usable_share;
        auto it = work_.members().find(r.producer);
        if (it != work_.members().end() && it->second.compute_loop >= 0) {
            if (work_.working_set(it->second.compute_loop, c) <= room) return 0;
        } else if (r.producer == w.stage->func) {
            // An update of a Func at root: its own values, counted with the stores.
            return 0;
        } else if (graph_.func(r.producer).is_input()) {
            if (stays_between_runs(c)) return 0;
        } else if (work_.root_bytes() <= room) {
            return 0;  // what was stored at root for this kernel is still there
        }
        return crossing(w, r, c, room);
    }

    // Pipelines are run again and again: what comes in and goes out is still in the cache that all cores
    // share from the run before, if that and what the kernel stores at root fits.
    bool stays_between_runs(size_t c) const {
        return c + 1 == machine_.caches.size() &&
               work_.bytes_between_runs() <=
                   usable_share * static_cast<double>(machine_.caches[c].size_bytes);
    }

    double store_traffic(const StageWork &w, size_t c, double size) const {
        const Member &m = work_.members().at(w.stage->func);
        const double room = size * usable_share;
        // A window that is not folded moves on to new lines for as long as it slides.
        const bool streams = m.nest->slide_dim >= 0 && !m.folded && m.allocated_bytes > room;
        if (m.compute_loop >= 0 && !streams && work_.working_set(m.compute_loop, c) <= room)
            return 0;
        if (graph_.func(w.stage->func).is_output() && stays_between_runs(c)) return 0;
        if (!graph_.func(w.stage->func).is_output() && m.compute_loop < 0 &&
            m.allocated_bytes <= room / 2)
            return 0;
        // The line is read for ownership, then written back.
        return 2 * crossing(w, w.stores, c, room);
    }

    double crossing(const StageWork &w, const Accesses &a, size_t c, double room) const {
        // The outermost loop one iteration of which fits: within one run of it, what consecutive
        // iterations share is still there, so a run brings in what it touches once.
        size_t p = w.stack.size();
        while (p > 0 && work_.working_set(w.stack[p - 1].id, c) <= room) p--;
        // Data that no further loop changes is touched again and again and stays, if it is small
        // beside what streams past it.
        const TouchedByRun &by = a.touched;
        const bool is_private = c + 1 < machine_.caches.size();
        const auto held = [&](const Touched &t) { return is_private ? t.occupied : t.bytes; };
        while (p > 0 && by[p - 1].bytes <= by[p].bytes * 1.01 && held(by[p - 1]) <= room / 2) p--;
        const double starts = stream_starts(w, a, p);
        return (by[p].bytes + starts * start_lines(c, by[p].bytes / starts) * line()) * w.runs[p];
    }

    // How often one run of loop p starts to walk along consecutive memory anew.
    double stream_starts(const StageWork &w, const Accesses &a, size_t p) const {
        const TouchedByRun &by = a.touched;
        double starts = by.back().streams;
        for (size_t q = w.stack.size(); q-- > p;) {
            // The prefetchers carry a few streams over to the next iteration; more start again. So do
            // those of rows that are walked side by side, even where together they are one stretch of
            // memory: none ends where it goes on.
            const bool followed =
                starts <= machine_.followed_streams && starts <= by[q + 1].streams * 1.01;
            const double outer = followed ? by[q].streams : by[q].bytes,
                         inner = followed ? by[q + 1].streams : by[q + 1].bytes;
            if (outer > inner && inner > 0) starts *= outer / inner;
        }
        return starts;
    }

    // What one start costs on the way into cache c, in lines' time.
    double start_lines(size_t c, double run_bytes) const {
        if (c + 1 < machine_.caches.size()) return c == 0 ? 0.5 : machine_.cache_stream_start_lines;
        return std::clamp(2 * run_bytes / line(), machine_.memory_stream_start_lines,
                          machine_.memory_stream_start_lines_max);
    }

    // Who serves what crosses a boundary, and where its time is noted.
    struct Served {
        BoundBy bound;
        CostComponent loads, stores;
        double StageTime::*before_overlap;
    };
    static constexpr Served by_l2{BoundBy::L2, CostComponent::L2Loads, CostComponent::L2Stores,
                                  &StageTime::l2_seconds};
    static constexpr Served by_last_level{BoundBy::LastLevel, CostComponent::LastLevelLoads,
                                          CostComponent::LastLevelStores,
                                          &StageTime::last_level_seconds};
    static constexpr Served by_memory{BoundBy::Memory, CostComponent::MemoryLoads,
                                      CostComponent::MemoryStores, &StageTime::memory_seconds};

    struct Boundary {
        double seconds = 0, store_share = 0;
    };

    // The traffic between cache c and what is behind it, of `cores` cores.
    Boundary boundary(const StageWork &w, size_t c, double cores, double speedup) const {
        const CacheLevel &cache = machine_.caches[c];
        const double sharing = std::min<double>(cache.cores_sharing, cores);
        const double size = static_cast<double>(cache.size_bytes) / std::max(1.0, sharing);
        const bool last = c + 1 == machine_.caches.size();
        const double stored = store_traffic(w, c, size);
        double bytes = stored;
        for (const Accesses &r : w.reads) bytes += traffic(w, r, c, size);
        const double one = last ? machine_.memory_core_bytes_per_cycle
                                : machine_.caches[c + 1].core_bytes_per_cycle;
        const double all = last ? machine_.memory_total_bytes_per_cycle
                           : machine_.caches[c + 1].cores_sharing > 1
                               ? machine_.caches[c + 1].total_bytes_per_cycle
                               : one * machine_.cores;
        const double bandwidth = std::min(one * speedup, all);
        return {machine_.cycles_to_seconds(bytes / bandwidth), bytes > 0 ? stored / bytes : 0};
    }

    static void add_core_parts(const StageCycles &cycles, double seconds, CostBreakdown &parts) {
        if (cycles.per_realisation == 0) return;
        const double each = seconds / cycles.per_realisation;
        parts[index(CostComponent::Compute)] += each * cycles.parts.compute;
        parts[index(CostComponent::Dependence)] += each * cycles.parts.dependence;
        parts[index(CostComponent::L1Loads)] += each * cycles.parts.loads;
        parts[index(CostComponent::L1Stores)] += each * cycles.parts.stores;
        parts[index(CostComponent::RegisterSpills)] += each * cycles.parts.spills;
        parts[index(CostComponent::LoopOverhead)] += each * cycles.parts.loops;
    }

    // Core-bound time against the traffic at every boundary, on `cores` of them.
    void add_work(const StageWork &w, const Member &m, double cores, StageTime &t) const {
        const StageCycles cycles =
            stage_cycles(work_.nest(), machine_, *w.nest, *w.body, w.holds_others, storage_);
        t.too_large = cycles.copies > 1 && cycles.code_operations > max_unrolled_operations;
        t.core_seconds =
            machine_.cycles_to_seconds(cycles.per_realisation * t.realisations) * m.fill;

        SmallVector<Boundary, 4> boundaries;
        double bounded = t.core_seconds / t.speedup, sum = bounded;
        size_t slowest = machine_.caches.size();  // boundary; past the last: the core
        for (size_t c = 0; c < machine_.caches.size(); c++) {
            boundaries.push_back(boundary(w, c, cores, t.speedup));
            const double seconds = boundaries.back().seconds;
            if (seconds > bounded) {
                bounded = seconds;
                slowest = c;
            }
            sum += seconds;
        }
        t.seconds = bounded + exposed_share * (sum - bounded);

        const auto exposed = [&](size_t i) { return i == slowest ? 1 : exposed_share; };
        const size_t levels = boundaries.size();
        add_core_parts(cycles, exposed(levels) * t.core_seconds / t.speedup, t.parts);
        for (size_t c = 0; c < levels; c++) {
            const Boundary &b = boundaries[c];
            const Served &by = c + 1 == levels ? by_memory : c == 0 ? by_l2 : by_last_level;
            t.*by.before_overlap += b.seconds;
            t.parts[index(by.loads)] += exposed(c) * b.seconds * (1 - b.store_share);
            t.parts[index(by.stores)] += exposed(c) * b.seconds * b.store_share;
            if (c == slowest) t.bound_by = by.bound;
        }
    }

    StageTime time_of(const StageWork &w) const {
        const Func &func = graph_.func(w.stage->func);
        const Member &m = work_.members().at(w.stage->func);
        StageTime t;
        t.stage = w.stage->id;
        t.realisations = w.runs[w.enclosing];
        // Parallelism: the loops of the stack that run in parallel.
        double tasks = 1, loop_runs = 0;
        for (size_t p = 0; p < w.stack.size(); p++) {
            if (w.stack[p].kind != LoopKind::Parallel) continue;
            if (tasks == 1)
                loop_runs = p >= w.enclosing ? w.runs[p] : 0;  // the owner pays for starting it
            tasks *= std::ceil(w.stack[p].extent);
        }
        const double cores = std::min<double>(machine_.cores, tasks);
        t.speedup = tasks <= 1 || cores <= 1
                        ? 1
                        : tasks / (std::ceil(tasks / machine_.cores) + task_jitter);

        if (w.stage->is_undefined) return t;
        add_work(w, m, cores, t);
        if (loop_runs > 0) {
            const double task_seconds =
                tasks * machine_.parallel_task_seconds / std::max(1.0, cores);
            t.overhead_seconds += loop_runs * (machine_.parallel_loop_seconds + task_seconds);
            t.parts[index(CostComponent::ParallelLaunches)] =
                loop_runs * machine_.parallel_loop_seconds;
            t.parts[index(CostComponent::ParallelTasks)] = loop_runs * task_seconds;
        }
        if (writes_first(w) && !func.is_output() && m.allocated_bytes > stack_bytes) {
            double allocations = 1;
            for (const StackLoop &l : m.chain) {
                allocations *= l.iterations();
                if (l.id == m.store_loop) break;
            }
            if (m.store_loop < 0) allocations = 1;
            t.parts[index(CostComponent::Allocations)] =
                allocations * machine_.allocation_seconds / t.speedup;
            t.overhead_seconds += t.parts[index(CostComponent::Allocations)];
            t.page_fault_seconds = allocations * m.allocated_bytes /
                                   static_cast<double>(machine_.page_bytes) *
                                   machine_.page_fault_seconds / t.speedup;
        }
        t.seconds += t.overhead_seconds;
        return t;
    }

    const StageGraph &graph_;
    const Machine &machine_;
    const KernelWork &work_;
    const KernelStorage storage_;
};

}  // namespace

KernelTime KernelCost::evaluate(const LoopNest &nest, std::span<const FuncId> members) {
    const KernelWork work(graph_, machine_, expander_, walker_, nest, members);
    if (work.too_large()) {
        KernelTime out;
        out.too_large = true;
        return out;
    }
    return Evaluation(graph_, machine_, work).run();
}

}  // namespace cryolite
