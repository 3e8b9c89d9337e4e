#include "code/kernel/constant_sides.h"

#include <algorithm>

#include "code/kernel/first_points.h"
#include "code/stage/split_tails.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

// Whether loops move the index by the parts alone that wrap around.
bool nothing_else_moves(const LoadGroup &load, size_t d) {
    for (size_t l = 0; l < load.exact_coefficient[d].size(); l++) {
        Rational by_parts;
        for (const WrappedIndex &part : load.wrapped[d])
            by_parts = by_parts + part.factor * make_rational(part.coefficient[l], 1);
        if (load.exact_coefficient[d][l] != by_parts) return false;
    }
    return true;
}

}  // namespace

// The recursion goes from a Func to its readers. No Func reads its own readers, so it ends.
bool ConstantSides::is_constant(FuncId f, size_t d) const {
    const auto member = code_->members().find(f);
    if (member == code_->members().end() || !member->second.nest->store_at)
        return code_->nest().graph().func(f).constant_region[d];
    const auto known = known_.find({f, d});
    if (known != known_.end()) return known->second;
    const FuncNest &placed = *member->second.nest;
    const bool is_bound = placed.store_at == placed.compute_at && !placed.storage_bound.empty() &&
                          placed.storage_bound[d] > 0;
    return known_[{f, d}] = is_bound || needs_constant_parts(f, d, *placed.store_at);
}

bool ConstantSides::has_constant_stride(FuncId f, size_t d) const {
    const std::vector<int64_t> &strides = code_->nest().graph().func(f).strides;
    if (!strides.empty()) return strides[d] > 0;
    for (int inner : code_->nest().storage_order(f)) {
        if (static_cast<size_t>(inner) == d) break;
        if (!is_constant(f, static_cast<size_t>(inner))) return false;
    }
    return true;
}

bool ConstantSides::is_constant_part(FuncId f, size_t d, LoopName site) const {
    return code_->nest().at(f).store_at == site ? is_constant(f, d)
                                                : needs_constant_parts_at(f, d, site);
}

bool ConstantSides::ends_at_any_size(FuncId f, size_t d) const {
    const LoopName site = *code_->nest().at(f).compute_at;
    if (needs_constant_parts_at(f, d, site)) return false;
    const auto around = std::ranges::find_if(
        code_->stages(), [&](const StageCode &w) { return w.stage->id == site.stage; });
    if (around == code_->stages().end()) return false;
    const LoopLevels &loops = around->nest->loops;
    const auto end = loops.begin() + code_->nest().position(site) + 1;
    for (size_t l = 0; l < around->stage->loops.size(); l++) {
        const auto decide = std::count_if(loops.begin(), end, [&](const LoopLevel &each) {
            return static_cast<size_t>(each.name.dim) == l && each.extent > 1;
        });
        if (decide > 1 && !is_walked_in_whole_parts(*around, l)) return true;
    }
    return false;
}

bool ConstantSides::needs_constant_parts_at(FuncId f, size_t d, LoopName site) const {
    const auto known = parts_.find({f, d, site});
    if (known != parts_.end()) return known->second;
    return parts_[{f, d, site}] = needs_constant_parts(f, d, site);
}

bool ConstantSides::needs_constant_parts(FuncId f, size_t d, LoopName site) const {
    for (const StageCode &w : code_->stages()) {
        const std::vector<Rational> *first = nullptr;
        for (const LoadGroup &load : w.body->loads) {
            if (load.producer != f || load.is_self) continue;
            // Parts that move at different speeds drift apart.
            if (first && *first != load.exact_coefficient[d]) return false;
            first = &load.exact_coefficient[d];
            if (!needs_a_constant_part(w, load, site, d)) return false;
        }
    }
    return true;
}

bool ConstantSides::needs_a_constant_part(const StageCode &reader, const LoadGroup &load,
                                          LoopName site, size_t d) const {
    if (load.gather) return false;
    // Halide takes the whole of x % 8, unless it knows which part of constant length is needed.
    if (!load.wrapped.empty() && !load.wrapped[d].empty()) return nothing_else_moves(load, d);
    for (size_t l = 0; l < load.exact_coefficient[d].size(); l++) {
        const Rational c = load.exact_coefficient[d][l];
        if (c.is_zero()) continue;
        if (load.clamped[l] != Clamp::None || !walks_a_constant_part(reader, l, site) ||
            !begins_at_multiples(reader, l, site, c.denominator))
            return false;
    }
    return true;
}

// Whether each part begins at a multiple: eight points at x / 8 are one or two, according to where they begin.
bool ConstantSides::begins_at_multiples(const StageCode &reader, size_t l, LoopName site,
                                        int64_t of) const {
    const LoopNest &nest = code_->nest();
    const bool is_here = reader.stage->id == site.stage;
    const auto around = is_here ? static_cast<size_t>(nest.position(site)) + 1 : 0;
    return of == 1 || cryolite::begins_at_multiples(nest, reader.stage->id, l, around, of);
}

// Whether one iteration of the site walks a constant part of loop l of the reader.
bool ConstantSides::walks_a_constant_part(const StageCode &reader, size_t l, LoopName site) const {
    if (reader.stage->id != site.stage) {
        const StageLoop &loop = reader.stage->loops[l];
        if (code_->nest().at(reader.stage->func).compute_at == site || loop.is_reduction)
            return is_of_constant_extent(reader, l);
        // A reader that is computed deeper inside needs values at many of its places: together, at all that its own
        // readers need.
        return is_constant_part(reader.stage->func, static_cast<size_t>(loop.func_dim), site);
    }
    const auto position = static_cast<size_t>(code_->nest().position(site));
    const size_t fused = count_parallel(*reader.nest);
    for (size_t i = 0; i <= position; i++) {
        if (static_cast<size_t>(reader.nest->loops[i].name.dim) != l) continue;
        // Halide takes all of a fused loop for needed, see storage_bounds.cpp.
        return (fused < 2 || i >= fused) && is_walked_in_whole_parts(reader, l);
    }
    return is_of_constant_extent(reader, l);
}

// Whether all parts are whole at any size. It does not help that the parts divide the estimates: Halide does not know.
bool ConstantSides::is_walked_in_whole_parts(const StageCode &reader, size_t l) const {
    const StageGraph &graph = code_->nest().graph();
    const bool is_at_root = !code_->nest().at(reader.stage->func).store_at;
    return rounding_span(graph, *reader.nest, l, reader.holds_others) > 1 ||
           shifts_inwards(graph, *reader.nest) ||
           (is_of_constant_extent(reader, l) &&
            (reader.stage->loops[l].is_reduction || !is_at_root));
}

bool ConstantSides::is_of_constant_extent(const StageCode &reader, size_t l) const {
    const StageLoop &loop = reader.stage->loops[l];
    if (loop.is_reduction) return loop.constant_range;
    return is_constant(reader.stage->func, static_cast<size_t>(loop.func_dim));
}

}  // namespace cryolite
