// Why a schedule is predicted to take as long as it does: its loop nest, and for every stage its features and the terms
// of its predicted time. An explanation is plain text and numbers. So it can be kept as JSON (explanation_json.h), read
// without the pipeline and compared with another.
//
// Stages and loops have the names of a trace (schedule/trace_text.h): "blur_x.s0", "y.1". Seconds are predicted, for
// one run of the whole pipeline at the estimates on the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analytical/correction.h"
#include "machine/gpu_device.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Numbers by name. Their order is that of the list that names them.
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
    std::vector<std::string> constants;  // keys of the machine's values that it is computed from
    double seconds = 0;                  // that stay exposed, over all stages
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
    std::string bound_by;  // Resource (analytical/terms.h) with the most exposed seconds; or "host"
    double productions = 0;  // runs of its loops in all
    double speedup = 0;      // parallel loops divide core-bound time by this
    NamedNumbers terms;      // seconds that stay exposed, in the order of Explanation::terms
    NamedNumbers features;   // in the order of Explanation::features
    // Seconds by term, in the order of `terms`, before the overlap: as counted, and after the learned correction.
    NamedNumbers raw = {}, corrected = {};
    // How much of what was learned is applied, 0 to 1: less than 1 beyond the stages that it was learned from.
    double trust = 1;
    double spread =
        0;  // of the ensemble's members about the stage's seconds (analytical/log_spread.h)

    bool operator==(const ExplainedStage &) const = default;
};

// A line of the drawn loop nest, with the lines inside it: schedule/nest_tree.h.
struct ExplainedNode {
    std::string kind;  // store, compute, loop, stage
    std::string of;    // the Func's name; for a loop or a stage the stage's name
    std::string text;
    std::string loop = {}, run = {};  // for a loop: "y.1", and name(LoopKind)
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
    double spread =
        0;  // of the ensemble's members about them (analytical/log_spread.h); 0: there is no ensemble
    std::string dominating;  // the largest of `terms`
    // The least time that any schedule could take (analytical/roofline.h).
    double least_arithmetic_seconds = 0, least_traffic_seconds = 0;
    double peak_bytes = 0;   // ScheduleTime::peak_bytes
    bool too_large = false;  // a kernel is inlined beyond reason and has no time, or a stage is
                             // unrolled so far that its time means little
    std::vector<ExplainedTerm> terms;
    std::vector<ExplainedFeature> features;
    std::vector<ExplainedStage> stages;  // of the Funcs that are not inlined
    // Imported from a schedule by hand, and what it does not share with that one, a line each.
    bool is_by_hand = false;
    std::vector<std::string> differences = {};
    // What became of each update on a target with tensor cores, a line each.
    std::vector<std::string> tensor_cores = {};

    bool operator==(const Explanation &) const = default;
};

// Names that the schedule itself does not hold.
struct ExplainedRun {
    std::string pipeline, target, machine_source;
    bool is_by_hand = false;
    std::vector<std::string> differences = {}, tensor_cores = {};
};

// Pure. The seconds of all stages add up to CostModel's cost of the nest, to rounding (1e-12 of it). So do the seconds
// of all terms. The cost has no noise. correction: what was learned; null: nothing.
Explanation explain(const StageGraph &graph, const Machine &machine, const LoopNest &nest,
                    const ExplainedRun &run,
                    const std::shared_ptr<const Correction> &correction = nullptr);

// The same for a schedule for a GPU, with the GPU's constants. For a stage in a kernel, `productions` counts the
// kernel's launches, and `speedup` is the mean number of busy multiprocessors.
Explanation explain(const gpu::GpuDevice &device, const Machine &host, const LoopNest &nest,
                    const ExplainedRun &run);

// "output.s0".
std::string stage_name(const StageGraph &graph, StageId stage);

// The loop nest as an indented tree, as to_tree_text() draws it.
std::string nest_text(const Explanation &explanation);

}  // namespace cryolite
