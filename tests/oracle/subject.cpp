#include "tests/oracle/checks.h"

namespace cryolite::oracle {

Subject::Subject(const RandomGraph &graph, const LoopNest &of)
    : drawn(graph),
      nest(of),
      exact(count(graph, of, Tails::Exact)),
      emitted(count(graph, of, Tails::Emitted)),
      tight(graph.tight) {
    for (const Func &f : graph.graph.funcs()) {
        if (f.is_input() || nest.at(f.id).slide_dim < 0) continue;
        const FuncCount &counted = exact.funcs[f.id.index()];
        if (counted.middle_computed.empty()) continue;  // nobody has asked for it there
        const auto d = static_cast<size_t>(nest.at(f.id).slide_dim);
        window_starts = window_starts || counted.middle_starts_window;
        tight = tight && counted.middle_computed[d].extent() == nest.at(f.id).slide_step;
    }
    tight = tight && !window_starts;
}

namespace {

// Whether the last part of a split is as large as the others, wherever it ends.
bool rounds_up(const StageGraph &graph, StageId s, size_t loop) {
    const StageLoop &l = graph.stage(s).loops[loop];
    const Func &f = graph.func_of(s);
    return !l.is_reduction && !f.is_output() && f.may_overcompute[static_cast<size_t>(l.func_dim)];
}

}  // namespace

bool Subject::uniform_around(FuncId f) const {
    // In an iteration in which a window gains nothing, nothing is asked of what feeds it.
    for (const Func &g : graph().funcs())
        if (!g.is_input() && nest.at(g.id).slide_dim >= 0 &&
            emitted.funcs[g.id.index()].produced.least == 0)
            return false;
    while (nest.at(f).compute_at) {
        f = graph().stage(nest.at(f).compute_at->stage).func;
        const FuncCount &as_emitted = emitted.funcs[f.index()];
        if (as_emitted.produced.least != as_emitted.produced.most) return false;
        const FuncCount &exactly = exact.funcs[f.index()];
        if (as_emitted.middle_needed != exactly.middle_needed) return false;
        // Nor does an update that rounds up ask for more of the stages before it.
        if (nest.at(f).stages.size() > 1 && as_emitted.middle_computed != exactly.middle_computed)
            return false;
        for (const StageNest &s : nest.at(f).stages)
            for (const LoopLevel &l : s.loops) {
                const auto d = static_cast<size_t>(l.name.dim);
                const bool divides = l.name.level > 0 || s.range[d].extent() % l.span == 0;
                if (!divides && !rounds_up(graph(), s.stage, d)) return false;
            }
    }
    return tight;
}

}  // namespace cryolite::oracle
