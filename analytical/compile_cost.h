// What a schedule costs to compile: how much code Halide's lowering and LLVM are handed, counted from the
// nest, and the seconds that they take for it on one core. Run time is another question; this one keeps
// the search from ending with a schedule that takes minutes to build.
//
// Where the time goes (measured with Halide 21: bench/results/compile.md):
// - Every realised Func adds loops, bounds and storage, and many of Halide's passes walk over the whole
//   pipeline once for each Func. LLVM frees what was allocated before at each place that may fail.
// - Passes that trim and cut loops look at a statement once for each loop around it. A load that is kept in
//   bounds has them solve for where the clamp does nothing.
// - A box inside a guarded loop has a minimum in each of its sides. Inside such a loop of a Func that is
//   itself computed in another one's loop, the minima nest, and their simplification takes time that grows
//   exponentially with the depth.
// - Bodies are copied: by unrolling, for a specialised output, for the parts that a loop is cut into.
// - Vectors whose elements do not lie side by side are shuffled together, and LLVM tries for long to shuffle
//   less.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "code/stage/expanded_stage.h"
#include "machine/machine.h"

namespace cryolite {

// Adds up over kernels.
struct CodeSize {
    double funcs = 0;       // realised
    double loops = 0;       // of all their stages, in all copies
    double bounds = 0;      // sides of boxes, with the minima nested in them
    double statements = 0;  // operations, loads and stores after unrolling, in all copies
    double nested = 0;      // the same, each as often as there are loops around it
    double clamped =
        0;  // loads that are kept in bounds, each as often as there are loops around it
    double vectors = 0;    // statements in instructions, as vectors of the machine's width
    double shuffled = 0;   // of those, loads of elements that do not lie side by side
    double scattered = 0;  // elements that are loaded one by one

    CodeSize &operator+=(const CodeSize &other);
};

// By name, for reports.
std::array<std::pair<std::string_view, double>, 9> code_size_fields(const CodeSize &size);

// CPU seconds on a core of the machine that the constants were measured on, beyond the fifth of a second
// that any pipeline takes. Adds up over kernels. All of its values are whole numbers, so that their sum is
// the same in any order.
struct CompileCost {
    double funcs = 0;
    // Microseconds: of the code by itself, and for each Func of the pipeline.
    double lowering_alone = 0, llvm_alone = 0;
    double lowering_per_func = 0, llvm_per_func = 0;

    CompileCost &operator+=(const CompileCost &other);
    CompileCost &operator-=(const CompileCost &other);
    double lowering_seconds() const { return 1e-6 * (lowering_alone + funcs * lowering_per_func); }
    double llvm_seconds() const { return 1e-6 * (llvm_alone + funcs * llvm_per_func); }
    double seconds() const { return lowering_seconds() + llvm_seconds(); }
};

// Of one kernel. members: the root Func first, then Funcs computed inside it, in id order.
CodeSize code_size(const LoopNest &nest, const Machine &machine, StageExpander &expander,
                   std::span<const FuncId> members);

CompileCost compile_cost(const CodeSize &size);

// What a schedule may take: seconds of lowering, and of lowering and LLVM. 0: no limit.
struct CompileBudget {
    double lowering_seconds = 0, seconds = 0;
};

// What the run time of a schedule is multiplied by that takes longer to compile than it may: 1 within the
// budget, the square of how many times longer beyond.
double overprice(const CompileCost &cost, const CompileBudget &budget);

// Of all that is decided of a nest; nothing is remembered but what is inlined into stages.
class CompileModel {
public:
    CompileModel(const StageGraph &graph, const Machine &machine)
        : machine_(machine), expander_(graph) {}
    CodeSize size(const LoopNest &nest);
    CompileCost evaluate(const LoopNest &nest) { return compile_cost(size(nest)); }

private:
    const Machine &machine_;
    StageExpander expander_;
};

}  // namespace cryolite
