// Freezing (OOPSLA 2021, section 3.2): later passes and refinement keep the decisions of Funcs that cannot
// change much. The paper leaves the log2(N) most expensive of N stages free. Here a share of the predicted time
// is the limit: Funcs are frozen while all that their decisions bear on takes no more than that share.
// A Func's decisions bear on its own loops, on the loops that read it and on the loops that it reads. If all of
// these cost nothing, the gain would be their time. In a pyramid nearly all coarse levels are frozen; in a
// chain of equal stages nothing is.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analytical/cost_model.h"
#include "search/refinement/decision.h"

namespace cryolite {

class Freezing {
public:
    // Nothing is frozen.
    Freezing() = default;
    // explained: CostModel::explain() of `complete`. The frozen Funcs and their neighbours together take at most
    // `share` of its seconds.
    Freezing(const LoopNest &complete, const ScheduleTime &explained, double share);
    // All are frozen but those that are `free`, and what is computed in their loops.
    Freezing(const LoopNest &complete, std::span<const FuncId> free);

    bool holds(FuncId f) const { return !decisions_.empty() && decisions_[f.index()].has_value(); }
    size_t count() const { return count_; }

    // `nest` with the Func decided as before. Nothing if the Func is not frozen, or cannot be placed so.
    std::optional<LoopNest> decided(const LoopNest &nest, FuncId f) const;

private:
    void hold(const LoopNest &complete, const std::vector<bool> &frozen);

    std::vector<std::optional<Decision>> decisions_;  // [FuncId]; empty: none
    size_t count_ = 0;
};

}  // namespace cryolite
