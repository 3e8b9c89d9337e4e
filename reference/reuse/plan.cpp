#include "reference/reuse/plan.h"

#include <algorithm>
#include <sstream>

namespace cryolite::reuse {
namespace {

// "Final optimizations" of section 5.4: least strides innermost; kernels inside, long reductions
// outside; the dimension that the compute level walks outermost, where it iterates about once.
StageLoops loops_of(const StageGraph &graph, StageId id, int outermost_dim,
                    const CacheBudget &machine, const Options &options) {
    const Stage &stage = graph.stage(id);
    const Func &func = graph.func(stage.func);
    const bool reductions_keep_order =
        std::any_of(stage.loops.begin(), stage.loops.end(),
                    [](const StageLoop &l) { return l.is_reduction && !l.reorderable; });
    const auto rank = [&](int l) -> int {
        const StageLoop &loop = stage.loops[static_cast<size_t>(l)];
        const int dims = static_cast<int>(func.dims.size());
        if (loop.is_reduction) {
            const bool few = loop.range.extent() <= options.few_iterations;
            return few && !reductions_keep_order ? -1 : dims + 1;
        }
        if (loop.func_dim == outermost_dim) return dims + 2;
        const auto at =
            std::find(func.storage_order.begin(), func.storage_order.end(), loop.func_dim);
        return static_cast<int>(at - func.storage_order.begin());
    };
    StageLoops out{id, {}, -1, 1, -1};
    for (size_t l = 0; l < stage.loops.size(); l++) out.order.push_back(static_cast<int>(l));
    std::stable_sort(out.order.begin(), out.order.end(),
                     [&](int a, int b) { return rank(a) < rank(b); });
    for (int l : out.order) {
        const StageLoop &loop = stage.loops[static_cast<size_t>(l)];
        if (loop.is_reduction || !loop.vectorizable) continue;
        const int64_t extent = func.root_region[static_cast<size_t>(loop.func_dim)].extent();
        if (extent < 2) continue;
        const int64_t lanes =
            std::max(1, machine.vector_bytes / std::max(1, func.bytes_per_point()));
        out.vector_loop = l;
        out.vector_width = std::min(lanes, extent);
        break;
    }
    return out;
}

StageLoops loops_at_root(const StageGraph &graph, StageId id, const CacheBudget &machine,
                         const Options &options) {
    StageLoops out = loops_of(graph, id, -1, machine, options);
    if (!out.order.empty()) {
        const int outermost = out.order.back();
        const StageLoop &loop = graph.stage(id).loops[static_cast<size_t>(outermost)];
        if (loop.parallelizable && outermost != out.vector_loop) out.parallel_loop = outermost;
    }
    return out;
}

SegmentPlan plan_of(const StageGraph &graph, TiledSegment tiled, const CacheBudget &machine,
                    const Options &options) {
    SegmentPlan plan;
    const Func &output = graph.func(tiled.segment.output);
    plan.left_alone = output.locked || output.enclosed || output.is_extern;
    for (StageId s : output.stages) {
        if (s != tiled.segment.driver) {
            plan.other_stages.push_back(loops_at_root(graph, s, machine, options));
        }
    }
    for (size_t i = 0; i < tiled.segment.members.size(); i++) {
        const StageLevels &levels = tiled.levels[i];
        MemberPlan m{tiled.segment.members[i], levels, tiled.cost.members[i].slides, {}};
        if (!levels.inlined) {
            int dim = -1;
            if (levels.compute < tiled.nest.root_level()) {
                const int loop = tiled.nest.order[static_cast<size_t>(levels.compute)].loop;
                dim = tiled.overlaps[i].moved_dim[static_cast<size_t>(loop)];
            }
            for (StageId s : graph.func(m.func).stages) {
                m.stages.push_back(loops_of(graph, s, dim, machine, options));
            }
        }
        plan.members.push_back(std::move(m));
    }
    plan.tiled = std::move(tiled);
    return plan;
}

std::string level_text(const StageGraph &graph, const TiledNest &nest, int level) {
    if (level >= nest.root_level()) return "root";
    const TiledLoop &at = nest.order[static_cast<size_t>(level)];
    const Stage &stage = graph.stage(nest.stage);
    return stage.loops[static_cast<size_t>(at.loop)].name + (at.between_tiles ? ".tile" : "");
}

}  // namespace

Plan plan_by_reuse(const StageGraph &graph, const CacheBudget &machine, const Options &options) {
    Plan plan;
    Splitter splitter(graph, machine, options);
    for (const Segment &segment : segments_between(graph, {})) {
        std::vector<Segment> parts{segment};
        if (splitter.analyse(segment) == nullptr) {
            parts = split_at(graph, segment, read_more_than_once(graph, segment));
        }
        for (const Segment &part : parts) {
            for (const TiledSegment &tiled : splitter.split(part)) {
                plan.total += tiled.cost.total;
                plan.segments.push_back(plan_of(graph, tiled, machine, options));
            }
        }
    }
    std::sort(plan.segments.begin(), plan.segments.end(),
              [](const SegmentPlan &a, const SegmentPlan &b) {
                  return a.tiled.segment.output < b.tiled.segment.output;
              });
    plan.segments_analysed = splitter.num_analysed();
    return plan;
}

std::string to_text(const StageGraph &graph, const Plan &plan) {
    std::ostringstream out;
    for (const SegmentPlan &s : plan.segments) {
        const TiledNest &nest = s.tiled.nest;
        out << graph.func(s.tiled.segment.output).name << ":";
        for (size_t p = nest.order.size(); p-- > 0;) {
            const int level = static_cast<int>(p);
            if (nest.extent(level) < 2) continue;
            out << " " << level_text(graph, nest, level) << "(" << nest.extent(level);
            if (level == nest.parallel_level) out << " parallel";
            if (level == nest.vector_level) out << " x " << nest.vector_width << " lanes";
            out << ")";
        }
        out << "\n";
        for (const MemberPlan &m : s.members) {
            out << "  " << graph.func(m.func).name;
            if (m.levels.inlined) {
                out << " inlined\n";
                continue;
            }
            out << " computed at " << level_text(graph, nest, m.levels.compute) << ", stored at "
                << level_text(graph, nest, m.levels.store) << (m.slides ? ", slides\n" : "\n");
        }
    }
    return out.str();
}

}  // namespace cryolite::reuse
