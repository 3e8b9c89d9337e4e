// mode=draw: the next schedules for a tuner to measure, as a file, out of what it has measured.
//
// samples_file:  {"samples": [{"trace": TEXT, "seconds": NUMBER or null}, ...]}    null: it could not be timed
// draw_file:     {"cryolite_draw": 1,
//                 "problem": {"algorithm": HEX, "workload": {...}, "target": TEXT, "machine": TEXT, "threads": N,
//                             "halide": VERSION, "cryolite": VERSION},
//                 "weights": {...},               as model/coefficients_file.h says; with a network in the option
//                                                 `weights` also "network": HEX, a weights file, fine-tuned on the
//                                                 samples
//                 "rank_correlation": {"learned": R, "analytical": R},     of the timed samples; 0: fewer than 3
//                 "refused": N,                   samples whose trace does not fit this pipeline
//                 "draws": [{"origin": TEXT, "trace": TEXT, "predicted_seconds": S}, ...]}
// Without samples the draws begin with the plain schedule and the one that mode=one_shot chooses.
#pragma once

#include <Halide.h>

#include <string>

#include "base/log.h"
#include "base/result.h"
#include "graph/builder/build.h"
#include "plugin/plugin_options.h"
#include "plugin/target/platform.h"

namespace cryolite {

// The text of draw_file. options.search: the limits of each search. Errors: a target with a GPU, a file of samples that
// cannot be read.
Result<std::string> drawn_batch(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                const Halide::Target &target, const Platform &platform,
                                const PluginOptions &options, const Log &log);

}  // namespace cryolite
