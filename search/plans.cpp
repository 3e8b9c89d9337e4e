#include "search/plans.h"

namespace cryolite {

Plans::Plans(const std::vector<LoopNest> &complete) {
    for (const LoopNest &plan : complete) {
        by_func_.resize(plan.graph().num_scheduled());
        for (size_t i = 0; i < by_func_.size(); i++)
            if (!plan.graph().func(FuncId(i)).locked)
                by_func_[i].push_back(decision_of(plan, FuncId(i)));
    }
}

std::vector<LoopNest> Plans::decided(const LoopNest &nest, FuncId f) const {
    std::vector<LoopNest> out;
    if (by_func_.empty()) return out;
    for (const Decision &decision : by_func_[f.index()]) {
        LoopNest child = nest;
        if (repeat_decision(child, decision)) out.push_back(std::move(child));
    }
    return out;
}

}  // namespace cryolite
