// What all candidates are called with: the arguments of the reference, from its metadata, with a value for every scalar
// and a region for every buffer.
#pragma once

#include <HalideRuntime.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "autotune/runner/filter_library.h"
#include "autotune/runner/run_request.h"

namespace cryolite {

struct Range {
    int32_t min = 0, extent = 0;
};

struct PlannedArgument {
    enum class Kind { Scalar, Input, Output };
    std::string name;
    Kind kind = Kind::Scalar;
    halide_type_t type;
    std::vector<Range> region;  // [dimension]
    uint64_t scalar = 0;        // its bytes, as the call takes them

    size_t elements() const;
};

struct CallPlan {
    std::vector<PlannedArgument> arguments;  // in the order of the call
    bool has_device = false;

    size_t output_bytes() const;
};

// What the user must change in the request.
class RequestError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Outputs have their estimates or the request's shapes. Inputs are at least as large as theirs, and as the reference
// asks for. Throws RequestError, or as FilterLibrary::call() does.
CallPlan plan_call(const FilterLibrary &reference, const RunRequest &request);

// Why a library cannot be called with the plan's arguments; empty if it can.
std::string mismatch(const CallPlan &plan, const FilterLibrary &library);

// To hand a plan to another process.
std::string to_text(const CallPlan &plan);
CallPlan call_plan_of(std::string_view text);

}  // namespace cryolite
