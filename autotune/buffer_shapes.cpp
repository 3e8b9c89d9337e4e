#include "autotune/buffer_shapes.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace cryolite {
namespace {

std::optional<int> constant(const Halide::Expr &e) {
    if (!e.defined()) return std::nullopt;
    const Halide::Expr simple = Halide::Internal::simplify(e);  // the answer may point into it
    const auto value = Halide::Internal::as_const_int(simple);
    if (!value) return std::nullopt;
    return static_cast<int>(*value);
}

const Box &region_of(const BuiltGraph &built, const std::string &func) {
    for (size_t i = 0; i < built.functions.size(); i++)
        if (built.functions[i].get_contents().defined() && built.functions[i].name() == func)
            return built.graph.func(FuncId(i)).root_region;
    throw std::logic_error("output " + func + " is not in the graph");
}

// Gives strides to the dimensions that have none: each lies around all that have one by then.
void complete_strides(std::vector<halide_dimension_t> &dimensions) {
    for (halide_dimension_t &d : dimensions) {
        if (d.stride != 0) continue;
        int around = 1;
        for (const halide_dimension_t &inner : dimensions)
            around = std::max(around, inner.stride * inner.extent);
        d.stride = around;
    }
}

}  // namespace

size_t BufferShape::bytes() const {
    size_t last = 0;
    for (const halide_dimension_t &d : dimensions) {
        if (d.extent == 0) return 0;
        last += static_cast<size_t>(d.extent - 1) * static_cast<size_t>(d.stride);
    }
    return (last + 1) * static_cast<size_t>(type.bytes());
}

BufferShape shape_of(const Halide::Parameter &parameter, const Box &region) {
    BufferShape shape{parameter.type(), {}};
    for (size_t d = 0; d < region.size(); d++)
        shape.dimensions.emplace_back(
            static_cast<int>(region[d].min), static_cast<int>(region[d].extent()),
            constant(parameter.stride_constraint(static_cast<int>(d))).value_or(0));
    complete_strides(shape.dimensions);
    return shape;
}

std::vector<BufferShape> output_shapes(const Halide::Pipeline &pipeline, const BuiltGraph &built) {
    std::vector<BufferShape> shapes;
    for (const Halide::Func &f : pipeline.outputs()) {
        const Box &region = region_of(built, f.name());
        for (const Halide::Parameter &p : f.function().output_buffers())
            shapes.push_back(shape_of(p, region));
    }
    return shapes;
}

}  // namespace cryolite
