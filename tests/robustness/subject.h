// What a pipeline of the corpus is made of: inputs, outputs and the sizes to try it at.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <Halide.h>

#include "base/interval.h"

namespace cryolite::robustness {

// The extent of a dimension at the estimates. Unless fixed, other extents are tried, too.
struct Size {
    int extent = 1;
    bool fixed = false;
    int min = 0;
};
using Sizes = std::vector<Size>;  // dimension 0 first

inline Size about(int extent, int min = 0) { return {extent, false, min}; }
inline Size exactly(int extent, int min = 0) { return {extent, true, min}; }

struct Input {
    Halide::ImageParam image;
    Sizes sizes;      // empty: the region that the outputs need
    Interval values;  // of the data; whole numbers, whatever the type
};

struct Output {
    Halide::Func func;
    Sizes sizes;
    double tolerance = 0;
};

struct Parameter {
    Halide::Param<int> param;
    int estimate = 0;
    int other = 0;  // its value at sizes other than the estimates
};

// Filled by a function of the corpus. The same function makes the same pipeline again.
class Subject {
public:
    // An input of whose region just what the outputs need is there.
    Halide::ImageParam input(const std::string &name, Halide::Type type, int dimensions,
                             Interval values = {-100, 100});
    // An input with a size of its own: the algorithm stays inside of it, whatever the size.
    Halide::ImageParam sized_input(const std::string &name, Halide::Type type, const Sizes &sizes,
                                   Interval values = {-100, 100});
    Halide::Param<int> parameter(const std::string &name, int estimate, int other);
    void output(Halide::Func func, const Sizes &sizes, double tolerance = 0);
    // The Func has a schedule already; the reference keeps it, too.
    void scheduled_by_hand(const Halide::Func &func);
    // The schedule that a person would write for this target: a contender of the report. Not called unless
    // it is that contender's turn. It is right at the estimates; other sizes may be too small for it.
    using HandSchedule = std::function<void(const Halide::Target &)>;
    void by_hand(HandSchedule schedule) { hand_schedule = std::move(schedule); }
    // After the last output.
    Halide::Pipeline pipeline() const;

    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::vector<Parameter> parameters;
    std::vector<std::string> names_scheduled_by_hand;
    HandSchedule hand_schedule;  // empty: none
    // The reference is compiled as Halide does by default, with all inlined that can be: much faster
    // to compile than hundreds of loops, where nothing is computed more than once by it.
    bool inlined_reference = false;
};

// The sizes that every pipeline is run at.
enum class Run { Estimates, Ones, Primes };
constexpr Run all_runs[] = {Run::Estimates, Run::Ones, Run::Primes};
const char *name(Run run);
Box region(const Sizes &sizes, Run run, bool shifted);

Halide::Buffer<> make_data(Halide::Type type, const Box &region, Interval values, uint64_t seed);

}  // namespace cryolite::robustness
