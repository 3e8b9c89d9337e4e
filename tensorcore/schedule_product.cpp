#include "tensorcore/schedule_product.h"

namespace cryolite::tensorcore {

namespace ir = Halide::Internal;

Result<LoweredProduct> schedule_product(const ProductToSchedule &p, const Halide::Target &target) {
    Halide::Func product = p.product;
    if (p.update < 0 || p.update >= product.num_update_definitions()) {
        return Error{product.name() + " has no update " + std::to_string(p.update)};
    }
    const Result<ProductUpdate, NoProduct> update_read =
        read_update(product.function(), p.update, p.precision);
    if (!update_read.ok()) {
        return Error{product.name() +
                     " is no product for tensor cores: " + explanation_of(update_read.error())};
    }
    const ProductTypes &types = update_read->types;
    const int capability = capability_of(target);
    if (capability < least_capability(types)) {
        return Error{"the target has no tensor cores for " + product.name() +
                     ": add cuda-cuda_capability_" + std::to_string(least_capability(types)) +
                     " to it"};
    }
    const std::string problem = problem_with_tile(types, p.tile, capability);
    if (!problem.empty()) return Error{"no tile for " + product.name() + ": " + problem};

    const std::string stage_name = ".s" + std::to_string(p.update + 1) + ".";
    LoweredProduct lowered{{product.name(), {}, precision_of(types)}, "", p.tile};
    for (const ir::ReductionVariable &rvar :
         product.function().update(p.update).schedule().rvars()) {
        lowered.stage.depth_loops.push_back(product.name() + stage_name + rvar.var);
    }
    Halide::Stage update = product.update(p.update);
    update.never_partition_all();
    if (p.epilogue) {
        Halide::Func epilogue = *p.epilogue;
        const Halide::Var outermost = epilogue.args().back();
        epilogue.compute_root().gpu_blocks(outermost).never_partition_all();
        product.never_partition_all();
        product.compute_at(epilogue, epilogue.args().front()).store_in(Halide::MemoryType::Stack);
        lowered.nest = epilogue.name() + ".s0." + outermost.name();
    } else {
        const Halide::Var outermost = product.args().back();
        product.compute_root();
        update.gpu_blocks(outermost);
        lowered.nest = product.name() + stage_name + outermost.name();
    }
    return lowered;
}

void add_pass(Halide::Pipeline pipeline, std::vector<LoweredProduct> products,
              const Halide::Target &target) {
    pipeline.add_custom_lowering_pass(new TensorCorePass(std::move(products), target));
}

}  // namespace cryolite::tensorcore
