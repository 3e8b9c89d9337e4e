#include "bench/runner/variant_library.h"

#include <dlfcn.h>

#include <mutex>
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
    argv_ = reinterpret_cast<int (*)(void **)>(symbol(function + "_argv"));
    const auto metadata =
        reinterpret_cast<const halide_filter_metadata_t *(*)()>(symbol(function + "_metadata"))();
    check_arguments(*metadata, app);
    reinterpret_cast<decltype(&halide_set_error_handler)>(symbol("halide_set_error_handler"))(
        remember_error);
    reinterpret_cast<decltype(&halide_set_num_threads)>(symbol("halide_set_num_threads"))(threads);
}

void *VariantLibrary::symbol(const std::string &name) const {
    void *found = dlsym(handle_.get(), name.c_str());
    if (found == nullptr) {
        throw std::runtime_error("the variant has no " + name);
    }
    return found;
}

void VariantLibrary::call(void **arguments) const {
    const int status = argv_(arguments);
    if (status == 0) {
        return;
    }
    const std::lock_guard<std::mutex> guard(message_lock);
    throw std::runtime_error("the pipeline failed with " + std::to_string(status) + ": " + message);
}

}  // namespace cryolite::bench
