#include "analytical/kernel_cost.h"

#include <algorithm>
#include <cmath>

#include "analytical/cycles/instructions_between.h"
#include "analytical/cycles/stage_cycles.h"
#include "analytical/gpu/kernel_on_gpu.h"
#include "analytical/memory/loop_blocks.h"
#include "analytical/memory/memory_traffic.h"
#include "featurize/counts/kernel_work.h"

namespace cryolite {
namespace {

// Halide puts allocations of constant size up to this on the stack. They cost nothing.
constexpr double stack_bytes = 16 * 1024;

class Evaluation {
public:
    Evaluation(const StageGraph &graph, const Machine &machine, const KernelWork &work,
               SetLoadsMemo &set_loads)
        : graph_(graph),
          machine_(machine),
          work_(work),
          traffic_(graph, machine, work, set_loads),
          storage_(work.code(), machine),
          instructions_between_(instructions_between(work.code(), machine)),
          fresh_at_ends_(fresh_at_ends()) {}

    KernelTerms run() const {
        KernelTerms out;
        out.stages.reserve(work_.stages().size());
        for (size_t i = 0; i < work_.stages().size(); i++) {
            const StageWork &w = work_.stages()[i];
            out.stages.push_back(time_of(w, instructions_between_[i]));
            out.too_large |= out.stages.back().too_large;
            if (is_allocated(w)) count_allocation(w, out.allocations);
        }
        if (out.allocations.loop_bytes > 0) bound_blocks(out.allocations);
        for (const auto &[f, m] : work_.members()) out.peak_bytes += m.allocated_bytes;
        return out;
    }

private:
    static double &term(StageTerms &t, Term k) { return t.raw[index(k)]; }

    // Whether the stage is the one that pays for its Func's storage.
    bool writes_first(const StageWork &w) const {
        for (StageId s : graph_.func(w.code->stage->func).stages)
            if (!graph_.stage(s).is_undefined) return s == w.code->stage->id;
        return false;
    }

    bool is_allocated(const StageWork &w) const {
        const FuncId f = w.code->stage->func;
        const Member &m = work_.members().at(f);
        const double most =
            std::max({m.allocated_bytes, bytes_at_end(f, m, 0), bytes_at_end(f, m, 1)});
        return writes_first(w) && !graph_.func(f).is_output() && most > stack_bytes;
    }

    void count_allocation(const StageWork &w, KernelAllocations &out) const {
        const Func &func = graph_.func(w.code->stage->func);
        const Member &m = work_.members().at(func.id);
        if (m.store_loop >= 0) {
            out.loop_bytes += m.times_allocated() * m.allocated_bytes;
            return;
        }
        out.root_bytes += m.allocated_bytes;
        out.largest_root_block =
            std::max(out.largest_root_block, largest_block(func, m.allocated_bytes));
    }

    void bound_blocks(KernelAllocations &out) const {
        std::vector<size_t> allocated;
        for (size_t i = 0; i < work_.stages().size(); i++) {
            const StageWork &w = work_.stages()[i];
            if (work_.members().at(w.code->stage->func).store_loop >= 0 && is_allocated(w))
                allocated.push_back(i);
        }
        out.in_loops = blocks_in_loops(graph_, work_, allocated);
    }

    void add_core(const StageCycles &cycles, const Member &m, StageTerms &t) const {
        const double seconds = machine_.cycles_to_seconds(t.realisations) * m.fill / t.speedup;
        term(t, Term::Compute) = seconds * cycles.arithmetic;
        term(t, Term::Dependence) = seconds * cycles.dependence;
        term(t, Term::L1Loads) = seconds * cycles.loads;
        term(t, Term::L1Stores) = seconds * cycles.stores;
        term(t, Term::RegisterSpills) = seconds * cycles.spills;
        term(t, Term::LoopOverhead) = seconds * cycles.loops;
    }

    // Adds the traffic between cache c and the level behind it.
    void add_traffic(const Traffic &traffic, size_t c, StageTerms &t) const {
        const bool last = c + 1 == machine_.caches.size();
        const double one = last ? machine_.memory_core_bytes_per_cycle
                                : machine_.caches[c + 1].core_bytes_per_cycle;
        const double all = last ? machine_.memory_total_bytes_per_cycle
                           : machine_.caches[c + 1].cores_sharing > 1
                               ? machine_.caches[c + 1].total_bytes_per_cycle
                               : one * machine_.cores;
        const double line_seconds =
            machine_.cycles_to_seconds(machine_.line_bytes() / std::min(one * t.speedup, all));
        const auto [loads, stores] = last ? std::pair{Term::MemoryLoads, Term::MemoryStores}
                                     : c == 0
                                         ? std::pair{Term::L2Loads, Term::L2Stores}
                                         : std::pair{Term::LastLevelLoads, Term::LastLevelStores};
        term(t, loads) += line_seconds * (traffic.loaded_lines + traffic.loaded_starts);
        // A line is read for ownership, then written back.
        term(t, stores) += line_seconds * 2 * (traffic.stored_lines + traffic.stored_starts);
    }

