// A candidate as its own process runs it.
#pragma once

#include <HalideRuntime.h>

#include <cstddef>
#include <vector>

namespace cryolite {

struct Output {
    halide_type_t type;
    std::vector<std::byte> values;  // dense, in one order for all candidates
};

class Runnable {
public:
    virtual ~Runnable() = default;

    // One whole run. Throws a std::exception that says what went wrong.
    virtual void call() = 0;
    // What the last run computed.
    virtual std::vector<Output> outputs() = 0;
};

}  // namespace cryolite
