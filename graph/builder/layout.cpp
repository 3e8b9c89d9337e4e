#include "graph/builder/layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cryolite {
namespace {

int64_t constant_stride(const Halide::Parameter &buffer, int dim) {
    const Expr stride = buffer.stride_constraint(dim);
    if (!stride.defined()) return 0;
    const auto value = ir::as_const_int(ir::simplify(stride));
    return value && *value > 0 ? *value : 0;
}

}  // namespace

std::vector<int64_t> known_strides(const InputView &input) {
    std::vector<int64_t> strides;
    for (int d = 0; d < input.dimensions; d++) {
        if (input.buffer.defined())
            strides.push_back(std::max(0, input.buffer.dim(d).stride()));
        else
            strides.push_back(input.parameter.defined() ? constant_stride(input.parameter, d)
                                                        : d == 0);
    }
    return strides;
}

std::vector<int64_t> known_strides(const FuncView &output) {
    std::vector<int64_t> strides;
    for (int d = 0; d < output.original.dimensions(); d++) {
        const std::vector<Halide::Parameter> &buffers = output.original.output_buffers();
        int64_t stride = buffers.empty() ? d == 0 : constant_stride(buffers[0], d);
        for (const Halide::Parameter &buffer : buffers)
            if (constant_stride(buffer, d) != stride) stride = 0;
        strides.push_back(stride);
    }
    return strides;
}

std::vector<int> storage_order_of(const std::vector<int64_t> &strides) {
    std::vector<int> order(strides.size());
    std::iota(order.begin(), order.end(), 0);
    const auto distance = [&](int d) {
        const int64_t stride = strides[static_cast<size_t>(d)];
        return stride > 0 ? stride : std::numeric_limits<int64_t>::max();
    };
    std::ranges::stable_sort(order, {}, distance);
    return order;
}

}  // namespace cryolite
