// What starting a stream costs, and how many a core follows. Memory is walked like an image in tiles
// one tile wide: down the rows, a short run of consecutive lines in each, then the tiles beside.
// What a run takes longer than its lines would in a long stream is the cost of its start.
#include <algorithm>
#include <memory>

#include "tools/calibrate/experiment.h"
#include "tools/calibrate/walk_sizes.h"
#include "tools/calibrate/walked_memory.h"

namespace cryolite::calibrate {
namespace {

constexpr int64_t line = 64;
// A page and a half, as images have: rows neither begin at page boundaries nor fall into the same
// sets of a cache.
constexpr int64_t row_lines = 96, row_bytes = row_lines * line;
// All divide a row.
constexpr int64_t cache_runs[] = {1, 2, 4, 8};
constexpr int64_t memory_runs[] = {1, 2, 8, 16, 32, 48};
constexpr int64_t rows_at_once[] = {1, 2, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64};
// Of the best bandwidth that must remain for streams to count as followed.
constexpr double followed_share = 0.8;

std::string probe_name(const char *level, const char *what, int64_t lines) {
    return std::string(level) + " " + what + " " + std::to_string(lines);
}

// One operation is a run of `lines` lines. A sample goes on where the last one stopped, so that what
// is read next is never what was read last.
Probe runs_probe(const char *level, std::shared_ptr<WalkedMemory> memory, int64_t lines,
                 bool in_cache) {
    const int64_t rows = memory->bytes() / row_bytes;
    const int64_t rows_at_a_time = std::min<int64_t>(rows, 64);
    auto row = std::make_shared<int64_t>(0);
    auto column = std::make_shared<int64_t>(0);
    Probe probe{
        probe_name(level, "run", lines), static_cast<double>(rows_at_a_time), [=](int64_t n) {
            for (int64_t i = 0; i < n; i++) {
                vector_kernels().read_rows(memory->begin() + *row * row_bytes + *column * line,
                                           rows_at_a_time, row_bytes, lines * line);
                *row += rows_at_a_time;
                if (*row + rows_at_a_time <= rows) continue;
                *row = 0;
                *column = (*column + lines) % row_lines;
            }
        }};
    if (in_cache)
        probe.prepare = [=] { vector_kernels().read_rows(memory->begin(), 1, 0, memory->bytes()); };
    return probe;
}

// One operation is a line.
Probe streams_probe(std::shared_ptr<WalkedMemory> memory, int64_t streams) {
    const int64_t rows = memory->bytes() / row_bytes / streams * streams;
    auto row = std::make_shared<int64_t>(0);
    return {probe_name("memory", "streams", streams), static_cast<double>(streams * row_lines),
            [=](int64_t n) {
                for (int64_t i = 0; i < n; i++) {
                    vector_kernels().read_streams(memory->begin() + *row * row_bytes, streams,
                                                  row_bytes, row_bytes);
                    *row = (*row + streams) % rows;
                }
            }};
}

// What the start of a run costs, in the time of so many lines of a long stream.
Estimate start_lines(const Findings &found, const char *level, int64_t lines) {
    const Estimate whole = found.seconds(probe_name(level, "run", row_lines)) * (1.0 / row_lines);
    Estimate start = found.seconds(probe_name(level, "run", lines)) / whole;
    start.value = std::max(0.0, start.value - static_cast<double>(lines));
    return start;
}

double followed(const Findings &found) {
    double best = found.seconds(probe_name("memory", "streams", rows_at_once[0])).value;
    for (int64_t s : rows_at_once)
        best = std::min(best, found.seconds(probe_name("memory", "streams", s)).value);
    double most = 1;
    for (int64_t s : rows_at_once)
        if (found.seconds(probe_name("memory", "streams", s)).value * followed_share <= best)
            most = static_cast<double>(s);
    return most;
}

}  // namespace

Experiment stream_experiment(const Machine &machine) {
    Experiment e;
    auto memory = std::make_shared<WalkedMemory>(memory_walk_sizes(machine).one_core_bytes);
    for (int64_t lines : memory_runs)
        e.probes.push_back(runs_probe("memory", memory, lines, false));
    e.probes.push_back(runs_probe("memory", memory, row_lines, false));
    for (int64_t s : rows_at_once) e.probes.push_back(streams_probe(memory, s));
    // A stream into the first level starts from the second at no cost worth a field.
    const bool has_shared_level = machine.caches.size() > 2;
    if (has_shared_level) {
        auto cache = std::make_shared<WalkedMemory>(
            cache_walk_sizes(machine, machine.caches.size() - 1).one_core_bytes);
        for (int64_t lines : cache_runs)
            e.probes.push_back(runs_probe("cache", cache, lines, true));
        e.probes.push_back(runs_probe("cache", cache, row_lines, true));
    }
    e.conclude = [has_shared_level](const Findings &found, Conclusions &out) {
        out["followed_streams"] = {followed(found), 0};
        out["memory_stream_start_lines"] =
            (start_lines(found, "memory", 1) + start_lines(found, "memory", 2)) * 0.5;
        Estimate worst = out["memory_stream_start_lines"];
        for (int64_t lines : memory_runs) {
            const Estimate start = start_lines(found, "memory", lines);
            if (start.value > worst.value) worst = start;
        }
        out["memory_stream_start_lines_max"] = worst;
        if (!has_shared_level) return;
        Estimate mean;
        for (int64_t lines : cache_runs) mean = mean + start_lines(found, "cache", lines);
        out["cache_stream_start_lines"] = mean * (1.0 / std::size(cache_runs));
    };
    return e;
}

}  // namespace cryolite::calibrate
