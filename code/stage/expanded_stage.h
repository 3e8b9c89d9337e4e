// A stage with everything that is inlined into it folded in: its arithmetic and its loads per point
// of its loops. Inlining composes accesses: the Jacobian of the whole is the product of the
// Jacobians along the way.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/small_vector.h"
#include "graph/stage_graph.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// What is done per point, and what of it other points need not do again.
struct Repeated {
    double count = 0;              // distinct ones per point
    std::vector<bool> depends_on;  // per loop: they differ between its iterations
    // Of those, distinct ones when the loop's neighbouring iterations are unrolled together:
    // distinct_along[l] is how many differ in something besides their shift along loop l.
    std::vector<float> distinct_along;
    // coefficient[d][l]: how index d of its point moves per step of loop l. None: it has no point.
    std::vector<std::vector<float>> coefficient;
    // Per loop, as OperationGroup::kept_share.
    std::vector<float> kept_share;
};

// Loads of one realised Func (or input) that differ in their offsets only.
struct LoadGroup : Repeated {
    FuncId producer;
    int value = 0;  // which element of the producer's tuple; `coefficient` is by its dimensions
    // Per producer dimension: largest minus smallest offset of its loads.
    std::vector<float> offset_span;
    // Per producer dimension: distances of two and more, whole ones, between offsets that follow each
    // other. No distances for gathers.
    std::vector<std::vector<float>> gaps;
    std::vector<Clamp> clamped;  // per loop: how an index that moves with it is kept in bounds
    bool gather = false;         // data-dependent or not affine
    std::vector<bool>
        scattered;  // per loop: a gather whose place in memory moves with it irregularly
    // The same as `coefficient`, exactly, and per load the constants in its index: both by producer
    // dimension. No constants for gathers.
    std::vector<std::vector<Rational>> exact_coefficient;
    std::vector<std::vector<Rational>> offsets;
    bool is_self = false;  // an update reading its own Func
};

// Operations that are done for several points, which differ in their offsets only: those of an inlined
// Func at several calls of it, or a conversion of several loads.
struct Computation : Repeated {
    std::vector<OperationCount> operations;  // of one of them
    bool loaded = false;                     // of a value that is loaded
    bool of_predicate = false;               // see OperationGroup
    std::vector<FuncId> from;   // the realised Funcs whose values differ from point to point
    std::vector<size_t> loads;  // those of them, as indices into ExpandedStage::loads
};

// One step of carrying a box of the stage's loops through inlined Funcs to what is realised.
struct FootprintStep {
    EdgeId edge;
    int from_inlined = -1;  // index into ExpandedStage::inlined; -1: the stage itself
    bool to_inlined = false;
    int to = 0;  // index into inlined or reads
};

struct ExpandedStage {
    OpHistogram ops;
    std::vector<Computation> computations;  // the same operations, those of equal points as one
    std::vector<LoadGroup> loads;
    std::vector<FuncId> inlined;  // readers first
    std::vector<FuncId> reads;    // realised producers, inputs and the stage's own Func included
    std::vector<FootprintStep>
        steps;  // in an order in which every box is complete before it is used
    double operations_and_loads = 0;  // all of them, per point
    double inlined_calls = 0;         // distinct calls of inlined Funcs per point
    double longest_chain = 0;         // Stage::longest_chain, through what is inlined
    bool too_large = false;  // inlining multiplies the work beyond reason; rejected by the search
};

// A Func that is not decided is inlined where assumed_inlining.h says so, and realised elsewhere.
// Memo over (stage, which Funcs are inlined into it). One per search thread.
class StageExpander {
public:
    explicit StageExpander(const StageGraph &graph) : graph_(graph) {}
    // The reference holds until forget().
    const ExpandedStage &expand(const LoopNest &nest, StageId stage);
    // About what the memo holds.
    int64_t memo_bytes() const { return memo_bytes_; }
    void forget();

private:
    using InlinedFuncs = SmallVector<FuncId, 16>;
    // What a Func that is not decided counts as.
    enum class Undecided : uint8_t { AsAssumed, Realised };
    // Those that are reached from the stage through inlined ones, in an order of their own.
    InlinedFuncs inlined_into(const LoopNest &nest, StageId stage, Undecided undecided) const;
    const ExpandedStage &expand(const LoopNest &nest, StageId stage, Undecided undecided);
    ExpandedStage compute(const LoopNest &nest, StageId stage, Undecided undecided) const;
    struct Entry {
        StageId stage;  // the full key, compared on a hit
        InlinedFuncs inlined;
        ExpandedStage value;
    };
    bool is_inlined(const LoopNest &nest, const Edge &edge, Undecided undecided) const;
    const StageGraph &graph_;
    int64_t memo_bytes_ = 0;
    std::unordered_multimap<uint64_t, std::unique_ptr<Entry>> memo_;
};

}  // namespace cryolite
