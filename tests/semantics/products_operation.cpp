// Sums of products of small integers, as quantised layers have them: what processors have instructions for.
#include <algorithm>

#include "tests/semantics/pipeline_builder.h"

namespace cryolite {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;

namespace {

constexpr int largest_scale = 4;

// A number of up to 8 or 16 bits; at most 4095, or 255, if it is no negative one.
Expr narrowed(Random &random, const Term &term) {
    switch (random.below(4)) {
        case 0: return cast<uint8_t>(to_bounded_int(term, 255));
        case 1: return cast<int8_t>(to_bounded_int(term, 255) % 128 - 64);
        case 2: return cast<int16_t>(to_bounded_int(term, 4095));
        default: return cast<int16_t>(cast<uint8_t>(to_bounded_int(term, 255))) - cast<int16_t>(7);
    }
}

}  // namespace

// Weights times what lies along a row, or in a column, of a source.
void PipelineBuilder::add_products() {
    const size_t source = pick_node_with(1, 3), weights = pick_node_with(1, 3);
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    static constexpr int widths[] = {2, 4, 8, 8, 12, 16, 3};
    const int width = widths[random_.below(7)];
    const int height = random_.chance(0.4) ? static_cast<int>(random_.between(2, 4)) : 1;
    const RDom r = height > 1 ? RDom(0, width, 0, height) : RDom(0, width);
    Args values = as_args(v), by_row = address(nodes_[weights], as_args(v));
    const bool in_parts = random_.chance(0.5) && nodes_[source].scale * width <= largest_scale;
    values[0] = (in_parts ? values[0] * width : values[0]) + r[0];
    if (height > 1 && dims > 1) values[1] = values[1] + r[1];
    if (by_row.size() > 1 && random_.chance(0.5)) by_row[1] = by_row[0];
    by_row[0] = r[0];
    if (height > 1) by_row[by_row.size() - 1] = by_row[by_row.size() - 1] + r[1];
    const Term value = read(source, values), weight = read(weights, by_row);
    if (!value.info.integral || !weight.info.integral) return add_stencil_reduction();
    const Expr left = narrowed(random_, value), right = narrowed(random_, weight);
    Func func = new_func();
    func(v) = random_.chance(0.5) ? Expr(0) : Expr(v[0] % 16);
    if (random_.chance(0.5))
        func(v) += cast<int32_t>(left) * cast<int32_t>(right);
    else
        func(v) = cast<int32_t>(right) * cast<int32_t>(left) + func(v);
    add(func, dims, {{Halide::Int(32), width * height * 4095.0 * 4095.0 + 16, 0, true}}, true,
        std::max(nodes_[source].scale * (in_parts ? width : 1), nodes_[weights].scale));
}

}  // namespace cryolite
