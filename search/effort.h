// How much work the search spends on a pipeline. The states of a pass grow with Funcs x beam x placements x
// tilings. What the options leave open is chosen so that short pipelines are searched widely and long ones
// still end in seconds. The unit is states, not time, so that the result is deterministic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/stage_graph.h"
#include "search/options.h"
#include "search/pace.h"
#include "search/refinement/refine.h"

namespace cryolite {

// Each placement gets at least this many tilings, unless the options ask for fewer.
constexpr int64_t fewest_tilings = 8;

struct Effort {
    int64_t beam_size;
    int64_t passes;
    // Per placement, in refinement. Of several passes the last has half as many or, in long pipelines, all, and each
    // pass before half of those: where tilings of one structure fill the beam, other structures are lost, and
    // refinement finds the tilings sooner.
    int64_t tilings;
    bool last_has_all_tilings;
    // The work of a pass, in Funcs priced. The beam gets narrower where the pass would take more (pace.h).
    // Looking ahead may take as much again.
    uint64_t work;
    bool refine;
    uint64_t refinement_work;  // after each pass, in Funcs priced
    // So many states that a pass ends with are refined, each of another structure. Hill climbing often ends where one
    // change alone gains nothing. Starts cost far less than passes do.
    int64_t starts;
    Redraw redraw;
    // The first of several passes looks ahead: it decides this many of the next Funcs to rank a state (outlook.h). It
    // ranks outlook_width states for each one that goes on. 0: no pass looks ahead.
    int64_t outlook, outlook_width;
    // Share of the predicted time that may be given up by freezing Funcs after the first pass (Freezing).
    // 0: nothing is frozen.
    double frozen_share;
    bool by_structure;  // half of the states that go on are the best of each structure (beam.h)

    bool looks_ahead(int64_t pass) const { return outlook > 0 && passes > 1 && pass == 0; }

    int64_t tilings_in(int64_t pass) const {
        const int64_t with_all = passes == 1 || last_has_all_tilings ? passes - 1 : passes;
        const int64_t fewer = std::clamp<int64_t>(with_all - pass, 0, 30);
        return std::max(tilings >> fewer, std::min(fewest_tilings, tilings));
    }
};

// on_gpu: passes have a third of the states. The space of a GPU has fewer loops per Func, and a wider search finds
// little more: over 19 long apps the predicted times of the results are 0.91 to 1.04 of those with as many states as on
// a CPU.
inline Effort effort(const StageGraph &graph, const SearchOptions &options, bool on_gpu = false) {
    constexpr int64_t very_few_funcs = 8, few_funcs = 24;
    constexpr int64_t placements_per_func = 4;  // on average
    const int64_t states_per_pass = on_gpu ? 80'000 : 250'000;
    const auto funcs = static_cast<int64_t>(graph.num_scheduled());
    Effort e{};
    e.beam_size = options.beam_size > 0 ? options.beam_size : funcs <= very_few_funcs ? 64 : 32;
    // Looking ahead makes no more states than a pass does. Eight Funcs ahead find better schedules than three;
    // further ahead plain loops predict little.
    constexpr int64_t furthest_outlook = 8;
    e.outlook_width = 4;
    const int64_t foreseeable =
        states_per_pass /
        std::max<int64_t>(1, funcs * e.beam_size * e.outlook_width * placements_per_func);
    // Two plain passes over a longer pipeline take the time that there is, and find as much.
    e.outlook =
        options.exhaustive || funcs > few_funcs ? 0 : std::min(foreseeable, furthest_outlook);
    // A third pass with all tilings would take nearly as long as both, and find 0.6 % less predicted time over 61
    // pipelines.
    e.passes = options.num_passes > 0 ? options.num_passes : 2;
    const int64_t affordable =
        states_per_pass / std::max<int64_t>(1, funcs * e.beam_size * placements_per_func);
    e.tilings =
        options.exhaustive
            ? options.tilings_per_placement
            : std::clamp(affordable, std::min(fewest_tilings, options.tilings_per_placement),
                         options.tilings_per_placement);
    e.last_has_all_tilings = e.outlook == 0;
    const bool asked = options.exhaustive || options.beam_size > 0;
    // Average number of Funcs in the kernel that a state changes, over our apps of the usual lengths.
    constexpr uint64_t funcs_per_state = 4;
    const uint64_t work_per_pass = static_cast<uint64_t>(states_per_pass) * funcs_per_state;
    e.work = asked ? Pace::unlimited : work_per_pass;
    e.refine = !options.exhaustive;
    e.refinement_work = work_per_pass;
    // A single pass is asked for by who is in a hurry, such as the short searches that try divisions of reductions.
    constexpr int64_t usual_starts = 8;
    e.starts = e.passes > 1 ? usual_starts : 1;
    e.redraw = Redraw::PlacesAndLoops;
    // An upper bound: the loss is this large only if the frozen Funcs could cost nothing.
    e.frozen_share = options.exhaustive ? 0 : 0.05;
    e.by_structure = true;
    return e;
}

}  // namespace cryolite
