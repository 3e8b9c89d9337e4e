#include "emit/import/taken_case.h"

#include <algorithm>
#include <sstream>

namespace cryolite {
namespace {

struct CaseLoop {
    LoopParts parts;
    ir::ForType kind;
};

// Whether the vectors of two loops, the inner one unrolled, are woven: they cover what one vector of neighbours does.
bool is_woven(const CaseLoop &inner, const CaseLoop &outer) {
    if (inner.kind != ir::ForType::Unrolled || outer.kind != ir::ForType::Vectorized ||
        inner.parts.size() != 1 || outer.parts.size() != 1)
        return false;
    const LoopPart &between = inner.parts[0], &lanes = outer.parts[0];
    return between.dim == lanes.dim && between.span == 1 && between.points == lanes.span &&
           lanes.span > 1;
}

std::vector<CaseLoop> loops_of(const StageView &view, const ir::StageSchedule &schedule,
                               const FactorValue &factor) {
    const StageVariables variables = stage_variables(view, schedule, factor);
    std::vector<CaseLoop> loops;
    for (const ir::Dim &dim : schedule.dims()) {
        const auto parts = variables.parts.find(dim.var);
        if (parts == variables.parts.end()) continue;
        loops.push_back({parts->second, dim.for_type});
        if (loops.size() > 1 && is_woven(loops[loops.size() - 2], loops.back())) {
            loops.back().parts[0].span = 1;
            loops.erase(loops.end() - 2);
        }
    }
    return loops;
}

bool is_walked(ir::ForType kind) {
    return kind == ir::ForType::Serial || kind == ir::ForType::Unrolled;
}

// Whether two cases run the same loops, but for the ends of their splits. One of them may unroll what the other does
// not, as our own case for small sizes.
bool has_same_loops(const StageView &view, const ir::StageSchedule &a, const ir::StageSchedule &b,
                    const FactorValue &factor) {
    const auto is_same_part = [](const LoopPart &p, const LoopPart &q) {
        return p.dim == q.dim && p.span == q.span && p.points == q.points;
    };
    const auto is_same_loop = [&](const CaseLoop &p, const CaseLoop &q) {
        const bool is_same_kind = p.kind == q.kind || (is_walked(p.kind) && is_walked(q.kind));
        return is_same_kind && std::ranges::equal(p.parts, q.parts, is_same_part);
    };
    return std::ranges::equal(loops_of(view, a, factor), loops_of(view, b, factor), is_same_loop);
}

std::string directive_of(const Expr &condition) {
    std::ostringstream text;
    text << "specialize(" << condition << ")";
    return text.str();
}

}  // namespace

const ir::StageSchedule &taken_case(const StageView &view,
                                    const std::function<Expr(const Expr &)> &at_estimates,
                                    const FactorValue &factor, DifferenceNotes &notes) {
    const ir::Definition *taken = &view.definition;
    for (bool deeper = true; deeper;) {
        deeper = false;
        for (const ir::Specialization &s : taken->specializations()) {
            if (!s.failure_message.empty()) {
                notes.left_out("specialize_fail", "sizes without a case of their own pass");
                continue;
            }
            const bool is_false = ir::is_const_zero(ir::simplify(at_estimates(s.condition)));
            const ir::StageSchedule &general = taken->schedule(),
                                    &special = s.definition.schedule();
            if (!has_same_loops(view, general, special, factor))
                notes.left_out(directive_of(s.condition),
                               is_false ? "false at the estimates; its case is left out"
                                        : "the case for other sizes has its loops, too");
            if (is_false) continue;
            taken = &s.definition;
            deeper = true;
            break;
        }
    }
    return taken->schedule();
}

}  // namespace cryolite
