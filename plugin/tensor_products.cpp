#include "plugin/tensor_products.h"

#include "graph/build.h"
#include "graph/pipeline_view.h"
#include "tensorcore/schedule_pipeline.h"
#include "tensorcore/schedule_product.h"

namespace cryolite {

Result<size_t> use_tensor_cores(const Halide::Pipeline &pipeline, const Halide::Target &target,
                                const Platform &platform, const PluginOptions &options,
                                const Log &log) {
    const std::string option = "tensor_cores=" + options.tensor_cores;
    if (options.mode != "one_shot")
        return Error{option + " needs mode=one_shot, and it is mode=" + options.mode};
    if (!platform.gpu || tensorcore::capability_of(target) < 75) {
        if (options.tensor_cores == "auto") return size_t{0};
        return Error{
            option +
            " needs a target with tensor cores: add cuda-cuda_capability_75 or more to it"};
    }
    const Result<BuiltGraph> built = build_graph(outputs_of(pipeline), target);
    if (!built.ok()) return built.error();
    const tensorcore::ScheduledProducts scheduled =
        tensorcore::schedule_products(*built, target, platform.gpu->device.sm_count);
    std::string refused;
    for (const tensorcore::ProductDecision &decision : scheduled.decisions) {
        const std::string text =
            decision.func + (decision.is_taken ? ": " : ": not taken, ") + decision.why;
        log.info("tensor cores: " + text);
        if (!decision.is_taken) refused += "\n  " + text;
    }
    if (scheduled.products.empty()) {
        if (options.tensor_cores == "auto") return size_t{0};
        return Error{option +
                     ", but tensor cores can compute no update of the pipeline:" + refused};
    }
    tensorcore::add_pass(pipeline, scheduled.products, target);
    return scheduled.products.size();
}

}  // namespace cryolite
