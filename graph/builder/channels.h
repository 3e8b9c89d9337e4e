// Pure loops over few channels, by which stages choose what to compute: red, green and blue by mux(c, ...).
#pragma once

#include <optional>
#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// How many channels the Func's dimension has: it is needed from 0 to that less 1, whatever the sizes of the others.
// 0: it is longer, or what is needed of it is not known. readers: the stages that read the Func, all of them, with
// their channels. estimate: of an output's dimension.
int64_t channels_of(const Func &func, size_t dim, const std::vector<Stage> &readers,
                    const std::vector<Edge> &edges, const std::optional<Interval> &estimate);

// Leaves StageLoop::channels only where something is chosen by them: by the stage itself (kept_share), or by a Func
// that it calls with the loop as the index and may inline.
void keep_deciding_channels(const std::vector<Func> &funcs, std::vector<Stage> &stages,
                            const std::vector<Edge> &edges);

}  // namespace cryolite
