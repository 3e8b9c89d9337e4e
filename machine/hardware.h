// What a schedule is made for: a CPU, or a GPU with the CPU as its host.
#pragma once

#include "machine/gpu_device.h"
#include "machine/machine.h"

namespace cryolite {

// Refers to both, which must outlive it.
struct Hardware {
    // A Machine alone stands for a schedule without kernels on a GPU.
    Hardware(const Machine &cpu, const gpu::GpuDevice *gpu = nullptr) : cpu(&cpu), gpu(gpu) {}

    const Machine *cpu;
    const gpu::GpuDevice *gpu;  // null: there is none
};

}  // namespace cryolite
