#include "analytical/kernel_cost.h"

#include <algorithm>
#include <cmath>

#include "analytical/instructions_between.h"
#include "analytical/memory_traffic.h"
#include "analytical/stage_cycles.h"
#include "featurize/kernel_work.h"

namespace cryolite {
namespace {

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
        : graph_(graph),
          machine_(machine),
          work_(work),
          traffic_(graph, machine, work),
          storage_(work.code(), machine),
          instructions_between_(instructions_between(work.code(), machine)) {}

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
    // The stage that pays for its Func's storage.
    bool writes_first(const StageWork &w) const {
        for (StageId s : graph_.func(w.code->stage->func).stages)
            if (!graph_.stage(s).is_undefined) return s == w.code->stage->id;
        return false;
    }

    void count_allocation(const StageWork &w, const StageTime &t, KernelAllocations &out) const {
        const Member &m = work_.members().at(w.code->stage->func);
        if (graph_.func(w.code->stage->func).is_output() || m.allocated_bytes <= stack_bytes)
            return;
        if (m.store_loop < 0) {
            out.root_bytes += m.allocated_bytes;
            out.root_fault_seconds += t.page_fault_seconds;
        } else {
            out.loop_bytes += m.allocated_bytes;
            out.largest_loop_bytes = std::max(out.largest_loop_bytes, m.allocated_bytes);
            out.loop_fault_seconds += t.page_fault_seconds;
        }
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
        const Traffic traffic = traffic_.across(w, c, size);
        const double bytes = traffic.bytes();
        const double one = last ? machine_.memory_core_bytes_per_cycle
                                : machine_.caches[c + 1].core_bytes_per_cycle;
        const double all = last ? machine_.memory_total_bytes_per_cycle
                           : machine_.caches[c + 1].cores_sharing > 1
                               ? machine_.caches[c + 1].total_bytes_per_cycle
                               : one * machine_.cores;
        const double bandwidth = std::min(one * speedup, all);
        return {machine_.cycles_to_seconds(bytes / bandwidth),
                bytes > 0 ? traffic.stored / bytes : 0};
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
        const auto place = static_cast<size_t>(&w - work_.stages().data());
        const StageCycles cycles =
            stage_cycles(work_.nest(), machine_, *w.code, storage_, instructions_between_[place]);
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
        const Func &func = graph_.func(w.code->stage->func);
        const Member &m = work_.members().at(w.code->stage->func);
        StageTime t;
        t.stage = w.code->stage->id;
        t.realisations = w.code->runs[w.code->enclosing];
        // Parallelism: the loops of the stack that run in parallel.
        double tasks = 1, loop_runs = 0;
        for (size_t p = 0; p < w.code->stack.size(); p++) {
            if (w.code->stack[p].kind != LoopKind::Parallel) continue;
            if (tasks == 1)
                loop_runs =
                    p >= w.code->enclosing ? w.code->runs[p] : 0;  // the owner pays for starting it
            tasks *= std::ceil(w.code->stack[p].extent);
        }
        const double cores = std::min<double>(machine_.cores, tasks);
        t.speedup = tasks <= 1 || cores <= 1
                        ? 1
                        : tasks / (std::ceil(tasks / machine_.cores) + task_jitter);

        if (w.code->stage->is_undefined) return t;
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
    const MemoryTraffic traffic_;
    const KernelStorage storage_;
    const std::vector<OtherStages> instructions_between_;
};

}  // namespace

KernelTime KernelCost::evaluate(const LoopNest &nest, std::span<const FuncId> members) {
    const KernelWork work(graph_, machine_, expander_, walker_, nest, members);
    if (work.too_large()) {
        KernelTime out;
        out.too_large = true;
        return out;
    }
    KernelTime out = Evaluation(graph_, machine_, work).run();
    out.compiling = compile_cost(code_size(nest, machine_, expander_, members));
    return out;
}

}  // namespace cryolite
