#include "plugin/target/target_gpu.h"

#include <algorithm>

namespace cryolite {
namespace {

using Halide::Target;

// Halide's CUDA runtime caps registers at 64 up to version 21.
constexpr int cuda_register_cap = HALIDE_VERSION_MAJOR < 22 ? 64 : 255;

// What a block may have where the GPU is not known. CUDA: the same for every capability. OpenCL 3.0,
// section 4.2: 32 KB of local memory in the full profile; it promises no threads, and 256 is what the
// desktop's GPUs have at least. Metal feature set tables: 32 KB. Direct3D 11.3 functional
// specification, section 18.6.6: 32 KB. Vulkan 1.3, table 53: 128 invocations, 16 KB. WebGPU, section
// 3.6.2: 256 invocations, 16 KB.
struct Promise {
    Target::Feature feature;
    const char *name;
    int threads;
    int64_t shared_kilobytes;
};
constexpr Promise promises[] = {
    {Target::CUDA, "CUDA", 1024, 48},    {Target::OpenCL, "OpenCL", 256, 32},
    {Target::Metal, "Metal", 256, 32},   {Target::D3D12Compute, "Direct3D", 256, 32},
    {Target::Vulkan, "Vulkan", 128, 16}, {Target::WebGPU, "WebGPU", 256, 16},
};

Gpu usual_gpu(int capability) {
    Gpu gpu = gpu_presets().front().gpu;
    for (const GpuPreset &p : gpu_presets()) {
        const auto number = [](const Gpu &g) { return 10 * g.limits.major + g.limits.minor; };
        if (number(p.gpu) <= capability && number(p.gpu) > number(gpu)) gpu = p.gpu;
    }
    return gpu;
}

}  // namespace

bool names_gpu_preset(const std::string &name) { return gpu_preset(name).ok(); }

TargetGpu gpu_of_target(const Target &target, const std::string &name, int64_t parallelism) {
    const auto named = gpu_preset(name);
    const Gpu gpu = named.ok() ? *named : usual_gpu(target.get_cuda_capability_lower_bound());
    TargetGpu out;
    out.device = gpu::device_of(gpu);
    if (parallelism > 0) out.device.sm_count = static_cast<int>(parallelism);
    out.device.register_cap = gpu.limits.registers_per_thread;
    out.source = "preset " + gpu.name;
    // Of several interfaces Halide picks one by its own order: what all of them promise is safe.
    int64_t shared = gpu.limits.shared_bytes_per_block_opt_in;
    for (const Promise &p : promises) {
        if (!target.has_feature(p.feature)) continue;
        out.device.limits.threads_per_block =
            std::min(out.device.limits.threads_per_block, p.threads);
        shared = std::min(shared, p.shared_kilobytes << 10);
        // The device may be a PoCL.
        if (p.feature == Target::OpenCL) out.device.conditional_barriers = false;
        if (p.feature == Target::CUDA) out.device.register_cap = cuda_register_cap;
        out.source += std::string(", through ") + p.name;
    }
    out.device.shared_bytes_per_block = shared;
    return out;
}

}  // namespace cryolite
