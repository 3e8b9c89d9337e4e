// The part of an emitted schedule that looks before it schedules: it recomputes the algorithm's
// hash, refuses another algorithm, and finds the Funcs by what they compute.
#pragma once

#include <string>
#include <vector>

#include "graph/build.h"

namespace cryolite {

// Defines the algorithm hash inside a function body, where Halide pastes Emitted::source: the class
// of graph/algorithm_hash_source.h as a local class.
std::string local_algorithm_hash();

// Checks the algorithm of the variable `pipeline` and defines `cryolite_find(hash, name, position)`.
// `hash_function` is what it calls with a vector of Functions.
std::string check_and_find(const BuiltGraph &built, const std::string &hash_function);

// A call of cryolite_find for every Func of the graph, in the order of their ids; empty for inputs. Funcs are found
// before reductions are divided, so that for partial results the call finds nothing.
std::vector<std::string> find_expressions(const BuiltGraph &built);

}  // namespace cryolite
