// The arguments of one call, identical for every variant of an app: same extents, same contents,
// dense rows. A variant that asks for more of an input than the app's size gets a margin, because
// a schedule that reads too much should show up as a note and not end the comparison.
#pragma once

#include <HalideRuntime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/common/app_list.h"
#include "bench/runner/variant_library.h"

namespace cryolite::bench {

class CallArguments {
public:
    // `input_files` maps names of inputs to files with their contents, densely packed, innermost dimension first; other
    // inputs are filled as the app list says. Asks `variant` which regions it will read; it must live longer than this.
    // Throws std::runtime_error if a file has the wrong size or the query fails.
    CallArguments(const apps::AppDescription &app, const VariantLibrary &variant,
                  const std::map<std::string, std::string> &input_files);

    // Where the variant left its outputs on a device, frees what it has there.
    ~CallArguments();
    CallArguments(const CallArguments &) = delete;
    CallArguments &operator=(const CallArguments &) = delete;

    // One whole call: the outputs are computed when it returns, on whichever device they are. An
    // input goes to a device with the first call and stays there.
    void call();

    // Brings the outputs to the host, where outputs() finds them.
    void copy_outputs_to_host();

    // The contents of the outputs in their order, each densely packed.
    std::vector<std::span<const std::byte>> outputs() const;

    // What a reader of the numbers should know; empty if all is as it should be.
    const std::vector<std::string> &notes() const { return notes_; }

private:
    struct Freer {
        void operator()(std::byte *memory) const;
    };
    struct Storage {
        std::vector<halide_dimension_t> dimensions;
        halide_buffer_t buffer{};
        std::unique_ptr<std::byte, Freer> memory;
        std::size_t bytes = 0;
        std::uint64_t scalar = 0;
    };

    void **argv() { return pointers_.data(); }

    const VariantLibrary &variant_;
    std::vector<Storage> storage_;
    std::vector<void *> pointers_;
    std::vector<std::size_t> outputs_;
    std::vector<std::string> notes_;
};

}  // namespace cryolite::bench
