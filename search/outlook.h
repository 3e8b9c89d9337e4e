// What a state is worth beyond what it costs so far: its cost once the next Funcs are decided too, each in
// turn at the place that is cheapest with plain loops. A state's own cost says nothing of what its loops
// offer to producers: strips of whole columns cost more than tiles until it is known that what runs along
// the columns fits a cache inside of a strip, and by then strips would be gone from the beam. (A rollout,
// or pilot method: Duin and Voß, "The pilot method", Networks 34, 1999.)
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "base/deadline.h"
#include "search/expand.h"

namespace cryolite {

class Outlook {
public:
    // funcs: those that are decided next, in their order.
    Outlook(const Machine &machine, std::span<const FuncId> funcs, const Deadline &deadline)
        : machine_(machine), funcs_(funcs), deadline_(deadline) {}

    // Predicted seconds of the state with `funcs` decided. Where one of them has no place that is
    // legal and not too large, or the deadline has passed: of those before it.
    double seconds(const BeamState &state, Expander &expander) const;

private:
    // `near`: see Expander. The seconds are less than 0 where there was no choice to compare.
    std::optional<BeamState> cheapest(const LoopNest &nest, FuncId func,
                                      const std::shared_ptr<const CostedNest> &near,
                                      Expander &expander) const;

    const Machine &machine_;
    std::span<const FuncId> funcs_;
    Deadline deadline_;
};

}  // namespace cryolite
