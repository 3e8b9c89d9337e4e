#include "code/kernel/periods.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "code/kernel/first_points.h"
#include "code/stage/composed_access.h"
#include "code/stage/woven_vectors.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

using Places = std::vector<WantedPlace>;

bool is_copied(const LoopLevel &l) {
    return l.kind == LoopKind::Vectorized || l.kind == LoopKind::Unrolled;
}

class KernelPlaces {
public:
    KernelPlaces(const LoopNest &nest, const Func &output) : nest_(nest), graph_(nest.graph()) {
        for (FuncId f : computed_inside(nest, output.id)) inside_.insert(f);
    }

    // By the Func's dimensions.
    const Places &of(const Func &func) {
        const auto [known, is_new] = known_.try_emplace(func.id, Places(func.dims.size()));
        if (is_new)
            for (StageId s : func.stages) add(graph_.stage(s), known->second);
        // What is aligned begins at multiples wherever its readers do.
        for (size_t d = 0; d < known->second.size(); d++)
            if (nest_.decided(func.id) &&
                aligned_to(graph_, nest_.at(func.id), d) % known->second[d].multiple == 0)
                known->second[d].multiple = 1;
        return known->second;
    }

private:
    bool is_inlined(FuncId f) const { return nest_.at(f).placement == Placement::Inline; }

    // How many of the stage's loops are around what is computed for it.
    size_t loops_around(const Stage &stage, FuncId producer) const {
        const std::optional<LoopName> site = nest_.at(producer).compute_at;
        return site && site->stage == stage.id ? static_cast<size_t>(nest_.position(*site)) + 1 : 0;
    }

    void add(const Stage &stage, Places &to) {
        Places own,
            passed;  // by loop: of what is computed in the loop's body, of what is computed elsewhere
        for (const StageLoop &loop : stage.loops) own.push_back({loop.period});
        const bool is_inlined_itself = is_inlined(stage.func);
        const StageNest *nest = is_inlined_itself ? nullptr : &nest_.stage_nest(stage.id);
        passed.resize(own.size());
        for (EdgeId e : stage.incoming) {
            const Edge &edge = graph_.edge(e);
            const Func &producer = graph_.func(edge.producer);
            if (edge.is_self || producer.is_input() || !nest_.decided(producer.id)) continue;
            const bool is_here = is_inlined(producer.id);
            if (!is_here && !inside_.contains(producer.id)) continue;
            const Places theirs = of(producer);
            const size_t around = is_here ? 0 : loops_around(stage, producer.id);
            for (const Access &a : edge.accesses)
                for (size_t d = 0; d < a.index.size(); d++)
                    for (size_t l = 0; l < own.size() && a.index[d].affine; l++) {
                        WantedPlace &loop = is_here ? own[l] : passed[l];
                        const Rational step = a.index[d].coefficient[l];
                        int64_t period = period_of_loop(step, theirs[d].multiple);
                        // How much is computed in a tile for f(x / 8) depends on where the tile begins.
                        if (around > 0)
                            period = std::gcd(common_period(period, step.denominator),
                                              known_multiple(nest->loops, l, around));
                        loop.multiple = common_period(loop.multiple, period);
                        loop.number |= theirs[d].number && !step.is_zero();
                    }
        }
        for (size_t l = 0; l < own.size(); l++) {
            if (stage.loops[l].is_reduction) continue;
            WantedPlace &place = to[static_cast<size_t>(stage.loops[l].func_dim)];
            place.number |= own[l].number || passed[l].number ||
                            (nest && own[l].multiple > 1 && joins_products_along(stage, *nest, l));
            int64_t &period = place.multiple;
            if (is_inlined_itself)
                period = common_period(period, own[l].multiple);
            else if (has_copies(nest->loops, l))
                period = common_period(
                    period,
                    std::gcd(own[l].multiple, known_multiple(nest->loops, l, nest->loops.size())));
            period = common_period(period, passed[l].multiple);
        }
    }

    static bool has_copies(const LoopLevels &loops, size_t dim) {
        return std::ranges::any_of(loops, [&](const LoopLevel &l) {
            return static_cast<size_t>(l.name.dim) == dim && is_copied(l);
        });
    }

    // Whether lanes along the loop stand for several products each.
    static bool joins_products_along(const Stage &stage, const StageNest &nest, size_t loop) {
        return stage.dot && joined_points(nest) > 1 &&
               nest.loops.back().kind == LoopKind::Vectorized &&
               static_cast<size_t>(nest.loops.back().name.dim) == loop;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    std::set<FuncId> inside_;
    std::map<FuncId, Places> known_;
};

}  // namespace

std::vector<WantedPlace> wanted_places(const LoopNest &nest, const Func &output) {
    return KernelPlaces(nest, output).of(output);
}

void ask_for_places(const LoopNest &nest, const Func &output, std::vector<WholePart> &parts) {
    const Stage &stage = nest.graph().stage(output.stages[0]);
    const StageNest &loops = nest.stage_nest(stage.id);
    const std::vector<WantedPlace> places = wanted_places(nest, output);
    for (size_t l = 0; l < stage.loops.size(); l++) {
        const int dim = stage.loops[l].func_dim;
        const WantedPlace &place = places[static_cast<size_t>(dim)];
        const bool divides = place.number && may_divide(loops, l);
        const int64_t period = place.multiple;
        if (!divides && (period == 1 || loops.range[l].min % period != 0)) continue;
        auto part = std::ranges::find(parts, dim, &WholePart::func_dim);
        const bool is_split = part != parts.end();
        if (!is_split) part = parts.insert(parts.end(), {dim, 1});
        if (part->is_exact) continue;  // which begins at 0
        if (divides) {
            part->divides = true;
            continue;
        }
        part->period = period;
        part->ends_at_period = is_split && loops.range[l].extent() % period == 0 &&
                               wants_whole_extent(nest, loops, l, period);
    }
}

}  // namespace cryolite
