// Which of a stage's specialised cases is imported.
#pragma once

#include <functional>

#include "emit/import/difference.h"
#include "graph/halide/stage_variables.h"

namespace cryolite {

// The likely case: the first specialisation that is not known to be false at the estimates, else the general case.
// Specialisations inside it are looked at in the same way. Other cases are noted where their loops differ.
// at_estimates: an expression with all parameters and sizes replaced. factor: see stage_variables().
const Halide::Internal::StageSchedule &taken_case(
    const StageView &view, const std::function<Expr(const Expr &)> &at_estimates,
    const FactorValue &factor, DifferenceNotes &notes);

}  // namespace cryolite
