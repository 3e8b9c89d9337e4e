#include "analytical/cycles/stage_cycles.h"

#include <algorithm>

#include "analytical/cycles/body_cycles.h"
#include "analytical/cycles/body_runs.h"
#include "analytical/cycles/loop_cycles.h"
#include "analytical/cycles/store_forwarding.h"
#include "code/kernel/known_addresses.h"
#include "code/stage/hand_clamps.h"
#include "code/stage/unrolled_code.h"

namespace cryolite {
namespace {

// Per unrolled loop: whether neighbouring copies load anew the values that both need.
UnrolledFlags loads_apart(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                          const ConstantSides &sides) {
    UnrolledFlags apart;
    for (const UnrolledLoop &u : code.inner.unrolled)
        apart.push_back(load.count > 1 && load.depends_on[u.dim] &&
                        !neighbours_meet(schedule, code, load, u.dim, sides));
    return apart;
}

// Of a part that may end within its unrolled copies: each store of a sum has a condition.
KnownAddresses guarded(KnownAddresses known) {
    known.sums_in_registers = false;
    return known;
}

void add(const BodyCycles &body, double times, StageCycles &sum) {
    sum.arithmetic += times * body.arithmetic;
    sum.dependence += times * body.latency;
    sum.loads += times * body.loads;
    sum.stores += times * body.stores;
    sum.spills += times * body.spills;
}

}  // namespace

StageCycles stage_cycles(const LoopNest &schedule, const Machine &machine, const StageCode &code,
                         const KernelStorage &storage, const OtherStages &between) {
    const StageGraph &graph = schedule.graph();
    const Stage &stage = *code.stage;
    const StageNest &nest = *code.nest;
    const ExpandedStage &body = *code.body;
    const Func &func = graph.func(stage.func);
    const InnerLoops &in = code.inner;
    BorderLoop border = border_loop(stage, func, nest);
    border.cuts_shared_clamps = cuts_shared_clamps(graph, nest, code.holds_others);
    const KnownAddresses known = known_addresses(schedule, code, storage.sides);

    std::vector<UnrolledFlags> apart;
    apart.reserve(body.loads.size());
    for (const LoadGroup &load : body.loads)
        apart.push_back(loads_apart(schedule, code, load, storage.sides));
    const auto body_where = [&](const KnownAddresses &is_known) {
        return body_cycles(schedule, machine, code, apart, border, is_known, storage, between);
    };
    const BodyRuns runs = body_runs(schedule, code);
    StageCycles out;
    out.copies = in.code_copies();
    out.code_operations = code_operations(stage, body, in);
    const BodyCycles whole = body_where(known);
    add(whole, runs.whole * (1 - known.guarded_share), out);
    if (known.guarded_share > 0)
        add(body_where(guarded(known)), runs.whole * known.guarded_share, out);
    if (runs.ending > 0) add(body_where(masked(known)), runs.ending, out);
    if (!storage.in_registers.contains(func.id) &&
        waits_for_stores(schedule, code, runs.all_rows_end))
        out.dependence = std::max(out.dependence, machine.core.masked_store_forward_cycles);
    out.loops += loop_cycles(machine, graph, nest, storage.sides);
    // A square that is turned whole, or a Func that stays in registers, has no loops: its code is part of the body
    // around it.
    if ((known.turns_squares || storage.in_registers.contains(func.id)) && in.serial.empty())
        out.loops = 0;
    // Tests run beside the bodies. The ends of iterations do not: after a jump a core begins to fetch anew.
    const ConditionCycles conditions = condition_cycles(machine, graph, nest);
    out.arithmetic = std::max(out.arithmetic, conditions.tests);
    out.loops += conditions.surprises + (runs.whole + runs.ending) * whole.surprises +
                 machine.core_exposed_share * conditions.tests;
    out.loops += runs.ending * machine.loop_iteration_cycles;
    return out;
}

}  // namespace cryolite
