// The names of Funcs in what is said of a schedule by hand. A generator that runs a second time in one process gets
// other names from Halide ("rows$1"). People and comparisons know the first ones.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analytical/explain/explanation.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Whether two builds of one pipeline number their Funcs and stages alike.
bool is_alike(const StageGraph &a, const StageGraph &b);

// From a name to the one that takes its place.
using NewNames = std::vector<std::pair<std::string, std::string>>;

// by_hand: the graph of the second run; given: of the first. If they are alike, each Func gets the first run's name;
// else its own without the number, unless another Func has that name.
NewNames first_names(const StageGraph &by_hand, const StageGraph &given);

// `text` with whole names replaced.
std::string renamed(const std::string &text, const NewNames &names);

void rename(Explanation &explanation, const NewNames &names);

}  // namespace cryolite
