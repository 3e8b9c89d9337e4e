#include "plugin/target/platform.h"

#include "autotune/pipeline_run.h"
#include "reference/strategy.h"

namespace cryolite {
namespace {

// Why the options do not go with the target; empty if they do.
std::string what_does_not_fit(const Halide::Target &target, const PluginOptions &options) {
    const bool has_gpu = target.has_gpu_feature();
    const bool searches = options.mode == "one_shot" || options.mode == "top_k";
    if (options.mode == "top_k")
        if (const std::string why = why_not_here(target); !why.empty())
            return "mode=top_k runs schedules on this computer, and code for target '" +
                   target.to_string() + "' cannot run here: " + why +
                   ". Use mode=one_shot, a target without what is missing, or `cryolite tune` with "
                   "--runner, which measures on another computer";
    if (searches && options.strategy == "autogpu" && !has_gpu)
        return "strategy=autogpu schedules for GPUs, and target '" + target.to_string() +
               "' has none: add a GPU feature such as cuda or opencl to it";
    if (searches && strategy_named(options.strategy) && has_gpu)
        return "strategy=" + options.strategy + " schedules for CPUs, and target '" +
               target.to_string() +
               "' has a GPU: use strategy=search or strategy=autogpu, or a target without GPU "
               "features";
    return "";
}

}  // namespace

Result<Platform> platform_of(const Halide::Target &target, const PluginOptions &options,
                             const Log &log) {
    const std::string misfit = what_does_not_fit(target, options);
    if (!misfit.empty()) return Error{misfit};
    const bool has_gpu = target.has_gpu_feature();
    const bool names_gpu = has_gpu && names_gpu_preset(options.machine);
    auto host = machine_of_target(target, names_gpu ? "auto" : options.machine,
                                  has_gpu ? 0 : options.parallelism);
    if (!host.ok()) return host.error();
    Platform p{std::move(*host), std::nullopt};
    log.info("machine " + p.host.machine.name + ", " + std::to_string(p.host.machine.cores) +
             " cores, from " + p.host.source);
    if (!has_gpu) return p;
    p.gpu = gpu_of_target(target, options.machine, options.parallelism);
    const gpu::GpuDevice &device = p.gpu->device;
    log.info("GPU of compute capability " + std::to_string(device.limits.major) + "." +
             std::to_string(device.limits.minor) + ", " + std::to_string(device.sm_count) +
             " multiprocessors, from " + p.gpu->source);
    return p;
}

}  // namespace cryolite
