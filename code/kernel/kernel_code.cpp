#include "code/kernel/kernel_code.h"

#include <algorithm>

#include "code/stage/split_tails.h"

namespace cryolite {
namespace {

// Iterations of a loop over one production. If the last iteration of a dimension's outermost loop stops at the end of
// the range, it counts as a fraction.
double exact_extent(const StageGraph &graph, const StageCode &c, const LoopLevel &level) {
    if (level.name.level > 0) return static_cast<double>(level.extent);
    const int64_t computed =
        computed_extent(graph, *c.nest, static_cast<size_t>(level.name.dim), c.holds_others);
    return std::max(1.0, static_cast<double>(computed) / static_cast<double>(level.span));
}

}  // namespace

KernelCode::KernelCode(const StageGraph &graph, StageExpander &expander, const LoopNest &nest,
                       std::span<const FuncId> members)
    : graph_(graph), expander_(expander), nest_(nest), members_(graph, expander, nest, members) {
    stages_.reserve(members_.num_stages());
    for (FuncId f : members) {
        const Member &m = members_.at(f);
        for (const StageNest &s : m.nest->stages) add_stage(m, s);
    }
}

void KernelCode::add_stage(const Member &m, const StageNest &s) {
    StageCode &c = stages_.emplace_back(stage_code(nest_, s.stage, expander_));
    if (c.body->too_large)
        too_large_ = true;
    else
        add_stack(m, c);
}

void KernelCode::add_stack(const Member &m, StageCode &c) const {
    const StageNest &s = *c.nest;
    c.stack = m.chain;
    c.enclosing = m.chain.size();
    int id = m.first_loop;
    for (const StageNest &before : m.nest->stages) {
        if (&before == &s) break;
        id += static_cast<int>(before.loops.size());
    }
    const size_t filling = filling_loop(*c.stage, *m.nest, s);
    for (size_t l = 0; l < s.loops.size(); l++)
        c.stack.push_back({id++, exact_extent(graph_, c, s.loops[l]), s.loops[l].kind,
                           l == filling ? m.fill : 1});
    c.runs.push_back(1);
    for (const StackLoop &l : c.stack) c.runs.push_back(c.runs.back() * l.iterations());
}

}  // namespace cryolite
