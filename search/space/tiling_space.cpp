#include "search/space/tiling_space.h"

#include <algorithm>

#include "code/kernel/channels.h"
#include "schedule/func_nest.h"
#include "search/plain_schedule.h"
#include "search/reads/packed_reads.h"
#include "search/reads/scanned_rows.h"
#include "search/space/choices.h"
#include "search/space/row_taps.h"

namespace cryolite {
namespace {

// Whether the Func sums up products with a factor that may be packed.
bool is_product(const StageGraph &graph, FuncId f) {
    for (StageId s : graph.func(f).stages)
        for (EdgeId e : graph.stage(s).incoming)
            if (is_worth_packing(graph, graph.func(graph.edge(e).producer))) return true;
    return false;
}

bool sums_up(const StageGraph &graph, FuncId f) {
    return std::ranges::any_of(graph.func(f).stages, [&](StageId s) {
        return std::ranges::any_of(graph.stage(s).loops, &StageLoop::is_reduction);
    });
}

bool has_deciding_loops(const Stage &stage) {
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (decides_copies(stage, l)) return true;
    return false;
}

double points_of(const Intervals &ranges) {
    double points = 1;
    for (const Interval &i : ranges) points *= static_cast<double>(i.extent());
    return points;
}

// Points of the largest stage of a Func that only this one reads, so that it may be computed inside of its loops: a few
// sums may each be of a whole image.
double points_inside(const StageGraph &graph, const Func &func) {
    double most = 0;
    for (StageId reader : func.stages)
        for (EdgeId e : graph.stage(reader).incoming) {
            const Func &producer = graph.func(graph.edge(e).producer);
            if (!graph.only_feeds(producer.id, func.id)) continue;
            for (StageId id : producer.stages) {
                Intervals ranges(graph.stage(id).loops.size());
                graph.loop_ranges(graph.stage(id), producer.root_region, ranges);
                most = std::max(most, points_of(ranges));
            }
        }
    return most;
}

}  // namespace

TilingSpace::TilingSpace(const LoopNest &loops, FuncId id, const Machine &of)
    : graph(loops.graph()),
      func(graph.func(id)),
      nest(loops.at(id)),
      machine(of),
      order(loops.storage_order(id)) {
    transposed_read = cryolite::transposed_read(graph, func);
    if (const std::optional<int> rows = cryolite::source_row_dim(graph, func);
        rows && nest.placement == Placement::At && *rows != order[0])
        source_row_dim = rows;
    // What is stored across its rows for the sake of its scans is read by rows first.
    if (nest.placement == Placement::At && !order.empty() && order[0] != func.storage_order[0] &&
        dim_across_scans(graph, func))
        source_row_dim = func.storage_order[0];
    colours = interleaved_colours(func);
    for (const StageNest &s : nest.stages) points = std::max(points, points_of(s.range));
    has_reduction = sums_up(graph, id);
    if (nest.placement == Placement::Root && points < parallel_threshold_points)
        points = std::max(points, points_inside(graph, func));
    holds_sums = has_reduction;
    for (const StageNest &s : nest.stages)
        for (EdgeId e : graph.stage(s.stage).incoming) {
            const FuncId producer = graph.edge(e).producer;
            if (producer == id) continue;
            reads_product |= is_product(graph, producer);
            holds_sums |= graph.only_feeds(producer, id) && sums_up(graph, producer);
        }

    for (const StageNest &s : nest.stages)
        for (size_t l = 0; l < s.range.size(); l++)
            has_channels |= walks_all_channels(graph.stage(s.stage), s.range, l);
    if (std::ranges::any_of(func.stages,
                            [&](StageId s) { return has_deciding_loops(graph.stage(s)); }))
        unrolled_reductions.push_back(TilingTemplate::Unrolled::Deciding);
    for (StageId s : func.stages) {
        has_steps =
            has_steps || std::ranges::any_of(graph.stage(s).loops, &StageLoop::race_free_in_order);
        const auto loop = cryolite::row_taps(graph, graph.stage(s));
        row_taps.push_back(loop ? static_cast<int>(*loop) : -1);
    }
}

}  // namespace cryolite
