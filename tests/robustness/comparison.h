// The values of a scheduled subject against those of a plain schedule, at several sizes.
#pragma once

#include <map>
#include <ostream>
#include <string>

#include "tests/robustness/subject.h"
#include "tests/semantics/checker.h"

namespace cryolite::robustness {

std::map<std::string, Halide::Internal::Function> funcs_of(const Subject &subject);

// Each at root in plain loops, or Halide's default, which inlines.
void schedule_reference(const Subject &subject);

// A buffer of more points than this is not made.
constexpr double most_points_run = 4e6;
void set_parameters(Subject &subject, Run run);

class Comparison {
public:
    // Two subjects made by the same function, and the pipeline of the second. The log says what differs.
    Comparison(Subject &reference, Subject &scheduled, const Halide::Pipeline &ours,
               const Halide::Target &target, std::ostream &log);

    // Halide compiles when a pipeline is run for the first time; doing it here shows what it took: the
    // log gets CPU seconds as "reference_compile_seconds=" and "compile_seconds=".
    void compile();
    // The first verdict that is no agreement. Outputs that are too large are left out.
    Verdict at_all_sizes();
    Verdict at(Run run);

private:
    Subject &reference_, &scheduled_;
    Halide::Pipeline plain_, ours_;
    Halide::Target target_;
    std::ostream &log_;
};

}  // namespace cryolite::robustness
