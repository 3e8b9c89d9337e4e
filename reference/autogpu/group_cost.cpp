#include "reference/autogpu/group_cost.h"

#include <algorithm>

namespace cryolite::gpu {
namespace {

constexpr int wasteful_occupancy = 4, wasteful_blocks = 2, wasteful_warps = 1;

double extent_product(std::span<const Interval> ranges) {
    double n = 1;
    for (const Interval &i : ranges) n *= static_cast<double>(i.extent());
    return n;
}

double calls_per_point(const Edge &edge) {
    double calls = 0;
    for (const Access &a : edge.accesses) calls += a.count;
    return std::max(1.0, calls);
}

bool contains(std::span<const int> values, int v) {
    return std::find(values.begin(), values.end(), v) != values.end();
}

}  // namespace

GroupModel::GroupModel(const reuse::SegmentRegions &regions,
                       const std::vector<reuse::MemberOverlaps> &overlaps, const GroupShape &shape,
                       const GpuDevice &device, const AutoGpuOptions &options)
    : regions_(regions),
      graph_(regions.graph()),
      overlaps_(overlaps),
      shape_(shape),
      device_(device),
      options_(options),
      walk_(regions),
      inside_(regions),
      along_x_(regions.num_funcs()),
      per_point_(graph_.stages().size()) {
    if (shape_.thread_loops.empty()) return;
    // Eight threads side by side, all other loops standing still.
    const auto x = static_cast<size_t>(shape_.thread_loops[0]);
    Intervals at = shape_.nest.ranges;
    for (Interval &i : at) i = Interval::point(i.min + (i.extent() - 1) / 2);
    const Interval range = shape_.nest.ranges[x];
    const int64_t threads = std::min<int64_t>(8, range.extent());
    std::vector<std::vector<Box>> boxes(regions.num_funcs());
    for (int64_t k = 0; k < threads; k++) {
        at[x] = Interval::point(range.min + (range.extent() - threads) / 2 + k);
        regions.walk_all(walk_, at);
        for (size_t p = 0; p < boxes.size(); p++) boxes[p].push_back(walk_.box(p));
    }
    for (size_t p = 0; p < boxes.size(); p++) along_x_[p] = reuse::motion_of(boxes[p]);
}

double GroupModel::transactions_per_load(size_t p) const {
    const Func &func = regions_.func(p);
    const reuse::Motion &motion = along_x_[p];
    if (!motion.moves) return 1.0 / device_.limits.threads_per_warp;  // one address for all threads
    const auto contiguous = static_cast<size_t>(func.storage_order[0]);
    for (size_t d = 0; d < motion.step.size(); d++) {
        if (d != contiguous && motion.step[d] > 0) return 1;
    }
    const auto threads =
        static_cast<double>(shape_.nest.tile[static_cast<size_t>(shape_.thread_loops[0])]);
    const double bytes_apart = motion.step[contiguous] * func.bytes_per_point();
    return 1 / std::clamp(options_.transaction_bytes / bytes_apart, 1.0, std::max(1.0, threads));
}

GroupModel::Work GroupModel::work_for(const Func &func, const Box &box) const {
    Work w;
    for (StageId s : func.stages) {
        Intervals loops(graph_.stage(s).loops.size());
        graph_.loop_ranges(graph_.stage(s), box, loops);
        w.operations += extent_product(loops) * per_point_[s.index()].operations;
        w.memory += extent_product(loops) * per_point_[s.index()].memory;
    }
    return w;
}

GroupModel::Work GroupModel::work_of(StageId stage, const std::vector<MemberSite> &sites) const {
    Work w{std::max(1.0, graph_.stage(stage).ops.total()), 0};
    for (EdgeId e : graph_.stage(stage).incoming) {
        const Edge &edge = graph_.edge(e);
        if (edge.is_self) continue;
        const auto p = static_cast<size_t>(regions_.local(edge.producer));
        const double calls = calls_per_point(edge);
        if (p >= sites.size()) {
            w.memory += calls * options_.global_transaction * transactions_per_load(p);
        } else if (sites[p].site == Site::Inline) {
            const Work &inlined = per_point_[regions_.func(p).stages[0].index()];
            w.operations += calls * inlined.operations;
            w.memory += calls * inlined.memory;
        } else if (sites[p].site == Site::Shared) {
            w.memory += calls * options_.shared_transaction / device_.limits.threads_per_warp;
        }
    }
    return w;
}

// What one point of the stage around adds for a member nested in one of its loops.
GroupModel::Work GroupModel::nested_work(size_t member, const MemberSite &site,
                                         const std::vector<MemberSite> &sites, Box &box_of_thread) {
    const Stage &around = graph_.stage(site.inside);
    Intervals loops(around.loops.size());
    graph_.loop_ranges(around, graph_.func(around.func).root_region, loops);
    std::vector<int> threads;  // loops that are threads: one point each
    if (around.id == shape_.nest.stage) {
        threads = shape_.thread_loops;
    } else {
        const auto w = static_cast<size_t>(regions_.local(around.func));
        std::array<int, 3> dims{-1, -1, -1};
        if (sites[w].site == Site::Shared) {
            dims = thread_dims(regions_.func(w), overlaps_[w], shape_, walk_.box(w));
        }
        for (int d : dims) {
            for (size_t l = 0; l < loops.size(); l++) {
                if (d >= 0 && around.loops[l].func_dim == d) threads.push_back(static_cast<int>(l));
            }
        }
    }
    double points_served = 1;
    for (size_t l = 0; l < loops.size(); l++) {
        const int loop = static_cast<int>(l);
        const bool runs_inside =
            !contains(threads, loop) && (contains(threads, site.loop) || loop < site.loop);
        if (!runs_inside) loops[l] = Interval::point(loops[l].min + (loops[l].extent() - 1) / 2);
        points_served *= static_cast<double>(loops[l].extent());
    }
    inside_.clear();
    inside_.stage_runs(around.id, loops);
    for (size_t i = 0; i < member; i++) {
        if (sites[i].site == Site::Inline && inside_.needed(i)) {
            inside_.member_computes(i, inside_.box(i));
        }
    }
    box_of_thread = inside_.finish(member);
    Work w = work_for(regions_.func(member), box_of_thread);
    w.operations /= points_served;
    w.memory /= points_served;
    return w;
}

// Producers first.
void GroupModel::work_per_point(const std::vector<MemberSite> &sites, GroupCost &out) {
    const auto finish = [&](StageId s) {
        Work &w = per_point_[s.index()];
        w = work_of(s, sites);
        for (size_t k = 0; k < sites.size(); k++) {
            if (sites[k].site != Site::Nested || sites[k].inside != s) continue;
            const Work nested = nested_work(k, sites[k], sites, out.members[k].box);
            w.operations += nested.operations;
            w.memory += nested.memory;
        }
    };
    for (size_t i = sites.size(); i-- > 0;) {
        for (StageId s : regions_.func(i).stages) finish(s);
    }
    for (StageId s : graph_.func(regions_.segment().output).stages) finish(s);
}

void GroupModel::add_stage(const Work &work, int threads, GroupCost &out) const {
    const KernelResources kernel{static_cast<int>(out.threads_per_block), out.registers,
                                 out.shared_bytes};
    const StageActivity a = stage_activity(device_, kernel, threads, out.blocks);
    if (a.active_threads == 0) {
        out.can_launch = false;
        return;
    }
    if (a.occupancy < options_.occupancy_threshold) out.waste |= wasteful_occupancy;
    out.arithmetic +=
        thesis::arithmetic_cost(work.operations * out.blocks, a.occupancy, a.active_threads);
    out.memory += work.memory * out.blocks;
    out.occupancy = std::min(out.occupancy, a.occupancy);
    out.active_threads = std::min(out.active_threads, a.active_threads);
    out.active_sms = std::min(out.active_sms, a.active_sms);
}

GroupCost GroupModel::evaluate(const std::vector<int64_t> &tile,
                               const std::vector<MemberSite> &sites, CostPhase phase) {
    const GpuLimits &limits = device_.limits;
    GroupCost out;
    out.members.resize(sites.size());
    double own_threads = 1;
    for (size_t j = 0; j < tile.size(); j++) {
        const auto l = static_cast<size_t>(shape_.thread_loops[j]);
        shape_.nest.tile[l] = tile[j];
        out.block[j] = tile[j];
        out.blocks *= static_cast<double>((shape_.nest.ranges[l].extent() + tile[j] - 1) / tile[j]);
        own_threads *= static_cast<double>(tile[j]);
    }
    const Intervals of_block = shape_.nest.iteration(shape_.nest.tile_level());
    regions_.walk_all(walk_, of_block);
    work_per_point(sites, out);

    for (size_t i = 0; i < sites.size(); i++) {
        if (sites[i].site != Site::Shared) continue;
        const Func &func = regions_.func(i);
        MemberUse &use = out.members[i];
        use.box = walk_.box(i);
        use.thread_dims = thread_dims(func, overlaps_[i], shape_, use.box);
        double threads = 1;
        for (size_t j = 0; j < use.thread_dims.size(); j++) {
            if (use.thread_dims[j] < 0) continue;
            const int64_t extent = use.box[static_cast<size_t>(use.thread_dims[j])].extent();
            out.block[j] = std::max(out.block[j], extent);
            threads *= static_cast<double>(extent);
        }
        use.threads = static_cast<int>(std::min(threads, 1e9));
        const double bytes = points(use.box) * func.bytes_per_point();
        use.shared_bytes = static_cast<int64_t>(std::min(bytes, 1e15));
        out.shared_bytes += use.shared_bytes;
    }
    double threads = 1;
    for (size_t j = 0; j < 3; j++) {
        threads *= static_cast<double>(out.block[j]);
        out.can_launch &= out.block[j] <= max_block_extent[j];
    }
    out.threads_per_block = static_cast<int64_t>(std::min(threads, 1e15));
    out.can_launch &= out.threads_per_block <= limits.threads_per_block &&
                      out.shared_bytes <= device_.shared_bytes_per_block;
    if (!out.can_launch) return out;

    const int block_threads = static_cast<int>(out.threads_per_block);
    out.registers = estimate_registers(limits, block_threads, device_.register_cap);
    out.limited_by = occupancy(limits, {block_threads, out.registers, out.shared_bytes}).limited_by;
    out.active_threads = limits.threads_per_block;
    out.active_sms = device_.sm_count;
    for (size_t i = 0; i < sites.size(); i++) {
        if (sites[i].site != Site::Shared) continue;
        add_stage(work_for(regions_.func(i), out.members[i].box), out.members[i].threads, out);
    }
    Work own = per_point_[shape_.nest.stage.index()];
    own.operations *= extent_product(of_block);
    own.memory *= extent_product(of_block);
    add_stage(own, static_cast<int>(own_threads), out);

    if (out.active_sms < device_.sm_count) out.waste |= wasteful_blocks;
    if (phase == CostPhase::FinalTiling && block_threads % limits.threads_per_warp != 0) {
        out.waste |= wasteful_warps;
    }
    out.cost =
        phase == CostPhase::FinalTiling
            ? thesis::group_cost(out.arithmetic, out.memory, out.occupancy, out.active_threads)
            : out.arithmetic + out.memory;
    return out;
}

}  // namespace cryolite::gpu
