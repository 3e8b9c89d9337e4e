// What Halide and LLVM make of a kernel: a Func at root and all Funcs that are computed inside its loops. Counts
// (featurize/) and times (analytical/) are computed from it.
#pragma once

#include <span>
#include <vector>

#include "code/kernel/kernel_members.h"
#include "code/kernel/stage_code.h"

namespace cryolite {

class KernelCode {
public:
    // members: the root Func first, then the Funcs computed inside it, in id order. graph, expander and nest must
    // outlive this value.
    KernelCode(const StageGraph &graph, StageExpander &expander, const LoopNest &nest,
               std::span<const FuncId> members);

    // A stage is inlined beyond reason. The code of such stages is then unknown.
    bool too_large() const { return too_large_; }
    const LoopNest &nest() const { return nest_; }
    const Members &members() const { return members_.all(); }
    // Member by member, the stages of each in order.
    const std::vector<StageCode> &stages() const { return stages_; }
    // Number of loops of all stages. Loop ids start at 0.
    size_t num_loops() const { return members_.num_loops(); }

private:
    void add_stage(const Member &m, const StageNest &s);
    void add_stack(const Member &m, StageCode &c) const;

    const StageGraph &graph_;
    StageExpander &expander_;
    const LoopNest &nest_;
    const KernelMembers members_;
    std::vector<StageCode> stages_;
    bool too_large_ = false;
};

}  // namespace cryolite
