// Templates whose unrolled copies and vectors take one way at each choice: where a mosaic has another formula in every
// second row, two rows at once; of mux(c, red, green, blue), all three channels. Each copy then computes its own
// formula alone, and what is computed inside can do the same. Among thousands of templates a draw seldom meets them.
#pragma once

#include "search/space/tiling_space.h"

namespace cryolite {

// How many vectors along the Func's dimension are worth weaving into each other; 1: no more than one.
int worth_weaving(const TilingSpace &space, int dim);

// Where choices are made by rows or channels.
enum class Choices {
    None,
    Inside,
    Own
};  // Inside: only in what may be computed in the Func's loops
Choices choices_of(const TilingSpace &space);
// Whether choices_of() may say Own, wherever the Func is computed. It takes no time.
bool may_choose(const StageGraph &graph, const Func &func);

// The template with copies of whole periods and of all channels. The rest is as it is.
TilingTemplate with_choices_taken(const TilingSpace &space, TilingTemplate shape);

}  // namespace cryolite
