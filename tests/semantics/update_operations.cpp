// Operations with update definitions: reductions over stencils and whole domains, argmax, scatters,
// scans, recurrences.
#include <algorithm>

#include "tests/semantics/pipeline_builder.h"

namespace cryolite {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::FuncRef;
using Halide::RDom;

namespace {

const ElementInfo word_info{Halide::UInt(32), 4294967295.0, 0, true};
const ElementInfo byte_info{Halide::UInt(8), 255, 0, true};

// A sum of at most `count` terms of |value| <= 4095 that no order of evaluation changes.
struct Accumulator {
    ElementInfo info;
    Expr zero;
};
Accumulator pick_accumulator(Random &random, bool inexact, int count) {
    const double n = count + 1;
    if (inexact) {
        const double magnitude = n * 4095;
        return {{Halide::Float(32), magnitude, n * magnitude * float_rounding, false}, 0.0f};
    }
    switch (random.below(5)) {
        case 0: return {byte_info, cast<uint8_t>(0)};
        case 1: return {{Halide::UInt(16), 65535, 0, true}, cast<uint16_t>(0)};
        case 2: return {{Halide::Int(32), n * 4095, 0, true}, 0};
        case 3:
            if (n * 4095 < largest_float_integer) {
                return {{Halide::Float(32), n * 4095, 0, true}, 0.0f};
            }
            [[fallthrough]];
        default: return {word_info, cast<uint32_t>(0)};
    }
}

// `term` as a summand of `accumulator`; an inexact summand adds its error `count` times.
Expr summand(const Term &term, Accumulator &accumulator, int count) {
    if (!accumulator.info.type.is_float()) {
        return cast(accumulator.info.type, to_bounded_int(term, 4095));
    }
    const Term value = to_bounded_float(term, 4095);
    accumulator.info.error += count * value.info.error;
    return value.value;
}

}  // namespace

void PipelineBuilder::restrict_domain(RDom &domain, const Expr &free_value) {
    if (!random_.chance(0.3)) return;
    const Expr first = domain[0];
    switch (random_.below(4)) {
        case 0: domain.where(first % 3 != 1); break;
        case 1: domain.where(domain.dimensions() > 1 ? first + domain[1] < 4 : first < 3); break;
        case 2: domain.where(first <= free_value); break;
        default: domain.where((first + free_value) % 2 == 0); break;
    }
}

void PipelineBuilder::add_stencil_reduction() {
    const size_t source = pick_node_with(1, 4);
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    const int width = static_cast<int>(random_.between(1, 5));
    const int height =
        dims >= 2 && random_.chance(0.5) ? static_cast<int>(random_.between(1, 3)) : 0;
    RDom r = height > 0 ? RDom(-1, width, 0, height) : RDom(-1, width);
    restrict_domain(r, v[0]);
    Args args = as_args(v);
    args[0] = args[0] + r[0];
    if (height > 0) args[1] = args[1] + r[1];

    const Term value = read(source, args);
    const int count = width * std::max(1, height);
    Accumulator accumulator = pick_accumulator(random_, !value.info.integral, count);
    const Expr term = summand(value, accumulator, count);
    Func func = new_func();
    const uint64_t kind = random_.below(4);
    if (kind == 0) {
        // Starts from a value instead of zero, and ends with a second, pure update.
        func(v) = cast(accumulator.info.type, 5);
        func(v) += term;
        if (!accumulator.info.type.is_float()) func(v) += cast(accumulator.info.type, v[0] % 16);
        accumulator.info.magnitude += 32;
    } else if (kind == 1) {
        func(v) = accumulator.zero;
        func(v) = Halide::max(FuncRef(func(v)), term);
    } else {
        func(v) = accumulator.zero;
        func(v) += term;
    }
    add(func, dims, {accumulator.info}, true, nodes_[source].scale);
}

void PipelineBuilder::add_inline_reduction() {
    const size_t source = pick_node_with(1, 4);
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    const int width = static_cast<int>(random_.between(1, 5));
    RDom r = random_.chance(0.5) && dims >= 2 ? RDom(0, width, -1, 3) : RDom(0, width);
    restrict_domain(r, v[0]);
    Args args = as_args(v);
    args[0] = args[0] + r[0];
    if (r.dimensions() > 1) args[1] = args[1] + r[1];
    const Term value = read(source, args);
    const int count = width * 3;
    Accumulator accumulator = pick_accumulator(random_, !value.info.integral, count);
    const Expr term = summand(value, accumulator, count);
    Func func = new_func();
    switch (random_.below(3)) {
        case 0: func(v) = Halide::sum(r, term); break;
        case 1:
            // A predicate may leave nothing: then the type's smallest value comes out.
            if (accumulator.info.type.is_uint()) {
                func(v) = Halide::maximum(r, term);
            } else {
                func(v) =
                    Halide::clamp(Halide::maximum(r, term), cast(accumulator.info.type, -4096),
                                  cast(accumulator.info.type, 4095));
                accumulator.info.magnitude = std::max(accumulator.info.magnitude, 4096.0);
            }
            break;
        default:
            func(v) = Halide::sum(r, term) + Halide::sum(r, cast(accumulator.info.type, 1));
            accumulator.info.magnitude += count;
            accumulator.info.error +=
                accumulator.info.integral ? 0 : float_rounding * accumulator.info.magnitude;
            break;
    }
    add(func, dims, {accumulator.info}, true, nodes_[source].scale);
}

void PipelineBuilder::add_full_reduction() {
    const size_t source = pick_node_with(1, 3);
    const int source_dims = nodes_[source].dims;
    const int reduced = source_dims >= 2 && random_.chance(0.4) ? 2 : 1;
    const int dims = source_dims - reduced;
    const Vars v = vars(dims);
    const int limit = dims >= 2 ? 8 : dims == 1 && reduced == 2 ? 13 : 40;
    const int width = domain_extent(limit);
    const int height = reduced == 2 ? domain_extent(limit) : 1;
    RDom r = reduced == 2 ? RDom(0, width, 0, height) : RDom(0, width);
    restrict_domain(r, v.empty() ? Expr(5) : Expr(v[0]));
    Args args = as_args(v);
    // The reduced dimensions are sometimes the innermost, sometimes the outermost ones.
    const bool innermost = random_.chance(0.5);
    for (int i = 0; i < reduced; i++) {
        args.insert(innermost ? args.begin() + i : args.end(), Expr(r[i]));
    }
    const Term value = read(source, args);
    const int count = width * height;
    Accumulator accumulator = pick_accumulator(random_, !value.info.integral, count);
    const Expr term = summand(value, accumulator, count);
    Func func = new_func();
    func(v) = accumulator.zero;
    switch (random_.below(3)) {
        case 0: func(v) = Halide::max(FuncRef(func(v)), term); break;
        case 1: func(v) = Halide::min(FuncRef(func(v)), term); break;
        default: func(v) += term; break;
    }
    add(func, dims, {accumulator.info}, true, nodes_[source].scale);
}

void PipelineBuilder::add_argmax() {
    const size_t source = pick_node_with(1, 3);
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    RDom r(-2, static_cast<int>(random_.between(1, 6)), "r");
    Args args = as_args(v);
    args[0] = args[0] + r.x;
    const Term value = read(source, args);
    if (!value.info.integral) return add_stencil_reduction();
    const Expr key = to_bounded_int(value, 255);  // few values: ties are common
    const ElementInfo info{Halide::Int(32), 4096, 0, true};
    Func func = new_func();
    if (random_.chance(0.4)) {
        const Halide::Tuple best = Halide::argmax(r, key);
        func(v) = Halide::Tuple(Expr(best[0]), Expr(best[1]));
    } else {
        const bool key_first = random_.chance(0.5);
        const size_t key_at = key_first ? 0 : 1;
        func(v) = key_first ? Halide::Tuple(-1000, -1) : Halide::Tuple(-1, -1000);
        const FuncRef old = func(v);
        const Expr old_key = old[static_cast<int>(key_at)];
        const Expr old_place = old[static_cast<int>(1 - key_at)];
        const Expr best = Halide::select(key > old_key, key, old_key);
        const Expr place = Halide::select(key > old_key, Expr(r.x), old_place);
        func(v) = key_first ? Halide::Tuple(best, place) : Halide::Tuple(place, best);
    }
    add(func, dims, {info, info}, true, nodes_[source].scale);
}

void PipelineBuilder::add_histogram() {
    const size_t source = pick_node_with(1, 3);
    const int source_dims = nodes_[source].dims;
    const bool keeps_rows = source_dims == 2 && random_.chance(0.4);
    const int width = domain_extent(40);
    const int height = source_dims >= 2 && !keeps_rows ? domain_extent(16) : 0;
    RDom r = height > 0 ? RDom(0, width, 0, height) : RDom(0, width);
    const Halide::Var bin("bin"), row("row");
    restrict_domain(r, keeps_rows ? Expr(row) : Expr(6));
    Args args = {r[0]};
    if (source_dims >= 2) args.push_back(keeps_rows ? Expr(row) : Expr(r[1]));
    if (source_dims >= 3) args.push_back(1);
    const Term value = read(source, args);
    if (!value.info.integral) return add_full_reduction();

    static constexpr int bins[] = {1, 5, 16, 64, 256};
    const int count = bins[random_.below(5)];
    const Expr index = Halide::clamp(to_bounded_int(value, 511), 0, count - 1);
    Accumulator accumulator = pick_accumulator(random_, false, width * std::max(1, height));
    const Halide::Type type = accumulator.info.type;
    Func func = new_func();
    Vars v = {bin};
    Args target = {index};
    if (keeps_rows) {
        v.push_back(row);
        target.emplace_back(row);
    }
    func(v) = accumulator.zero;
    if (random_.chance(0.25)) {
        // The last write wins: the order of the domain is part of the result.
        func(target) = cast(type, r[0] + 1);
    } else {
        func(target) += cast(type, random_.chance(0.5) ? Expr(1) : Expr(r[0] + 2));
    }
    add(func, keeps_rows ? 2 : 1, {accumulator.info}, false, nodes_[source].scale);
}

void PipelineBuilder::add_scan() {
    const size_t source = pick_node_with(1, 4);
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    const int extent = std::max(2, domain_extent(dims >= 3 ? 8 : 40));
    const Term start = read(source, as_args(v));
    const bool inexact = !start.info.integral;
    Accumulator accumulator = pick_accumulator(random_, inexact, extent);
    Func func = new_func();
    func(v) = summand(start, accumulator, extent);
    const size_t along = random_.below(static_cast<uint64_t>(std::min(dims, 2)));
    const int passes = inexact ? 1 : static_cast<int>(random_.between(1, 2));
    const bool backwards_first = random_.chance(0.4);
    for (int pass = 0; pass < passes; pass++) {
        const bool backwards = backwards_first != (pass == 1);
        RDom r(1, extent - 1);
        Args here = as_args(v), before = as_args(v);
        here[along] = backwards ? Expr(extent - 1 - r.x) : Expr(r.x);
        before[along] = backwards ? Expr(extent - r.x) : Expr(r.x - 1);
        if (accumulator.info.type.is_float() || accumulator.info.type.is_int()) {
            // A second pass over sums would leave the range where they are exact.
            if (pass == 1) {
                func(here) = Halide::max(FuncRef(func(here)), FuncRef(func(before)));
            } else {
                func(here) = FuncRef(func(here)) + FuncRef(func(before));
            }
        } else {
            func(here) =
                FuncRef(func(here)) * cast(accumulator.info.type, 3) + FuncRef(func(before));
        }
    }
    add(func, dims, {accumulator.info}, false, nodes_[source].scale);
}

void PipelineBuilder::add_recurrence() {
    const size_t source = pick_node_with(2, 3);
    if (nodes_[source].elements[0].integral == false) return add_scan();
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    const int width = domain_extent(16), height = std::max(2, domain_extent(16));
    Func func = new_func();
    const Term start = read_element(source, as_args(v), 0);
    func(v) = cast<uint32_t>(to_bounded_int(start, 4095));
    RDom r(0, width, 1, height - 1);
    auto at = [&](const Expr &x, const Expr &y) {
        Args args = as_args(v);
        args[0] = x;
        args[1] = y;
        return args;
    };
    const Expr left = Halide::max(r.x - 1, 0), right = Halide::min(r.x + 1, width - 1);
    // Drawn apart, so that the pipelines of other seeds stay what they are.
    Random kind = random_.fork("recurrence", static_cast<uint64_t>(func_count_));
    if (kind.chance(0.3)) {
        // No recurrence: all points inside of a border, in any order.
        const Expr inside = to_bounded_int(read_element(source, at(r.x, r.y), 0), 4095);
        func(at(r.x, r.y)) = cast<uint32_t>(inside) * cast<uint32_t>(5) + cast<uint32_t>(r.x);
    } else if (dims == 3 && kind.chance(0.7)) {
        // Steps in time of a picture.
        RDom t(0, width, 0, height, 1, static_cast<int>(kind.between(1, 5)));
        const auto before = [&](const Expr &x, const Expr &y) {
            return FuncRef(func(x, y, t.z - 1));
        };
        func(t.x, t.y, t.z) += before(Halide::max(t.x - 1, 0), t.y) * cast<uint32_t>(3) +
                               before(t.x, Halide::min(t.y + 1, height - 1));
    } else {
        func(at(r.x, r.y)) += FuncRef(func(at(left, r.y - 1))) * cast<uint32_t>(3) +
                              FuncRef(func(at(right, r.y - 1)));
    }
    add(func, dims, {word_info}, false, nodes_[source].scale);
}

void PipelineBuilder::add_pure_update() {
    const size_t first = pick_node();
    const size_t second = pick_node();
    const int dims = pick_dims(nodes_[first]);
    const Vars v = vars(dims);
    const Term start =
        combine(random_, std::vector<Term>{read(first, address(nodes_[first], as_args(v)))},
                false || inexact_);
    Func func = new_func();
    func(v) = start.value;
    ElementInfo info = start.info;
    const Term other = read(second, address(nodes_[second], as_args(v)));
    if (!info.type.is_float() && !other.info.integral) {
        add(func, dims, {info}, true, nodes_[first].scale);
        return;
    }
    const Term old = make_term(FuncRef(func(v)), info);
    const std::vector<Term> terms = {old, other};
    const Term updated = combine(random_, terms, info.type.is_float() && inexact_);
    if (!updated.info.integral && !info.type.is_float()) {
        add(func, dims, {info}, true, nodes_[first].scale);
        return;
    }
    func(v) = convert(updated, info);
    bool fixed_coordinate = false;
    if (!v.empty() && random_.chance(0.3)) {
        // One column is written again, at a constant coordinate or at every other one of a domain.
        Args target = as_args(v);
        fixed_coordinate = true;
        if (random_.chance(0.5)) {
            target[0] = 3;
            func(target) = cast(info.type, 9);
        } else {
            RDom r(0, domain_extent(20));
            target[0] = r.x * 2;
            func(target) = FuncRef(func(target)) + cast(info.type, 1);
            info.magnitude += 1;
            if (!info.integral) info.error += float_rounding * info.magnitude;
        }
    }
    add(func, dims, {info}, !fixed_coordinate, std::max(nodes_[first].scale, nodes_[second].scale));
}

void PipelineBuilder::add_input_reduction() {
    if (bounded_inputs_.empty()) return add_full_reduction();
    const size_t index = bounded_inputs_[random_.below(bounded_inputs_.size())];
    const PipelineInput &input = result_.inputs[index];
    if (input.image.dimensions() > 3) return add_full_reduction();
    RDom r(input.image);
    Args args;
    for (int d = 0; d < input.image.dimensions(); d++) args.emplace_back(r[d]);
    const Term value = make_term(input.image(args), input_info_[index]);
    Accumulator accumulator{word_info, cast<uint32_t>(0)};
    const Expr term = summand(value, accumulator, 1);
    Func func = new_func();
    if (random_.chance(0.5)) {
        const Halide::Var bin("bin");
        func(bin) = cast<uint32_t>(0);
        func(Halide::clamp(to_bounded_int(value, 63), 0, 63)) += term;
        add(func, 1, {word_info}, false, 1);
    } else {
        func() = cast<uint32_t>(0);
        func() += term;
        add(func, 0, {word_info}, true, 1);
    }
}

}  // namespace cryolite
