// What schedules of a pipeline cost to compile, measured: random schedules, each lowered and made into an
// object in a process of its own, beside what is predicted of it.
#pragma once

#include <Halide.h>

#include <nlohmann/json.hpp>

#include "graph/builder/build.h"
#include "machine/hardware.h"
#include "schedule/loop_nest.h"

namespace cryolite::bench {

struct CompileQuestion {
    size_t count = 8;  // schedules; the plain one and a quick search's choice come first
    uint64_t seed = 0;
    // CPU seconds and memory that a schedule gets; what takes more is counted as taking so long.
    int64_t limit_seconds = 120;
    int64_t limit_megabytes = 8192;
};

struct Drawn {
    std::string kind;
    LoopNest nest;
};

// Ends of quick searches, the first by the model and the others by a disturbed one: near to what it likes,
// and far from that.
std::vector<Drawn> drawn_schedules(const StageGraph &graph, Hardware hardware,
                                   const CompileQuestion &question);

// The schedules of a list of traces, as kind "given". Whose trace is refused or incomplete is left out.
std::vector<Drawn> replayed(const StageGraph &graph, const nlohmann::json &traces);

// A list of objects, one per schedule: "kind" (plain, chosen, drawn, given), "predicted" (lowering_seconds,
// llvm_seconds and what they are made of), "lowering_seconds", "llvm_seconds" (CPU seconds; missing where
// that did not end) and "status" (compiled, lowering or llvm where the limit ended it, or an error).
// The caller must not have running threads.
nlohmann::json compile_samples(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                               const Halide::Target &target, Hardware hardware,
                               const std::vector<Drawn> &schedules,
                               const CompileQuestion &question);

// The same with today's predictions, of samples that were measured before. Whose trace is refused is left out.
nlohmann::json predicted_again(const nlohmann::json &samples, const StageGraph &graph,
                               Hardware hardware);

}  // namespace cryolite::bench
