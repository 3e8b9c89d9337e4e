#include "code/kernel/channels.h"

#include <algorithm>
#include <optional>

#include "code/kernel/kernels.h"
#include "code/kernel/periods.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// The loop of the output over so many channels.
std::optional<size_t> channel_loop(const LoopNest &nest, const Func &output, int64_t channels) {
    const Stage &stage = nest.graph().stage(output.stages[0]);
    const StageNest &loops = nest.stage_nest(stage.id);
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (stage.loops[l].channels == channels && walks_all_channels(stage, loops.range, l))
            return l;
    return std::nullopt;
}

// The numbers of channels that unrolled copies of the Func's stages want to know.
void add_wanted(const LoopNest &nest, const Func &func, std::vector<int64_t> &wanted) {
    for (StageId s : func.stages) {
        const Stage &stage = nest.graph().stage(s);
        for (const LoopLevel &l : nest.stage_nest(s).loops) {
            const auto dim = static_cast<size_t>(l.name.dim);
            if (l.kind == LoopKind::Unrolled && stage.loops[dim].channels == l.extent &&
                walks_known_channels(nest, s, dim))
                wanted.push_back(l.extent);
        }
    }
}

}  // namespace

bool walks_all_channels(const Stage &stage, const Intervals &range, size_t loop) {
    const int64_t channels = stage.loops[loop].channels;
    return channels > 0 && range[loop] == Interval{0, channels - 1};
}

bool walks_known_channels(const LoopNest &nest, StageId stage, size_t loop) {
    const StageGraph &graph = nest.graph();
    const Stage &of = graph.stage(stage);
    if (!walks_all_channels(of, nest.stage_nest(stage).range, loop)) return false;
    const Func &root = graph.func(root_of(nest, of.func));
    if (!root.is_output() || shifted_case(graph, nest.stage_nest(root.stages[0])).empty())
        return false;
    const auto of_root = channel_loop(nest, root, of.loops[loop].channels);
    return of_root && (root.id != of.func || *of_root == loop);
}

std::vector<WholePart> specialized_case(const LoopNest &nest, StageId output) {
    const Func &func = nest.graph().func_of(output);
    std::vector<WholePart> parts = shifted_case(nest.graph(), nest.stage_nest(output));
    if (parts.empty()) return parts;
    std::vector<int64_t> wanted;
    add_wanted(nest, func, wanted);
    for (FuncId f : computed_inside(nest, func.id)) add_wanted(nest, nest.graph().func(f), wanted);
    for (int64_t channels : wanted) {
        const size_t loop = *channel_loop(nest, func, channels);
        const int dim = nest.graph().stage(output).loops[loop].func_dim;
        const auto part = std::ranges::find(parts, dim, &WholePart::func_dim);
        if (part == parts.end())
            parts.push_back({dim, channels, true});
        else
            *part = {dim, channels, true};
    }
    ask_for_places(nest, func, parts);
    return parts;
}

std::vector<std::vector<WholePart>> specialized_cases(const LoopNest &nest, StageId output) {
    std::vector<std::vector<WholePart>> cases;
    std::vector<WholePart> parts = specialized_case(nest, output);
    if (parts.empty()) return cases;
    cases.push_back(parts);
    if (std::ranges::none_of(parts, &WholePart::ends_at_period)) return cases;
    for (WholePart &part : parts) part.ends_at_period = false;
    cases.push_back(std::move(parts));
    return cases;
}

}  // namespace cryolite
