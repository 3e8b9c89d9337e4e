#include "tensorcore/schedule_nest.h"

#include <map>

#include "code/legality/tile_kernels.h"
#include "graph/halide/pipeline_view.h"
#include "tensorcore/schedule_product.h"

namespace cryolite::tensorcore {

Result<size_t> schedule_tile_kernels(const Halide::Pipeline &pipeline, const LoopNest &nest,
                                     const Halide::Target &target) {
    const StageGraph &graph = nest.graph();
    std::vector<LoweredProduct> lowered;
    std::map<std::string, Halide::Internal::Function> functions;
    for (const TensorProduct &product : graph.products()) {
        const std::optional<StageId> lead = lead_of_product(nest, product);
        if (!lead) continue;
        if (functions.empty())
            functions = Halide::Internal::build_environment(outputs_of(pipeline));
        const auto func = [&](StageId s) {
            return Halide::Func(functions.at(graph.func_of(s).name));
        };
        ProductToSchedule request{.product = func(product.stage)};
        request.precision = precision_of(product.types);
        request.update = graph.stage(product.stage).index - 1;
        request.tile = nest.stage_nest(*lead).tile_kernel->tile;
        if (*lead != product.stage) request.epilogue = func(*lead);
        const Result<LoweredProduct> scheduled = schedule_product(request, target);
        if (!scheduled.ok()) return scheduled.error();
        lowered.push_back(*scheduled);
    }
    const size_t count = lowered.size();
    if (count > 0) add_pass(pipeline, std::move(lowered), target);
    return count;
}

}  // namespace cryolite::tensorcore
