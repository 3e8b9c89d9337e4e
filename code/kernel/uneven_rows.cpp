#include "code/kernel/uneven_rows.h"

#include <algorithm>
#include <optional>

#include "code/kernel/known_addresses.h"
#include "code/regions/box_motions.h"

namespace cryolite {
namespace {

bool runs_through(const LoopLevel &l) {
    return l.kind != LoopKind::Vectorized && l.kind != LoopKind::Unrolled;
}

// How far loops move an index of a load.
class Steps {
public:
    Steps(const LoopNest &schedule, const StageCode &code, const LoadGroup &load, size_t d)
        : schedule_(schedule), code_(code), load_(load), d_(d) {}

    // Whether some loop of the stage moves the index by another step than a whole number.
    bool may_be_uneven() const {
        for (size_t l = 0; l < code_.stage->loops.size(); l++)
            if (is_uneven(l, Rational{1, 1})) return true;
        return false;
    }

    // Whether so many points along the stage's loop are an uneven step.
    bool is_uneven(size_t l, Rational points) const {
        const Rational step = load_.exact_coefficient[d_][l] * points;
        if (step.denominator != 1) return true;
        if (points.denominator != 1) return !step.is_zero();
        const int64_t n = points.numerator;
        if (d_ < load_.runs.size() && load_.runs[d_][l] != 1 &&
            (load_.runs[d_][l] == 0 || n % load_.runs[d_][l] != 0))
            return n != 0;
        return d_ < load_.wrapped.size() &&
               std::ranges::any_of(load_.wrapped[d_], [&](const WrappedIndex &part) {
                   return part.coefficient[l] * n % part.modulus != 0;
               });
    }

    // The same for one iteration of a loop around the stage. A motion that is not known counts as uneven.
    bool is_uneven(LoopName loop, int64_t span) {
        if (motions_.empty()) {
            const FuncId f = code_.stage->func;
            motions_ = box_motions(schedule_, f, *schedule_.at(f).compute_at);
        }
        for (size_t l = 0; l < code_.stage->loops.size(); l++) {
            const StageLoop &own = code_.stage->loops[l];
            if (own.is_reduction || load_.exact_coefficient[d_][l].is_zero()) continue;
            const std::optional<BoxMotion> &motion = motions_[static_cast<size_t>(own.func_dim)];
            if (!motion) return true;
            const auto by = motion->by.find({loop.stage, loop.dim, 0});
            if (by != motion->by.end() && is_uneven(l, by->second * make_rational(span, 1)))
                return true;
        }
        return false;
    }

private:
    const LoopNest &schedule_;
    const StageCode &code_;
    const LoadGroup &load_;
    const size_t d_;
    std::vector<std::optional<BoxMotion>> motions_;  // empty: not asked for yet
};

UnevenRows uneven_along(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                        size_t d, const ConstantSides &sides) {
    Steps steps(schedule, code, load, d);
    if (!steps.may_be_uneven()) return {};
    UnevenRows rows{.runs = 1};
    const auto pass = [&](const StageLoop &loop, FuncId of, const LoopLevel &level) {
        const bool has_known_range =
            level.name.level > 0 ||
            (loop.is_reduction ? loop.constant_range
                               : sides.is_constant(of, static_cast<size_t>(loop.func_dim)));
        rows.runs *= static_cast<double>(level.extent);
        rows.ahead |= level.extent > 1 || !has_known_range;
    };
    for (size_t i = code.nest->loops.size(); i-- > 0;) {
        const LoopLevel &level = code.nest->loops[i];
        if (!runs_through(level)) continue;
        const auto l = static_cast<size_t>(level.name.dim);
        if (level.extent > 1 && steps.is_uneven(l, make_rational(level.span, 1))) return rows;
        pass(code.stage->loops[l], code.stage->func, level);
    }
    const FuncNest &placed = schedule.at(code.stage->func);
    if (!placed.compute_at) return {};
    const std::vector<LoopName> around = schedule.enclosing(*placed.compute_at);
    for (size_t i = around.size(); i-- > 0;) {
        const LoopName name = around[i];
        const LoopLevel &level =
            schedule.stage_nest(name.stage).loops[static_cast<size_t>(schedule.position(name))];
        if (!runs_through(level)) continue;
        if (level.extent > 1 && steps.is_uneven(name, level.span)) return rows;
        const Stage &stage = schedule.graph().stage(name.stage);
        pass(stage.loops[static_cast<size_t>(name.dim)], stage.func, level);
    }
    return {};
}

}  // namespace

UnevenRows uneven_rows(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                       const ConstantSides &sides) {
    if (load.gather) return {};  // its index is computed anyway
    UnevenRows most;
    for (size_t d = 0; d < load.exact_coefficient.size(); d++) {
        // Lanes of different rows are loaded one by one, which has a price of its own.
        if (code.inner.vector_dim >= 0 &&
            load.coefficient[d][static_cast<size_t>(code.inner.vector_dim)] != 0)
            continue;
        if (has_constant_distance(schedule, load.producer, d, sides)) continue;
        const UnevenRows rows = uneven_along(schedule, code, load, d, sides);
        if (rows.runs > 0 && (most.runs == 0 || rows.runs < most.runs)) most = rows;
    }
    return most;
}

}  // namespace cryolite
