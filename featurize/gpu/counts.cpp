#include "featurize/gpu/counts.h"

namespace cryolite {

double iterations(const GpuMapping &mapping, GpuLoopRole role) {
    double n = 1;
    for (const GpuLoop &l : mapping.loops)
        if (l.role == role) n *= static_cast<double>(l.extent);
    return n;
}

namespace {

// Copies that unrolled loops make, and iterations of serial loops, each with an access of its own. A vector is one.
double accesses_of_thread(const GpuMapping &mapping, const GpuAccess &a) {
    auto n = static_cast<double>(a.offsets.size()) / static_cast<double>(a.joined);
    for (size_t l = 0; l < mapping.loops.size(); l++) {
        const GpuLoop &loop = mapping.loops[l];
        const bool again = loop.role == GpuLoopRole::Serial ||
                           (loop.role == GpuLoopRole::Unrolled && (a.gather || moves(a, l)));
        if (again) n *= static_cast<double>(loop.extent);
    }
    return n;
}

}  // namespace

GpuCounts gpu_counts(const GpuMapping &mapping) {
    GpuCounts out;
    const WarpLayout layout(mapping);
    out.blocks = iterations(mapping, GpuLoopRole::Block);
    out.points_per_thread =
        iterations(mapping, GpuLoopRole::Serial) * iterations(mapping, GpuLoopRole::Unrolled);
    out.threads = static_cast<double>(layout.active_threads());
    out.warps = layout.warps();
    out.active_warps = layout.active_warps();
    for (const GpuAccess &a : mapping.accesses) {
        if (a.memory != GpuMemory::Register)
            (a.is_store ? out.stores : out.loads)[static_cast<size_t>(a.memory)].add_scaled(
                block_traffic(mapping, a, layout), 1);
        if (a.memory == GpuMemory::Global && !a.is_store)
            out.global_loads += accesses_of_thread(mapping, a);
        if (a.memory == GpuMemory::Shared && !a.is_store)
            out.shared_loads += accesses_of_thread(mapping, a);
        if (a.in_local_memory)
            out.local_bytes += out.threads * a.element_bytes * accesses_of_thread(mapping, a);
    }
    std::vector<bool> block(mapping.host_loops.size(), false);
    for (const GpuLoop &l : mapping.loops) block.push_back(l.role != GpuLoopRole::Block);
    out.read_by_block = union_of_loads(mapping, GpuMemory::Global, block);
    return out;
}

}  // namespace cryolite
