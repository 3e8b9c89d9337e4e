// Operations without updates: pointwise, stencils, resampling, gathers, tuples, slices.
#include <algorithm>

#include "tests/semantics/pipeline_builder.h"

namespace cryolite {

using Halide::Expr;
using Halide::Func;

namespace {
// Regions double with every downsampling on the way to an input.
constexpr int largest_scale = 4;
}  // namespace

size_t PipelineBuilder::pointwise(std::vector<size_t> sources, int dims, int without) {
    const Vars v = vars(dims);
    Args loops = as_args(v);
    if (without >= 0)
        loops.insert(loops.begin() + without, Expr(static_cast<int>(random_.between(0, 3))));
    std::vector<Term> terms;
    int scale = 1;
    for (size_t source : sources) {
        terms.push_back(read(source, address(nodes_[source], loops)));
        scale = std::max(scale, nodes_[source].scale);
    }
    if (!v.empty() && random_.chance(0.15)) {
        terms.push_back(make_term(v[0] % 97, {Halide::Int(32), 96, 0, true}));
    }
    const Term result = combine(random_, terms, allow_inexact());
    Func func = new_func();
    func(v) = result.value;
    return add(func, dims, {result.info}, true, scale);
}

void PipelineBuilder::add_pointwise() {
    std::vector<size_t> sources;
    const uint64_t count = 1 + random_.below(3);
    for (uint64_t i = 0; i < count; i++) sources.push_back(pick_node());
    const int dims = pick_dims(nodes_[sources[0]]);
    pointwise(sources, dims);
}

void PipelineBuilder::add_stencil() {
    const size_t source = pick_node();
    const int dims = pick_dims(nodes_[source]);
    const Vars v = vars(dims);
    const Args base = address(nodes_[source], as_args(v));
    std::vector<Term> terms;
    const uint64_t taps = random_.between(2, 5);
    const bool square = random_.chance(0.2) && base.size() >= 2;
    const uint64_t count = square ? 9 : taps;
    const size_t along = base.empty() ? 0 : random_.below(base.size());
    for (uint64_t i = 0; i < count; i++) {
        Args args = base;
        if (square) {
            args[0] = args[0] + static_cast<int>(i % 3) - 1;
            args[1] = args[1] + static_cast<int>(i / 3) - 1;
        } else if (!args.empty()) {
            args[along] = args[along] + small_offset();
            if (random_.chance(0.2)) args[0] = args[0] + small_offset();
        }
        terms.push_back(read(source, args));
    }
    const Term result = combine(random_, terms, allow_inexact());
    Func func = new_func();
    func(v) = result.value;
    add(func, dims, {result.info}, true, nodes_[source].scale);
}

void PipelineBuilder::add_upsample() {
    const size_t source = pick_node_with(1, 4);
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    const int factor = random_.chance(0.8) ? 2 : 3;
    Args near = as_args(v);
    const bool both = random_.chance(0.5);
    const size_t along = random_.below(near.size());
    for (size_t d = 0; d < near.size() && d < 2; d++) {
        if (both || d == along) near[d] = near[d] / factor;
    }
    std::vector<Term> terms = {read(source, near)};
    if (random_.chance(0.6)) {
        Args far = near;
        const size_t d = std::min<size_t>(along, far.size() - 1);
        far[d] = (v[d] + 1) / factor - (random_.chance(0.3) ? 1 : 0);
        terms.push_back(read(source, far));
    }
    const Term result = combine(random_, terms, allow_inexact());
    Func func = new_func();
    func(v) = result.value;
    add(func, dims, {result.info}, true, nodes_[source].scale);
}

void PipelineBuilder::add_downsample() {
    const size_t source = pick_node_with(1, 4);
    if (nodes_[source].scale >= largest_scale) return add_upsample();
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    const size_t along = random_.below(std::min(dims, 2));
    const bool both = random_.chance(0.4) && dims >= 2;
    std::vector<Term> terms;
    const uint64_t taps = random_.between(1, 3);
    for (uint64_t i = 0; i < taps; i++) {
        Args args = as_args(v);
        args[along] = args[along] * 2 + static_cast<int>(i);
        if (both) args[1 - along] = args[1 - along] * 2 - 1;
        terms.push_back(read(source, args));
    }
    const Term result = combine(random_, terms, allow_inexact());
    Func func = new_func();
    func(v) = result.value;
    add(func, dims, {result.info}, true, nodes_[source].scale * 2);
}

void PipelineBuilder::add_gather() {
    const size_t source = pick_node();
    const int dims = std::max(1, pick_dims(nodes_[source]));
    const Vars v = vars(dims);
    const Term selector = read(source, address(nodes_[source], as_args(v)));
    if (!selector.info.integral) return add_stencil();
    const Expr index = to_bounded_int(selector, 4095);

    size_t table;
    if (random_.chance(0.3)) {
        const Halide::Var i("i");
        Func lut = new_func();
        const Term entry = to_random_type(random_, (i * 37 + 11) % 1009, 1008);
        lut(i) = entry.value;
        table = add(lut, 1, {entry.info}, true, 1);
    } else {
        table = pick_node_with(1, 4);
    }
    Args args = address(nodes_[table], as_args(v));
    switch (random_.below(3)) {
        case 0: args[0] = Halide::clamp(index, 0, domain_extent(40)); break;
        case 1: args[0] = Halide::clamp(v[0] + index % 5 - 2, 0, domain_extent(40)); break;
        default: args[random_.below(args.size())] = v[0] + index % 3 - 1; break;
    }
    const std::vector<Term> terms = {read(table, args), selector};
    const Term result = combine(random_, terms, allow_inexact());
    Func func = new_func();
    func(v) = result.value;
    add(func, dims, {result.info}, true, std::max(nodes_[source].scale, nodes_[table].scale));
}

// Several ways to compute a point, of which its channel chooses one.
void PipelineBuilder::add_channels() {
    const size_t first = pick_node();
    const int dims = std::max(3, nodes_[first].dims);
    const Vars v = vars(dims);
    const Expr channel = v[2];
    ElementInfo info;
    std::vector<Expr> ways;
    int scale = 1;
    const uint64_t count = random_.between(2, 4);
    for (uint64_t i = 0; i < count; i++) {
        const size_t source = i == 0 || random_.chance(0.5) ? first : pick_node();
        scale = std::max(scale, nodes_[source].scale);
        std::vector<Term> terms;
        const uint64_t taps = random_.between(1, 2);
        for (uint64_t t = 0; t < taps; t++) {
            Args args = address(nodes_[source], as_args(v));
            if (!args.empty()) args[0] = args[0] + small_offset();
            terms.push_back(read(source, args));
        }
        const Term way = combine(random_, terms, allow_inexact());
        if (i == 0) info = way.info;
        ways.push_back(i == 0 ? way.value : convert(way, info));
    }
    Expr value = ways.back();
    if (random_.chance(0.5)) {
        value = Halide::mux(channel, ways);
    } else {
        for (size_t i = ways.size() - 1; i-- > 0;) {
            const int number = static_cast<int>(i);
            value = Halide::select(random_.chance(0.7) ? channel == number : channel <= number,
                                   ways[i], value);
        }
    }
    Func func = new_func();
    func(v) = value;
    add(func, dims, {info}, true, scale);
}

void PipelineBuilder::add_tuple() {
    const size_t first = pick_node();
    const size_t second = pick_node();
    const int dims = pick_dims(nodes_[first]);
    const Vars v = vars(dims);
    const std::vector<Term> terms = {read(first, address(nodes_[first], as_args(v))),
                                     read(second, address(nodes_[second], as_args(v)))};
    Term a = combine(random_, terms, allow_inexact());
    Term b = combine(random_, terms, allow_inexact());
    Func func = new_func();
    if (random_.chance(0.5)) {
        func(v) = Halide::Tuple(a.value, b.value);
    } else {
        // Both elements are read before either is written.
        ElementInfo word{Halide::UInt(16), 65535, 0, true};
        const Expr start = a.info.integral ? convert(a, word) : Halide::cast<uint16_t>(17);
        const Expr other_start = b.info.integral ? convert(b, word) : Halide::cast<uint16_t>(3);
        a.info = b.info = word;
        func(v) = Halide::Tuple(start, other_start);
        const Halide::FuncRef old = func(v);
        const Expr swapped = old[1];
        const Expr other = Expr(old[0]) + Expr(old[1]) * Halide::cast<uint16_t>(3);
        func(v) = Halide::Tuple(swapped, other);
    }
    add(func, dims, {a.info, b.info}, true, std::max(nodes_[first].scale, nodes_[second].scale));
}

void PipelineBuilder::add_boundary_of_func() {
    const size_t source = pick_node_with(1, 3);
    if (nodes_[source].is_input || nodes_[source].elements.size() != 1) return add_stencil();
    Halide::Region bounds;
    for (int d = 0; d < nodes_[source].dims; d++) {
        bounds.emplace_back(Expr(0), Expr(d < 2 ? domain_extent(40) : domain_extent(3)));
    }
    nodes_[source].readers++;
    namespace Boundary = Halide::BoundaryConditions;
    const Func func = random_.chance(0.5) ? Boundary::repeat_edge(nodes_[source].func, bounds)
                                          : Boundary::mirror_interior(nodes_[source].func, bounds);
    add(func, nodes_[source].dims, nodes_[source].elements, true, nodes_[source].scale);
}

void PipelineBuilder::add_slice() {
    const size_t source = pick_node_with(2, 4);
    const int dims = nodes_[source].dims - 1;
    const Vars v = vars(dims);
    const size_t dropped = random_.below(static_cast<uint64_t>(dims) + 1);
    Args args = as_args(v);
    args.insert(args.begin() + static_cast<int64_t>(dropped),
                Expr(static_cast<int>(random_.between(0, 5))));
    Func func = new_func();
    const Term value = read(source, args);
    func(v) = value.value;
    add(func, dims, {value.info}, true, nodes_[source].scale);
}

}  // namespace cryolite
