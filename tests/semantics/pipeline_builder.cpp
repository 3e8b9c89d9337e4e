#include "tests/semantics/pipeline_builder.h"

#include <algorithm>
#include <array>

namespace cryolite {

using Halide::cast;
using Halide::Expr;
using Halide::Func;

PipelineBuilder::PipelineBuilder(uint64_t seed, const SizeProfile &profile)
    : seed_(seed), profile_(profile), random_(Random(seed).fork("random pipeline")) {
    inexact_ = random_.chance(0.15);
}

size_t PipelineBuilder::pick_node() {
    if (random_.chance(0.6)) {
        std::vector<size_t> unread;
        for (size_t i = 0; i < nodes_.size(); i++) {
            if (nodes_[i].readers == 0) unread.push_back(i);
        }
        if (!unread.empty()) return unread[random_.below(unread.size())];
    }
    return random_.below(nodes_.size());
}

size_t PipelineBuilder::pick_node_with(int min_dims, int max_dims) {
    for (int attempt = 0; attempt < 20; attempt++) {
        const size_t node = pick_node();
        if (nodes_[node].dims >= min_dims && nodes_[node].dims <= max_dims) return node;
    }
    return pointwise({pick_node()}, static_cast<int>(random_.between(min_dims, max_dims)));
}

int PipelineBuilder::pick_dims(const Node &source) {
    if (random_.chance(0.12)) return static_cast<int>(random_.between(1, 3));
    return source.dims;
}

PipelineBuilder::Vars PipelineBuilder::vars(int dims) const {
    static constexpr std::array<const char *, 4> names = {"x", "y", "z", "w"};
    Vars result;
    for (int d = 0; d < dims; d++) result.emplace_back(names[static_cast<size_t>(d)]);
    return result;
}

PipelineBuilder::Args PipelineBuilder::address(const Node &node, const Args &loops) {
    Args args;
    for (size_t d = 0; d < static_cast<size_t>(node.dims); d++) {
        const bool constant = d >= loops.size() || random_.chance(0.02);
        args.push_back(constant ? Expr(static_cast<int>(random_.between(0, 3))) : loops[d]);
    }
    if (args.size() >= 2 && random_.chance(0.06)) std::swap(args[0], args[1]);
    return args;
}

Term PipelineBuilder::read(size_t index, const Args &args) {
    return read_element(index, args, random_.below(nodes_[index].elements.size()));
}

Term PipelineBuilder::read_element(size_t index, const Args &args, size_t element) {
    Node &node = nodes_[index];
    node.readers++;
    if (node.is_input) return {node.image(args), node.elements[0]};
    const Halide::FuncRef call = node.func(args);
    if (node.elements.size() == 1) return {Expr(call), node.elements[0]};
    return {Expr(call[static_cast<int>(element)]), node.elements[element]};
}

Expr PipelineBuilder::small_offset() {
    if (random_.chance(0.08)) {
        if (result_.parameters.size() < 2 && random_.chance(0.7)) {
            const int64_t low = random_.between(-2, 2);
            PipelineParameter parameter{
                Halide::Param<int32_t>("p" + std::to_string(result_.parameters.size())),
                {low, low + 3}};
            parameter.param.set_estimate(static_cast<int32_t>(low));
            result_.parameters.push_back(parameter);
        }
        if (!result_.parameters.empty()) return result_.parameters.back().param;
    }
    return static_cast<int>(random_.between(-2, 2));
}

Expr PipelineBuilder::convert(const Term &term, ElementInfo &target) {
    if (!term.info.integral) target.integral = false;
    if (target.type.is_float()) {
        const Term value = to_bounded_float(term, 4095);
        target.integral = target.integral && value.info.integral;
        target.magnitude = std::max(target.magnitude, value.info.magnitude);
        target.error = std::max(target.error, value.info.error);
        return value.value;
    }
    target.magnitude = std::max(target.magnitude, 4095.0);
    return cast(target.type, to_bounded_int(term, 4095));
}

int PipelineBuilder::domain_extent(int limit) {
    static constexpr std::array<int, 10> extents = {1, 2, 3, 4, 7, 8, 13, 16, 31, 40};
    return std::min(limit, extents[random_.below(extents.size())]);
}

Func PipelineBuilder::new_func() { return Func("f" + std::to_string(func_count_++)); }

size_t PipelineBuilder::add(Func func, int dims, std::vector<ElementInfo> elements,
                            bool can_be_output, int scale) {
    Node node;
    node.func = std::move(func);
    node.dims = dims;
    node.elements = std::move(elements);
    node.can_be_output = can_be_output;
    node.scale = scale;
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
}

void PipelineBuilder::add_input() {
    static const std::array<ElementInfo, 6> infos = {{
        {Halide::UInt(8), 255, 0, true},
        {Halide::UInt(16), 65535, 0, true},
        {Halide::Int(16), 32768, 0, true},
        {Halide::Int(32), 1000, 0, true},
        {Halide::UInt(32), 4294967295.0, 0, true},
        {Halide::Float(32), 500, 0, true},
    }};
    static constexpr std::array<int, 8> dim_choices = {1, 2, 2, 2, 2, 3, 3, 4};
    const ElementInfo &info = infos[random_.below(infos.size())];
    const int dims = dim_choices[random_.below(dim_choices.size())];
    PipelineInput input{
        Halide::ImageParam(info.type, dims, "in" + std::to_string(result_.inputs.size())),
        random_.chance(0.6),
        {}};
    if (input.bounded) {
        for (int d = 0; d < dims; d++) {
            const int64_t extent = d < 2 ? random_.between(1, 60) : random_.between(1, 4);
            input.estimate.push_back({0, extent - 1});
            input.image.dim(d).set_estimate(0, static_cast<int32_t>(extent));
        }
        bounded_inputs_.push_back(result_.inputs.size());
        add_boundary(input, info);
    } else {
        Node node;
        node.image = input.image;
        node.dims = dims;
        node.elements = {info};
        node.is_input = true;
        nodes_.push_back(node);
    }
    input_info_.push_back(info);
    result_.inputs.push_back(input);
}

size_t PipelineBuilder::add_boundary(const PipelineInput &input, const ElementInfo &info) {
    namespace Boundary = Halide::BoundaryConditions;
    const Halide::ImageParam &image = input.image;
    const int dims = image.dimensions();
    Func func;
    switch (random_.below(7)) {
        case 0: func = Boundary::mirror_image(image); break;
        case 1: func = Boundary::mirror_interior(image); break;
        case 2: func = Boundary::constant_exterior(image, cast(info.type, 7)); break;
        case 3: func = Boundary::repeat_image(image); break;
        case 4: {
            const Vars v = vars(dims);
            Args clamped;
            for (int d = 0; d < dims; d++) {
                clamped.push_back(Halide::clamp(v[static_cast<size_t>(d)], image.dim(d).min(),
                                                image.dim(d).max()));
            }
            func = new_func();
            func(v) = image(clamped);
            break;
        }
        default: func = Boundary::repeat_edge(image); break;
    }
    return add(func, dims, {info}, true, 1);
}

}  // namespace cryolite
