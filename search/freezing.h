// Funcs that later passes and refinement leave as an earlier pass had them, because no choice of theirs can
// change much: freezing (OOPSLA 2021, section 3.2). The paper leaves log2(N) of N stages free, the most
// expensive ones. Here as many are frozen as can be without giving up more than a share of the predicted
// time. A Func's choices bear on its own loops, on the loops that read it and on those that it reads; had
// all these cost nothing, the gain would be their time. Of the coarse levels of a pyramid nearly nothing
// stays free; of a chain of equal stages all.
#pragma once

#include <optional>
#include <vector>

#include "analytical/cost_model.h"
#include "search/decision.h"

namespace cryolite {

class Freezing {
public:
    // Nothing is frozen.
    Freezing() = default;
    // explained: of `complete`, by CostModel::explain(). The frozen Funcs and their neighbours take at most
    // `share` of its seconds together.
    Freezing(const LoopNest &complete, const ScheduleTime &explained, double share);

    bool holds(FuncId f) const { return !decisions_.empty() && decisions_[f.index()].has_value(); }
    size_t count() const { return count_; }

    // The nest with the Func decided as before; nothing where it is not frozen, or cannot be placed so.
    std::optional<LoopNest> decided(const LoopNest &nest, FuncId f) const;

private:
    std::vector<std::optional<Decision>> decisions_;  // [FuncId]; empty: none
    size_t count_ = 0;
};

}  // namespace cryolite
