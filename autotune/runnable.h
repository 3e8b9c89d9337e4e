// A candidate as its own process runs it.
#pragma once

#include <HalideRuntime.h>

#include <cstddef>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace cryolite {

struct Output {
    halide_type_t type;
    std::vector<std::byte> values;  // dense, in one order for all candidates
};

// Memory ran out, in the words of whoever noticed.
class OutOfMemory : public std::bad_alloc {
public:
    explicit OutOfMemory(std::string message) : message_(std::move(message)) {}
    const char *what() const noexcept override { return message_.c_str(); }

private:
    std::string message_;
};

class Runnable {
public:
    virtual ~Runnable() = default;

    // One whole run. Throws a std::exception that says what went wrong; a std::bad_alloc where memory ran out.
    virtual void call() = 0;
    // What the last run computed.
    virtual std::vector<Output> outputs() = 0;
    // Overwrites the outputs with garbage: a later run that does not write them must not look right.
    virtual void spoil_outputs() {}
};

}  // namespace cryolite
