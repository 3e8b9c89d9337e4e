// Copies between the host and a GPU: of Funcs at root that both touch. Which ones these are depends on all kernels
// together.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "analytical/kernel_cost.h"

namespace cryolite {

class Copies {
public:
    // gpu: null if there is none; then nothing is copied.
    Copies(const LoopNest &nest, const gpu::GpuDevice *gpu) : nest_(nest), gpu_(gpu) {}

    // Adds a kernel's Funcs. Null adds nothing.
    void add(const std::shared_ptr<const TouchedFuncs> &kernel);

    // Seconds of each Func that is copied, in id order. Only Funcs decided so far are.
    std::vector<std::pair<FuncId, double>> by_func() const;
    double seconds() const;

private:
    const LoopNest &nest_;
    const gpu::GpuDevice *gpu_;
    std::vector<std::shared_ptr<const TouchedFuncs>> kernels_;
    bool host_touches_any_ = false;
};

}  // namespace cryolite
