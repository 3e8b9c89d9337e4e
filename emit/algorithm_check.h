// The part of an emitted schedule that looks before it schedules: it recomputes the algorithm's hash, refuses another
// algorithm and says which Func is another, and finds the Funcs by what they compute.
#pragma once

#include <string>

#include "graph/builder/build.h"

namespace cryolite {

// Statements that check the algorithm of the variable `pipeline` and then call `cryolite_schedule` with a function from
// the name that a Func had to its handle. The class of graph/hash/algorithm_hash_source.h is in them, as a local class.
std::string check_and_apply(const BuiltGraph &built);

}  // namespace cryolite
