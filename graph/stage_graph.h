// The pipeline as the search sees it: Funcs, their stages, the loops of each stage, and the edges along which stages
// read Funcs, with all bounds that are needed. Built once (graph/builder/build.h), never changed, free of Halide types.
//
// Ids are dense. Consumers come before producers: if f reads g, then f < g. Readers are also decided before
// producers. Pipeline inputs (ImageParams, Buffers) are Funcs without stages; they come last.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "graph/access.h"
#include "graph/divided_reduction.h"
#include "graph/dot_product.h"
#include "graph/facts/repetition.h"
#include "graph/loop_condition.h"
#include "graph/operations.h"
#include "graph/region_program.h"
#include "graph/tensor_product.h"

namespace cryolite {

// A loop of a stage. Stage::loops has Halide's default order: loops[0] is the innermost.
struct StageLoop {
    std::string name;           // of the Halide Var or RVar
    int func_dim = -1;          // the Func's dimension that the loop walks; -1: reduction loop
    bool is_reduction = false;  // an RVar
    Interval range;  // of a reduction loop, at the estimates. A pure loop walks the Func's region
    bool constant_range = false;  // the range does not depend on any parameter or size
    // Two loops of a stage may change places if either is reorderable. Pure loops are. A reduction loop is if the
    // update is associative and commutative, or touches a different point in every iteration.
    bool reorderable = true;
    // Iterations may run at the same time: pure loops, and reduction loops without a race.
    bool parallelizable = true;
    // A reduction loop that has no race while the reduction loops outside of it stand still (facts/races.h). Halide
    // does not see it: emission says allow_race_conditions().
    bool race_free_in_order = false;
    // May be the vector loop.
    bool vectorizable = true;
    // Of a reduction loop without a race, or without one in order: the Func's dimension along which it stores. -1:
    // none.
    int walked_dim = -1;
    // Halide takes vectors along the loop for aligned, which the user's buffer need not be (builder/alignment.h).
    // Emission first splits the loop at an odd place, which hides the alignment.
    bool taken_for_aligned = false;
    // The odd place usually depends on the output's extent. If that extent is a constant, the place depends on the
    // stride of this dimension of the output instead. -1: not needed.
    int hidden_by_stride_of = -1;
    // RDom::where depends on the loop. It is not tiled. If it is the vector loop, each lane has a condition of its own.
    // If it is unrolled whole, each copy has one.
    bool in_predicate = false;
    // A pure loop over so many channels, 0 to channels - 1 at the estimates, by which the stage or a Func that it may
    // inline chooses what to compute (mux, select): a copy that knows its channel computes one way alone. 0: no choice
    // hangs on the loop, or it is longer (builder/channels.h).
    int64_t channels = 0;
    // The stage's expressions repeat after so many iterations (x % 64, x / 2), so that Halide makes better code where
    // it knows the loop to begin at a multiple (builder/periods.h). 1: none does.
    int64_t period = 1;
    // Halide takes vectors along the loop apart into so many, which hold every n-th lane each (builder/periods.h). 1:
    // it leaves them whole.
    int64_t parts = 1;
};

// The least common multiple of two periods. The first one, if the other would make it longer than a picture is likely
// to begin at a multiple of.
int64_t common_period(int64_t a, int64_t b);

// A loop of a stage that the user has scheduled, in terms of the stage's own dimensions.
struct UserLoop {
    enum class Kind : uint8_t { Serial, Parallel, Vectorized, Unrolled };
    Kind kind = Kind::Serial;
    int dim = 0;       // of Stage::loops
    int64_t span = 1;  // points of that dimension that one iteration covers
    // The name for compute_at(). Empty: the search may compute nothing in this loop.
    std::string name;
};

// A loop by its position in Stage::user_loops.
struct UserSite {
    StageId stage;
    int loop = 0;
};

// A reduction loop whose steps go on from earlier ones, see graph/facts/recurrences.h.
struct Recurrence {
    size_t loop = 0;   // of Stage::loops
    double steps = 1;  // from one that stores a value to the next one that reads it
};

struct Stage {
    StageId id;
    FuncId func;
    int index = 0;                 // 0: the pure definition; k: the k-th update
    std::vector<StageLoop> loops;  // innermost first
    OpHistogram ops;               // per point of the loops
    // `ops` in groups by what they depend on. If none are given, StageGraph makes one that depends on all loops.
    std::vector<OperationGroup> operation_groups;
    int strahler_number = 0;  // registers that its expressions need, see graph/builder/operations.h
    double longest_chain = 0;  // of dependent operations, in cycles, see graph/builder/operations.h
    double recurrence_chain = 0;  // from one step to the next, see graph/builder/recurrences.h
    std::optional<Recurrence> recurrence;  // StageGraph fills it in
    std::vector<EdgeId> incoming;          // what it reads, including its own Func (updates)
    std::vector<Access> stores;            // where it writes in its own Func, one per tuple element
    bool has_predicate = false;            // RDom::where
    std::vector<LoopCondition>
        conditions;  // of the predicate, those that compare sums of loops with constants
    // The predicate compares only sums of loops and parameters. Halide can bound each of these loops by it.
    bool predicate_is_plain = false;
    // Halide gives some loop a narrower range because of the predicate. (r.x == opcode(r.y) narrows nothing: it says
    // nothing about r.x that holds for all r.y.)
    bool predicate_narrows = false;
    // Share of the iterations that the predicate lets pass, at the estimates; loaded values are guessed.
    double passing_share = 1;
    // Of the iterations that the predicate's conditions without loads let pass, the share that the others let pass too.
    // 1: no condition depends on loaded values.
    double loaded_share = 1;
    bool is_undefined = false;      // its values are undef: Halide drops the stage
    std::optional<DotProduct> dot;  // the update is a sum of products of small integers
    // The loops of a locked Func's stage, outermost first. Empty where UserLoop cannot express them: the stage then
    // counts as having default loops, in which nothing may be computed.
    std::vector<UserLoop> user_loops;
};

struct Edge {
    EdgeId id;
    StageId consumer;
    FuncId producer;
    // Call sites. Empty if an update writes its Func without reading it.
    std::vector<Access> accesses;
    // Box of the producer that a box of the consumer's loops needs. On an update's edge to its own Func: the hull of
    // what it reads and writes.
    RegionProgram region;
    bool is_self = false;
    // The consumer's predicate keeps it from points of the producer that its loops would reach, and no other reader
    // needs all of them (spared_points.h).
    bool predicate_spares = false;
    // Per dimension of the producer: more of it is needed at the ends of the consumer's loops than in the middle. See
    // growing_regions.h. StageGraph fills it in.
    std::vector<bool> grows_at_ends;
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
    // Of inputs and outputs, per dimension: how many elements neighbours lie apart in memory, by the constraints of the
    // buffers or an embedded buffer; 0: Halide does not know. Empty for all other Funcs, which are dense.
    std::vector<int64_t> strides;
    // Region that is computed (of an input: read) when everything is at root, at the estimates. For outputs, and for
    // inputs with estimates: the estimate itself.
    Box root_region;

