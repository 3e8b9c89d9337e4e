// The search's promises: a legal, complete schedule; the same one for the same seed on any number of
// threads; the optimum of a tiny space when nothing is pruned.
#include "search/search.h"

#include <gtest/gtest.h>

#include <set>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/beam/beam.h"
#include "search/beam/candidates.h"
#include "search/beam/expand.h"
#include "search/effort.h"
#include "search/plans.h"
#include "search/refinement/refine.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::SmallPipeline;

using testing::machine;

std::vector<std::pair<const char *, SmallPipeline>> pipelines() {
    return {{"box_filter", testing::box_filter(640, 480)},
            {"shifted_chain", testing::shifted_chain(5, 333)},
            {"matrix_multiply", testing::matrix_multiply(256)}};
}

TEST(Search, gives_a_complete_valid_schedule_at_any_size) {
    for (int size : {1, 2, 3, 7, 31, 640}) {
        for (const SmallPipeline &p :
             {testing::box_filter(size, size), testing::matrix_multiply(size)}) {
            const BuiltGraph built = p.build();
            const SearchResult r = search(built.graph, machine(), {});
            EXPECT_TRUE(r.nest.complete());
            EXPECT_EQ(validate(r.nest), "") << to_tree_text(r.nest);
            EXPECT_GT(r.time.seconds, 0);
        }
    }
}

// A narrow search that is given the result of a wide one finds nothing worse.
TEST(Search, tries_the_decisions_of_plans) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        SearchOptions narrow;
        narrow.beam_size = narrow.num_passes = narrow.tilings_per_placement = 1;
        const double alone = search(built.graph, machine(), narrow).time.seconds;
        const SearchResult wide = search(built.graph, machine(), {});
        narrow.plans = {plain_schedule(built.graph, machine()), wide.nest};
        const SearchResult planned = search(built.graph, machine(), narrow);
        EXPECT_EQ(validate(planned.nest), "") << name;
        EXPECT_LE(planned.time.seconds, wide.time.seconds) << name;
        EXPECT_LE(planned.time.seconds, alone) << name;
    }
}

TEST(Search, costs_no_more_than_its_start) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        SearchOptions narrow;
        narrow.beam_size = narrow.num_passes = narrow.tilings_per_placement = 1;
        const double alone = search(built.graph, machine(), narrow).time.seconds;
        const SearchResult wide = search(built.graph, machine(), {});
        narrow.start = wide.nest;
        const SearchResult improved = search(built.graph, machine(), narrow);
        EXPECT_EQ(validate(improved.nest), "") << name;
        EXPECT_LE(improved.time.seconds, wide.time.seconds) << name;
        EXPECT_LE(improved.time.seconds, alone) << name;
    }
}

// Found by trmm, whose manual schedule led the beam to one that was half as slow again as what it finds alone.
TEST(Search, with_a_poor_start_costs_no_more_than_without) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        SearchOptions started;
        started.start = plain_schedule(built.graph, machine());
        const double alone = search(built.graph, machine(), {}).time.seconds;
        EXPECT_LE(search(built.graph, machine(), started).time.seconds, as_good * alone) << name;
    }
}

TEST(Search, gives_the_cheapest_of_other_structures_when_asked) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        SearchOptions options;
        options.candidates = 4;
        options.time_limit_seconds = 1e6;
        const SearchResult found = search(built.graph, machine(), options);
        ASSERT_EQ(found.others.size(), 3u) << name;
        const Machine priced_for = machine();
        CostModel model(built.graph, priced_for);
        std::set<uint64_t> structures{whole_structure(found.nest)};
        double before = 0;
        for (const LoopNest &other : found.others) {
            EXPECT_EQ(validate(other), "") << name;
            EXPECT_TRUE(structures.insert(whole_structure(other)).second) << name;
            const double seconds = model.evaluate(other).seconds;
            EXPECT_GE(seconds, before) << name;
            before = seconds;
        }
        options.candidates = 1;
        EXPECT_EQ(search(built.graph, machine(), options).nest.hash(), found.nest.hash()) << name;
    }
}

