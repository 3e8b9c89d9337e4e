// The pipeline as the search sees it: Funcs, their stages, the loops of each stage and the edges
// along which they read each other, with every bound needed at hand. Built once (graph/build.h),
// never changed, free of Halide types.
//
// Ids are dense. Funcs are ordered consumers before producers: if f reads g then f < g, so that
// walking the ids upward is the order in which the search decides. Pipeline inputs (ImageParams,
// Buffers) are Funcs without stages and come last.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "graph/access.h"
#include "graph/operations.h"
#include "graph/region_program.h"

namespace cryolite {

// Halide's default loop order: loops[0] is the innermost.
struct StageLoop {
    std::string name;           // of the Halide Var or RVar
    int func_dim = -1;          // the Func dimension that this loop walks; -1: reduction loop
    bool is_reduction = false;  // an RVar
    Interval range;  // reduction loops: at the estimates. Pure loops take the Func's region
    bool constant_range = false;  // the range does not depend on any parameter or size
    // The loop may change places with other loops of this stage: always so for pure loops; for a
    // reduction loop, when the update is associative and commutative or touches a different point in
    // every iteration.
    bool reorderable = true;
    // Iterations may run at the same time: pure loops, and reduction loops without a race.
    bool parallelizable = true;
    // May be the vector loop.
    bool vectorizable = true;
    // Vectors along it are taken for aligned by Halide, which the user's buffer need not be: emission
    // splits it at an odd place first.
    bool taken_for_aligned = false;
    // Where that place cannot hang on the output's extent, which is a constant: a dimension of the output by
    // whose stride it is hidden. -1: there is no need.
    int hidden_by_stride_of = -1;
    // RDom::where depends on it. It is not tiled. A pure one may be the vector loop: each lane then
    // stands under a condition of its own. Unrolled whole, each copy does.
    bool in_predicate = false;
};

// A loop that a user has given a stage, as far as it walks the stage's own dimensions.
struct UserLoop {
    enum class Kind : uint8_t { Serial, Parallel, Vectorized, Unrolled };
    Kind kind = Kind::Serial;
    int dim = 0;       // of Stage::loops
    int64_t span = 1;  // points of that dimension that one iteration covers
    // As compute_at() takes it. Empty: nothing of ours may be computed in this loop.
    std::string name;
};

// A stage's loop by its position in Stage::user_loops.
struct UserSite {
    StageId stage;
    int loop = 0;
};

struct Stage {
    StageId id;
    FuncId func;
    int index = 0;                 // 0: the pure definition; k: the k-th update
    std::vector<StageLoop> loops;  // innermost first
    OpHistogram ops;               // per point of the loops
    // The same by what they depend on. Where none are given, StageGraph makes one that depends on all
    // loops.
    std::vector<OperationGroup> operation_groups;
    int strahler_number = 0;       // of its expressions, see graph/build_operations.h
    double longest_chain = 0;      // of its operations, in cycles; see there
    std::vector<EdgeId> incoming;  // what it reads, including its own Func (updates)
    std::vector<Access> stores;    // where it writes in its own Func, one per tuple element
    bool has_predicate = false;    // RDom::where
    // It compares sums of loops and parameters alone, from which Halide bounds each of them.
    bool predicate_is_plain = false;
    // Halide bounds some loop more narrowly by it. r.x == opcode(r.y), of any int, says nothing of r.x
    // that holds for all r.y.
    bool predicate_narrows = false;
    // Share of the iterations that it lets pass, at the estimates; what it loads is guessed.
    double passing_share = 1;
    bool is_undefined = false;  // its values are undef: Halide drops the stage
    // Of a locked Func, outermost first, where they can be told in these terms. Else empty: the loops
    // count as the default ones, and nothing may be computed in them.
    std::vector<UserLoop> user_loops;
};

struct Edge {
    EdgeId id;
    StageId consumer;
    FuncId producer;
    // Call sites; none when an update writes its Func without reading it.
    std::vector<Access> accesses;
    // Box of the producer needed by a box of the consumer's loops. For an update's edge to its own
    // Func: the hull of what is read and written.
    RegionProgram region;
    bool is_self = false;
};

enum class FuncRole : uint8_t { Intermediate, Output, Input };

struct Func {
    FuncId id;
    std::string name;  // as in Halide
    FuncRole role = FuncRole::Intermediate;
    std::vector<std::string> dims;   // names of its arguments, dimension 0 first
    std::vector<ScalarType> values;  // one per tuple element
    std::vector<StageId> stages;     // empty for inputs
    std::vector<EdgeId> outgoing;    // its readers, without self edges
    std::vector<int> storage_order;  // dims, innermost in memory first
    // What is computed (or, for an input, read) when everything is at root, at the estimates. For an
    // output and an input with estimates: the estimate itself.
    Box root_region;

