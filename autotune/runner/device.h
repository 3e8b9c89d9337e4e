// The GPU or other device that a library computes on, by Halide's device interface.
#pragma once

#include <string_view>

#include "autotune/runner/filter_library.h"

namespace cryolite {

// Whether code for a target, as metadata name it, runs on a device.
bool is_for_device(std::string_view target);

// Of a library for a CPU: nothing happens in any of these. All throw as FilterLibrary::call() does.
class Device {
public:
    // Throws std::runtime_error where the library's runtime does not know the device that its target names.
    explicit Device(const FilterLibrary &library);

    bool is_there() const { return interface_ != nullptr; }
    void copy_to_device(halide_buffer_t &buffer) const;
    void wait(halide_buffer_t &buffer) const;  // until what computes the buffer has ended
    void copy_to_host(halide_buffer_t &buffer) const;

private:
    const FilterLibrary &library_;
    const halide_device_interface_t *interface_ = nullptr;
    decltype(&halide_device_sync) sync_ = nullptr;
    decltype(&halide_copy_to_host) copy_to_host_ = nullptr;
    decltype(&halide_copy_to_device) copy_to_device_ = nullptr;
};

}  // namespace cryolite
