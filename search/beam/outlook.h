// What a state will cost once the next Funcs are decided too: a rollout, or pilot method (Duin and Voß, "The
// pilot method", Networks 34, 1999). Each next Func takes, in turn, its cheapest place with plain loops.
// A state's own cost does not show what its loops offer to producers. For example, strips of whole columns cost
// more than tiles. They pay off only once a producer that runs along the columns fits a cache inside a strip;
// by then the beam would have dropped them.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "base/deadline.h"
#include "search/beam/expand.h"

namespace cryolite {

class Outlook {
public:
    // funcs: the Funcs that are decided next, in that order.
    Outlook(Hardware hardware, std::span<const FuncId> funcs, const Deadline &deadline)
        : hardware_(hardware), funcs_(funcs), deadline_(deadline) {}

    // Predicted seconds of the state with `funcs` decided. Stops before a Func that has no place that is legal
    // and not too large, and at the deadline.
    double seconds(const BeamState &state, Expander &expander) const;

private:
    // near: see Expander. The seconds are negative if the Func had only one choice: nothing was priced.
    std::optional<BeamState> cheapest(const LoopNest &nest, FuncId func,
                                      const std::shared_ptr<const CostedNest> &near,
                                      Expander &expander) const;

    const Hardware hardware_;
    std::span<const FuncId> funcs_;
    Deadline deadline_;
};

}  // namespace cryolite
