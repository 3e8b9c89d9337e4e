// How long graph and search of one generated pipeline take, and how much memory: one line of JSON.
//   scale_probe SHAPE FUNCS [--seed N] [--threads N] [--time-limit S] [--beam N] [--passes N] [--log]
//   scale_probe --shapes      the shapes, as a JSON list
// The machine is always the same, so that counts and predictions depend on the code alone.
#include <sys/resource.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "bench/scale/pipelines.h"
#include "graph/builder/build.h"
#include "plugin/target/target_machine.h"
#include "search/search.h"

namespace cryolite::bench {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds() {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

double peak_megabytes() {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return static_cast<double>(u.ru_maxrss) / 1024;
}

double resident_megabytes() {
    std::ifstream file("/proc/self/statm");
    int64_t total_pages = 0, resident_pages = 0;
    file >> total_pages >> resident_pages;
    return static_cast<double>(resident_pages * sysconf(_SC_PAGESIZE)) / (1 << 20);
}

struct Question {
    std::string shape;
    int64_t funcs = 0;
    uint64_t seed = 0;
    SearchOptions search;
    bool log = false;
};

json answer(const Question &q) {
    const Halide::Func output = make_pipeline(q.shape, q.funcs, q.seed);
    const Halide::Target target("x86-64-linux-avx2-fma-f16c-sse41-avx");
    const auto machine = machine_of_target(target, "x86-avx2", 2);
    if (!machine.ok()) throw std::runtime_error(machine.error().message);

    const double megabytes_before = resident_megabytes();
    const Clock::time_point start = Clock::now();
    const auto built = build_graph({output.function()}, target);
    if (!built.ok()) throw std::runtime_error(built.error().message);
    const double graph_seconds = seconds_since(start), graph_megabytes = resident_megabytes();

    Log log;
    if (q.log)
        log = Log(LogLevel::Info, [](LogLevel, const std::string &s) { std::cerr << s << "\n"; });
    const Clock::time_point search_start = Clock::now();
    const double cpu_before = cpu_seconds();
    const SearchResult found = search(built->graph, machine->machine, q.search, log);
    const SearchStatistics &s = found.statistics;
    return {{"shape", q.shape},
            {"funcs", built->graph.num_scheduled()},
            {"seed", q.seed},
            {"threads", q.search.threads},
            {"graph_seconds", graph_seconds},
            {"search_seconds", seconds_since(search_start)},
            {"funcs_priced", s.funcs_priced},
            {"search_cpu_seconds", cpu_seconds() - cpu_before},
            {"graph_megabytes", graph_megabytes - megabytes_before},
            {"megabytes", std::max(0.0, peak_megabytes() - megabytes_before)},
            {"states", s.states_generated},
            {"kernels", s.kernels_evaluated},
            {"hit_time_limit", s.hit_time_limit},
            {"hit_memory_limit", s.hit_memory_limit},
            {"predicted_ms", found.time.seconds * 1e3}};
}

json list_shapes() {
    json list = json::array();
    for (const Shape &s : shapes()) list.push_back({{"name", s.name}, {"doc", s.doc}});
    return list;
}

}  // namespace
}  // namespace cryolite::bench

int main(int argc, char **argv) {
    using namespace cryolite::bench;
    Question q;
    bool only_list = false;
    CLI::App app("Measures graph and search of one generated pipeline");
    app.add_flag("--shapes", only_list, "list the shapes");
    app.add_option("shape", q.shape, "see --shapes");
    app.add_option("funcs", q.funcs, "its length");
    app.add_option("--seed", q.seed, "of the pipeline");
    app.add_option("--threads", q.search.threads, "of the search; 0: as the computer has");
    app.add_option("--time-limit", q.search.time_limit_seconds, "of the search, in seconds");
    app.add_option("--beam", q.search.beam_size, "its beam; 0: by the length");
    app.add_option("--passes", q.search.num_passes, "its passes; 0: by the length");
    app.add_flag("--log", q.log, "print what the search says");
    CLI11_PARSE(app, argc, argv);
    try {
        std::cout << (only_list ? list_shapes() : answer(q)) << "\n";
    } catch (const std::exception &error) {
        std::cerr << "scale_probe: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
