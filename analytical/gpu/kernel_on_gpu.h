// The terms of one kernel of the cost model where the target has a GPU: of a Func at root and all Funcs that are
// computed inside its loops. Its stages may run in blocks, each stage of the root Func as a launch of its own, or on
// the host.
#pragma once

#include <span>
#include <vector>

#include "analytical/gpu/stage_in_kernel.h"
#include "analytical/kernel_cost.h"

namespace cryolite::gpu {

class KernelOnGpu {
public:
    // Refers to all arguments. members: the root Func first, then the Funcs computed inside it, in id order.
    KernelOnGpu(const LoopNest &nest, std::span<const FuncId> members, const GpuDevice &device,
                const Machine &host, StageExpander &expander);

    bool has_host_stages() const { return !on_host_.empty(); }

    // host: the kernel as the CPU would run it; needed if it has stages on the host, or if rows are wanted. The result
    // has rows if `host` has them. A kernel that cannot be launched is too large, but has its terms.
    KernelTerms terms(const KernelTerms &host) &&;

private:
    void add_on_device(StageId stage, std::span<const GpuKernel> kernels, const KernelTerms &host);
    void add_tile_kernel(StageId stage, std::span<const double> row);
    void add_on_host(StageId stage, const KernelTerms &host);
    StageTerms &add_without_terms(StageId stage, const KernelTerms &host);
    std::vector<FuncId> touched_by(std::span<const StageId> stages);

    const LoopNest &nest_;
    const StageGraph &graph_;
    const GpuDevice &device_;
    const Machine &host_;
    StageExpander &expander_;
    const std::span<const FuncId> members_;
    // Nowhere: Halide drops the stages whose values are undefined.
    std::vector<StageId> on_device_, on_host_, nowhere_;
    KernelTerms out_;
};

}  // namespace cryolite::gpu