    // The bytes of a block that only an end of the loops needs; 0: a block there is no larger than elsewhere.
    double bytes_at_end(FuncId f, const Member &m, size_t end) const {
        const double bytes = box_bytes(graph_.func(f), m.ends.boxes[end]);
        return m.ends.growth > 1 && bytes > m.allocated_bytes ? bytes : 0;
    }

    // The share of fresh pages in the blocks that only the ends of the loops need.
    double fresh_at_ends() const {
        double all = 0, largest = 0;
        for (const auto &[f, m] : work_.members()) {
            const double bytes = std::max(bytes_at_end(f, m, 0), bytes_at_end(f, m, 1));
            all += bytes;
            largest = std::max(largest, bytes);
        }
        return Allocations::fresh_share_alone(machine_, all, largest);
    }

    // First touches of the pages of one such block, on each of its allocations.
    double end_fault_seconds(const StageWork &w, const Member &m, double allocations) const {
        double bytes = 0;
        for (size_t end : {0, 1}) bytes += bytes_at_end(w.code->stage->func, m, end);
        return fresh_at_ends_ * std::max(1.0, allocations * m.ends.share) * bytes /
               static_cast<double>(machine_.page_bytes) * machine_.page_fault_seconds;
    }

    void add_allocations(const StageWork &w, StageTerms &t) const {
        const Member &m = work_.members().at(w.code->stage->func);
        const double allocations = m.times_allocated();
        term(t, Term::Allocations) =
            (allocations * machine_.allocation_seconds + end_fault_seconds(w, m, allocations)) /
            t.speedup;
        term(t, Term::PageFaults) = allocations * m.allocated_bytes /
                                    static_cast<double>(machine_.page_bytes) *
                                    machine_.page_fault_seconds / t.speedup;
        t.faults_in_loop = m.store_loop >= 0;
    }

    StageTerms time_of(const StageWork &w, const OtherStages &between) const {
        const StageCode &code = *w.code;
        StageTerms t;
        t.stage = code.stage->id;
        t.realisations = code.runs[code.enclosing];
        // The parallel loops of the stack make the tasks.
        double tasks = 1, loop_runs = 0;
        for (size_t p = 0; p < code.stack.size(); p++) {
            if (code.stack[p].kind != LoopKind::Parallel) continue;
            if (tasks == 1)
                loop_runs =
                    p >= code.enclosing ? code.runs[p] : 0;  // the loop's own stage pays for it
            tasks *= std::ceil(code.stack[p].extent);
        }
        const double cores = std::min<double>(machine_.cores, tasks);
        t.speedup = tasks <= 1 || cores <= 1
                        ? 1
                        : tasks / (std::ceil(tasks / machine_.cores) + machine_.task_jitter_share);
        if (code.stage->is_undefined) return t;

        const StageCycles cycles = stage_cycles(work_.nest(), machine_, code, storage_, between);
        t.too_large =
            cycles.copies > 1 && cycles.code_operations > machine_.core.max_unrolled_operations;
        add_core(cycles, work_.members().at(code.stage->func), t);
        const MemoryTraffic::PerCache traffic = traffic_.of(w, cores);
        for (size_t c = 0; c < traffic.size(); c++) add_traffic(traffic[c], c, t);
        term(t, Term::Launches) = loop_runs * machine_.parallel_loop_seconds;
        if (loop_runs > 0)
            term(t, Term::Tasks) =
                loop_runs * tasks * machine_.parallel_task_seconds / std::max(1.0, cores);
        if (is_allocated(w)) add_allocations(w, t);
        return t;
    }

    const StageGraph &graph_;
    const Machine &machine_;
    const KernelWork &work_;
    const MemoryTraffic traffic_;
    const KernelStorage storage_;
    const std::vector<OtherStages> instructions_between_;
    const double fresh_at_ends_;
};

}  // namespace

KernelTerms KernelCost::on_cpu(const LoopNest &nest, std::span<const FuncId> members,
                               bool with_rows) {
    const KernelWork work(graph_, machine_, expander_, walker_, nest, members);
    KernelTerms out;
    if (work.too_large()) {
        out.too_large = true;
        return out;
    }
    out = Evaluation(graph_, machine_, work, set_loads_).run();
    if (with_rows) {
        if (!rows_) rows_.emplace(graph_, machine_);
        out.rows = rows_->of(work);
    }
    out.compiling = compile_cost(code_size(nest, machine_, expander_, members));
    return out;
}

KernelTerms KernelCost::on_gpu(const LoopNest &nest, std::span<const FuncId> members,
                               bool with_rows) {
    gpu::KernelOnGpu kernel(nest, members, *gpu_, machine_, expander_);
    // Only stages on the host and rows need the CPU's counts.
    KernelTerms host;
    if (kernel.has_host_stages() || with_rows) host = on_cpu(nest, members, with_rows);
    return std::move(kernel).terms(host);
}

KernelTerms KernelCost::evaluate(const LoopNest &nest, std::span<const FuncId> members,
                                 bool with_rows) {
    return gpu_ ? on_gpu(nest, members, with_rows) : on_cpu(nest, members, with_rows);
}

}  // namespace cryolite
