// A compiled variant of an app, opened from its shared library. Every variant carries a Halide
// runtime of its own, and one process opens one variant, so that no schedule inherits another's
// thread pool, memory layout or crash.
#pragma once

#include <HalideRuntime.h>

#include <memory>
#include <string>

#include "apps/common/app_list.h"

namespace cryolite::bench {

halide_type_t halide_type(apps::ElementType type);

class VariantLibrary {
public:
    // Throws std::runtime_error if the library cannot be opened, or if the function's arguments
    // are not those that the app list says: every later number would be about something else.
    VariantLibrary(const std::string &path, const std::string &function,
                   const apps::AppDescription &app, int threads);

    // Runs the pipeline, or its bounds query. Throws std::runtime_error with Halide's own message
    // if it fails. `arguments` as for `<function>_argv`.
    void call(void **arguments) const;

    // For variants compiled for a device; nothing happens on a CPU. All throw like call().
    void wait_for_device(halide_buffer_t &buffer) const;
    void copy_to_host(halide_buffer_t &buffer) const;
    void copy_to_device(halide_buffer_t &buffer) const;
    void free_device_memory(halide_buffer_t &buffer) const;

private:
    struct Closer {
        void operator()(void *handle) const;
    };

    void *symbol(const std::string &name) const;
    template <typename Function>
    Function *function(const std::string &name) const;

    std::unique_ptr<void, Closer> handle_;
    const halide_device_interface_t *device_interface_ = nullptr;  // none on a CPU
    int (*argv_)(void **) = nullptr;
    decltype(&halide_device_sync) device_sync_ = nullptr;
    decltype(&halide_copy_to_host) copy_to_host_ = nullptr;
    decltype(&halide_copy_to_device) copy_to_device_ = nullptr;
    decltype(&halide_device_free) device_free_ = nullptr;
};

}  // namespace cryolite::bench
