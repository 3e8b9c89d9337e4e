// The Funcs of a kernel: the loops around each, what it computes in one iteration of them, and what is
// kept of it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/flat_map.h"
#include "code/kernel/loop_stack.h"
#include "code/regions/regions.h"
#include "code/stage/expanded_stage.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// A Func of the kernel.
struct Member {
    const FuncNest *nest = nullptr;
    int compute_loop = -1;  // id; -1: root
    int store_loop = -1;
    int first_loop = 0;        // id of the first loop of its first stage; the others follow
    LoopStack chain;           // loops around it, outermost first
    size_t storage_depth = 0;  // so many of them are around its storage; all if it is at root
    // [p]: its region over one run of chain loop p; back(): compute region.
    std::vector<Box> chain_boxes;
    double allocated_bytes = 0;
    bool folded = false;  // a window of which no more is stored than is needed at once
    bool shared = false;  // a window that others and windows of its loop need different rows of
    // How much more one production computes, on average, than one in mid-range: a window is filled
    // before it slides, and what is computed inside of a window's loops is computed to fill it, too.
    double fill = 1;
};

using Members = FlatMap<FuncId, Member>;

// The loop of a stage that has more iterations where a production is more than one in mid-range.
size_t filling_loop(const Stage &stage, const FuncNest &func, const StageNest &nest);

double box_bytes(const Func &func, const Box &box);

class KernelMembers {
public:
    // members: the root Func first, then Funcs computed inside it, in id order.
    KernelMembers(const StageGraph &graph, StageExpander &expander, const LoopNest &nest,
                  std::span<const FuncId> members);

    const Members &all() const { return members_; }
    const Member &at(FuncId f) const { return members_.at(f); }
    // Loops of all stages; their ids are from 0.
    size_t num_loops() const { return num_loops_; }
    // Of all members.
    size_t num_stages() const { return num_stages_; }

private:
    int loop_id(LoopName name) const;
    // What one iteration of a loop of that id needs.
    IterationRegions &regions_in(int id, LoopName loop);
    void add_member(FuncId f);
    void add_chain(Member &m, const Func &func);

    const StageGraph &graph_;
    const LoopNest &nest_;
    Members members_;
    size_t num_loops_ = 0, num_stages_ = 0;
    std::vector<std::unique_ptr<IterationRegions>> regions_;  // by loop id; while members are added
};

}  // namespace cryolite
