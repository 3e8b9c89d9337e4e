// What a kernel touches. For every stage, inside each loop around it: the bytes, cache sets and streams of each Func
// that it reads and of its own. For every loop: what one iteration needs of a cache. There are no times here.
// analytical/kernel_cost.h makes times of these counts, and features.h makes features.
#pragma once

#include <span>
#include <vector>

#include "code/kernel/kernel_code.h"
#include "featurize/stage_work.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

class KernelWork {
public:
    // Lines take longer to count, and no feature needs them.
    enum class Counts : uint8_t { Bytes, BytesAndLines };

    // members: the root Func first, then Funcs computed inside it, in id order.
    KernelWork(const StageGraph &graph, const Machine &machine, StageExpander &expander,
               FootprintWalker &walker, const LoopNest &nest, std::span<const FuncId> members,
               Counts counts = Counts::Bytes);

    // Whether inlining multiplies the work beyond reason. Nothing else is known then.
    bool too_large() const { return code_.too_large(); }
    const KernelCode &code() const { return code_; }
    const Members &members() const { return code_.members(); }
    // In the order of code().stages().
    const std::vector<StageWork> &stages() const { return work_; }
    // The schedule that the kernel is a part of.
    const LoopNest &nest() const { return code_.nest(); }
    // Bytes that one iteration of a loop needs of cache c.
    double working_set(int loop, size_t c) const {
        const Bytes &b = working_set_[static_cast<size_t>(loop)];
        return c + 1 < machine_.caches.size() ? b.occupied : b.lines;
    }
    // Lines that one iteration of a loop needs; 0 unless lines are counted.
    double working_lines(int loop) const {
        return working_set_[static_cast<size_t>(loop)].whole_lines;
    }
    // The sizes of all Funcs stored at root that the kernel reads or writes.
    double root_bytes() const { return root_bytes_; }
    // root_bytes(), and the sizes of all other inputs and outputs of the pipeline.
    double bytes_between_runs() const { return bytes_between_runs_; }
    // The sizes of all Funcs stored inside the kernel's loops, one realisation of each.
    double allocated_in_loops() const;

private:
    struct Bytes {
        double lines = 0;
        double occupied = 0;     // as in Touched
        double whole_lines = 0;  // 0 unless lines are counted
    };

    // A Func that a stage reads or writes.
    struct Target {
        const Func *func;
        Layout layout;
        const Box *stored;
        double loads;  // per point of the stage
        // All its loads, where one of them has an unknown base; else empty. Their boxes lie anywhere in the whole
        // box, once per iteration of the loops that change the base.
        SmallVector<const LoadGroup *, 4> anywhere = {};
        // Its loads, if they leave out rows between them; else null.
        const LoadGroup *skipping = nullptr;

        // The share of the box's rows that the loads touch.
        double share_of_rows(const Box &box) const;
    };
    // Bytes of a Func that matter inside a loop.
    struct FuncBytes {
        FuncId func;
        Bytes bytes;
    };

    Interval least_excluded(const StageWork &w, const LoopLevel &loop, Intervals ranges);
    void add_touched(const Member &m, StageWork &w);
    Target target(FuncId f, double loads) const;
    // Sums over the loads of a target with unknown bases.
    struct Parts {
        double lines = 0, runs = 0;
    };
    Parts parts(const Target &target, const Intervals &ranges, const Box &box) const;
    const LoadGroup *skipping(const StageWork &w, FuncId f, const Layout &layout) const;
    Touched touched(const Target &target, const Intervals &ranges, const Box &box,
                    double points) const;
    Bytes bytes_inside(const StageWork &w, const Accesses &a, const Member *m, size_t p) const;
    void collect_working_sets();
    void collect_roots();
    int line() const { return machine_.line_bytes(); }

    const StageGraph &graph_;
    const Machine &machine_;
    FootprintWalker &walker_;
    const Counts counts_;
    const KernelCode code_;
    std::vector<StageWork> work_;
    std::vector<Bytes> working_set_;  // by loop id: touched by one iteration
    std::vector<Target> targets_;     // of the stage at hand: its reads, then its own Func
    std::vector<Box> boxes_;          // the boxes that this stage reads
    double root_bytes_ = 0, bytes_between_runs_ = 0;
};

}  // namespace cryolite
