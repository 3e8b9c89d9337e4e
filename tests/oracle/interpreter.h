// Runs a complete LoopNest point by point, as plainly as it can be done, and tells an Observer what
// happens. It knows what schedule/README.md and docs/schedules.md say of a trace and nothing of how
// regions, windows or footprints are derived elsewhere.
//
// What a Func has to compute follows from what is loaded. So the bodies run backwards: in one iteration
// of a loop first the loops inside it, then the Funcs that are computed there, readers first, each
// over the box of all that has been loaded of it since it was last computed. Iterations run
// forwards, which is what sliding windows need.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schedule/loop_nest.h"
#include "tests/oracle/random_graph.h"

namespace cryolite::oracle {

// At sizes that no tile divides.
enum class Tails {
    // Every loop ends with its range: nothing is computed that is not needed.
    Exact,
    // As emitted: the parts of outputs are shifted inwards; of Funcs that may overcompute, vectors and
    // unrolled bodies round up, and tiles in which another Func is computed; all others are guarded.
    // What is guarded out does not run.
    Emitted
};

// One iteration of a loop that is being run.
struct Frame {
    LoopName loop;
    LoopKind kind = LoopKind::Serial;
    int64_t iteration = 0, iterations = 1;
    int64_t instance = 0;  // differs from that of any other iteration of the run
    // This iteration and those of all loops around it are the ones in mid-range.
    bool middle = true;
};
using Stack = std::vector<Frame>;  // outermost first

// One element that is loaded or stored. `might` is the point or, where a dimension is gathered, all that
// could have been found there: that much is needed of a Func.
struct Touch {
    StageId stage;
    FuncId func;
    int value = 0;
    std::span<const int64_t> at;
    const Box &might;
};

// One run of a Func's stages at its compute site.
struct Production {
    Box needed;    // by its readers
    Box computed;  // written: what is new, what updates touch besides and what tails add
    bool starts_window = false;  // the first of its realisation
};

// The lifetime of a Func's storage.
struct Realisation {
    Box held;            // needed or computed in all
    int64_t window = 0;  // of a window: how much of it one production needs at most
};

class Observer {
public:
    virtual ~Observer() = default;
    virtual void point(StageId, const Stack &) {}
    // Readers and writers are stages that run: what is inlined is part of its reader.
    virtual void load(const Touch &, const Stack &) {}
    // What is loaded, and what would be if an inlined Func were called elsewhere where it might be.
    virtual void need(const Touch &, const Stack &) {}
    virtual void store(const Touch &, const Stack &) {}
    virtual void end_iteration(const Stack &) {}
    virtual void produced(FuncId, const Production &, const Stack &) {}
    virtual void realised(FuncId, const Realisation &, const Stack &) {}
};

// How many points along stage loop l are computed as emitted, for these ranges of all loops.
int64_t emitted_extent(const LoopNest &nest, const StageNest &stage, size_t l,
                       const Intervals &ranges);

// Returns what is wrong with the schedule itself, a value read that was never computed, say; empty if
// nothing is.
std::string interpret(const RandomGraph &subject, const LoopNest &nest, Tails tails,
                      Observer &observer);

}  // namespace cryolite::oracle
