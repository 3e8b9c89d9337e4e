#include "autotune/runner/filter_library.h"

#include <dlfcn.h>

#include <mutex>
#include <stdexcept>

#include "autotune/runnable.h"

namespace cryolite {
namespace {

// See the header on why this belongs to the process.
struct LastMessage {
    std::mutex lock;
    std::string text;
};

LastMessage &last_message() {
    static LastMessage message;
    return message;
}

// Halide's own handler would end the process. This one lets the call return its status.
void remember_error(void *, const char *text) {
    LastMessage &message = last_message();
    const std::lock_guard<std::mutex> guard(message.lock);
    message.text = text;
    while (!message.text.empty() && message.text.back() == '\n') message.text.pop_back();
}

bool is_out_of_memory(int status) {
    return status == halide_error_code_out_of_memory ||
           status == halide_error_code_device_malloc_failed;
}

}  // namespace

FilterLibrary::FilterLibrary(const std::string &path, const std::string &function)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
        const char *why = dlerror();
        throw std::runtime_error(std::string("it cannot be opened: ") + (why ? why : path.c_str()));
    }
    argv_ = need<int(void **)>(function + "_argv");
    metadata_ = need<const halide_filter_metadata_t *()>(function + "_metadata")();
    if (metadata_ == nullptr || metadata_->version != halide_filter_metadata_t::VERSION)
        throw std::runtime_error(
            "its metadata have a version that is not known: build it with Halide 19 or newer");
    for (const char *symbol : {"halide_set_error_handler", "halide_set_num_threads"})
        if (find(symbol) == nullptr)
            throw std::runtime_error(std::string("it has no ") + symbol +
                                     ": build it for a target without no_runtime");
    need<decltype(halide_set_error_handler)>("halide_set_error_handler")(remember_error);
}

void FilterLibrary::set_threads(int threads) const {
    need<decltype(halide_set_num_threads)>("halide_set_num_threads")(threads);
}

void FilterLibrary::check(int status, const std::string &what) const {
    if (status == 0) return;
    LastMessage &message = last_message();
    const std::lock_guard<std::mutex> guard(message.lock);
    const std::string text = what + " failed with status " + std::to_string(status) +
                             (message.text.empty() ? "" : ": " + message.text);
    if (is_out_of_memory(status)) throw OutOfMemory(text);
    throw std::runtime_error(text);
}

void *FilterLibrary::find(const std::string &symbol) const {
    return dlsym(handle_, symbol.c_str());
}

void *FilterLibrary::needed(const std::string &symbol) const {
    void *found = find(symbol);
    if (found == nullptr) throw std::runtime_error("it has no function " + symbol);
    return found;
}

}  // namespace cryolite
