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

    const Motions &of(FuncId f) {
        const auto known = motions_.find(f);
        if (known != motions_.end()) return known->second;
        const Func &func = graph_.func(f);
        Motions motions(func.dims.size());
        for (size_t d = 0; d < motions.size(); d++) motions[d] = of_dimension(func, d);
        return motions_.emplace(f, std::move(motions)).first->second;
    }

private:
    std::optional<Motion> of_dimension(const Func &func, size_t d) {
        std::optional<Motion> all;
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

    // How the range of a reader's loop moves within one iteration of the site.
    std::optional<Motion> of_loop(const Stage &reader, size_t l) {
        const StageLoop &loop = reader.loops[l];
        if (reader.id == site_.stage) {
            const StageNest &around = nest_.stage_nest(site_.stage);
            for (int i = 0; i <= nest_.position(site_); i++) {
                const LoopName name = around.loops[static_cast<size_t>(i)].name;
                if (static_cast<size_t>(name.dim) != l) continue;
                Motion self;
                self.by[{reader.id, name.dim, 0}] = Rational{1, 1};
                return self;
            }
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
};

}  // namespace

std::vector<std::optional<BoxMotion>> box_motions(const LoopNest &nest, FuncId f, LoopName site) {
    return BoxMotions(nest, site).of(f);
}

}  // namespace cryolite
