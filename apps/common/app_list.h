// The one list of apps, for everything that loops over them: tests, benchmarks, training. It says
// what a harness needs in order to call a compiled app through its `<function>_argv` entry without
// knowing it: the arguments in order, with types, extents at the estimated size and how to fill
// them. Knows nothing of Halide, so that a harness can load variants compiled elsewhere.
//
// The names alone, for CMake, are in app_list.cmake; a test keeps the two equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cryolite::apps {

enum class ElementType { UInt8, UInt16, Int32, Float32 };

int size_in_bytes(ElementType type);

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
    std::string name;                 // of the generator, and the stem of every file made from it
    std::vector<Argument> arguments;  // in the order of the compiled function's parameters
    Tolerance tolerance;
};

// All apps, in the order in which tables show them.
std::vector<AppDescription> app_list();

// Writes the argument's contents, densely packed, innermost dimension first, to `data`, which has
// room for all elements.
void fill_argument(const Argument &argument, void *data);

}  // namespace cryolite::apps