TEST(Search, counts_schedules_that_differ_in_a_tiles_size_as_one_structure) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    const auto structure = [&](int16_t tile, bool parallel) {
        LoopNest nest = plain_schedule(built.graph, machine()).without(FuncId(0));
        const StageId s = built.graph.func(FuncId(0)).stages[0];
        std::vector<Action> actions{action::ComputeRoot{FuncId(0)}, action::Tile{s, 1, {tile}}};
        if (parallel) actions.push_back(action::Parallel{s, 1});
        for (const Action &a : actions) EXPECT_TRUE(try_apply(nest, a));
        return whole_structure(nest);
    };
    EXPECT_EQ(structure(8, true), structure(16, true));
    EXPECT_NE(structure(8, true), structure(8, false));
}

TEST(Search, repeats_a_plan_in_a_state_that_decides_as_it_did) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        const SearchResult found = search(built.graph, machine(), {});
        const Plans plans({found.nest});
        LoopNest nest(built.graph);
        for (size_t i = 0; i < built.graph.num_scheduled(); i++) {
            std::vector<LoopNest> decided = plans.decided(nest, FuncId(i));
            ASSERT_EQ(decided.size(), 1u) << name;
            nest = std::move(decided[0]);
        }
        EXPECT_EQ(nest.hash(), found.nest.hash()) << name;
    }
}

TEST(Search, is_the_same_on_a_rerun_and_on_any_number_of_threads) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        SearchOptions options;
        options.num_passes = 2;
        options.threads = 1;
        options.time_limit_seconds = 1e6;  // a slow computer must not end one of them early
        const SearchResult one = search(built.graph, machine(), options);
        for (int64_t threads : {1, 2, 3}) {
            options.threads = threads;
            const SearchResult r = search(built.graph, machine(), options);
            EXPECT_EQ(r.nest.hash(), one.nest.hash()) << name << " on " << threads << " threads";
            EXPECT_EQ(r.statistics.states_generated, one.statistics.states_generated) << name;
            EXPECT_EQ(r.time.seconds, one.time.seconds) << name;
        }
    }
}

TEST(Refinement, changes_one_func_and_leaves_a_complete_legal_schedule) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        const Machine m = machine();
        const LoopNest plain = plain_schedule(built.graph, m);
        const Twins twins(built.graph);
        const Refinement refinement(plain, m, twins, 8, Redraw::PlacesAndLoops);
        size_t changed = 0;
        for (size_t i = 0; i < built.graph.num_scheduled(); i++)
            for (const Change &c : refinement.changes(i, Random(1))) {
                const std::optional<LoopNest> nest = refinement.with(c);
                if (!nest) continue;
                EXPECT_TRUE(nest->complete()) << name;
                EXPECT_EQ(validate(*nest), "") << name << "\n" << to_tree_text(*nest);
                changed += nest->hash() != plain.hash();
            }
        EXPECT_GT(changed, 8u) << name;
    }
}

// In a schedule that the search has found: what is computed inside of the reshaped Func stays there.
TEST(Refinement, of_loops_keeps_every_place) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        const Machine m = machine();
        const LoopNest found = search(built.graph, m, {}, Log()).nest;
        const Twins twins(built.graph);
        const Refinement refinement(found, m, twins, 8, Redraw::LoopsOnly);
        size_t changed = 0;
        for (size_t i = 0; i < built.graph.num_scheduled(); i++)
            for (const Change &c : refinement.changes(i, Random(1))) {
                const std::optional<LoopNest> nest = refinement.with(c);
                if (!nest) continue;
                EXPECT_TRUE(nest->complete()) << name;
                EXPECT_EQ(validate(*nest), "") << name << "\n" << to_tree_text(*nest);
                // The same state as its trace makes, in spite of the short cut.
                const auto again = replay(built.graph, trace_of(*nest));
                ASSERT_TRUE(again.ok()) << name;
                EXPECT_EQ(again->hash(), nest->hash()) << name;
                EXPECT_EQ(to_tree_text(*again), to_tree_text(*nest)) << name;
                for (size_t f = 0; f < built.graph.num_scheduled(); f++)
                    EXPECT_EQ(nest->at(FuncId(f)).placement, found.at(FuncId(f)).placement);
                changed += nest->hash() != found.hash();
            }
        EXPECT_GT(changed, 8u) << name;
    }
}

