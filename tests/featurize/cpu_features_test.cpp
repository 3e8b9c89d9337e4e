// The features of schedules of small pipelines, counted by hand.
#include "featurize/features.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "tests/featurize/scheduled.h"
#include "tests/schedule/random_trace.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

// Eight floats a register, four cores.
Machine avx2() {
    Machine m = test::some_machine();
    m.cores = 4;
    m.vector_bytes = 32;
    return m;
}

struct CpuFeatures : ::testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};
    Halide::Func row{"row"}, out{"out"};
    std::optional<BuiltGraph> built;
    FuncId o, r;
    StageId os, rs;
    std::optional<Features> features;

    // out: three rows of row; row: three taps of the input.
    void blur(int width, int height) {
        row(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
        out(x, y) = row(x, y) + row(x, y + 1) + row(x, y + 2);
        estimate(out, {width, height});
        built.emplace(build({out}));
        o = func(*built, out).id;
        r = func(*built, row).id;
        os = func(*built, out).stages[0];
        rs = func(*built, row).stages[0];
    }
    void schedule(const Trace &trace) {
        const LoopNest nest = test::scheduled(built->graph, trace);
        static const Machine machine = avx2();
        Featurizer featurizer(built->graph, machine);
        features = featurizer.features(nest);
        EXPECT_FALSE(features->too_large());
    }
    double of(StageId s, Feature f) const {
        const std::span<const double> row_of_stage = features->row(s);
        if (row_of_stage.empty()) throw std::runtime_error("the stage has no row");
        return row_of_stage[index(f)];
    }
};

TEST_F(CpuFeatures, AtRootEverythingHappensOnce) {
    blur(128, 96);
    schedule({action::ComputeRoot{o}, action::ComputeRoot{r}});
    EXPECT_EQ(of(rs, Feature::points_computed), 128 * 98);
    EXPECT_EQ(of(rs, Feature::points_per_production), 128 * 98);
    EXPECT_EQ(of(rs, Feature::recomputation_ratio), 1);
    EXPECT_EQ(of(rs, Feature::productions), 1);
    EXPECT_EQ(of(rs, Feature::realisations), 1);
    EXPECT_EQ(of(rs, Feature::allocation_bytes), 128 * 98 * 4);
    EXPECT_EQ(of(rs, Feature::stored_at_root), 1);
    EXPECT_EQ(of(rs, Feature::tasks_own), 1);
    EXPECT_EQ(of(rs, Feature::core_use), 0.25);
    EXPECT_EQ(of(rs, Feature::parallel_launches), 0);
    EXPECT_EQ(of(rs, Feature::innermost_extent), 128);
    EXPECT_EQ(of(rs, Feature::loop_iterations), 98 + 98 * 128);
    EXPECT_EQ(of(rs, Feature::scalar_share), 1);
    EXPECT_EQ(of(rs, Feature::loads_splat), 3);
    EXPECT_EQ(of(rs, Feature::stores_dense), 1);
    EXPECT_EQ(of(rs, Feature::expanded_loads), 3);
    EXPECT_EQ(of(rs, Feature::expanded_add_float), 2);
    EXPECT_EQ(of(rs, Feature::folded_share), 1);
    EXPECT_EQ(of(rs, Feature::window_new_share), 1);
    EXPECT_EQ(of(rs, Feature::shared_line_share), 0);

    EXPECT_EQ(of(rs, Feature::input_bytes_read_per_vector), 3 * 4);
    EXPECT_EQ(of(rs, Feature::input_bytes_read_per_innermost_run), 130 * 4);
    EXPECT_EQ(of(rs, Feature::input_bytes_read_per_production), 130 * 98 * 4);
    EXPECT_EQ(of(rs, Feature::input_bytes_read_per_task), 130 * 98 * 4);
    EXPECT_EQ(of(rs, Feature::intermediate_bytes_read_per_task), 0);
    EXPECT_EQ(of(rs, Feature::bytes_stored_per_vector), 4);
    EXPECT_EQ(of(rs, Feature::bytes_stored_per_innermost_run), 128 * 4);
    EXPECT_EQ(of(rs, Feature::bytes_stored_per_core), 128 * 98 * 4);
    EXPECT_EQ(of(os, Feature::intermediate_bytes_read_per_vector), 3 * 4);
    EXPECT_EQ(of(os, Feature::intermediate_bytes_read_per_innermost_run), 3 * 128 * 4);
    EXPECT_EQ(of(os, Feature::input_bytes_read_per_production), 0);
    EXPECT_EQ(of(os, Feature::working_set_of_kernel), (128 * 96 + 128 * 98) * 4);
}

