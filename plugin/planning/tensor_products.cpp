#include "plugin/planning/tensor_products.h"

#include <algorithm>

#include "code/legality/tile_kernels.h"
#include "search/gpu/tensor_choice.h"
#include "tensorcore/find_products.h"
#include "tensorcore/lowering_pass.h"

namespace cryolite {
namespace {

std::string name_of(const StageGraph &graph, StageId stage) {
    return graph.func_of(stage).name + ".s" + std::to_string(graph.stage(stage).index);
}

bool is_required(const PluginOptions &options) { return options.tensor_cores == "require"; }

Error nothing_for(const std::vector<std::string> &lines) {
    std::string reasons;
    for (const std::string &line : lines) reasons += "\n  " + line;
    return Error{"tensor_cores=require, but tensor cores compute no update of the pipeline:" +
                 reasons};
}

}  // namespace

Result<std::vector<std::string>> add_tensor_products(BuiltGraph &built,
                                                     const Halide::Target &target,
                                                     const Platform &platform,
                                                     const PluginOptions &options) {
    std::vector<std::string> lines;
    if (options.tensor_cores == "off") return lines;
    const int capability = tensorcore::capability_of(target);
    if (!platform.gpu || capability < 75) {
        if (!is_required(options)) return lines;
        return Error{
            "tensor_cores=require needs a target with tensor cores: add cuda-cuda_capability_75 "
            "or more to it"};
    }
    tensorcore::FoundProducts found =
        tensorcore::find_products(built, options.tensor_cores_tf32 ? tensorcore::Precision::Tf32
                                                                   : tensorcore::Precision::Exact);
    const auto add_line = [&](StageId stage, const std::string &why) {
        lines.push_back(name_of(built.graph, stage) + ": not on tensor cores: " + why);
    };
    for (const tensorcore::NotAProduct &other : found.others) add_line(other.stage, other.why);
    // The machine may be another than the target's.
    std::erase_if(found.products, [&](const TensorProduct &product) {
        const bool is_beyond = capability < tensorcore::least_capability(product.types);
        if (is_beyond)
            add_line(product.stage,
                     "the target has no tensor cores for its types: add cuda_capability_" +
                         std::to_string(tensorcore::least_capability(product.types)) + " to it");
        return is_beyond;
    });
    if (found.products.empty() && is_required(options)) return nothing_for(lines);
    built.graph.set_products(std::move(found.products));
    return lines;
}

std::vector<std::string> tensor_lines(const LoopNest &nest, const Platform &platform,
                                      const PluginOptions &options) {
    std::vector<std::string> lines;
    for (const TensorChoice &choice : tensor_choices(nest, platform.hardware(), options.search))
        lines.push_back(name_of(nest.graph(), choice.product) + ": " +
                        text_of(nest.graph(), choice));
    return lines;
}

Result<int> check_required(const LoopNest *nest, const Platform &platform,
                           const PluginOptions &options) {
    if (!is_required(options)) return 0;
    int taken = 0;
    if (nest != nullptr)
        for (const TensorProduct &product : nest->graph().products())
            taken += lead_of_product(*nest, product).has_value();
    if (taken > 0) return taken;
    if (nest == nullptr) return nothing_for({"the pipeline keeps its schedule"});
    return nothing_for(tensor_lines(*nest, platform, options));
}

}  // namespace cryolite
