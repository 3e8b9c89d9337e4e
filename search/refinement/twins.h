// Funcs that do the same work on other data: the layers of a network, the sweeps of a solver, the levels of a
// pyramid, the exposures of a burst. What is decided for one is worth trying for the others, so that what one draw
// finds is found for all. (Equal subtrees are not solved once, because what surrounds them may differ.)
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "search/refinement/decision.h"

namespace cryolite {

class Twins {
public:
    explicit Twins(const StageGraph &graph);

    // The other Funcs that do the same work, the nearest ones in id order first.
    std::vector<FuncId> of(FuncId f) const;

    // The Func that stands to `to` as `g` stands to its twin `from`; `g` itself where both have the same reader.
    // Nothing if there is none nearby.
    std::optional<FuncId> counterpart(FuncId g, FuncId from, FuncId to) const;

    // What is decided for `from` in `nest`, as a decision of its twin `to`. Nothing if it is computed in the loops of a
    // Func without a counterpart.
    std::optional<Decision> decision(const LoopNest &nest, FuncId from, FuncId to) const;

    // What `f` may repeat of its nearest twins that are decided in `nest`, each decision once.
    std::vector<Decision> decisions(const LoopNest &nest, FuncId f) const;

private:
    bool are_twins(FuncId a, FuncId b) const {
        return class_of_[a.index()] == class_of_[b.index()];
    }

    const StageGraph *graph_;
    std::vector<size_t> class_of_;              // [FuncId], of all but inputs
    std::vector<std::vector<FuncId>> classes_;  // in id order; one Func alone has no twin
};

}  // namespace cryolite
