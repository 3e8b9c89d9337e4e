#include "analytical/constant_sides.h"

#include <algorithm>

#include "schedule/func_nest.h"
#include "schedule/split_tails.h"

namespace cryolite {
namespace {

class Sides {
public:
    explicit Sides(const KernelWork &work) : work_(work), nest_(work.nest()) {}

    ConstantSides run() {
        for (const auto &[f, member] : work_.members()) {  // readers first
            std::vector<bool> &sides = found_[f];
            sides.assign(nest_.graph().func(f).root_region.size(), false);
            for (size_t d = 0; d < sides.size(); d++) sides[d] = is_constant(*member.nest, d);
        }
        return std::move(found_);
    }

private:
    bool is_constant(const FuncNest &placed, size_t d) const {
        if (!placed.store_at) return false;
        if (placed.store_at == placed.compute_at && !placed.storage_bound.empty() &&
            placed.storage_bound[d] > 0)
            return true;
        const std::vector<Rational> *first = nullptr;
        for (const StageWork &w : work_.stages()) {
            first = nullptr;
            for (const LoadGroup &load : w.body->loads) {
                if (load.producer != placed.func || load.is_self) continue;
                // What is needed at different speeds drifts apart.
                if (first && *first != load.exact_coefficient[d]) return false;
                first = &load.exact_coefficient[d];
                if (!needs_a_constant_part(w, load, *placed.store_at, d)) return false;
            }
        }
        return true;
    }

    bool needs_a_constant_part(const StageWork &reader, const LoadGroup &load, LoopName site,
                               size_t d) const {
        if (load.gather) return false;
        for (size_t l = 0; l < load.exact_coefficient[d].size(); l++) {
            const Rational c = load.exact_coefficient[d][l];
            if (c.is_zero()) continue;
            if (c.denominator != 1 || load.clamped[l] != Clamp::None ||
                !walks_a_constant_part(reader, l, site))
                return false;
        }
        return true;
    }

    // Of loop l of the reader, in one iteration of the site.
    bool walks_a_constant_part(const StageWork &reader, size_t l, LoopName site) const {
        if (reader.stage->id == site.stage) {
            const auto position = static_cast<size_t>(nest_.position(site));
            const size_t fused = count_parallel(*reader.nest);
            for (size_t i = 0; i <= position; i++) {
                const LoopLevel &level = reader.nest->loops[i];
                if (static_cast<size_t>(level.name.dim) != l) continue;
                // Of fused loops Halide takes all for needed, see storage_bounds.cpp.
                if (fused > 1 && i < fused) return false;
                return is_walked_in_whole_parts(reader, l);
            }
        }
        // What is computed deeper inside is needed at many of its places.
        const bool is_beside = nest_.at(reader.stage->func).compute_at == site;
        return (reader.stage->id == site.stage || is_beside) && is_of_constant_extent(reader, l);
    }

    // At any size: that the parts divide the estimates is nothing that Halide knows of.
    bool is_walked_in_whole_parts(const StageWork &reader, size_t l) const {
        const StageGraph &graph = nest_.graph();
        return rounding_span(graph, *reader.nest, l, reader.holds_others) > 1 ||
               shifts_inwards(graph, *reader.nest) || is_of_constant_extent(reader, l);
    }

    bool is_of_constant_extent(const StageWork &reader, size_t l) const {
        const StageLoop &loop = reader.stage->loops[l];
        if (loop.is_reduction) return loop.constant_range;
        const auto of_reader = found_.find(reader.stage->func);
        return of_reader != found_.end() && of_reader->second[static_cast<size_t>(loop.func_dim)];
    }

    const KernelWork &work_;
    const LoopNest &nest_;
    ConstantSides found_;
};

}  // namespace

ConstantSides constant_sides(const KernelWork &work) { return Sides(work).run(); }

}  // namespace cryolite
