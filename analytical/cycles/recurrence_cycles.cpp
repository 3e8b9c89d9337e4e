#include "analytical/cycles/recurrence_cycles.h"

#include <algorithm>
#include <cmath>

namespace cryolite {
namespace {

// Whether the loop of the recurrence moves from one vector, or scalar, to the next one in memory.
bool walks_access_by_access(const LoopNest &schedule, const StageCode &code, size_t loop,
                            const ConstantSides &sides) {
    const Stage &stage = *code.stage;
    const Func &func = schedule.graph().func(stage.func);
    const std::vector<int> &order = schedule.storage_order(func.id);
    if (order.empty() || stage.stores.empty()) return false;
    // Of all dimensions, the loop moves the one that lies `inner`-th in memory.
    const auto moves_only = [&](size_t inner) {
        for (size_t i = 0; i < order.size(); i++) {
            const IndexMap &index = stage.stores[0].index[static_cast<size_t>(order[i])];
            if (!index.affine || index.coefficient[loop].is_zero() == (i == inner)) return false;
        }
        return true;
    };
    if (code.inner.lanes == 1) return moves_only(0);
    const auto row = static_cast<size_t>(order[0]);
    return order.size() > 1 && moves_only(1) && func.strides.empty() &&
           sides.is_constant(func.id, row) &&
           schedule.at(func.id).store_region[row].extent() == code.inner.lanes;
}

// LLVM's X86CmovConverterPass makes the branches. Which way they go is the data's: with one in two taken at random, a
// predictor that knows something of it misses half of those.
constexpr double missed_branches = 0.25;

double selections(const OpHistogram &ops) {
    double count = 0;
    for (TypeClass type : {TypeClass::Int8, TypeClass::Int16, TypeClass::Int32, TypeClass::Int64})
        for (OpKind kind : {OpKind::MinMax, OpKind::Select}) count += ops.at(kind, type);
    return count;
}

}  // namespace

RecurrenceCycles recurrence_cycles(const LoopNest &schedule, const Machine &machine,
                                   const StageCode &code, const KnownAddresses &known,
                                   const ConstantSides &sides, double instructions) {
    const Stage &stage = *code.stage;
    if (!stage.recurrence) return {};
    const size_t loop = stage.recurrence->loop;
    // A chain is the code of steps that follow each other. A body has several, one after the other, where copies stand
    // around its steps. Copies inside of the steps run beside each other.
    double steps = 1, chains = 1;
    for (const UnrolledLoop &u : code.inner.unrolled) {
        if (u.dim == loop)
            steps *= u.factor;
        else if (steps > 1)
            chains *= u.factor;
    }
    double inside = 1;  // bodies between two that follow each other along the loop
    double bodies = 1;  // of one recurrence
    bool is_inside = true;
    for (const SerialLoop &l : code.inner.serial) {
        is_inside = is_inside && (l.dim != loop || l.extent <= 1);
        if (is_inside) inside *= l.extent;
        if (l.dim == loop) bodies *= l.extent;
    }
    const bool in_register = steps == 1 && inside == 1 && stage.recurrence->steps == 1 &&
                             walks_access_by_access(schedule, code, loop, sides);
    const double through_memory =
        in_register ? 0 : std::ceil(steps / std::clamp(known.steps_in_place, 1.0, steps));
    const double forward = known.masked_lanes ? machine.core.masked_store_forward_cycles
                                              : machine.core.store_forward_cycles +
                                                    machine.core.accumulate_latency_cycles;
    const double ahead = machine.core.instructions_ahead / std::max(1.0, instructions);
    const double side_by_side = std::clamp(ahead * chains, 1.0, chains * inside);
    const double share_alone = std::min(1.0, bodies * inside / ahead);
    RecurrenceCycles cycles;
    cycles.waits = (steps * stage.recurrence_chain + through_memory * forward) * chains /
                   (stage.recurrence->steps * side_by_side) * share_alone;
    if (code.inner.lanes == 1 && (in_register || known.steps_in_place > 1))
        cycles.surprises = missed_branches * selections(stage.ops) * code.inner.unroll_product *
                           machine.core.misprediction_cycles;
    return cycles;
}

}  // namespace cryolite
