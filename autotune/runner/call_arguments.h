// The arguments of a plan in the form in which `<function>_argv` takes them, and how large a library wants them.
#pragma once

#include <HalideRuntime.h>

#include <vector>

#include "autotune/runner/call_plan.h"
#include "autotune/runner/filter_library.h"

namespace cryolite {

using Dimensions = std::vector<halide_dimension_t>;

// Buffers begin without memory, dense and with the plan's regions. Not to be copied: the buffers point into it.
class CallArguments {
public:
    explicit CallArguments(const CallPlan &plan);
    CallArguments(const CallArguments &) = delete;
    CallArguments &operator=(const CallArguments &) = delete;

    void **argv() { return pointers_.data(); }
    halide_buffer_t &buffer(size_t argument) { return buffers_[argument]; }
    const Dimensions &dimensions(size_t argument) const { return dimensions_[argument]; }
    void set_dimensions(size_t argument, const Dimensions &dimensions);

private:
    std::vector<uint64_t> scalars_;
    std::vector<Dimensions> dimensions_;
    std::vector<halide_buffer_t> buffers_;
    std::vector<void *> pointers_;
};

// Asks the library which regions of the inputs it reads, and in which order the dimensions of buffers lie in memory.
// [argument]; the plan's regions lie in the answer. Throws as FilterLibrary::call() does.
std::vector<Dimensions> required_dimensions(const FilterLibrary &library, const CallPlan &plan);

}  // namespace cryolite
