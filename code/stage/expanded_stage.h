// A stage together with all Funcs that are inlined into it: arithmetic and loads per point of the stage's loops.
// Inlining composes accesses: the Jacobian of the composed access is the product of the Jacobians along the way.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/small_vector.h"
#include "code/stage/composed_access.h"
#include "graph/stage_graph.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Loads or operations that are done per point, and how other points share them.
struct Repeated {
    double count = 0;                // distinct ones per point
    std::vector<bool> depends_on;    // per loop: whether they differ between its iterations
    std::vector<PointsAlong> along;  // per loop that they depend on
    // coefficient[d][l]: how far index d of their point moves per step of loop l. Empty: they belong to no point.
    std::vector<std::vector<float>> coefficient;
    // Per loop, like OperationGroup::kept_share.
    std::vector<float> kept_share;
};

// Loads of one realised Func (or input) that differ in their offsets only.
struct LoadGroup : Repeated {
    FuncId producer;
    int value =
        0;  // element of the producer's tuple; `coefficient` is by the producer's dimensions
    // Per producer dimension: largest minus smallest offset of the loads.
    std::vector<float> offset_span;
    // Per producer dimension: distances between offsets that follow each other, rounded down, if they are 2 or more.
    // Empty for loads whose index is not known.
    std::vector<std::vector<float>> gaps;
    std::vector<Clamp> clamped;  // per loop: the clamp of an index that moves with the loop
    // Per loop: the share of the loads whose index along it is clamped by hand and is another load's, too (Clamp).
    // Empty: none is.
    std::vector<float> shared_clamps;
    bool gather = false;  // data-dependent or not affine
    std::vector<bool>
        scattered;  // per loop: whether the place in memory moves irregularly with the loop
    // `coefficient` as exact numbers, by producer dimension.
    std::vector<std::vector<Rational>> exact_coefficient;
    std::vector<std::vector<int64_t>> runs;  // [producer dimension][loop]; see IndexMap::run
    // Loads that have the same index in so many iterations in a row (0: in no one number), in a group of which `runs`
    // says that the coefficient tells: 4 * (x / 2) beside 2 * x.
    struct Repeating {
        float share = 0;  // of the loads
        int64_t run = 1;
    };
    std::vector<Repeating> repeating;  // per loop; empty: there are none
    // By producer dimension: the parts of the index that wrap around, which the above take for going on. Empty: no
    // index has any. The offsets are those of the first load.
    std::vector<std::vector<WrappedIndex>> wrapped;
    // [load][producer dimension]: the constant in the index. Empty for gathers.
    std::vector<std::vector<Rational>> offsets;
    bool is_self = false;  // an update reading its own Func
    // How many of the `count` loads the predicate needs: they are done in iterations that it excludes, too.
    double of_predicate = 0;
};

// Whether neighbours along a loop have the same index in dimension d, although the coefficient does not say so.
bool is_run(const LoadGroup &load, size_t d, size_t loop);

// How many different indices of dimension d the loads have over some iterations of each loop. offsets: how many offsets
// differ in that dimension.
double different_indices(const LoadGroup &load, size_t d, double offsets,
                         std::span<const double> iterations);

// Operations that are done for several points which differ only in their offsets. Examples: the operations of an
// inlined Func at several calls, or a conversion of several loads.
struct Computation : Repeated {
    std::vector<OperationCount> operations;  // for one point
    bool loaded = false;                     // they use a value that is loaded
    bool of_predicate = false;               // see OperationGroup
    std::vector<FuncId> from;   // the realised Funcs whose values differ from point to point
    std::vector<size_t> loads;  // the loads of these Funcs, as indices into ExpandedStage::loads
};

// One step on the way of a box from the stage's loops, through inlined Funcs, to the realised Funcs.
struct FootprintStep {
    EdgeId edge;
    int from_inlined = -1;  // index into ExpandedStage::inlined; -1: the stage itself
    bool to_inlined = false;
    int to = 0;  // index into inlined or reads
};

// All loads of one realised Func.
struct LoadsOfRead {
    std::vector<uint32_t> groups;  // indices into ExpandedStage::loads
    double count = 1;              // per point, at least 1
    bool gather = false;           // one of them is a gather
    // They walk in different directions, such as a(k, x) and a(k, y): their hull has points that none of them reads.
    bool move_apart = false;
};

struct ExpandedStage {
    OpHistogram ops;
    std::vector<Computation> computations;  // the operations, each once for equal points
    std::vector<LoadGroup> loads;
    std::vector<FuncId> inlined;  // readers first
    std::vector<FuncId> reads;    // realised producers, with inputs and the stage's own Func
    std::vector<LoadsOfRead> loads_of_reads;  // [i]: of reads[i]
    std::vector<FootprintStep> steps;  // ordered so that every box is complete before it is used
    double operations_and_loads = 0;   // number of all operations and loads per point
    double inlined_calls = 0;          // distinct calls of inlined Funcs per point
    double longest_chain = 0;          // Stage::longest_chain, through inlined Funcs
    std::vector<int64_t> period;       // StageLoop::period, through inlined Funcs
    std::vector<int64_t> parts;        // StageLoop::parts, through inlined Funcs
    bool too_large = false;  // inlining multiplies the work beyond reason; the search rejects it
};

// Whether the lanes of a load lie side by side. The lanes of each part of a vector (ExpandedStage::parts) are n points
// apart, and those of f(x / n) are neighbours. order: of the producer's storage.
bool is_dense(const ExpandedStage &stage, const LoadGroup &load, size_t loop, int lane_step,
              const std::vector<int> &order);

// Expands stages, with a memo over the stage and the Funcs inlined into it. A Func that is not decided is inlined if
// graph/facts/assumed_inlining.h says so, and realised otherwise. If assumed inlining makes a stage too large, its
// undecided Funcs all count as realised. One expander per search thread.
class StageExpander {
public:
    explicit StageExpander(const StageGraph &graph) : graph_(graph) {}
    // The reference holds until forget().
    const ExpandedStage &expand(const LoopNest &nest, StageId stage);
    // About how many bytes the memo holds.
    int64_t memo_bytes() const { return memo_bytes_; }
    void forget();

private:
    using InlinedFuncs = SmallVector<FuncId, 16>;
    // How a Func that is not decided counts.
    enum class Undecided : uint8_t { AsAssumed, Realised };
    // The inlined Funcs that the stage reaches directly or through inlined Funcs, in order of discovery.
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
