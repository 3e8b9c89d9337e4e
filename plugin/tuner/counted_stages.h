// mode=count: what `cryolite train` learns from of measured schedules. Raw terms and features are counted anew from
// their traces, so that old measurements stay useful when the code changes.
//
// samples_file:  as mode=draw reads it (draw_batch.h)
// draw_file:     {"cryolite_count": 1, "schema": HEX, "machine": NAME,
//                 "overlap": [core_exposed_share, memory_exposed_share, sharpness],
//                 "found": [{"stages": [{"raw": {TERM: SECONDS, ...}, "features": [I, ...], "values": [V, ...]}, ...]},
//                           or {"refused": WHY, "is_of_another_graph": true or false}, ...]}
// found: as the samples, in their order. A stage is what train/samples.h says. All schedules of one run share the graph
// of the first: those that divide other reductions are refused as of another graph, to be asked for in a run of their
// own.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "graph/divided_reduction.h"
#include "graph/stage_graph.h"
#include "machine/machine.h"

namespace cryolite {

// The divisions of the first schedule in the file. Errors: a file that cannot be read, or that has no samples.
Result<std::vector<DividedReduction>> divisions_to_count(const std::string &samples_file);

// The text of draw_file.
Result<std::string> counted_stages(const StageGraph &graph, const Machine &machine,
                                   const std::string &samples_file);

}  // namespace cryolite
