// The apps' graphs for the golden tests, on a machine that is the same everywhere.
#pragma once

#include <string>

#include "graph/builder/build.h"
#include "machine/machine.h"
#include "search/search.h"

namespace cryolite::testing {

// x86-64 with AVX2 and four cores, whatever this computer is.
Halide::Target golden_target();
Machine golden_machine();

// Seed 0 and a search small enough that all apps together take well under a minute.
SearchOptions golden_options();

// The graph of the app of that name, made by its generator.
BuiltGraph build_app(const std::string &name);

// The app's pipeline with its manual schedule.
Halide::Pipeline app_by_hand(const std::string &name,
                             const Halide::Target &target = golden_target());

// Without the numbers by which Halide tells Funcs of the same name in one process apart, so that the
// text does not depend on which tests ran before.
std::string unnumbered(const std::string &text);

}  // namespace cryolite::testing
