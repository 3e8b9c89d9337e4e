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

using Periods = std::vector<int64_t>;

bool is_copied(const LoopLevel &l) {
    return l.kind == LoopKind::Vectorized || l.kind == LoopKind::Unrolled;
}

class KernelPeriods {
public:
    KernelPeriods(const LoopNest &nest, const Func &output) : nest_(nest), graph_(nest.graph()) {
        for (FuncId f : computed_inside(nest, output.id)) inside_.insert(f);
    }

    // By the Func's dimensions.
    const Periods &of(const Func &func) {
        const auto [known, is_new] = known_.try_emplace(func.id, Periods(func.dims.size(), 1));
        if (is_new)
            for (StageId s : func.stages) add(graph_.stage(s), known->second);
        // What is aligned begins at multiples wherever its readers do.
        for (size_t d = 0; d < known->second.size(); d++)
            if (nest_.decided(func.id) &&
                aligned_to(graph_, nest_.at(func.id), d) % known->second[d] == 0)
                known->second[d] = 1;
        return known->second;
    }

private:
    bool is_inlined(FuncId f) const { return nest_.at(f).placement == Placement::Inline; }

    // How many of the stage's loops are around what is computed for it.
    size_t loops_around(const Stage &stage, FuncId producer) const {
        const std::optional<LoopName> site = nest_.at(producer).compute_at;
        return site && site->stage == stage.id ? static_cast<size_t>(nest_.position(*site)) + 1 : 0;
    }

    void add(const Stage &stage, Periods &to) {
        Periods own,
            passed;  // by loop: of what is computed in the loop's body, of what is computed elsewhere
        for (const StageLoop &loop : stage.loops) own.push_back(loop.period);
        const bool is_inlined_itself = is_inlined(stage.func);
        const LoopLevels *loops = is_inlined_itself ? nullptr : &nest_.stage_nest(stage.id).loops;
        passed.resize(own.size(), 1);
        for (EdgeId e : stage.incoming) {
            const Edge &edge = graph_.edge(e);
            const Func &producer = graph_.func(edge.producer);
            if (edge.is_self || producer.is_input() || !nest_.decided(producer.id)) continue;
            const bool is_here = is_inlined(producer.id);
            if (!is_here && !inside_.contains(producer.id)) continue;
            const Periods theirs = of(producer);
            const size_t around = is_here ? 0 : loops_around(stage, producer.id);
            for (const Access &a : edge.accesses)
                for (size_t d = 0; d < a.index.size(); d++)
                    for (size_t l = 0; l < own.size() && a.index[d].affine; l++) {
                        int64_t &loop = is_here ? own[l] : passed[l];
                        int64_t period = period_of_loop(a.index[d].coefficient[l], theirs[d]);
                        // How much is computed in a tile for f(x / 8) depends on where the tile begins.
                        if (around > 0)
                            period = std::gcd(
                                common_period(period, a.index[d].coefficient[l].denominator),
                                known_multiple(*loops, l, around));
                        loop = common_period(loop, period);
                    }
        }
        for (size_t l = 0; l < own.size(); l++) {
            if (stage.loops[l].is_reduction) continue;
            int64_t &period = to[static_cast<size_t>(stage.loops[l].func_dim)];
            if (is_inlined_itself)
                period = common_period(period, own[l]);
            else if (has_copies(*loops, l))
                period = common_period(period,
                                       std::gcd(own[l], known_multiple(*loops, l, loops->size())));
            period = common_period(period, passed[l]);
        }
    }

    static bool has_copies(const LoopLevels &loops, size_t dim) {
        return std::ranges::any_of(loops, [&](const LoopLevel &l) {
            return static_cast<size_t>(l.name.dim) == dim && is_copied(l);
        });
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    std::set<FuncId> inside_;
    std::map<FuncId, Periods> known_;
};

}  // namespace

std::vector<int64_t> periods_of(const LoopNest &nest, const Func &output) {
    return KernelPeriods(nest, output).of(output);
}

void ask_for_multiples(const LoopNest &nest, const Func &output, std::vector<WholePart> &parts) {
    const Stage &stage = nest.graph().stage(output.stages[0]);
    const StageNest &loops = nest.stage_nest(stage.id);
    const std::vector<int64_t> periods = periods_of(nest, output);
    for (size_t l = 0; l < stage.loops.size(); l++) {
        const int dim = stage.loops[l].func_dim;
        const int64_t period = periods[static_cast<size_t>(dim)];
        if (period == 1 || loops.range[l].min % period != 0) continue;
        const auto part = std::ranges::find(parts, dim, &WholePart::func_dim);
        if (part == parts.end())
            parts.push_back({dim, 1, false, period});
        else if (!part->is_exact) {  // which begins at 0
            part->period = period;
            part->ends_at_period =
                loops.range[l].extent() % period == 0 && wants_whole_extent(nest, loops, l, period);
        }
    }
}

}  // namespace cryolite
