#include "reference/autogpu/nested_fusion.h"

#include <algorithm>
#include <set>

namespace cryolite::gpu {
namespace {

class Nesting {
public:
    Nesting(const reuse::SegmentRegions &regions, const GroupShape &shape, const GroupCost &cost,
            std::vector<MemberSite> &sites, const AutoGpuOptions &options)
        : regions_(regions),
          graph_(regions.graph()),
          shape_(shape),
          cost_(cost),
          sites_(sites),
          options_(options),
          walk_(regions) {}

    void run() {
        for (size_t i = 0; i < sites_.size(); i++) {
            if (sites_[i].site == Site::Shared) try_nest(i);
        }
    }

private:
    // The stages whose threads compute something that reads the member: seen through inlined
    // readers. Empty if one of them is not in the group.
    bool collect_readers(size_t member, std::set<StageId> &readers) const {
        for (EdgeId e : regions_.func(member).outgoing) {
            const Stage &reader = graph_.stage(graph_.edge(e).consumer);
            if (reader.func == regions_.segment().output) {
                readers.insert(reader.id);
                continue;
            }
            const int local = regions_.local(reader.func);
            if (local < 0 || static_cast<size_t>(local) >= sites_.size()) continue;
            if (sites_[static_cast<size_t>(local)].site == Site::Inline) {
                if (!collect_readers(static_cast<size_t>(local), readers)) return false;
            } else {
                readers.insert(reader.id);
            }
        }
        return !readers.empty();
    }

    std::set<int> thread_loops_of(const Stage &stage) const {
        if (stage.id == shape_.nest.stage) {
            return {shape_.thread_loops.begin(), shape_.thread_loops.end()};
        }
        std::set<int> loops;
        const auto local = static_cast<size_t>(regions_.local(stage.func));
        if (sites_[local].site == Site::Nested) return {};  // one thread runs all of them
        for (int d : cost_.members[local].thread_dims) {
            for (size_t l = 0; l < stage.loops.size(); l++) {
                if (d >= 0 && stage.loops[l].func_dim == d) loops.insert(static_cast<int>(l));
            }
        }
        return loops;
    }

    // The box of the member that one iteration of the reader needs, and the loops of the reader
    // along which neighbouring iterations need some of it again. Other loops stand still.
    std::set<int> overlap_dims(const Stage &reader, size_t member, Box &one_point) {
        Intervals ranges(reader.loops.size());
        graph_.loop_ranges(reader, graph_.func(reader.func).root_region, ranges);
        Intervals at = ranges;
        for (Interval &i : at) i = Interval::point(i.min + (i.extent() - 1) / 2);
        one_point = needed(reader, member, at);
        std::set<int> dims;
        for (size_t l = 0; l < ranges.size(); l++) {
            // Both neighbours: a point that is read at every other one is shared with one of them.
            for (int64_t by : {-1, 1}) {
                Intervals neighbour = at;
                neighbour[l] = Interval::point(at[l].min + by);
                if (!ranges[l].contains(neighbour[l])) continue;
                const Box there = needed(reader, member, neighbour);
                bool shares = true;
                for (size_t d = 0; d < there.size(); d++) {
                    shares &= std::max(there[d].min, one_point[d].min) <=
                              std::min(there[d].max, one_point[d].max);
                }
                if (shares) dims.insert(static_cast<int>(l));
            }
        }
        return dims;
    }

    Box needed(const Stage &reader, size_t member, const Intervals &loops) {
        walk_.clear();
        walk_.stage_runs(reader.id, loops);
        for (size_t i = 0; i < member; i++) {
            if (sites_[i].site == Site::Inline && walk_.needed(i)) {
                walk_.member_computes(i, walk_.box(i));
            }
        }
        return walk_.finish(member);
    }

    void try_nest(size_t member) {
        std::set<StageId> readers;
        if (!collect_readers(member, readers) || readers.size() != 1) return;
        const Stage &reader = graph_.stage(*readers.begin());
        const std::set<int> threads = thread_loops_of(reader);
        Box one_point;
        const std::set<int> overlap = overlap_dims(reader, member, one_point);
        // Serial loops are inside the threads, in the order of Stage::loops, innermost first.
        int loop = -1;
        for (size_t l = 0; l < reader.loops.size(); l++) {
            const int here = static_cast<int>(l);
            if (!overlap.contains(here)) continue;
            if (threads.contains(here)) return;
            loop = here;
        }
        const int above = next_outward(reader, threads, loop);
        if (above < 0) return;
        const MemberSite nested{Site::Nested, reader.id, above};
        Box per_thread = one_point;
        if (loop >= 0) per_thread = box_in(reader, member, threads, above);
        const double bytes = points(per_thread) * regions_.func(member).bytes_per_point();
        if (bytes > static_cast<double>(options_.nested_bytes_per_thread)) return;
        sites_[member] = nested;
    }

    // The serial loop around `loop`, or the innermost thread loop. loop -1: the innermost of all.
    // -1 if there is none.
    int next_outward(const Stage &reader, const std::set<int> &threads, int loop) const {
        for (int l = loop + 1; l < static_cast<int>(reader.loops.size()); l++) {
            if (!threads.contains(l)) return l;
        }
        if (threads.empty()) return -1;
        if (reader.id == shape_.nest.stage) return shape_.thread_loops[0];
        const auto local = static_cast<size_t>(regions_.local(reader.func));
        for (int d : cost_.members[local].thread_dims) {
            for (int l : threads) {
                if (reader.loops[static_cast<size_t>(l)].func_dim == d) return l;
            }
        }
        return *threads.begin();
    }

    Box box_in(const Stage &reader, size_t member, const std::set<int> &threads, int at) {
        Intervals loops(reader.loops.size());
        graph_.loop_ranges(reader, graph_.func(reader.func).root_region, loops);
        for (size_t l = 0; l < loops.size(); l++) {
            const int here = static_cast<int>(l);
            const bool inside = !threads.contains(here) && (threads.contains(at) || here < at);
            if (!inside) loops[l] = Interval::point(loops[l].min + (loops[l].extent() - 1) / 2);
        }
        return needed(reader, member, loops);
    }

    const reuse::SegmentRegions &regions_;
    const StageGraph &graph_;
    const GroupShape &shape_;
    const GroupCost &cost_;
    std::vector<MemberSite> &sites_;
    const AutoGpuOptions &options_;
    reuse::SegmentRegions::Walk walk_;
};

}  // namespace

bool has_severe_requirements(const GroupCost &cost, const GpuDevice &device) {
    return cost.limited_by == OccupancyLimit::SharedMemory ||
           2 * cost.threads_per_block > device.limits.threads_per_block;
}

std::vector<MemberSite> nest_stages(const reuse::SegmentRegions &regions, const GroupShape &shape,
                                    const GroupCost &cost, std::vector<MemberSite> sites,
                                    const AutoGpuOptions &options) {
    Nesting(regions, shape, cost, sites, options).run();
    return sites;
}

}  // namespace cryolite::gpu
