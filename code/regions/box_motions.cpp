// A box holds the windows that all readers need. If these windows drift apart, the box grows. So each dimension gets
// the motion of its box as a linear form of the loops around, and all readers must agree on it.
#include "code/regions/box_motions.h"

#include <algorithm>

#include "code/regions/storage_bounds.h"

namespace cryolite {

namespace {

using Motion = BoxMotion;
using Motions = std::vector<std::optional<Motion>>;  // per dimension; nullopt: grows, or not known

void add_to(Motion &motion, LoopName loop, Rational step) {
    Rational &by = motion.by[loop];
    by = by + step;
    if (by.is_zero()) motion.by.erase(loop);
}

class BoxMotions {
public:
    BoxMotions(const LoopNest &nest, LoopName site)
        : nest_(nest), graph_(nest.graph()), site_(site) {}

    bool is_pulled_apart(const Func &func, size_t d) {
        const std::pair key{func.id, d};
        const auto known = pulled_apart_.find(key);
        if (known != pulled_apart_.end()) return known->second;
        std::optional<std::map<LoopName, Rational>> all;
        const bool is_apart = std::ranges::any_of(func.outgoing, [&](EdgeId e) {
            const Edge &edge = graph_.edge(e);
            return !edge.is_self && std::ranges::any_of(edge.accesses, [&](const Access &access) {
                const Stage &reader = graph_.stage(edge.consumer);
                const IndexMap &index = access.index[d];
                if (is_range_pulled_apart(reader, index)) return true;
                const std::optional<Motion> one = of_index(reader, index);
                if (one && all && *all != one->by) return true;
                if (one) all = one->by;
                return false;
            });
        });
        return pulled_apart_[key] = is_apart;
    }

    const Motions &of(FuncId f) {
        const auto known = motions_.find(f);
        if (known != motions_.end()) return known->second;
        const Func &func = graph_.func(f);
        Motions motions(func.dims.size());
        for (size_t d = 0; d < motions.size(); d++) motions[d] = of_dimension(func, d);
        return motions_.emplace(f, std::move(motions)).first->second;
    }

private:
    // Whether the index follows a loop of a reader, whose own box is pulled apart along that loop.
    bool is_range_pulled_apart(const Stage &reader, const IndexMap &index) {
        const auto outer = nest_.at(reader.func).compute_at;
        for (size_t l = 0; l < index.depends_on.size(); l++) {
            if (!index.depends_on[l] || reader.loops[l].is_reduction) continue;
            const Func &owner = graph_.func(reader.func);
            const auto dim = static_cast<size_t>(reader.loops[l].func_dim);
            if (reader.id != site_.stage) {
                if (is_pulled_apart(owner, dim)) return true;
            } else if (outer && !is_around(static_cast<int>(l)) &&
                       BoxMotions(nest_, *outer).is_pulled_apart(owner, dim)) {
                return true;
            }
        }
        return false;
    }

    std::optional<Motion> of_dimension(const Func &func, size_t d) {
        std::optional<Motion> all;
        if (nest_.decided(func.id) && nest_.at(func.id).is_companion)
            return of_companion(nest_.at(func.id), d);
        for (EdgeId e : func.outgoing) {
            const Edge &edge = graph_.edge(e);
            if (edge.accesses.empty()) return std::nullopt;
            for (const Access &access : edge.accesses) {
                const std::optional<Motion> one =
                    of_index(graph_.stage(edge.consumer), access.index[d]);
                if (!one || (all && *all != *one)) return std::nullopt;
                all = one;
            }
        }
        for (StageId s : func.stages) {
            const Stage &stage = graph_.stage(s);
            if (stage.index > 0 && !stays_in_place(graph_, stage, d)) return std::nullopt;
        }
        return all;
    }

    // A companion moves as its leader's part does.
    std::optional<Motion> of_companion(const FuncNest &companion, size_t d) const {
        if (companion.compute_at->stage != site_.stage) return std::nullopt;
        const std::vector<StageLoop> &loops = graph_.stage(site_.stage).loops;
        for (size_t l = 0; l < loops.size(); l++) {
            const auto dim = static_cast<int16_t>(l);
            if (loops[l].func_dim == companion.leader_dims[d] && is_around(dim))
                return Motion{{{{site_.stage, dim, 0}, Rational{1, 1}}}};
        }
        return std::nullopt;
    }

    std::optional<Motion> of_index(const Stage &reader, const IndexMap &index) {
        if (!index.affine) return std::nullopt;
        Motion motion;
        motion.clamp = index.clamp;
        for (size_t l = 0; l < index.coefficient.size(); l++) {
            const Rational c = index.coefficient[l];
            if (c.is_zero()) continue;
            const std::optional<Motion> of_range = of_loop(reader, l);
            if (!of_range) return std::nullopt;
            for (const auto &[loop, step] : of_range->by) add_to(motion, loop, step * c);
            if (motion.clamp == Clamp::None) motion.clamp = of_range->clamp;
        }
        return motion;
    }

    // Whether a loop of the site's stage over this dimension is around the site, or is the site.
    bool is_around(int dim) const {
        const LoopLevels &loops = nest_.stage_nest(site_.stage).loops;
        const auto end = loops.begin() + nest_.position(site_) + 1;
        return std::any_of(loops.begin(), end,
                           [&](const LoopLevel &level) { return level.name.dim == dim; });
    }

    // How the range of a reader's loop moves within one iteration of the site.
    std::optional<Motion> of_loop(const Stage &reader, size_t l) {
        const StageLoop &loop = reader.loops[l];
        if (reader.id == site_.stage) {
            const auto dim = static_cast<int16_t>(l);
            if (is_around(dim)) return Motion{{{{reader.id, dim, 0}, Rational{1, 1}}}};
        }
        if (loop.is_reduction) {
            return loop.constant_range ? std::optional(Motion{}) : std::nullopt;
        }
        if (reader.id != site_.stage) return of(reader.func)[static_cast<size_t>(loop.func_dim)];
        // The whole loop is inside the site. Its range moves as the box of its own Func does.
        const std::optional<LoopName> outer = nest_.at(reader.func).compute_at;
        if (!outer) return std::nullopt;
        return BoxMotions(nest_, *outer).of(reader.func)[static_cast<size_t>(loop.func_dim)];
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const LoopName site_;
    std::map<FuncId, Motions> motions_;
    std::map<std::pair<FuncId, size_t>, bool> pulled_apart_;
};

}  // namespace

std::vector<std::optional<BoxMotion>> box_motions(const LoopNest &nest, FuncId f, LoopName site) {
    return BoxMotions(nest, site).of(f);
}

bool is_pulled_apart(const LoopNest &nest, FuncId f, LoopName site, int dim) {
    return BoxMotions(nest, site).is_pulled_apart(nest.graph().func(f), static_cast<size_t>(dim));
}

}  // namespace cryolite
