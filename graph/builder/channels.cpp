#include "graph/builder/channels.h"

#include <algorithm>

namespace cryolite {
namespace {

// The coefficients of a 4 x 4 transform, or the directions of a lattice. Copies of more channels would be long code.
constexpr int64_t most_channels = 16;

// The channels that one access needs, if they are known.
std::optional<Interval> needed_by(const IndexMap &index, const Stage &reader) {
    if (const std::optional<int64_t> value = constant_index(index)) return Interval{*value, *value};
    for (size_t l = 0; l < reader.loops.size(); l++)
        if (is_loop(index, l) && reader.loops[l].channels > 0)
            return Interval{0, reader.loops[l].channels - 1};
    return std::nullopt;
}

bool is_decided_by(const std::vector<float> &kept_share, size_t loop) {
    return !kept_share.empty() && kept_share[loop] < 1;
}

bool decides(const Stage &stage, size_t loop, const std::vector<Func> &funcs,
             const std::vector<Stage> &stages, const std::vector<Edge> &edges) {
    for (const OperationGroup &g : stage.operation_groups)
        if (is_decided_by(g.kept_share, loop)) return true;
    for (EdgeId e : stage.incoming) {
        const Edge &edge = edges[e.index()];
        const Func &producer = funcs[edge.producer.index()];
        for (const Access &a : edge.accesses) {
            if (is_decided_by(a.kept_share, loop)) return true;
            if (edge.is_self || !producer.can_inline) continue;
            for (const StageLoop &theirs : stages[producer.stages[0].index()].loops)
                if (theirs.channels == stage.loops[loop].channels &&
                    is_loop(a.index[static_cast<size_t>(theirs.func_dim)], loop))
                    return true;
        }
    }
    return false;
}

}  // namespace

int64_t channels_of(const Func &func, size_t dim, const std::vector<Stage> &readers,
                    const std::vector<Edge> &edges, const std::optional<Interval> &estimate) {
    std::optional<Interval> needed = estimate;
    if (func.is_output() && !estimate) return 0;
    for (EdgeId e : func.outgoing) {
        const Edge &edge = edges[e.index()];
        if (edge.accesses.empty()) return 0;
        for (const Access &a : edge.accesses) {
            const auto of_access = needed_by(a.index[dim], readers[edge.consumer.index()]);
            if (!of_access) return 0;
            needed = needed ? hull(*needed, *of_access) : *of_access;
        }
    }
    return needed && needed->min == 0 && needed->max > 0 && needed->max < most_channels
               ? needed->extent()
               : 0;
}

void keep_deciding_channels(const std::vector<Func> &funcs, std::vector<Stage> &stages,
                            const std::vector<Edge> &edges) {
    // Producers come after their readers.
    for (size_t f = funcs.size(); f-- > 0;)
        for (StageId s : funcs[f].stages) {
            Stage &stage = stages[s.index()];
            for (size_t l = 0; l < stage.loops.size(); l++)
                if (stage.loops[l].channels > 0 && !decides(stage, l, funcs, stages, edges))
                    stage.loops[l].channels = 0;
        }
}

}  // namespace cryolite
