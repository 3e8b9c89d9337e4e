// What the runner is asked to do: which libraries to compare and time, and with what. docs/runner.md describes the
// file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autotune/compare_outputs.h"
#include "base/result.h"

namespace cryolite {

// Where the values of an input come from: a file, or else chance.
struct InputSource {
    std::string file;               // .npy, .png, .pgm or .ppm; empty: none
    bool has_range = false;         // else the type says what range is drawn from
    std::array<double, 2> range{};  // least and largest value
};

// A value as it was written: whole numbers keep all their digits. true and false are 1 and 0.
using ScalarValue = std::variant<int64_t, uint64_t, double>;

// A shared library made ahead of time, with a Halide runtime of its own.
struct RunLibrary {
    std::string id;        // unique; names it in the result
    std::string library;   // path
    std::string function;  // empty: the request's
};

inline constexpr double no_cut_off = 1e6;

// See ContestRules for what the numbers do.
struct RunRules {
    double seconds = 3;
    double sample_seconds = 0.01;
    double prepare_seconds = 60;  // by the clock, for opening a library and filling its buffers
    double longest_run_seconds = 60;
    double cut_off = 3;
    int64_t memory_mb = 8192;  // by which each candidate's process may grow
};

struct RunRequest {
    std::string function;
    int threads = 0;  // 0: as many as there are cores
    uint64_t seed = 0;
    std::map<std::string, InputSource> inputs;   // those that are not here are drawn
    std::map<std::string, ScalarValue> scalars;  // those that are not here get their estimates
    std::map<std::string, std::vector<int32_t>> shapes;  // extents of buffers, instead of estimates
    Tolerance tolerance;
    RunRules rules;
    std::string anchor;  // the id of one that is not cut off, however slow it is; empty: none
    RunLibrary reference;
    std::vector<RunLibrary> candidates;

    const std::string &function_of(const RunLibrary &library) const {
        return library.function.empty() ? function : library.function;
    }
};

inline constexpr int run_request_version = 1;

std::string to_json_text(const RunRequest &request);
// Errors name the field.
Result<RunRequest> parse_run_request(std::string_view text);

// Paths that are not absolute are taken to be relative to `folder`.
void resolve_paths(RunRequest &request, const std::filesystem::path &folder);

}  // namespace cryolite
