// From a trace to a shared library that the runner opens.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autotune/tune/generator.h"

namespace cryolite {

struct BuildRules {
    std::string folder;                     // a folder per candidate is made in it
    std::string compiler = "c++";           // links
    std::vector<std::string> link;          // files and options that the pipeline needs besides
    std::vector<std::string> options = {};  // of the plugin, NAME=VALUE, when a trace is replayed
    double compile_seconds = 120;           // of the clock, for one candidate
    int64_t memory_bytes = int64_t{8} << 30;
    int jobs = 1;  // candidates at once
    const std::atomic<bool> *stop = nullptr;
};

struct Built {
    std::string library = {};  // empty: it could not be built
    std::string message = {};  // why not
    bool stopped = false;
    uint64_t object_hash = 0;
    double seconds = 0;
};

class Builder {
public:
    Builder(const Generator &generator, BuildRules rules);

    // Builds Halide's runtime, which all candidates in the folder share: before the first of them. Errors: those of the
    // generator and the linker.
    Result<bool> prepare() const;

    // [i]: of traces[i]. An empty trace is built as the generator schedules it itself. names[i]: of its folder. What is
    // there under its name already is not built again; its object_hash is then 0.
    std::vector<Built> build(const std::vector<std::string> &traces,
                             const std::vector<std::string> &names) const;

    // What the plugin chooses by the generator's own parameters.
    Built build_plugins_choice(const std::string &name) const;

    // Frees what a candidate takes on the disk.
    void forget(const std::string &name) const;

private:
    Built build_one(const std::string &trace, const std::string &name) const;
    Built build_by(const std::vector<std::string> &compile, const std::string &name) const;

    const Generator &generator_;
    const BuildRules rules_;
    const std::string runtime_;
};

}  // namespace cryolite
