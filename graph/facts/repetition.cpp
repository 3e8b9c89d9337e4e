#include "graph/facts/repetition.h"

#include <cstdlib>
#include <numeric>

#include "graph/stage_graph.h"

namespace cryolite {
namespace {

int64_t common_choices(int64_t a, int64_t b) {
    const int64_t both = std::lcm(a, b);
    return both <= most_choices ? both : a;
}

// Whether a copy that is unrolled by the loop's period, or its lanes, compute less than all operations.
bool chooses(const Stage &stage, size_t l) {
    for (const OperationGroup &group : stage.operation_groups)
        if (!group.kept_share.empty() && group.kept_share[l] < 1) return true;
    return false;
}

// Adds what repeats along loop l of a stage. known: of the Funcs that it reads.
void add(const StageGraph &graph, const Stage &stage, size_t l,
         const std::vector<std::vector<Repetition>> &known, Repetition &to) {
    to.period = common_period(to.period, stage.loops[l].period);
    bool is_choice = chooses(stage, l);
    to.pays_to_weave |= is_choice;
    for (EdgeId e : stage.incoming) {
        const Edge &edge = graph.edge(e);
        const Func &producer = graph.func(edge.producer);
        for (const Access &a : edge.accesses)
            for (size_t d = 0; d < a.index.size(); d++) {
                const IndexMap &index = a.index[d];
                // An index x % 2, perhaps with more.
                const bool wraps = !index.affine && !index.data_dependent &&
                                   l < index.irregular.size() && index.irregular[l];
                to.pays_to_weave |= wraps;
                is_choice |= wraps;
                if (!index.affine || l >= index.coefficient.size() ||
                    index.coefficient[l].is_zero())
                    continue;
                const Rational &step = index.coefficient[l];
                to.pays_to_weave |= step.denominator > 1 && std::abs(step.numerator) > 1;
                // 4 * (x / 2): neighbours are gathered though the coefficient is whole.
                to.pays_to_weave |= l < index.run.size() && index.run[l] > 1;
                if (edge.is_self) continue;
                const Repetition &inside = known[producer.id.index()][d];
                to.choices_far =
                    common_choices(to.choices_far, period_of_loop(step, inside.choices_far));
                if (!producer.assumed_inlined) continue;
                to.choices = common_choices(to.choices, period_of_loop(step, inside.choices));
                to.period = common_period(to.period, period_of_loop(step, inside.period));
                to.pays_to_weave |= inside.pays_to_weave;
            }
    }
    if (is_choice) to.choices = common_choices(to.choices, stage.loops[l].period);
    to.choices_far = common_choices(to.choices, to.choices_far);
}

}  // namespace

int64_t period_of_loop(const Rational &step, int64_t period) {
    if (step.is_zero() || period == 1) return 1;
    const int64_t whole = step.denominator * period;
    return whole / std::gcd(std::abs(step.numerator), whole);
}

std::vector<std::vector<Repetition>> repetitions(const StageGraph &graph) {
    std::vector<std::vector<Repetition>> found(graph.funcs().size());
    for (size_t i = found.size(); i-- > 0;) {  // producers first
        const Func &func = graph.funcs()[i];
        found[i].resize(func.dims.size());
        for (StageId s : func.stages) {
            const Stage &stage = graph.stage(s);
            for (size_t l = 0; l < stage.loops.size(); l++)
                if (stage.loops[l].func_dim >= 0)
                    add(graph, stage, l, found,
                        found[i][static_cast<size_t>(stage.loops[l].func_dim)]);
        }
    }
    return found;
}

}  // namespace cryolite
