// The batch that the plugin draws (plugin/tuner/draw_batch.h describes the file), as the tuner reads it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "autotune/store/sample.h"
#include "autotune/tune/generator.h"

namespace cryolite {

struct Draw {
    std::string origin, trace;
    double predicted_seconds = 0;
};

struct DrawnBatch {
    Problem problem;  // without what only the generator's command says
    std::string machine_name, cryolite;
    std::string weights;  // JSON, model/coefficients_file.h
    double learned_correlation = 0, analytical_correlation = 0;
    std::vector<Draw> draws;
};

// Errors: no such file.
Result<DrawnBatch> parse_drawn_batch(const std::string &text);

// The draws alone, as they are kept in the store.
std::string draws_text(std::span<const Draw> draws);
Result<std::vector<Draw>> parse_draws(const std::string &text);

// What the plugin learns from. seconds: 0 for a schedule that could not be timed.
struct Lesson {
    std::string trace;
    double seconds = 0;
};
std::string samples_text(std::span<const Lesson> lessons);

struct DrawRequest {
    std::vector<Lesson> lessons;
    size_t count = 80;
    uint64_t seed = 0;
    double seconds = 120;
    std::string folder;                     // for files in between
    std::vector<std::string> options = {};  // of the plugin, NAME=VALUE
};

// Asks the generator. Errors: those of the generator, and what the plugin refuses.
Result<DrawnBatch> draw(const Generator &generator, const DrawRequest &request,
                        const ProgramLimits &limits);

}  // namespace cryolite
