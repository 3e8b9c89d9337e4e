// AutoGPU: groups, tiles, blocks and threads for a whole pipeline (thesis, section 6.4), as plain
// data from which a later step makes actions.
#pragma once

#include <string>
#include <vector>

#include "reference/autogpu/group_cost.h"
#include "reference/reuse/segment.h"

namespace cryolite::gpu {

struct GroupPlan {
    reuse::Segment segment;  // the output and the members, readers first
    // With the tile sizes chosen. Loops that are no threads are serial, to be unrolled where they
    // are short and constant.
    GroupShape shape;
    std::vector<MemberSite> sites;  // as Segment::members
    GroupCost cost;                 // block and thread extents, shared memory, occupancy
    // Other stages of the output (an initial value, further updates) are kernels of their own with
    // the same tile along the same dimensions. An extern stage or one scheduled by the user is left
    // alone.
    bool left_alone = false;
};

struct GpuPlan {
    std::vector<GroupPlan> groups;  // consumers first
    double total = 0;
    size_t groups_evaluated = 0;
};

enum class NestedFusion : uint8_t { Never, WhereSevere, Always };

// 1. Trivial Funcs are inlined, and those that their only reader reads pointwise.
// 2. Every other Func is a group; the merge of a group into the one that reads it that saves most
//    is made, with the Func in shared memory or inlined, until none saves anything. Tiles are powers
//    of two.
//    (The text inlines by cost in a pass before merging; both are weighed here at once.)
// 3. Every group's tile is chosen again, in steps of two and in whole warps.
// 4. Nested fusion, and the tile once more for the resources that this frees.
//
// Always a plan: wasteful configurations (group_cost.h) are taken only where there are no others.
GpuPlan plan_for_gpu(const StageGraph &graph, const GpuDevice &device,
                     const AutoGpuOptions &options,
                     NestedFusion nested = NestedFusion::WhereSevere);

// As people read it, a line per Func.
std::string to_text(const StageGraph &graph, const GpuPlan &plan);

}  // namespace cryolite::gpu
