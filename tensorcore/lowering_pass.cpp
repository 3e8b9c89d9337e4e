#include "tensorcore/lowering_pass.h"

#include <set>

#include "tensorcore/device_code.h"
#include "tensorcore/patch_ptx.h"
#include "tensorcore/product_plan.h"
#include "tensorcore/tile_kernel.h"

namespace cryolite::tensorcore {

namespace ir = Halide::Internal;
using Halide::Expr;
using ir::Stmt;

namespace {

[[noreturn]] void fail(const std::string &func, const std::string &problem) {
    throw Halide::CompileError("Cryolite: tensor cores cannot compute " + func + ": " + problem);
}

// The address of a buffer on the device, asked for where kernels are launched. All copies to the device stand before.
Expr device_address(const std::string &buffer) {
    return ir::Call::make(
        Halide::UInt(64), "_halide_buffer_get_device",
        {ir::Variable::make(Halide::type_of<struct halide_buffer_t *>(), buffer + ".buffer")},
        ir::Call::Extern);
}

// Replaces nests by kernels and remembers the kernels' shapes.
class ReplaceNests : public ir::IRMutator {
public:
    ReplaceNests(const std::vector<LoweredProduct> &products, int capability)
        : products_(products), capability_(capability), is_found_(products.size()) {}

    std::vector<KernelShape> shapes;

    const LoweredProduct *missing() const {
        for (size_t i = 0; i < products_.size(); i++) {
            if (!is_found_[i]) return &products_[i];
        }
        return nullptr;
    }

private:
    using ir::IRMutator::visit;

    Stmt visit(const ir::For *loop) override {
        if (loop->for_type != ir::ForType::GPUBlock) return ir::IRMutator::visit(loop);
        for (size_t i = 0; i < products_.size(); i++) {
            if (loop->name == products_[i].nest ||
                loop->name.rfind(products_[i].nest + '.', 0) == 0) {
                is_found_[i] = true;
                return launch(*loop, products_[i]);
            }
        }
        return loop;
    }

    Stmt launch(const ir::For &nest, const LoweredProduct &product) {
        const std::string &func = product.stage.func;
        const Result<PointProgram> program = read_point_program(Stmt(&nest), product.stage);
        if (!program.ok()) fail(func, program.error().message);
        const Result<ProductPlan> plan = plan_product(*program);
        if (!plan.ok()) fail(func, plan.error().message);
        const KernelShape shape = shape_for(*plan, product.tile, capability_);
        const std::string problem = problem_with(shape);
        if (!problem.empty()) fail(func, problem);
        const int number = static_cast<int>(shapes.size());
        shapes.push_back(shape);

        const Stmt gathers = tile_kernel(*plan, shape, number, func + ".gathered", false);
        std::set<std::string> buffers;
        Expr is_aligned = ir::const_true();
        for (const Operand *operand : {&plan->rows, &plan->columns}) {
            if (!operand->units) continue;
            buffers.insert(operand->units->buffer);
            is_aligned = is_aligned && operand->units->is_aligned;
        }
        Stmt body = gathers;
        if (!buffers.empty()) {
            body = ir::IfThenElse::make(ir::simplify(is_aligned),
                                        tile_kernel(*plan, shape, number, func + ".copied", true),
                                        gathers);
        }
        body = ir::IfThenElse::make(has_points(*plan), body);
        for (const std::string &buffer : buffers) {
            body = ir::LetStmt::make(address_name(buffer), device_address(buffer), body);
        }
        return body;
    }

    const std::vector<LoweredProduct> &products_;
    int capability_;
    std::vector<bool> is_found_;
};

// Halide 22 adds a parameter.
template <typename Offload>
Stmt offload(Offload inject, const Stmt &s, const Halide::Target &target) {
    if constexpr (std::is_invocable_v<Offload, const Stmt &, const Halide::Target &>) {
        return inject(s, target);
    } else {
        return inject(s, target, false);
    }
}

}  // namespace

int capability_of(const Halide::Target &target) {
    return target.has_feature(Halide::Target::CUDA) ? target.get_cuda_capability_lower_bound() : 0;
}

TensorCorePass::TensorCorePass(std::vector<LoweredProduct> products, const Halide::Target &target)
    : products_(std::move(products)), target_(target) {}

Stmt TensorCorePass::mutate(const Stmt &s) {
    if (products_.empty()) return s;
    ReplaceNests replace(products_, capability_of(target_));
    Stmt result = replace.mutate(s);
    if (const LoweredProduct *missing = replace.missing()) {
        fail(missing->stage.func, "its loops are not in the pipeline as they were scheduled");
    }
    result = offload(&ir::inject_gpu_offload, result, target_);
    const std::string &first = products_.front().stage.func;
    const ChangedCode patched = change_device_code(result, [&](const std::string &ptx) {
        const Result<std::string> text = patch_ptx(ptx, replace.shapes);
        if (!text.ok()) fail(first, text.error().message);
        return *text;
    });
    if (patched.modules != 1) fail(first, "the device code was not found");
    return patched.lowered;
}

}  // namespace cryolite::tensorcore
