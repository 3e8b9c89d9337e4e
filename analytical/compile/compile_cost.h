// What a schedule costs to compile: how much code Halide's lowering and LLVM get, counted from the nest, and the
// seconds that they take on one core. With it the search avoids schedules that take minutes to build.
//
// Where the time goes (measured with Halide 21: bench/results/compile.md):
// - Every realised Func adds loops, bounds and storage. Many of Halide's passes walk over the whole pipeline once for
//   each Func. At each place that may fail, the code for LLVM frees all earlier allocations.
// - Passes that trim and cut loops look at a statement once for each loop around it. For a clamped load they solve
//   where the clamp does nothing. Where a loop is cut, Halide simplifies the greatest of all these solutions, which
//   takes about the square of their number: seconds, where a window of a clamped image is unrolled whole. Equal ones
//   count once.
// - A box inside a guarded loop has a minimum in each of its sides. If the loop's Func is itself computed in another
//   Func's loop, the minima nest. The time to simplify them grows exponentially with the depth.
// - Bodies are copied by unrolling, for a specialised output, and for the parts that a loop is cut into.
// - Elements that do not lie side by side are shuffled into vectors. LLVM spends long on finding fewer shuffles.
// - After each launch of a GPU's kernel that may fail, the code for the host frees what was allocated before. LLVM
//   takes about the cube of the number of Funcs that are launched: seconds from 40 on, and 20 s for 90.
// - Where a loop has so many accesses that LLVM gives up telling their arrays apart, it compares addresses, and assumes
//   much about them: see address_assumptions.h.
// - Where a vector may reach past the end of a loop, it has a mask. Elements that lie apart are then loaded one by one,
//   each under a branch. LLVM takes more than in proportion for many branches in one body.
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
    double launched = 0;    // of these, those at root whose loops are blocks of a GPU
    double loops = 0;       // of all their stages, in all copies
    double bounds = 0;      // terms that nested minima add to the sides of boxes
    double statements = 0;  // operations, loads and stores after unrolling, in all copies
    double nested = 0;      // statements, each times the number of loops around it
    double clamped =
        0;  // loads that a clamp keeps in bounds, each times the number of loops around it
    double cuts =
        0;  // over the loops that are cut: the square of the different clamps in their bodies
    double vectors = 0;         // instructions of all statements, on vectors of the machine's width
    double shuffled = 0;        // vector loads whose elements do not lie side by side
    double scattered = 0;       // elements that are loaded one by one
    double masked = 0;          // of these and of elements that lie apart, those under a mask
    double masked_squares = 0;  // the sum over bodies of the square of `masked`
    double assumption_cubes = 0;  // the sum over bodies of the cube of address_assumptions()

    CodeSize &operator+=(const CodeSize &other);
};

// By name, for reports.
std::array<std::pair<std::string_view, double>, 14> code_size_fields(const CodeSize &size);

// CPU seconds to compile, on a core of the machine on which the constants were measured. The fifth of a second that any
// pipeline takes is left out. Adds up over kernels. All values are whole numbers, so sums are the same in any order.
struct CompileCost {
    double funcs = 0, launched = 0;  // as in CodeSize
    // Microseconds: for the code by itself, and per Func of the pipeline.
    double lowering_alone = 0, llvm_alone = 0;
    double lowering_per_func = 0, llvm_per_func = 0;

    CompileCost &operator+=(const CompileCost &other);
    CompileCost &operator-=(const CompileCost &other);
    double lowering_seconds() const { return 1e-6 * (lowering_alone + funcs * lowering_per_func); }
    double llvm_seconds() const;
    double seconds() const { return lowering_seconds() + llvm_seconds(); }
};

// The code of one kernel. members: the root Func first, then the Funcs computed inside it, in id order.
CodeSize code_size(const LoopNest &nest, const Machine &machine, StageExpander &expander,
                   std::span<const FuncId> members);

CompileCost compile_cost(const CodeSize &size);

// Most seconds that a schedule may take for lowering, and for lowering and LLVM together. 0: no limit.
struct CompileBudget {
    double lowering_seconds = 0, seconds = 0;
};

// The factor on the run time of a schedule: 1 if it compiles within the budget. Beyond the budget it is the square of
// the compile time over the budget.
double overprice(const CompileCost &cost, const CompileBudget &budget);

// The compile cost of all Funcs decided in a nest. It remembers only expanded stages.
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