// A plain start is far from what the search finds: climbing alone must gain most of it.
TEST(Refinement, finds_better_states_from_a_poor_start) {
    const BuiltGraph built = testing::matrix_multiply(256).build();
    const Machine m = machine();
    CostModel model(built.graph, m);
    const LoopNest plain = plain_schedule(built.graph, m);
    const Twins twins(built.graph);
    const Refinement refinement(plain, m, twins, 48, Redraw::PlacesAndLoops);
    double best = model.evaluate(plain).seconds;
    const double before = best;
    for (size_t i = 0; i < built.graph.num_scheduled(); i++)
        for (const Change &c : refinement.changes(i, Random(1)))
            if (const auto nest = refinement.with(c))
                best = std::min(best, model.evaluate(*nest).seconds);
    EXPECT_LT(best, 0.7 * before);
}

TEST(Search, is_no_worse_than_the_plain_schedule) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        const SearchResult r = search(built.graph, machine(), {});
        const Machine priced_for = machine();
        CostModel model(built.graph, priced_for);
        EXPECT_LE(r.time.seconds, model.evaluate(plain_schedule(built.graph, machine())).seconds)
            << name;
    }
}

TEST(Search, stops_at_its_time_limit_with_a_complete_schedule) {
    const BuiltGraph built = testing::shifted_chain(12, 2000).build();
    SearchOptions options;
    options.time_limit_seconds = 0.01;
    options.num_passes = 50;
    const SearchResult r = search(built.graph, machine(), options);
    EXPECT_TRUE(r.statistics.hit_time_limit);
    EXPECT_TRUE(r.nest.complete());
    EXPECT_EQ(validate(r.nest), "");
}

TEST(Search, forgets_memos_at_its_memory_limit_and_finds_the_same) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    SearchOptions options;
    options.threads = 1;
    // Few states at a time, and many in all.
    options.beam_size = 1;
    options.num_passes = 20;
    options.tilings_per_placement = 16;
    const SearchResult roomy = search(built.graph, machine(), options);
    options.memory_limit_bytes = 1 << 20;
    const SearchResult tight = search(built.graph, machine(), options);
    EXPECT_FALSE(roomy.statistics.hit_memory_limit);
    EXPECT_TRUE(tight.statistics.hit_memory_limit);
    EXPECT_FALSE(tight.statistics.beam_narrowed);
    EXPECT_EQ(tight.nest.hash(), roomy.nest.hash());
    EXPECT_EQ(tight.time.seconds, roomy.time.seconds);
}