    bool can_inline = false;  // pure, no output, nobody forbids it
    // A dimension is indexed by loaded values that nothing bounds: Halide can only inline it. Its
    // root_region is all of int32 in that dimension.
    bool inline_only = false;
    bool root_only = false;  // extern stages and their inputs, outputs, locked Funcs
    bool is_extern = false;
    bool may_specialize = true;  // see vanishing_calls.h
    // The user has scheduled it (or it is what such a Func is computed at): we leave it alone.
    bool locked = false;
    std::string locked_because;
    // The loop that a locked Func is computed in. Not set: it counts as computed at root.
    std::optional<UserSite> user_site;
    // It lies between a locked Func and the loop where that is computed. All uses of the locked Func
    // have to stay in that loop: this Func is inlined, computed inside, or left as Halide has it.
    bool enclosed = false;
    std::vector<UserSite> enclosed_by;  // of an enclosed Func; empty: such loops are not known
    // Per dimension: computing beyond the required region never reads a pipeline input outside of
    // what the unscheduled pipeline is entitled to, at any size. Where false, splits must be guarded.
    std::vector<bool> may_overcompute;
    // Counts as inlined until it is decided: see assumed_inlining.h. StageGraph fills it in.
    bool assumed_inlined = false;
    // Copies values about: a boundary condition, a cast of a load, a wrapper.
    bool is_trivial = false;

    int bytes_per_point() const;  // sum over the tuple
    bool is_input() const { return role == FuncRole::Input; }
    bool is_output() const { return role == FuncRole::Output; }
};

class StageGraph {
public:
    // Used by the builder and by tests; checks the invariants above with assertions in debug builds.
    StageGraph(std::vector<Func> funcs, std::vector<Stage> stages, std::vector<Edge> edges,
               uint64_t algorithm_hash);

    std::span<const Func> funcs() const { return funcs_; }
    std::span<const Stage> stages() const { return stages_; }
    std::span<const Edge> edges() const { return edges_; }
    const Func &func(FuncId id) const { return funcs_[id.index()]; }
    const Stage &stage(StageId id) const { return stages_[id.index()]; }
    const Edge &edge(EdgeId id) const { return edges_[id.index()]; }
    const Func &func_of(StageId id) const { return func(stage(id).func); }

    // Funcs to schedule: all but the inputs, in id order.
    size_t num_scheduled() const { return num_scheduled_; }

    // What goes into the pipeline and what comes out, in id order.
    std::span<const FuncId> inputs_and_outputs() const { return inputs_and_outputs_; }

    // Of the algorithm alone (definitions, types, RDoms; no schedule, no estimate): an emitted
    // schedule refuses a pipeline whose hash differs. Equal across runs and Halide versions where
    // their expression printers agree.
    uint64_t algorithm_hash() const { return algorithm_hash_; }

    // Whether `reader` reads `producer`, through any number of others.
    bool reads(FuncId reader, FuncId producer) const {
        return readers_[producer.index() * words_per_func_ + reader.index() / 64] >>
                   (reader.index() % 64) &
               1;
    }
    // Whether all that reads `f`, through any number of others, does so by way of `into`.
    bool only_feeds(FuncId f, FuncId into) const {
        const int at = feeding_order_[f.index()], from = feeding_order_[into.index()];
        return at > from && at < from + num_feeding_[into.index()];
    }

    // Looks a Func up by name; invalid id if there is none.
    FuncId find(std::string_view name) const;

    // The ranges of a stage's loops when `region` of its Func is computed. out.size() == loops.size().
    void loop_ranges(const Stage &stage, const Box &region, std::span<Interval> out) const;

    // Grows `region` of `func` to what its update stages touch besides (Halide computes that too).
    void include_self_accesses(const Func &func, Box &region) const;

private:
    void find_readers();
    void find_what_only_feeds();

    std::vector<Func> funcs_;
    std::vector<Stage> stages_;
    std::vector<Edge> edges_;
    // A bit per pair: row by producer, column by reader.
    std::vector<uint64_t> readers_;
    size_t words_per_func_ = 0;
    // The tree in which a Func's parent is the nearest one that it only feeds, in preorder: the
    // position of each Func, and how many its subtree has.
    std::vector<int> feeding_order_, num_feeding_;
    size_t num_scheduled_ = 0;
    std::vector<FuncId> inputs_and_outputs_;
    uint64_t algorithm_hash_ = 0;
};

}  // namespace cryolite