TEST_F(CpuFeatures, InlinedWorkCountsInItsReader) {
    blur(128, 96);
    schedule({action::ComputeRoot{o}, action::Inline{r}});
    EXPECT_TRUE(features->row(rs).empty());
    EXPECT_EQ(of(os, Feature::expanded_loads), 9);
    EXPECT_EQ(of(os, Feature::expanded_add_float), 2 + 3 * 2);
    // Three calls of row, and nine of what wraps the input.
    EXPECT_EQ(of(os, Feature::inlined_calls), 3 + 9);
    EXPECT_EQ(of(os, Feature::ops_add_float32), 2);
    EXPECT_EQ(of(os, Feature::input_bytes_read_per_vector), 9 * 4);
}

// What follows from the inlined Funcs is kept from row to row. Another nest in between changes nothing.
TEST_F(CpuFeatures, RowsDoNotDependOnTheOrderOfQuestions) {
    blur(128, 96);
    const Machine machine = avx2();
    const LoopNest inlined =
        test::scheduled(built->graph, {action::ComputeRoot{o}, action::Inline{r}});
    const LoopNest at_root =
        test::scheduled(built->graph, {action::ComputeRoot{o}, action::ComputeRoot{r}});
    Featurizer asked(built->graph, machine, 0);
    for (const LoopNest *nest : {&inlined, &at_root, &inlined, &at_root}) {
        const Features now = asked.features(*nest);
        const Features fresh = Featurizer(built->graph, machine, 0).features(*nest);
        const std::span<const double> a = now.row(os), b = fresh.row(os);
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
}

// A chain of sums needs two registers. Where each of its terms is such a chain one more holds the sum so far.
TEST_F(CpuFeatures, BranchingIsThatOfTheStageAfterInlining) {
    blur(128, 96);
    schedule({action::ComputeRoot{o}, action::ComputeRoot{r}});
    EXPECT_EQ(of(os, Feature::expression_branching), 2);
    EXPECT_EQ(of(rs, Feature::expression_branching), 2);
    schedule({action::ComputeRoot{o}, action::Inline{r}});
    EXPECT_EQ(of(os, Feature::expression_branching), 3);
}

TEST_F(CpuFeatures, TilesInParallelWithTheirProducerInside) {
    blur(128, 96);
    schedule({action::ComputeRoot{o}, action::Tile{os, 1, {16}}, action::Tile{os, 0, {32}},
              action::Reorder{os, {{os, 1, 0}, {os, 0, 0}, {os, 1, 1}, {os, 0, 1}}},
              action::Vectorize{os, 0, 8}, action::Parallel{os, 1},
              action::ComputeAt{r, {os, 0, 0}}, action::Vectorize{rs, 0, 8}});
    EXPECT_EQ(of(os, Feature::tasks_own), 6);
    EXPECT_EQ(of(os, Feature::tasks_enclosing), 1);
    EXPECT_EQ(of(os, Feature::core_use), 6.0 / 8);
    EXPECT_EQ(of(os, Feature::parallel_launches), 1);
    EXPECT_EQ(of(os, Feature::points_per_task), 128 * 16);
    EXPECT_EQ(of(os, Feature::points_per_core), 2 * 128 * 16);
    EXPECT_EQ(of(os, Feature::bytes_stored_per_task), 128 * 16 * 4);
    EXPECT_EQ(of(os, Feature::bytes_stored_per_core), 2 * 128 * 16 * 4);
    EXPECT_EQ(of(os, Feature::intermediate_bytes_read_per_task), 128 * 18 * 4);
    EXPECT_EQ(of(os, Feature::contiguous_bytes_stored_per_task), 128 * 16 * 4);
    EXPECT_GT(of(os, Feature::shared_line_share), 0);
    EXPECT_LT(of(os, Feature::shared_line_share), 0.02);

    EXPECT_EQ(of(rs, Feature::productions), 24);
    EXPECT_EQ(of(rs, Feature::realisations), 24);
    EXPECT_EQ(of(rs, Feature::points_per_production), 32 * 18);
    EXPECT_EQ(of(rs, Feature::points_computed), 24 * 32 * 18);
    EXPECT_DOUBLE_EQ(of(rs, Feature::recomputation_ratio), 24.0 * 32 * 18 / (128 * 98));
    EXPECT_EQ(of(rs, Feature::tasks_own), 1);
    EXPECT_EQ(of(rs, Feature::tasks_enclosing), 6);
    EXPECT_EQ(of(rs, Feature::points_per_task), 4 * 32 * 18);
    EXPECT_EQ(of(rs, Feature::allocation_bytes), 32 * 18 * 4);
    EXPECT_EQ(of(rs, Feature::stored_inside), 1);
    EXPECT_EQ(of(rs, Feature::shared_line_share), 0);
    EXPECT_EQ(of(rs, Feature::input_bytes_read_per_production), 34 * 18 * 4);
    EXPECT_EQ(of(rs, Feature::input_bytes_read_per_task), 130 * 18 * 4);
    EXPECT_EQ(of(rs, Feature::input_bytes_read_per_vector), 10 * 4);
    EXPECT_EQ(of(rs, Feature::bytes_stored_per_production), 32 * 18 * 4);
    EXPECT_EQ(of(rs, Feature::contiguous_bytes_stored_per_production), 32 * 18 * 4);

    EXPECT_EQ(of(rs, Feature::vector_lanes), 8);
    EXPECT_EQ(of(rs, Feature::natural_vectors), 1);
    EXPECT_EQ(of(rs, Feature::vectors_per_production), 4 * 18);
    EXPECT_EQ(of(rs, Feature::scalar_share), 0);
    EXPECT_EQ(of(rs, Feature::loads_dense), 3);
    EXPECT_EQ(of(rs, Feature::loads_splat), 0);
    EXPECT_EQ(of(rs, Feature::innermost_extent), 4);
    // Its own store is aligned, what it loads is the user's; the other way round for its reader.
    EXPECT_EQ(of(rs, Feature::aligned_share), 0.25);
    EXPECT_EQ(of(os, Feature::aligned_share), 0.75);
}

TEST_F(CpuFeatures, StoredPerTask) {
    blur(128, 96);
    schedule({action::ComputeRoot{o}, action::Tile{os, 1, {16}}, action::Parallel{os, 1},
              action::ComputeAt{r, {os, 1, 0}}});
    EXPECT_EQ(of(rs, Feature::stored_per_task), 1);
    EXPECT_EQ(of(rs, Feature::productions), 6);
    EXPECT_EQ(of(rs, Feature::allocation_bytes), 128 * 18 * 4);
    EXPECT_EQ(of(rs, Feature::working_set_per_production), of(rs, Feature::working_set_per_task));
}

TEST_F(CpuFeatures, ASlidingWindowComputesEveryPointOnceAndKeepsAFew) {
    blur(128, 96);
    schedule({action::ComputeRoot{o}, action::ComputeAt{r, {os, 1, 0}},
              action::StoreAt{r, std::nullopt}});
    EXPECT_EQ(of(rs, Feature::productions), 96);
    EXPECT_EQ(of(rs, Feature::realisations), 1);
    EXPECT_EQ(of(rs, Feature::points_per_production), 128);
    EXPECT_DOUBLE_EQ(of(rs, Feature::points_computed), 128 * 98);
    EXPECT_DOUBLE_EQ(of(rs, Feature::recomputation_ratio), 1);
    EXPECT_DOUBLE_EQ(of(rs, Feature::window_new_share), 1.0 / 3);
    EXPECT_EQ(of(rs, Feature::allocation_bytes), 128 * 4 * 4);
    EXPECT_DOUBLE_EQ(of(rs, Feature::folded_share), 4.0 / 98);
    EXPECT_EQ(of(rs, Feature::stored_at_root), 1);
}

TEST_F(CpuFeatures, PartialVectors) {
    blur(100, 64);
    schedule({action::ComputeRoot{o}, action::Vectorize{os, 0, 8}, action::ComputeRoot{r},
              action::Vectorize{rs, 0, 8}});
    // An output's last vector is shifted inwards: four points are computed twice.
    EXPECT_EQ(of(os, Feature::points_computed), 104 * 64);
    EXPECT_DOUBLE_EQ(of(os, Feature::wasted_share), 1 - 100.0 / 104);
    EXPECT_EQ(of(os, Feature::scalar_share), 0);
    EXPECT_EQ(of(os, Feature::vectors_per_production), 13 * 64);
    EXPECT_EQ(of(os, Feature::aligned_share), 0);
    // What may not read past the input's end computes the rest one by one.
    EXPECT_EQ(of(rs, Feature::points_computed), 100 * 66);
    EXPECT_EQ(of(rs, Feature::wasted_share), 0);
    EXPECT_DOUBLE_EQ(of(rs, Feature::scalar_share), 4.0 / 100);
    EXPECT_EQ(of(rs, Feature::vectors_per_production), 12 * 66);
}

TEST_F(CpuFeatures, WhatMayOvercomputeRoundsUp) {
    row(x, y) = cast<float>(x * 3 + y);
    out(x, y) = row(x, y) + row(x, y + 1);
    estimate(out, {100, 64});
    built.emplace(build({out}));
    o = func(*built, out).id, r = func(*built, row).id;
    rs = func(*built, row).stages[0];
    schedule({action::ComputeRoot{o}, action::ComputeRoot{r}, action::Vectorize{rs, 0, 8}});
    EXPECT_EQ(of(rs, Feature::points_computed), 104 * 65);
    EXPECT_EQ(of(rs, Feature::vectors_per_production), 13 * 65);
    EXPECT_EQ(of(rs, Feature::scalar_share), 0);
    EXPECT_EQ(of(rs, Feature::loads_dense), 0);
}

TEST_F(CpuFeatures, RegisterBlocksOfAMatrixProduct) {
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    RDom k(0, 32, "k");
    Halide::Func product("product");
    product(x, y) += a(k, y) * b(x, k);
    out(x, y) = product(x, y);
    estimate(out, {64, 48});
    estimate(a, {32, 48});
    estimate(b, {64, 32});
    built.emplace(build({out}));
    o = func(*built, out).id;
    const Func &p = func(*built, product);
    const StageId update = p.stages[1];
    const Stage &s = built->graph.stage(update);
    const int16_t X = test::loop_over(s, 0), Y = test::loop_over(s, 1), K = test::loop_over(s, -1);
    schedule({action::ComputeRoot{o}, action::ComputeRoot{p.id}, action::Tile{update, Y, {4}},
              action::Tile{update, X, {16}},
              action::Reorder{
                  update,
                  {{update, Y, 0}, {update, X, 0}, {update, K, 0}, {update, Y, 1}, {update, X, 1}}},
              action::Vectorize{update, X, 16}, action::Unroll{{update, Y, 1}}});
    EXPECT_EQ(of(update, Feature::unrolled_copies), 4);
    EXPECT_EQ(of(update, Feature::accumulators), 4 * 2);
    EXPECT_EQ(of(update, Feature::natural_vectors), 2);
    EXPECT_EQ(of(update, Feature::loads_splat), 1);
    EXPECT_EQ(of(update, Feature::loads_dense), 2);
    EXPECT_EQ(of(update, Feature::loads_per_register_block), 4 + 1 + 4);
    EXPECT_EQ(of(update, Feature::innermost_extent), 32);
    EXPECT_EQ(of(update, Feature::innermost_is_reduction), 1);
    EXPECT_EQ(of(update, Feature::bytes_stored_per_register_block), 4 * 16 * 4);
    // Of a four values, of b sixteen; and the sums, which are its own Func's.
    EXPECT_EQ(of(update, Feature::input_bytes_read_per_register_block), (4 + 16) * 4);
    EXPECT_EQ(of(update, Feature::intermediate_bytes_read_per_register_block), 4 * 16 * 4);
    EXPECT_EQ(of(update, Feature::input_bytes_read_per_innermost_run), 32 * (4 + 16) * 4);
    EXPECT_EQ(of(update, Feature::points_computed), 64 * 48 * 32);
}

TEST_F(CpuFeatures, StridedAndGatheredVectors) {
    ImageParam table(Float(32), 1, "table"), places(UInt(8), 2, "places");
    out(x, y) = input(2 * x, y) + input(y, x) + table(y) + table(cast<int>(places(x, y)));
    estimate(out, {64, 64});
    estimate(table, {256});
    built.emplace(build({out}));
    o = func(*built, out).id;
    os = func(*built, out).stages[0];
    schedule({action::ComputeRoot{o}, action::Vectorize{os, 0, 8}});
    EXPECT_EQ(of(os, Feature::loads_strided), 2);
    EXPECT_EQ(of(os, Feature::loads_splat), 1);
    EXPECT_EQ(of(os, Feature::loads_gathered), 1);
    EXPECT_EQ(of(os, Feature::loads_dense), 1);
    EXPECT_EQ(of(os, Feature::expanded_gathers), 1);
    EXPECT_EQ(of(os, Feature::stores_dense), 1);
}

// A chain with a gather, resampling, an update with a reduction and a tuple, of prime sizes.
TEST_F(CpuFeatures, OfAnyScheduleAreFiniteAndTheSameWhenRemembered) {
    ImageParam places(UInt(8), 2, "places");
    RDom k(0, 7, "k");
    Halide::Func coarse("coarse"), sums("sums");
    row(x, y) = input(x, y) + input(clamp(cast<int>(places(x, y)), 0, 255), y);
    coarse(x, y) = Tuple(row(2 * x, 2 * y) + row(2 * x + 1, 2 * y + 1), cast<uint8_t>(x + y));
    sums(x, y) += coarse(x + k, y)[0] * cast<float>(coarse(y, k)[1]);
    out(x, y) = sums(x / 2, y) + sums(x, y + 1);
    estimate(out, {101, 53});
    estimate(input, {256, 256});
    built.emplace(build({out}));
    const Machine machine = avx2();
    Featurizer remembers(built->graph, machine), computes(built->graph, machine, 0);
    for (uint64_t seed = 0; seed < 80; seed++) {
        SCOPED_TRACE(seed);
        const LoopNest nest = testing::random_nest(built->graph, Random(seed));
        const Features expected = computes.features(nest);
        const Features actual = remembers.features(nest);
        for (const Stage &s : built->graph.stages()) {
            const std::span<const double> left = expected.row(s.id), right = actual.row(s.id);
            ASSERT_EQ(left.size(), right.size());
            if (left.empty()) continue;
            EXPECT_EQ(std::memcmp(left.data(), right.data(), left.size_bytes()), 0);
            for (size_t i = 0; i < num_features; i++)
                ASSERT_TRUE(std::isfinite(left[i]) && left[i] >= 0) << feature_table()[i].name;
            EXPECT_LE(left[index(Feature::aligned_share)], 1);
            EXPECT_LE(left[index(Feature::loads_per_register_block)],
                      left[index(Feature::expanded_loads)] * left[index(Feature::unrolled_copies)]);
        }
    }
}

}  // namespace
}  // namespace cryolite