// Found by random pipelines (seeds 10017, 10096, 10133): split, such a loop asks for more of an input
// than the pipeline at root does.
TEST(Search, tiles_no_loop_that_a_predicate_depends_on) {
    Halide::Var x("x");
    Halide::ImageParam input(Halide::Int(32), 2, "input");
    Halide::Func sums("sums"), out("out");
    Halide::RDom r(0, 16, "r");
    r.where(r <= x);
    sums(x) = 0;
    sums(x) += input(r, x);
    out(x) = sums(x) + 1;
    input.set_estimates({{0, 16}, {0, 200}});
    out.set_estimates({{0, 200}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const SearchResult found = search(built.graph, machine(), {});
    for (const Stage &s : built.graph.stages()) {
        if (!s.has_predicate) continue;
        for (const LoopLevel &l : found.nest.stage_nest(s.id).loops)
            EXPECT_TRUE(l.name.level == 0 || l.kind == LoopKind::Vectorized);
    }
    // By position: Halide makes names unique over a whole process.
    const FuncId out_id(0), sums_id(1);
    auto with_out = cryolite::apply(LoopNest(built.graph), action::ComputeRoot{out_id});
    ASSERT_TRUE(with_out.ok());
    auto placed_result = cryolite::apply(*with_out, action::ComputeRoot{sums_id});
    ASSERT_TRUE(placed_result.ok());
    const LoopNest placed = *placed_result;
    const StageId update = built.graph.func(sums_id).stages[1];
    ASSERT_TRUE(built.graph.stage(update).has_predicate);
    EXPECT_FALSE(cryolite::apply(placed, action::Tile{update, 1, {8}}).ok());
    EXPECT_FALSE(cryolite::apply(placed, action::Vectorize{update, 0, 8}).ok());
    EXPECT_TRUE(cryolite::apply(placed, action::Vectorize{update, 1, 8}).ok());
}

// A triangular product: the columns are no part of the predicate, and make vectors.
TEST(Search, splits_the_loops_that_a_predicate_does_not_know) {
    Halide::Var x("x"), y("y");
    Halide::ImageParam a(Halide::Float(32), 2, "a"), b(Halide::Float(32), 2, "b");
    Halide::Func product("product"), out("out");
    Halide::RDom k(0, 256, "k");
    k.where(k <= y);
    product(x, y) = 0.0f;
    product(x, y) += a(k, y) * b(x, k);
    out(x, y) = product(x, y) * 2.0f;
    for (Halide::ImageParam *p : {&a, &b}) p->set_estimates({{0, 256}, {0, 256}});
    out.set_estimates({{0, 256}, {0, 256}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const SearchResult found = search(built.graph, machine(), {});
    const Func &sums = built.graph.func(built.graph.find(product.name()));
    const Stage &update = built.graph.stage(sums.stages[1]);
    ASSERT_TRUE(update.has_predicate);
    bool has_vector = false;
    for (const LoopLevel &l : found.nest.stage_nest(update.id).loops) {
        has_vector |= l.kind == LoopKind::Vectorized;
        const StageLoop &loop = update.loops[static_cast<size_t>(l.name.dim)];
        EXPECT_EQ(loop.in_predicate, loop.is_reduction || loop.func_dim == 1);
        EXPECT_TRUE(!loop.in_predicate || l.name.level == 0);
    }
    EXPECT_TRUE(has_vector);
}

// Inlined, a transposition would make every load a gather.
TEST(Search, stores_a_transposition_that_is_read_densely) {
    Halide::Var x("x"), y("y");
    Halide::ImageParam a(Halide::Float(32), 2, "a");
    Halide::Func turned("turned"), square("square"), out("out");
    Halide::RDom k(0, 512, "k");
    turned(x, y) = a(y, x);
    square(x, y) = 0.0f;
    square(x, y) += a(k, y) * turned(x, k);
    out(x, y) = square(x, y);
    a.set_estimates({{0, 512}, {0, 512}});
    out.set_estimates({{0, 512}, {0, 512}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const SearchResult found = search(built.graph, machine(), {});
    const FuncId id = built.graph.find(turned.name());
    ASSERT_TRUE(id.valid());
    EXPECT_NE(found.nest.at(id).placement, Placement::Inline) << to_tree_text(found.nest);
}

const int64_t tilings = SearchOptions{}.tilings_per_placement;

// The least cost over every sequence of children, by plain recursion.
double brute_force(Expander &expander, const BeamState &state, const StageGraph &graph) {
    if (state.nest.complete()) return state.seconds;
    std::vector<BeamState> children;
    expander.expand(state, {FuncId(state.nest.num_decided()), 0, tilings}, {}, children);
    double best = std::numeric_limits<double>::infinity();
    for (const BeamState &c : children) best = std::min(best, brute_force(expander, c, graph));
    return best;
}

TEST(Search, finds_the_optimum_of_a_tiny_space_with_an_unbounded_beam) {
    for (const SmallPipeline &p : {testing::box_filter(9, 5), testing::shifted_chain(3, 5)}) {
        const BuiltGraph built = p.build();
        SearchOptions options;
        options.exhaustive = true;
        options.beam_size = 1 << 30;
        const Machine m = machine();
        Expander expander(built.graph, m, options);
        const double optimum = brute_force(expander, {LoopNest(built.graph), 0}, built.graph);
        EXPECT_EQ(search(built.graph, m, options).time.seconds, optimum);
    }
}

}  // namespace
}  // namespace cryolite
