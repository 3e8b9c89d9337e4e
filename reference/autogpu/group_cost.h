// What a group costs as one kernel, and whether it can run: listing 6.1 of the thesis.
#pragma once

#include <vector>

#include "analytical/gpu/occupancy.h"
#include "reference/autogpu/group.h"
#include "reference/reuse/segment_regions.h"

namespace cryolite::gpu {

enum class CostPhase : uint8_t {
    Grouping,     // which groups to merge: the sum of both costs
    FinalTiling,  // memory costs shared among active threads too, and whole warps demanded
};

struct MemberUse {
    Box box;                                     // of one block (Shared) or of one thread (Nested)
    std::array<int, 3> thread_dims{-1, -1, -1};  // as group.h's; only Shared
    int threads = 0;                             // of a block that compute it
    int64_t shared_bytes = 0;
};

struct GroupCost {
    // Broken: the kernel cannot be launched (listing 6.1, lines 36 and 37).
    bool can_launch = true;
    // Wasteful, which the listing rejects as well. They are told apart because a small pipeline may
    // have nothing better: 4 occupancy below the threshold; 2 fewer blocks than SMs; 1 threads that
    // are no multiple of a warp (final tiling).
    int waste = 0;
    double cost = 0;  // in operations of one thread; the lower the better

    double arithmetic = 0, memory = 0;      // as listing 6.1 has them, over all blocks
    std::array<int64_t, 3> block{1, 1, 1};  // threads in x, y, z: the most that any stage needs
    int64_t threads_per_block = 1;          // their product
    double blocks = 1;
    int64_t shared_bytes = 0;  // footprint: what the Shared members store
    int registers = 0;         // estimated, per thread
    double occupancy = 1;      // these three: the least of all stages
    int active_threads = 0;
    int active_sms = 0;
    OccupancyLimit limited_by = OccupancyLimit::CannotLaunch;
    std::vector<MemberUse> members;
};

class GroupModel {
public:
    // shape: of the group's driving stage.
    GroupModel(const reuse::SegmentRegions &regions,
               const std::vector<reuse::MemberOverlaps> &overlaps, const GroupShape &shape,
               const GpuDevice &device, const AutoGpuOptions &options);

    // The tile along each of shape.thread_loops; the members' sites, as Segment::members.
    GroupCost evaluate(const std::vector<int64_t> &tile, const std::vector<MemberSite> &sites,
                       CostPhase phase);

private:
    // Of one point of a stage: what it computes and loads, inlined and nested Funcs included.
    struct Work {
        double operations = 0, memory = 0;
    };
    void work_per_point(const std::vector<MemberSite> &sites, GroupCost &out);
    Work work_of(StageId stage, const std::vector<MemberSite> &sites) const;
    Work nested_work(size_t member, const MemberSite &site, const std::vector<MemberSite> &sites,
                     Box &box_of_thread);
    Work work_for(const Func &func, const Box &box) const;
    double transactions_per_load(size_t producer) const;
    void add_stage(const Work &work, int threads, GroupCost &out) const;

    const reuse::SegmentRegions &regions_;
    const StageGraph &graph_;
    const std::vector<reuse::MemberOverlaps> &overlaps_;
    GroupShape shape_;
    const GpuDevice &device_;
    const AutoGpuOptions &options_;
    reuse::SegmentRegions::Walk walk_, inside_;
    std::vector<reuse::Motion> along_x_;  // per local Func: how its box moves from thread to thread
    std::vector<Work> per_point_;         // per stage of the graph
};

}  // namespace cryolite::gpu
