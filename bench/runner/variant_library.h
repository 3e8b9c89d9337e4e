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

private:
    struct Closer {
        void operator()(void *handle) const;
    };

    void *symbol(const std::string &name) const;

    std::unique_ptr<void, Closer> handle_;
    int (*argv_)(void **) = nullptr;
};

}  // namespace cryolite::bench
