// The one list of apps, for everything that loops over them: tests, benchmarks, training. It says
// what a harness needs in order to call a compiled app through its `<function>_argv` entry without
// knowing it: the arguments in order, with types, extents at the estimated size and how to fill
// them. Knows nothing of Halide, so that a harness can load variants compiled elsewhere.
//
// Each group of apps has a folder with its own list (<group>/<group>_apps.cpp); app_list() joins
// them. The names alone, for CMake, are in app_list.cmake; a test keeps the two equal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "apps/common/element_type.h"

namespace cryolite::apps {

// Deterministic contents; every kind is a pure function of the flat index and the seed.
enum class Fill {
    Zero,          // outputs
    SmoothImage,   // gradients, edges and a little noise, scaled to [low, high]
    UniformNoise,  // uniform in [low, high]
};

struct Argument {
    enum class Kind { InputBuffer, OutputBuffer, Scalar };

    std::string name;
    Kind kind = Kind::InputBuffer;
    ElementType type = ElementType::Float32;
    std::vector<int> extents = {};  // innermost dimension first; every min is 0; empty for a scalar
    Fill fill = Fill::Zero;
    double low = 0.0;  // bounds of the fill; a scalar's value is `low`
    double high = 0.0;
    std::uint64_t seed = 0;
};

// How the outputs of two schedules may differ: at most `fraction` of the elements by more than
// absolute + relative * |reference|.
struct Tolerance {
    double absolute = 0.0;
    double relative = 0.0;
    double fraction = 0.0;
};

struct AppDescription {
    std::string name;                 // of the app, and the stem of every file made from it
    std::vector<Argument> arguments;  // in the order of the compiled function's parameters; outputs
                                      // come last
    Tolerance tolerance;
    std::string generator = {};                          // empty: called like the app
    std::map<std::string, std::string> parameters = {};  // of the generator, beside `schedule`

    const std::string &generator_name() const { return generator.empty() ? name : generator; }
};

// All apps, in the order in which tables show them.
std::vector<AppDescription> app_list();

// Writes the argument's contents, densely packed, innermost dimension first, to `data`, which has
// room for all elements.
void fill_argument(const Argument &argument, void *data);

}  // namespace cryolite::apps
