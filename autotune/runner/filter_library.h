// A pipeline that was compiled ahead of time into a shared library, with a Halide runtime of its own.
//
// One process opens one such library: the runtime's error handler is handed no context, so that its last message lies
// in a variable of the process.
#pragma once

#include <HalideRuntime.h>

#include <string>

namespace cryolite {

class FilterLibrary {
public:
    // Throws std::runtime_error: it cannot be opened, or has no such function, metadata or runtime. Never closed:
    // threads of its runtime may be in it.
    FilterLibrary(const std::string &path, const std::string &function);

    const halide_filter_metadata_t &metadata() const { return *metadata_; }
    void set_threads(int threads) const;

    // Runs the pipeline, or asks it for regions where a buffer has no memory. Throws OutOfMemory or std::runtime_error
    // with Halide's message.
    void call(void **arguments) const { check(argv_(arguments), "the pipeline"); }

    // Throws as call() does, unless the status of something that the runtime did is 0.
    void check(int status, const std::string &what) const;

    // Null where there is none.
    void *find(const std::string &symbol) const;
    // Throws std::runtime_error.
    template <typename Function>
    Function *need(const std::string &symbol) const {
        return reinterpret_cast<Function *>(needed(symbol));
    }

private:
    void *needed(const std::string &symbol) const;

    void *handle_ = nullptr;
    int (*argv_)(void **) = nullptr;
    const halide_filter_metadata_t *metadata_ = nullptr;
};

}  // namespace cryolite
