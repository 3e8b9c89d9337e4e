// The pass that puts tile kernels in the place of the products' nests. Pipelines run it after Halide's own lowering.
#pragma once

#include <string>
#include <vector>

#include <Halide.h>

#include "schedule/kernel_shape.h"
#include "tensorcore/point_program.h"

namespace cryolite::tensorcore {

// A product that was scheduled for the pass (schedule_product.h).
struct LoweredProduct {
    ProductStage stage;
    std::string nest;  // the outermost loop's name begins so: func.s0.y
    Tile tile;
};

// Throws Halide::CompileError, which names the Func, if a product cannot become a kernel or an instruction is left
// over. The pass generates the device code of the whole pipeline, because PTX exists only then.
class TensorCorePass : public Halide::Internal::IRMutator {
public:
    TensorCorePass(std::vector<LoweredProduct> products, const Halide::Target &target);

    using Halide::Internal::IRMutator::mutate;
    Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &s) override;

private:
    std::vector<LoweredProduct> products_;
    Halide::Target target_;
};

// The compute capability that a target asks for; 0 without CUDA.
int capability_of(const Halide::Target &target);

}  // namespace cryolite::tensorcore