    bool can_inline = false;  // pure, no output, and no rule of the builder forbids it
    // Loaded values that nothing bounds index a dimension, so Halide can only inline the Func. In that dimension
    // root_region is all of int32.
    bool inline_only = false;
    bool root_only = false;  // extern stages and their inputs, outputs, locked Funcs
    bool is_extern = false;
    bool may_specialize = true;  // see vanishing_calls.h and builder/specialization.h
    // The user has scheduled it, or a Func that is computed in its loops. The search leaves it alone.
    bool locked = false;
    std::string locked_because;
    // The loop in which a locked Func is computed. Not set: it counts as computed at root.
    std::optional<UserSite> user_site;
    // It reads a locked Func, directly or not, and is read in the loop where that Func is computed. All uses of the
    // locked Func must stay in that loop. So this Func is inlined, computed inside the loop, or left to Halide.
    bool enclosed = false;
    std::vector<UserSite> enclosed_by;  // those loops, of an enclosed Func; empty: not known
    // Per dimension: computing beyond the required region never reads a pipeline input outside of what the
    // unscheduled pipeline may read, at any size. Where false, splits must be guarded.
    std::vector<bool> may_overcompute;
    // Per dimension: vectors along it load through clamps by hand that several loads share (Clamp), and may begin
    // before the region where that is shorter than a vector. See shifts_vectors() in code/stage/split_tails.h. Empty:
    // in no dimension.
    std::vector<bool> shifts_vectors;
    // Per dimension: the user has said how many points there are, by Func::bound() or a constraint of the output's
    // buffer. Empty: in no dimension.
    std::vector<bool> bounded_by_user;
    // Per dimension: the user has given its first point and its extent, as above, and both are constants. Empty: in no
    // dimension.
    std::vector<bool> constant_by_user;
    // Counts as inlined until it is decided: see assumed_inlining.h. StageGraph fills it in.
    bool assumed_inlined = false;
    // Only copies values: a boundary condition, a cast of a load, a wrapper.
    bool is_trivial = false;
    // Per dimension: root_region is the same at all sizes of the outputs and inputs and for all parameters, and Halide
    // knows it as a constant: see constant_regions.h. StageGraph fills it in.
    std::vector<bool> constant_region;
    // Per dimension. StageGraph fills it in.
    std::vector<Repetition> repetition;

