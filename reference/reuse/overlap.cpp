#include "reference/reuse/overlap.h"

#include <algorithm>
#include <cmath>

namespace cryolite::reuse {
namespace {

// Enough to see a stride of an eighth; resampling by more looks like a box that does not move.
constexpr int64_t positions_looked_at = 9;

// The loops of a stage standing in mid-range, reduction loops inside `loop` complete.
Intervals one_iteration(const Stage &stage, const Intervals &ranges, size_t loop) {
    Intervals at = ranges;
    for (size_t l = 0; l < at.size(); l++) {
        const bool runs_inside =
            stage.loops[l].is_reduction && (!stage.loops[loop].is_reduction || l < loop);
        if (l == loop || runs_inside) continue;
        at[l] = Interval::point(at[l].min + (at[l].extent() - 1) / 2);
    }
    return at;
}

// Calls visit with the loops at consecutive iterations around the middle of `loop`.
template <typename Visit>
void at_consecutive_iterations(Intervals loops, size_t loop, Visit visit) {
    const Interval range = loops[loop];
    const int64_t count = std::min(positions_looked_at, range.extent());
    const int64_t first = range.min + (range.extent() - count) / 2;
    for (int64_t k = 0; k < count; k++) {
        loops[loop] = Interval::point(first + k);
        visit(loops);
    }
}

Intervals root_ranges(const StageGraph &graph, const Stage &stage) {
    Intervals ranges(stage.loops.size());
    graph.loop_ranges(stage, graph.func(stage.func).root_region, ranges);
    return ranges;
}

bool walks_point_by_point(const StageGraph &graph, const Func &func, int dim) {
    return std::all_of(func.stages.begin(), func.stages.end(), [&](StageId s) {
        const std::vector<StageLoop> &loops = graph.stage(s).loops;
        return std::any_of(loops.begin(), loops.end(), [&](const StageLoop &loop) {
            return loop.func_dim == dim && !loop.is_reduction;
        });
    });
}

int the_dim_that_moves(const Motion &motion) {
    int dim = -1;
    for (size_t d = 0; d < motion.step.size(); d++) {
        if (motion.step[d] == 0) continue;
        if (dim >= 0) return -1;
        dim = static_cast<int>(d);
    }
    return dim;
}

}  // namespace

Motion motion_of(const std::vector<Box> &boxes) {
    Motion m;
    if (boxes.empty()) return m;
    const size_t dims = boxes.front().size();
    m.step.resize(dims);
    m.extent.resize(dims);
    for (size_t d = 0; d < dims; d++) {
        for (const Box &b : boxes) m.extent[d] = std::max(m.extent[d], b[d].extent());
        if (boxes.size() < 2) continue;
        const int64_t by_min = boxes.back()[d].min - boxes.front()[d].min;
        const int64_t by_max = boxes.back()[d].max - boxes.front()[d].max;
        // A box that only grows at one end moves as fast as that end.
        const int64_t by = std::max(std::abs(by_min), std::abs(by_max));
        m.step[d] = static_cast<double>(by) / static_cast<double>(boxes.size() - 1);
        m.moves |= by != 0;
        m.forward &= by_min >= 0 && by_max >= 0;
    }
    return m;
}

std::vector<Overlap> overlaps(const StageGraph &graph, const Edge &edge) {
    const Stage &stage = graph.stage(edge.consumer);
    const Intervals ranges = root_ranges(graph, stage);
    const Box &whole = graph.func(edge.producer).root_region;
    std::vector<Overlap> found;
    for (size_t l = 0; l < ranges.size(); l++) {
        if (ranges[l].extent() < 2) continue;
        std::vector<Box> boxes;
        at_consecutive_iterations(one_iteration(stage, ranges, l), l, [&](const auto &loops) {
            Box box(whole.size());
            edge.region.evaluate(loops, box);
            for (size_t d = 0; d < box.size(); d++) {
                if (RegionExpression::is_unbounded(box[d].min)) box[d].min = whole[d].min;
                if (RegionExpression::is_unbounded(box[d].max)) box[d].max = whole[d].max;
            }
            graph.include_self_accesses(graph.func(edge.producer), box);
            boxes.push_back(std::move(box));
        });
        const Motion motion = motion_of(boxes);
        Overlap o{static_cast<int>(l), 0, static_cast<double>(ranges[l].extent() - 1), false};
        if (!motion.moves) {
            o.full = true;
            o.points = 1;
            for (int64_t e : motion.extent) o.points *= static_cast<double>(e);
            found.push_back(o);
            continue;
        }
        bool first = true;
        for (size_t d = 0; d < motion.step.size(); d++) {
            const double step = motion.step[d];
            if (step == 0) continue;
            const double v = std::max(0.0, static_cast<double>(motion.extent[d]) - step);
            o.points = first ? v : std::min(o.points, v);
            o.iterations = std::min(o.iterations, v / step);
            first = false;
        }
        if (o.points > 0) found.push_back(o);
    }
    return found;
}

std::vector<MemberOverlaps> member_overlaps(const SegmentRegions &regions) {
    const StageGraph &graph = regions.graph();
    const Segment &segment = regions.segment();
    const Stage &driver = graph.stage(segment.driver);
    const Intervals ranges = root_ranges(graph, driver);

    // motion[loop][member]: how one iteration's box of the member moves along a loop of the driver.
    std::vector<std::vector<Motion>> motion(ranges.size());
    SegmentRegions::Walk walk(regions);
    for (size_t l = 0; l < ranges.size(); l++) {
        std::vector<std::vector<Box>> boxes(regions.num_members());
        at_consecutive_iterations(one_iteration(driver, ranges, l), l, [&](const auto &loops) {
            regions.walk_all(walk, loops);
            for (size_t i = 0; i < boxes.size(); i++) boxes[i].push_back(walk.box(i));
        });
        for (const std::vector<Box> &b : boxes) motion[l].push_back(motion_of(b));
    }

    std::vector<MemberOverlaps> all(regions.num_members());
    for (size_t i = 0; i < all.size(); i++) {
        std::vector<DriverOverlap> along(ranges.size());
        for (EdgeId e : regions.func(i).outgoing) {
            const Stage &reader = graph.stage(graph.edge(e).consumer);
            const int reader_local = regions.local(reader.func);
            const bool is_driver = reader.id == segment.driver;
            if (!is_driver && (reader_local < 0 || static_cast<size_t>(reader_local) >= all.size()))
                continue;
            for (const Overlap &o : overlaps(graph, graph.edge(e))) {
                all[i].any = true;
                const auto note = [&](size_t l, double iterations) {
                    along[l].iterations = std::max(along[l].iterations, iterations);
                    along[l].full |= o.full;
                };
                if (is_driver) {
                    note(static_cast<size_t>(o.loop), o.iterations);
                    continue;
                }
                const int dim = reader.loops[static_cast<size_t>(o.loop)].func_dim;
                if (dim < 0) continue;
                for (size_t l = 0; l < ranges.size(); l++) {
                    const Motion &m = motion[l][static_cast<size_t>(reader_local)];
                    const double speed = m.step[static_cast<size_t>(dim)];
                    if (speed > 0) note(l, o.iterations / speed);
                }
            }
        }
        for (size_t l = 0; l < along.size(); l++) {
            const int dim = the_dim_that_moves(motion[l][i]);
            all[i].moved_dim.push_back(dim);
            if (along[l].iterations <= 0) continue;
            along[l].loop = static_cast<int>(l);
            along[l].iterations =
                std::min(along[l].iterations, static_cast<double>(ranges[l].extent() - 1));
            along[l].slides = dim >= 0 && motion[l][i].forward &&
                              walks_point_by_point(graph, regions.func(i), dim);
            all[i].along.push_back(along[l]);
        }
    }
    return all;
}

}  // namespace cryolite::reuse
