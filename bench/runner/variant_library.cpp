#include "bench/runner/variant_library.h"

#include <dlfcn.h>

#include <mutex>
#include <sstream>
#include <stdexcept>

namespace cryolite::bench {
namespace {

// Halide's own handler would end the process; this one lets the call return its error code. The
// runtime hands the handler no context of ours, so the message has to wait here.
std::mutex message_lock;
std::string message;

void remember_error(void *, const char *text) {
    const std::lock_guard<std::mutex> guard(message_lock);
    message = text;
    while (!message.empty() && message.back() == '\n') {
        message.pop_back();
    }
}

void check(int status, const std::string &what) {
    if (status == 0) {
        return;
    }
    const std::lock_guard<std::mutex> guard(message_lock);
    throw std::runtime_error(what + " failed with " + std::to_string(status) + ": " + message);
}

// The first feature of the target that is a device's; empty for a CPU. A target's text is made of
// features between dashes.
std::string device_of(const std::string &target) {
    std::istringstream features(target);
    for (std::string feature; std::getline(features, feature, '-');) {
        if (feature == "cuda" || feature == "opencl" || feature == "vulkan" || feature == "metal") {
            return feature;
        }
    }
    return "";
}

void check_arguments(const halide_filter_metadata_t &metadata, const apps::AppDescription &app) {
    const auto mismatch = [&](const std::string &what) {
        throw std::runtime_error("the compiled " + app.name + " is not what apps/ lists: " + what);
    };
    if (std::size_t(metadata.num_arguments) != app.arguments.size()) {
        mismatch("it has " + std::to_string(metadata.num_arguments) + " arguments");
    }
    for (std::size_t i = 0; i < app.arguments.size(); i++) {
        const halide_filter_argument_t &compiled = metadata.arguments[i];
        const apps::Argument &listed = app.arguments[i];
        if (compiled.name != listed.name) {
            mismatch("argument " + std::to_string(i) + " is " + compiled.name);
        }
        if (std::size_t(compiled.dimensions) != listed.extents.size() ||
            !(compiled.type == halide_type(listed.type))) {
            mismatch("type or dimensions of " + listed.name);
        }
    }
}

}  // namespace

halide_type_t halide_type(apps::ElementType type) {
    return apps::with_element_type(type,
                                   [](auto value) { return halide_type_of<decltype(value)>(); });
}

void VariantLibrary::Closer::operator()(void *) const {
    // Left open: the runtime's threads may still be inside it when the process ends.
}

VariantLibrary::VariantLibrary(const std::string &path, const std::string &function,
                               const apps::AppDescription &app, int threads)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) {
        throw std::runtime_error(std::string("cannot open the variant: ") + dlerror());
    }
    argv_ = this->function<int(void **)>(function + "_argv");
    const auto metadata =
        this->function<const halide_filter_metadata_t *()>(function + "_metadata");
    check_arguments(*metadata(), app);
    const std::string device = device_of(metadata()->target);
    if (!device.empty()) {
        device_interface_ = this->function<const halide_device_interface_t *()>(
            "halide_" + device + "_device_interface")();
        // As Halide's RunGen does: else each call asks the driver for the memory of its intermediates.
        this->function<decltype(halide_reuse_device_allocations)>(
            "halide_reuse_device_allocations")(nullptr, true);
    }
    this->function<decltype(halide_set_error_handler)>("halide_set_error_handler")(remember_error);
    this->function<decltype(halide_set_num_threads)>("halide_set_num_threads")(threads);
    device_sync_ = this->function<decltype(halide_device_sync)>("halide_device_sync");
    copy_to_host_ = this->function<decltype(halide_copy_to_host)>("halide_copy_to_host");
    copy_to_device_ = this->function<decltype(halide_copy_to_device)>("halide_copy_to_device");
    device_free_ = this->function<decltype(halide_device_free)>("halide_device_free");
}

void *VariantLibrary::symbol(const std::string &name) const {
    void *found = dlsym(handle_.get(), name.c_str());
    if (found == nullptr) {
        throw std::runtime_error("the variant has no " + name);
    }
    return found;
}

template <typename Function>
Function *VariantLibrary::function(const std::string &name) const {
    return reinterpret_cast<Function *>(symbol(name));
}

void VariantLibrary::call(void **arguments) const { check(argv_(arguments), "the pipeline"); }

void VariantLibrary::wait_for_device(halide_buffer_t &buffer) const {
    if (buffer.device != 0) {
        check(device_sync_(nullptr, &buffer), "waiting for the device");
    }
}

void VariantLibrary::copy_to_host(halide_buffer_t &buffer) const {
    if (buffer.device != 0) {
        check(copy_to_host_(nullptr, &buffer), "the copy to the host");
    }
}

void VariantLibrary::copy_to_device(halide_buffer_t &buffer) const {
    if (device_interface_ != nullptr) {
        check(copy_to_device_(nullptr, &buffer, device_interface_), "the copy to the device");
    }
}

void VariantLibrary::free_device_memory(halide_buffer_t &buffer) const {
    if (buffer.device != 0) {
        check(device_free_(nullptr, &buffer), "freeing device memory");
    }
}

}  // namespace cryolite::bench
