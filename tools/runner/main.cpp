// `cryolite_runner`: compares and times compiled candidates as a request says. It needs no Halide and no compiler, so
// that it can be copied to another computer with what it runs.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "autotune/runner/guarded.h"
#include "autotune/runner/pack.h"
#include "autotune/runner/run.h"
#include "base/atomic_file.h"
#include "base/text_file.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

// Exit statuses.
constexpr int done = 0, failed = 1, bad_request = 2;

struct Options {
    std::string request, output = "-", pack;
};

int complain(const std::string &message, int status) {
    std::cerr << "cryolite_runner: " << message << "\n";
    return status;
}

Result<RunRequest> read_request(const std::string &path) {
    if (path == "-") {
        const std::string text(std::istreambuf_iterator<char>(std::cin), {});
        return parse_run_request(text);
    }
    const Result<std::string> text = read_text_file(path);
    if (!text.ok()) return text.error();
    Result<RunRequest> request = parse_run_request(*text);
    if (request.ok()) resolve_paths(*request, fs::absolute(path).parent_path());
    return request;
}

int write_result(const RunResult &result, const std::string &path) {
    const std::string text = to_json_text(result);
    if (path != "-") {
        const Result<bool> written = write_atomically(path, text);
        return written.ok() ? done : complain(written.error().message, failed);
    }
    std::cout << text << std::flush;
    return std::cout ? done : complain("standard output cannot be written in full", failed);
}

int carry_out(const RunRequest &request, const std::string &output) {
    try {
        const Result<RunResult> result = run(request);
        return result.ok() ? write_result(*result, output)
                           : complain(result.error().message, bad_request);
    } catch (const std::exception &error) {
        return complain(error.what(), failed);
    }
}

int pack(const RunRequest &request, const std::string &folder) {
    const Result<bool> packed = write_pack(folder, request, fs::read_symlink("/proc/self/exe"));
    return packed.ok() ? done : complain(packed.error().message, failed);
}

int run_program(const Options &options) {
    const Result<RunRequest> request = read_request(options.request);
    if (!request.ok()) return complain(request.error().message, bad_request);
    if (!options.pack.empty()) return pack(*request, options.pack);
    return run_guarded([&] { return carry_out(*request, options.output); });
}

}  // namespace
}  // namespace cryolite::tools

int main(int argc, char **argv) {
    // A candidate may be gone when it is spoken to.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        cryolite::tools::Options options;
        CLI::App app(
            "Compares compiled candidates with a reference and times them. docs/runner.md "
            "describes "
            "the request and the result.",
            "cryolite_runner");
        app.add_option("request", options.request, "JSON file; -: standard input")->required();
        auto *output = app.add_option("-o,--output", options.output,
                                      "where the result goes; -: standard output")
                           ->capture_default_str();
        app.add_option("--pack", options.pack,
                       "runs nothing, and makes a folder of all that the request needs")
            ->excludes(output);
        try {
            app.parse(argc, argv);
        } catch (const CLI::ParseError &end) {
            return app.exit(end) == 0 ? cryolite::tools::done : cryolite::tools::bad_request;
        }
        return cryolite::tools::run_program(options);
    } catch (const std::exception &error) {
        return cryolite::tools::complain(error.what(), cryolite::tools::failed);
    }
}