    int bytes_per_point() const;  // sum over the elements of the tuple
    bool is_input() const { return role == FuncRole::Input; }
    bool is_output() const { return role == FuncRole::Output; }
};

// The dimension along which vectors load and store without leaps; -1: the Func has none. It is the innermost one in
// memory. Of interleaved colours, which are too few for a vector, it is the one along the pixels: Halide loads and
// stores whole vectors, and shuffles.
int row_dim(const Func &func);
// How many colours lie side by side, if row_dim() runs along pixels; else 1.
int64_t interleaved_colours(const Func &func);

// By Func that another reads, directly or through others: for each dimension, the other's dimension that walks it, or a
// negative number. See followed_dims.h.
using DimWalkers = std::map<FuncId, std::vector<int>>;

class StageGraph {
public:
    // For the builder and for tests. Debug builds assert the invariants above.
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

    // Whether some stage reads more at the ends of its loops than in the middle: see growing_regions.h.
    bool regions_grow_at_ends() const { return regions_grow_; }

    // The pipeline's inputs and outputs, in id order.
    std::span<const FuncId> inputs_and_outputs() const { return inputs_and_outputs_; }

    // Hash of the algorithm alone (graph/hash/algorithm_hash.h). An emitted schedule refuses a pipeline with another
    // hash. It is the same in every run, except for a pipeline that calls random().
    uint64_t algorithm_hash() const { return algorithm_hash_; }

    // What was done to the pipeline's reductions before it became this graph. A trace begins with it.
    std::span<const DividedReduction> divisions() const { return divisions_; }
    // For the builder. undivided: the algorithm hash of the pipeline before.
    void set_divisions(uint64_t undivided, std::vector<DividedReduction> divisions) {
        algorithm_hash_ = undivided;
        divisions_ = std::move(divisions);
    }

    // Matrix products that tensor cores could compute. Empty unless the builder's caller has looked for them.
    std::span<const TensorProduct> products() const { return products_; }
    void set_products(std::vector<TensorProduct> products) { products_ = std::move(products); }
    // The product that a stage adds up; null: it is none.
    const TensorProduct *product_at(StageId stage) const {
        for (const TensorProduct &p : products_)
            if (p.stage == stage) return &p;
        return nullptr;
    }

    // Whether `reader` reads `producer`, directly or through other Funcs.
    bool reads(FuncId reader, FuncId producer) const {
        return readers_[producer.index() * words_per_func_ + reader.index() / 64] >>
                   (reader.index() % 64) &
               1;
    }
    // Whether every path from `f` along its readers leads through `into`, and there is one. False for
    // f == into.
    bool only_feeds(FuncId f, FuncId into) const {
        const int at = feeding_order_[f.index()], from = feeding_order_[into.index()];
        return at > from && at < from + num_feeding_[into.index()];
    }

    // Of an output, what followed_dims() compares; null: the Func is none. A search asks for pairs of them again and
    // again.
    const DimWalkers *walkers(FuncId output) const {
        const auto known = walkers_.find(output);
        return known == walkers_.end() ? nullptr : &known->second;
    }

    // Looks a Func up by name; invalid id if there is none.
    FuncId find(std::string_view name) const;

    // The ranges of a stage's loops when `region` of its Func is computed. out.size() == loops.size().
    void loop_ranges(const Stage &stage, const Box &region, std::span<Interval> out) const;

    // Grows `region` of `func` to include what its update stages read and write. Halide computes that too.
    void include_self_accesses(const Func &func, Box &region) const;

private:
    void find_readers();
    void find_what_only_feeds();

    std::vector<Func> funcs_;
    std::vector<Stage> stages_;
    std::vector<Edge> edges_;
    std::map<FuncId, DimWalkers> walkers_;  // by output
    // Per pair of Funcs a bit for reads(): the row is the producer, the column the reader.
    std::vector<uint64_t> readers_;
    size_t words_per_func_ = 0;
    // The tree in which a Func's parent is the nearest Func that it only feeds. Per Func: its position in preorder,
    // and the size of its subtree.
    std::vector<int> feeding_order_, num_feeding_;
    size_t num_scheduled_ = 0;
    bool regions_grow_ = false;
    std::vector<FuncId> inputs_and_outputs_;
    uint64_t algorithm_hash_ = 0;
    std::vector<DividedReduction> divisions_;
    std::vector<TensorProduct> products_;
};

}  // namespace cryolite
