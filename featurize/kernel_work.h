// What a kernel touches: for every stage of it, inside each loop around it, the bytes, cache sets and
// streams of each Func that it reads and of its own; and what one iteration of each loop needs of a
// cache. No times: analytical/kernel_cost.h makes them of this, features.h features.
#pragma once

#include <span>
#include <vector>

#include "base/flat_map.h"
#include "featurize/stage_work.h"
#include "machine/machine.h"
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

class KernelWork {
public:
    // What is counted. Lines take longer and are no features.
    enum class Counts : uint8_t { Bytes, BytesAndLines };

    // members: the root Func first, then Funcs computed inside it, in id order.
    KernelWork(const StageGraph &graph, const Machine &machine, StageExpander &expander,
               FootprintWalker &walker, const LoopNest &nest, std::span<const FuncId> members,
               Counts counts = Counts::Bytes);

    // Inlined beyond reason: nothing else is known then.
    bool too_large() const { return too_large_; }
    const Members &members() const { return members_; }
    const std::vector<StageWork> &stages() const { return work_; }
    // Of which this is a kernel.
    const LoopNest &nest() const { return nest_; }
    // What one iteration of a loop needs of cache c, in bytes.
    double working_set(int loop, size_t c) const {
        const Bytes &b = working_set_[static_cast<size_t>(loop)];
        return c + 1 < machine_.caches.size() ? b.occupied : b.lines;
    }
    // The same in lines, where they are counted.
    double working_lines(int loop) const {
        return working_set_[static_cast<size_t>(loop)].whole_lines;
    }
    // Of all that is stored at root and read or written by the kernel.
    double root_bytes() const { return root_bytes_; }
    // Of that, and of all that goes into the pipeline and comes out.
    double bytes_between_runs() const { return bytes_between_runs_; }
    // Of all that is stored inside the kernel's loops, one realisation of each.
    double allocated_in_loops() const;

private:
    struct Bytes {
        double lines = 0;
        double occupied = 0;     // see Touched
        double whole_lines = 0;  // where they are counted
    };

    // What a stage reads or writes.
    struct Target {
        const Func *func;
        Layout layout;
        const Box *stored;
        double loads;  // per point of the stage
        // Of gathers: the loop of the stage along which they walk consecutive memory; -1: none.
        int row_loop = -1;

        // That so many loads touch over those ranges of the loops.
        double lines(double points, const Intervals &ranges, int line_bytes) const;
    };
    // Bytes of a Func that matter inside a loop.
    struct FuncBytes {
        FuncId func;
        Bytes bytes;
    };

    int loop_id(LoopName name) const;
    void add_member(FuncId f);
    void add_chain(Member &m, const Func &func);
    bool holds_others(StageId s) const;
    void add_stage(const Member &m, const StageNest &s);
    void add_stack(const Member &m, StageWork &w) const;
    Interval least_excluded(const StageWork &w, const LoopLevel &loop, Intervals ranges);
    void add_touched(const Member &m, StageWork &w);
    bool reads(const Member &reader, FuncId f) const;
    bool is_folded(FuncId f, const Member &m) const;
    bool is_shared(FuncId f, const Member &m) const;
    Target target(FuncId f, double loads) const;
    int row_loop(const StageWork &w, FuncId f, const Layout &layout) const;
    Touched touched(const Target &target, const Box &box, double points, double lines) const;
    Bytes bytes_inside(const StageWork &w, const Accesses &a, const Member *m, size_t p) const;
    void collect_working_sets();
    void collect_roots();
    int line() const { return machine_.line_bytes(); }

    const StageGraph &graph_;
    const Machine &machine_;
    StageExpander &expander_;
    FootprintWalker &walker_;
    const LoopNest &nest_;
    const Counts counts_;
    Members members_;
    size_t num_loops_ = 0;
    std::vector<StageWork> work_;
    SmallVector<StageId, 16> holders_;  // of the members that hold others, some of them twice
    std::vector<Bytes> working_set_;    // by loop id: touched by one iteration
    std::vector<Target> targets_;       // of the stage at hand: its reads, then its stores
    std::vector<Box> boxes_;            // of its reads
    double root_bytes_ = 0, bytes_between_runs_ = 0;
    bool too_large_ = false;
};

}  // namespace cryolite
