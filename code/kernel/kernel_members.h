// The Funcs of a kernel: the loops around each Func, the box that one iteration of them computes, and its storage.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "code/kernel/loop_stack.h"
#include "code/regions/regions.h"
#include "code/stage/expanded_stage.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// What a Func needs in the first and in the last iteration of all loops around it, where a mirror may need the whole
// image. Known where StageGraph::regions_grow_at_ends, but not at root.
struct LoopEnds {
    std::array<Box, 2> boxes;
    double share = 0;  // of the productions, that stands at one end
    double growth =
        1;  // points of an average production over those of one in mid-range; at least 1
};

// A Func of the kernel.
struct Member {
    const FuncNest *nest = nullptr;
    int compute_loop = -1;  // id; -1: root
    int store_loop = -1;
    int first_loop = 0;        // id of the first loop of its first stage; the others follow
    LoopStack chain;           // loops around the Func, outermost first
    size_t storage_depth = 0;  // number of chain loops around its storage; all if stored at root
    // [p]: its region over one run of chain loop p; back(): compute region.
    std::vector<Box> chain_boxes;
    LoopEnds ends;
    double allocated_bytes = 0;
    bool folded = false;  // a window that Halide stores no longer than is needed at once
    bool shared = false;  // FoldedWindow::shared (window_folding.h)
    // Points of an average production over those of one in mid-range. A window is filled before it slides. Funcs inside
    // a window's loops are computed for the filling as well, and so is what a window at the same loop reads. It holds
    // LoopEnds::growth, too.
    double fill = 1;
    double own_fill = 1;  // the part of it that comes from windows at the Func's own loop

    // Whether all of it is written once, as a Func at root or a companion is. What is computed in a loop otherwise is
    // written in the same storage in every iteration.
    bool is_written_once() const { return compute_loop < 0 || nest->is_companion; }

    // How often its storage is allocated during a run.
    double times_allocated() const {
        double times = 1;
        for (size_t p = 0; store_loop >= 0 && p < storage_depth; p++)
            times *= chain[p].iterations();
        return times;
    }
};

using Members = FlatMap<FuncId, Member>;

// Position of the loop of a stage that gets more iterations by Member::fill.
size_t filling_loop(const Stage &stage, const FuncNest &func, const StageNest &nest);

double box_bytes(const Func &func, const Box &box);

class KernelMembers {
public:
    // members: the root Func first, then the Funcs computed inside it, in id order.
    KernelMembers(const StageGraph &graph, StageExpander &expander, const LoopNest &nest,
                  std::span<const FuncId> members);

    const Members &all() const { return members_; }
    const Member &at(FuncId f) const { return members_.at(f); }
    // Number of loops of all stages. Loop ids start at 0.
    size_t num_loops() const { return num_loops_; }
    // Number of stages of all members.
    size_t num_stages() const { return num_stages_; }

private:
    int loop_id(LoopName name) const;
    // The regions that one iteration of a loop needs. id: of the loop.
    IterationRegions &regions_in(int id, LoopName loop);
    void add_member(FuncId f);
    void add_chain(Member &m, const Func &func);
    void add_ends(Member &m, const Func &func);
    // Member::own_fill. Its readers are members already.
    void add_fill(Member &m, const Func &func);
    // Member::own_fill of the Funcs in a loop; of those further inside, that of their readers.
    using Fills = std::vector<std::pair<FuncId, double>>;
    // That of a Func in the loop that has no window: Halide starts the loop earlier to fill the windows, and all that
    // they read is computed in these iterations, too.
    double fill_by_readers(const Fills &readers, FuncId f) const;

    const StageGraph &graph_;
    StageExpander &expander_;
    const LoopNest &nest_;
    Members members_;
    size_t num_loops_ = 0, num_stages_ = 0;
    // By loop id; empty once built. at_ends_: in the first and in the last iteration of all loops.
    std::vector<std::unique_ptr<IterationRegions>> regions_;
    std::vector<std::array<std::unique_ptr<IterationRegions>, 2>> at_ends_;
};

}  // namespace cryolite
