#include "search/refinement/decision.h"
#include "code/legality/apply.h"

namespace cryolite {
namespace {

bool is_placement(const Action &a) {
    return std::holds_alternative<action::Inline>(a) ||
           std::holds_alternative<action::ComputeRoot>(a) ||
           std::holds_alternative<action::ComputeAt>(a) ||
           std::holds_alternative<action::ComputeWith>(a) ||
           std::holds_alternative<action::StoreAt>(a) ||
           std::holds_alternative<action::ReorderStorage>(a);
}

}  // namespace

Decision decision_of(const LoopNest &nest, FuncId f) {
    Decision d;
    for (const Action &a : trace_of(nest, f)) (is_placement(a) ? d.where : d.how).push_back(a);
    return d;
}

bool repeat_decision(LoopNest &nest, const Decision &decision) {
    for (const Action &a : decision.where)
        if (!try_apply(nest, a)) return false;
    for (const Action &a : decision.how) try_apply(nest, a);
    return true;
}

}  // namespace cryolite
