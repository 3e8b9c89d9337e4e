#include "reference/reuse/segment.h"

#include <algorithm>
#include <set>

namespace cryolite::reuse {
namespace {

bool is_left_alone(const Func &f) { return f.locked || f.enclosed || f.is_extern; }

}  // namespace

StageId driver_of(const StageGraph &graph, FuncId output) {
    StageId of_inputs = graph.func(output).stages.front();
    for (auto s = graph.func(output).stages.rbegin(); s != graph.func(output).stages.rend(); ++s) {
        for (EdgeId e : graph.stage(*s).incoming) {
            const Edge &edge = graph.edge(e);
            if (edge.is_self) continue;
            if (!graph.func(edge.producer).is_input()) return *s;
            of_inputs = std::max(of_inputs, *s);
        }
    }
    return of_inputs;
}

bool must_be_stored(const StageGraph &graph, FuncId f) {
    const Func &func = graph.func(f);
    if (func.is_output() || func.root_only || is_left_alone(func)) return true;
    return std::any_of(func.outgoing.begin(), func.outgoing.end(), [&](EdgeId e) {
        return is_left_alone(graph.func_of(graph.edge(e).consumer));
    });
}

bool is_trivial(const StageGraph &graph, FuncId f) {
    const Func &func = graph.func(f);
    if (func.is_trivial) return true;
    if (func.stages.size() != 1) return false;
    const Stage &stage = graph.stage(func.stages[0]);
    double loaded_bytes = 0;
    for (EdgeId e : stage.incoming) {
        const Edge &edge = graph.edge(e);
        for (const Access &a : edge.accesses) {
            const auto value = static_cast<size_t>(a.value);
            loaded_bytes += a.count * graph.func(edge.producer).values[value].bytes();
        }
    }
    const auto values = static_cast<double>(func.values.size());
    return stage.ops.total() <= values && loaded_bytes <= func.bytes_per_point();
}

bool is_always_inlined(const StageGraph &graph, FuncId f) {
    const Func &func = graph.func(f);
    if (func.is_input() || must_be_stored(graph, f)) return false;
    return func.inline_only || (func.can_inline && is_trivial(graph, f));
}

std::vector<Segment> segments_between(const StageGraph &graph, std::span<const FuncId> cut) {
    const size_t n = graph.num_scheduled();
    std::vector<char> ends_segment(n);
    for (FuncId f : cut) ends_segment[f.index()] = true;

    // Readers first: the stages of outputs inside whose loops a Func is computed.
    std::vector<std::set<StageId>> inside(n);
    for (size_t i = 0; i < n; i++) {
        const Func &f = graph.func(FuncId(i));
        for (EdgeId e : f.outgoing) {
            const Stage &reader = graph.stage(graph.edge(e).consumer);
            const std::set<StageId> &of_reader = inside[reader.func.index()];
            if (ends_segment[reader.func.index()]) {
                inside[i].insert(reader.id);
            } else {
                inside[i].insert(of_reader.begin(), of_reader.end());
            }
        }
        const auto drives = [&](StageId s) { return s == driver_of(graph, graph.stage(s).func); };
        const bool one_place = inside[i].size() == 1 && drives(*inside[i].begin());
        ends_segment[i] |=
            must_be_stored(graph, f.id) || (!is_always_inlined(graph, f.id) && !one_place);
    }

    std::vector<Segment> segments;
    for (size_t i = 0; i < n; i++) {
        const FuncId output(i);
        if (!ends_segment[i]) continue;
        Segment s{output, driver_of(graph, output), {}};
        for (size_t j = i + 1; j < n; j++) {
            const bool here = std::any_of(inside[j].begin(), inside[j].end(), [&](StageId at) {
                return graph.stage(at).func == output;
            });
            if (here && !ends_segment[j]) s.members.push_back(FuncId(j));
        }
        segments.push_back(std::move(s));
    }
    return segments;
}

}  // namespace cryolite::reuse
