// Why a schedule is predicted to take as long as it does: its loop nest, and for every stage its
// features and the components of its predicted time. Plain text and numbers, so that it can be kept
// as JSON (explanation_json.h), read without the pipeline and compared with another.
//
// Stages and loops have the names that they have in a trace (schedule/trace_text.h): "blur_x.s0",
// "y.1". Seconds are predicted, of one run of the whole pipeline at the estimates on the machine.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analytical/gpu/device.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Numbers by name, in an order that has a meaning.
using NamedNumbers = std::vector<std::pair<std::string, double>>;

struct ExplainedConstant {
    std::string key;  // machine/machine_fields.h
    double value = 0;
    std::string unit;

    bool operator==(const ExplainedConstant &) const = default;
};

// A term of the predicted time: analytical/terms.h.
struct ExplainedTerm {
    std::string name, unit, appendix_b, doc;
    std::vector<std::string> constants;  // keys of the machine's values that it is made from
    double seconds = 0;                  // what stays exposed, over all stages
    double raw_seconds = 0;              // before the correction and the overlap, over all stages

    bool operator==(const ExplainedTerm &) const = default;
};

struct ExplainedFeature {
    std::string name, unit, doc;

    bool operator==(const ExplainedFeature &) const = default;
};

struct ExplainedStage {
    std::string name;
    double seconds = 0;      // the sum of `terms`, to rounding
    std::string dominating;  // the largest of `terms`; empty if all are 0
    std::string bound_by;    // the Resource (analytical/terms.h) with the most of it; or "host"
    double productions = 0;  // runs of its loops in all
    double speedup = 0;      // by which parallel loops divide core-bound time
    NamedNumbers terms;      // seconds that stay exposed, in the order of Explanation::terms
    NamedNumbers features;   // in the order of Explanation::features
    // Seconds by term as `terms`: counted, and as the learned correction leaves them, before anything hides.
    NamedNumbers raw = {}, corrected = {};

    bool operator==(const ExplainedStage &) const = default;
};

// A line of the drawn loop nest, with what stands inside it: schedule/nest_tree.h.
struct ExplainedNode {
    std::string kind;  // store, compute, loop, stage
    std::string of;    // the Func, or of a loop and a stage the stage's name
    std::string text;
    std::string loop = {}, run = {};  // of a loop: "y.1", and for, parallel, vectorized or unrolled
    std::vector<int64_t> extents = {};
    std::vector<ExplainedNode> children = {};

    bool operator==(const ExplainedNode &) const = default;
};

struct Explanation {
    std::string pipeline, algorithm, target;
    std::string machine, machine_source;
    std::vector<ExplainedConstant> constants;  // every value of the machine
    std::string trace;
    std::vector<ExplainedNode> nest;
    std::vector<std::string> inlined;  // Funcs, producers first
    double seconds = 0;
    std::string dominating;  // the largest of `terms`
    // The least that any schedule could take (analytical/roofline.h).
    double least_arithmetic_seconds = 0, least_traffic_seconds = 0;
    double peak_bytes = 0;   // allocated by all kernels, each at once
    bool too_large = false;  // a kernel multiplies the work beyond reason: it has no time, or a
                             // stage is unrolled so far that its time means little
    std::vector<ExplainedTerm> terms;
    std::vector<ExplainedFeature> features;
    std::vector<ExplainedStage> stages;  // of the Funcs that are not inlined

    bool operator==(const Explanation &) const = default;
};

// What the schedule itself does not tell.
struct ExplainedRun {
    std::string pipeline, target, machine_source;
};

// Pure. The sum of all stages' seconds, and of all terms', is CostModel's cost of the nest, to
// rounding (1e-12 of it). Without the noise that a search may have been given.
Explanation explain(const StageGraph &graph, const Machine &machine, const LoopNest &nest,
                    const ExplainedRun &run);

// The same of a schedule for a GPU, with the GPU's constants. For a stage in a kernel, `productions` are the kernel's
// launches and `speedup` the multiprocessors that are busy.
Explanation explain(const gpu::GpuDevice &device, const Machine &host, const LoopNest &nest,
                    const ExplainedRun &run);

// "output.s0".
std::string stage_name(const StageGraph &graph, StageId stage);

// The loop nest as an indented tree, as to_tree_text() draws it.
std::string nest_text(const Explanation &explanation);

}  // namespace cryolite
