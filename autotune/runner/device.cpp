#include "autotune/runner/device.h"

#include <string>

namespace cryolite {
namespace {

// The feature of a target that is a device's; empty for a CPU. A target is features between dashes.
std::string_view device_of(std::string_view target) {
    while (!target.empty()) {
        const std::string_view feature = target.substr(0, target.find('-'));
        for (const std::string_view device :
             {"cuda", "opencl", "metal", "vulkan", "d3d12compute", "webgpu"})
            if (feature == device) return device;
        target.remove_prefix(std::min(target.size(), feature.size() + 1));
    }
    return "";
}

}  // namespace

bool is_for_device(std::string_view target) { return !device_of(target).empty(); }

Device::Device(const FilterLibrary &library) : library_(library) {
    const std::string name(device_of(library.metadata().target));
    if (name.empty()) return;
    interface_ =
        library.need<const halide_device_interface_t *()>("halide_" + name + "_device_interface")();
    // Else each call asks the driver for the memory of its intermediates.
    library.need<decltype(halide_reuse_device_allocations)>("halide_reuse_device_allocations")(
        nullptr, true);
    sync_ = library.need<decltype(halide_device_sync)>("halide_device_sync");
    copy_to_host_ = library.need<decltype(halide_copy_to_host)>("halide_copy_to_host");
    copy_to_device_ = library.need<decltype(halide_copy_to_device)>("halide_copy_to_device");
}

void Device::copy_to_device(halide_buffer_t &buffer) const {
    if (!is_there()) return;
    buffer.set_host_dirty();
    buffer.set_device_dirty(false);
    library_.check(copy_to_device_(nullptr, &buffer, interface_), "the copy to the device");
}

void Device::wait(halide_buffer_t &buffer) const {
    if (is_there() && buffer.device != 0)
        library_.check(sync_(nullptr, &buffer), "waiting for the device");
}

void Device::copy_to_host(halide_buffer_t &buffer) const {
    if (is_there() && buffer.device != 0)
        library_.check(copy_to_host_(nullptr, &buffer), "the copy to the host");
}

}  // namespace cryolite
