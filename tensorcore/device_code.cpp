#include "tensorcore/device_code.h"

#include <cstring>

namespace cryolite::tensorcore {

namespace ir = Halide::Internal;
using Halide::Expr;

namespace {

// The code is an embedded buffer, an argument of the call that hands it to the runtime. Its size is the next one.
class Changer : public ir::IRMutator {
public:
    explicit Changer(const std::function<std::string(const std::string &)> &change)
        : change_(change) {}
    int modules = 0;

private:
    using ir::IRMutator::visit;

    Expr visit(const ir::Call *call) override {
        if (call->name != "halide_cuda_initialize_kernels" || call->args.size() != 3) {
            return ir::IRMutator::visit(call);
        }
        const ir::Call *host = call->args[1].as<ir::Call>();
        const ir::Variable *buffer =
            host != nullptr && host->args.size() == 1 ? host->args[0].as<ir::Variable>() : nullptr;
        if (buffer == nullptr || !buffer->image.defined()) return ir::IRMutator::visit(call);
        modules++;
        const Halide::Buffer<uint8_t> code = buffer->image;
        // The text ends with a zero.
        const char *text = reinterpret_cast<const char *>(code.data());
        const std::string changed =
            change_(std::string(text, strnlen(text, code.number_of_elements())));
        const int size = static_cast<int>(changed.size()) + 1;
        Halide::Buffer<uint8_t> new_code(size, code.name());
        std::memcpy(new_code.data(), changed.c_str(), static_cast<size_t>(size));
        const Expr variable =
            ir::Variable::make(Halide::type_of<struct halide_buffer_t *>(), buffer->name, new_code);
        return ir::Call::make(
            call->type, call->name,
            {call->args[0], ir::Call::make(host->type, host->name, {variable}, host->call_type),
             size},
            call->call_type);
    }

    const std::function<std::string(const std::string &)> &change_;
};

}  // namespace

ChangedCode change_device_code(const ir::Stmt &lowered,
                               const std::function<std::string(const std::string &)> &change) {
    Changer changer(change);
    ir::Stmt result = changer.mutate(lowered);
    return {result, changer.modules};
}

}  // namespace cryolite::tensorcore
