// The same action for another Func: of a Func that does the same work, a decision can be repeated elsewhere.
#pragma once

#include <functional>
#include <optional>

#include "schedule/action.h"

namespace cryolite {

class StageGraph;

// `action` with every Func replaced by its counterpart, which has as many stages. Nothing if one has no counterpart.
std::optional<Action> renamed(const Action &action, const StageGraph &graph,
                              const std::function<std::optional<FuncId>(FuncId)> &counterpart);

}  // namespace cryolite
