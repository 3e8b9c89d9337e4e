// What a kernel touches. For every stage, inside each loop around it: the bytes, lines and streams of each Func that it
// reads and of its own. For every loop: what one iteration touches. There are no times here.
// analytical/kernel_cost.h makes times of these counts, and features.h makes features.
#pragma once

#include <span>
#include <vector>

#include "code/kernel/kernel_code.h"
#include "code/kernel/lifetimes.h"
#include "featurize/counts/stage_work.h"
#include "featurize/counts/touched_memory.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

class KernelWork {
public:
    // members: the root Func first, then Funcs computed inside it, in id order.
    KernelWork(const StageGraph &graph, const Machine &machine, StageExpander &expander,
               FootprintWalker &walker, const LoopNest &nest, std::span<const FuncId> members);

    // Whether inlining multiplies the work beyond reason. Nothing else is known then.
    bool too_large() const { return code_.too_large(); }
    const KernelCode &code() const { return code_; }
    const Members &members() const { return code_.members(); }
    // In the order of code().stages().
    const std::vector<StageWork> &stages() const { return work_; }
    // See Touched::first_rows.
    const std::vector<PlacedRows> &rows() const { return rows_; }
    // The schedule that the kernel is a part of.
    const LoopNest &nest() const { return code_.nest(); }
    // Bytes of whole lines that one iteration of a loop touches.
    double working_set(int loop) const { return working_set_[static_cast<size_t>(loop)].bytes; }
    // The same in lines as a simulator counts them (Touched::lines).
    double working_lines(int loop) const { return working_set_[static_cast<size_t>(loop)].lines; }
    // The sizes of all Funcs stored at root that the kernel reads or writes.
    double root_bytes() const { return root_bytes_; }
    // root_bytes(), and the sizes of all other inputs and outputs of the pipeline.
    double bytes_between_runs() const { return bytes_between_runs_; }
    // The sizes of all Funcs stored inside the kernel's loops, one realisation of each.
    double allocated_in_loops() const;

private:
    struct Bytes {
        double bytes = 0;
        double lines = 0;
        void operator+=(const Bytes &other) {
            bytes += other.bytes;
            lines += other.lines;
        }
    };

    // Bytes of a Func that matter inside a loop.
    struct FuncBytes {
        FuncId func;
        Bytes bytes;
        bool stored_inside = false;
    };

    void collect_read_together();
    bool read_together(FuncId f) const;
    Interval least_excluded(const StageWork &w, const LoopLevel &loop, Intervals ranges);
    void add_touched(const Member &m, StageWork &w);
    const Box &stored_region(const Func &func) const;
    static bool is_stored_inside(const StageWork &w, const Member &m, size_t p);
    static Bytes bytes_in_turns(std::span<const FuncBytes> funcs,
                                const FlatMap<FuncId, Lifetime> &alive);
    Bytes bytes_inside(const StageWork &w, const Accesses &a, const Member *m, size_t p) const;
    void collect_working_sets();
    void collect_roots();
    int line() const { return machine_.line_bytes(); }

    const StageGraph &graph_;
    const Machine &machine_;
    FootprintWalker &walker_;
    const TouchedMemory touched_memory_;
    const KernelCode code_;
    std::vector<StageWork> work_;
    std::vector<Bytes> working_set_;  // by loop id: touched by one iteration
    // Funcs stored outside of the kernel that several of its stages read, in id order.
    SmallVector<FuncId, 8> read_together_;
    std::vector<Target> targets_;  // what the stage at hand reads
    std::vector<Box> boxes_;       // the boxes that it reads
    std::vector<PlacedRows> rows_;
    double root_bytes_ = 0, bytes_between_runs_ = 0;
};

}  // namespace cryolite
