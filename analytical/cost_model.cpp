#include "analytical/cost_model.h"

#include "base/hash.h"
#include "graph/assumed_inlining.h"

namespace cryolite {

CostModel::CostModel(const StageGraph &graph, const Machine &machine, int64_t memo_bytes,
                     bool remember_kernels, CostNoise noise)
    : graph_(graph),
      kernel_cost_(graph, machine),
      memo_bytes_(memo_bytes),
      remember_kernels_(remember_kernels),
      noise_(noise) {
    const std::vector<bool> inlined = assumed_inlined(graph);
    const std::vector<double> asked = points_asked_for(graph);
    for (const Func &func : graph.funcs()) {
        if (func.is_trivial || func.is_output() || func.is_input() || inlined[func.id.index()])
            continue;
        const double stored = std::min(points(func.root_region), asked[func.id.index()]);
        stored_at_root_.push_back({func.id, stored * func.bytes_per_point()});
    }
}

Allocations CostModel::undecided(const LoopNest &nest) const {
    Allocations all(kernel_cost_.machine());
    for (const auto &[f, bytes] : stored_at_root_) {
        if (nest.decided(f)) continue;
        KernelAllocations one;
        one.root_bytes = bytes;
        all.add(one);
    }
    return all;
}

uint64_t CostModel::structure_of(const LoopNest &nest, const Kernel &kernel) {
    Hasher h;
    for (FuncId f : kernel.members) {
        h.add(static_cast<uint64_t>(f.value)).add(std::string_view("computes"));
        for (StageId s : graph_.func(f).stages)
            for (FuncId g : kernel_cost_.expander().expand(nest, s).inlined)
                h.add(static_cast<uint64_t>(g.value));
    }
    return h.value();
}

KernelTime CostModel::computed(const LoopNest &nest, const Kernel &kernel, uint64_t key_hash) {
    kernels_evaluated_++;
    KernelTime t = kernel_cost_.evaluate(nest, kernel.members);
    if (noise_.factor != 1) t.seconds *= noise_.disturbance(structure_of(nest, kernel), key_hash);
    return t;
}

ScheduleTime CostModel::evaluate(const LoopNest &nest) {
    if (memo_bytes_used_ + kernel_cost_.expander().memo_bytes() > memo_bytes_) {
        memo_.clear();
        kernel_cost_.expander().forget();
        memo_bytes_used_ = 0;
        memos_emptied_++;
    }
    ScheduleTime out;
    Allocations all = undecided(nest);
    std::vector<KernelAllocations> allocations;
    for (Kernel &k : kernels_of(nest, kernel_cost_.expander())) {
        const uint64_t hash = hash_of(k);
        if (!remember_kernels_) {
            const KernelTime t = computed(nest, k, hash);
            out.seconds += t.seconds;
            out.peak_bytes += t.peak_bytes;
            out.too_large |= t.too_large;
            allocations.push_back(t.allocations);
            all.add(t.allocations);
            continue;
        }
        const Entry *found = nullptr;
        auto [first, last] = memo_.equal_range(hash);
        for (auto it = first; it != last && !found; ++it)
            if (it->second.key == k.key) found = &it->second;
        if (found) {
            kernels_remembered_++;
        } else {
            memo_bytes_used_ +=
                static_cast<int64_t>(sizeof(Entry) + 64 + k.key.size() * sizeof(uint64_t));
            const KernelTime t = computed(nest, k, hash);
            found = &memo_
                         .emplace(hash, Entry{std::move(k.key), t.seconds, t.peak_bytes,
                                              t.too_large, t.allocations})
                         ->second;
        }
        out.seconds += found->seconds;
        out.peak_bytes += found->peak_bytes;
        out.too_large |= found->too_large;
        allocations.push_back(found->allocations);
        all.add(found->allocations);
    }
    for (const KernelAllocations &a : allocations) out.seconds += all.fault_seconds(a);
    return out;
}

ScheduleTime CostModel::explain(const LoopNest &nest) {
    ScheduleTime out;
    Allocations all = undecided(nest);
    std::vector<KernelTime> kernels;
    for (const Kernel &k : kernels_of(nest, kernel_cost_.expander())) {
        kernels.push_back(kernel_cost_.evaluate(nest, k.members));
        const KernelTime &t = kernels.back();
        out.seconds += t.seconds;
        out.peak_bytes += t.peak_bytes;
        out.too_large |= t.too_large;
        all.add(t.allocations);
    }
    for (const KernelTime &k : kernels) {
        out.seconds += all.fault_seconds(k.allocations);
        for (StageTime t : k.stages) {
            const FuncNest &func = nest.at(graph_.stage(t.stage).func);
            const bool in_loop = func.placement == Placement::At && func.store_at;
            const double faults = t.page_fault_seconds * (in_loop ? all.fresh_loops(k.allocations)
                                                                  : all.fresh_root(k.allocations));
            t.parts[index(CostComponent::PageFaults)] = faults;
            t.overhead_seconds += faults;
            t.seconds += faults;
            out.stages.push_back(t);
        }
    }
    return out;
}

}  // namespace cryolite
