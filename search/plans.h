// Complete schedules from elsewhere, whose decisions the beam also tries: a strategy's plan, or a schedule from before.
#pragma once

#include <vector>

#include "search/refinement/decision.h"

namespace cryolite {

class Plans {
public:
    explicit Plans(const std::vector<LoopNest> &complete);

    // `nest` with `f` decided as in each plan, as far as that is legal there.
    std::vector<LoopNest> decided(const LoopNest &nest, FuncId f) const;

private:
    std::vector<std::vector<Decision>> by_func_;  // [FuncId]
};

}  // namespace cryolite
