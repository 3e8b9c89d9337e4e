// Nested fusion: the pass of listing 6.2, which moves a stage from the block level into its
// reader's threads where no value would be computed twice, so that it takes registers instead of
// shared memory.
#pragma once

#include <vector>

#include "reference/autogpu/group.h"
#include "reference/autogpu/group_cost.h"

namespace cryolite::gpu {

// Whether to try: "severe resource requirements (i.e. high number of active threads, high shared
// memory usage)". Read as: shared memory is what limits the blocks on an SM, or a block has more
// than half of the threads that it may have.
bool has_severe_requirements(const GroupCost &cost, const GpuDevice &device);

// Listing 6.2's optimize_granularity for the Shared members, the others as they are. A member goes
// to its last reader in topological order, in the body of the loop above the outermost one along
// which they overlap (max_order_reuse), which is the thread loop x if they overlap along none.
//
// Where the listing is silent: the member stays at the block level
//  - if that loop is outside of a thread loop: the values are then shared by threads;
//  - if another reader does not run inside the same loop, which would not compute;
//  - if one thread would keep more than options.nested_bytes_per_thread.
std::vector<MemberSite> nest_stages(const reuse::SegmentRegions &regions, const GroupShape &shape,
                                    const GroupCost &cost, std::vector<MemberSite> sites,
                                    const AutoGpuOptions &options);

}  // namespace cryolite::gpu
