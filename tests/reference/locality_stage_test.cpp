// Stages of real pipelines as perfect nests, and their schedules as tilings.
#include "reference/locality/nest_of_stage.h"

#include "reference/locality/locality_plan.h"
#include "tests/featurize/scheduled.h"

namespace cryolite::locality {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::loop_over;

const Reference &array(const PerfectNest &nest, const std::string &name) {
    for (const Reference &r : nest.references)
        if (r.array.rfind(name, 0) == 0) return r;
    throw std::runtime_error("no array " + name);
}

PerfectNest of(const BuiltGraph &built, const cryolite::Stage &stage) {
    Result<PerfectNest> nest = nest_of_stage(built.graph, stage.id);
    if (!nest.ok()) throw std::runtime_error(nest.error().message);
    EXPECT_EQ(defect_of(*nest), "");
    return *std::move(nest);
}

struct MatmulStage : testing::Test {
    static constexpr int rows = 256, columns = 512, depth = 384;
    Var x{"x"}, y{"y"};
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    Halide::Func c{"c"}, out{"out"};
    BuiltGraph built = make();
    const cryolite::Stage &update = test::stage(built, c, 1);
    StageId s = update.id;
    int16_t dx = loop_over(update, 0), dy = loop_over(update, 1), dk = loop_over(update, -1);
    PerfectNest nest = of(built, update);

    BuiltGraph make() {
        RDom k(0, depth, "k");
        c(x, y) = 0.0f;
        c(x, y) += a(k, y) * b(x, k);
        out(x, y) = c(x, y);
        estimate(out, {columns, rows});
        estimate(a, {depth, rows});
        estimate(b, {columns, depth});
        return build({out});
    }
};

TEST_F(MatmulStage, IsThatOfTheThesis) {
    ASSERT_EQ(nest.loops.size(), 3u);
    EXPECT_EQ(nest.loops[static_cast<size_t>(dx)].bound, columns);
    EXPECT_EQ(nest.loops[static_cast<size_t>(dy)].bound, rows);
    EXPECT_EQ(nest.loops[static_cast<size_t>(dk)].bound, depth);
    EXPECT_FALSE(nest.loops[static_cast<size_t>(dk)].parallelizable);
    ASSERT_EQ(nest.references.size(), 3u) << "what is read and written is one";
    EXPECT_TRUE(array(nest, "c").reads && array(nest, "c").writes);
    EXPECT_FALSE(array(nest, "a").writes);
    EXPECT_EQ(stride_bytes(array(nest, "a"), static_cast<size_t>(dy)), 4 * depth);
    EXPECT_EQ(stride_bytes(array(nest, "b"), static_cast<size_t>(dk)), 4 * columns);
    EXPECT_EQ(column_loop(nest), static_cast<size_t>(dx));
    EXPECT_EQ(classify(nest, 64), Locality::Temporal);
    EXPECT_EQ(classify(of(built, test::stage(built, c, 0)), 64), Locality::Contiguous);
}

// (4.5) and (4.10) of the schedule that is listing 4.1: T_i, T_j, T_k = 32, 64, 16.
TEST_F(MatmulStage, MissesOfItsScheduleAreThoseOfTheEquations) {
    const LoopNest schedule = test::scheduled(
        built.graph,
        {action::ComputeRoot{test::func(built, out).id},
         action::ComputeRoot{test::func(built, c).id}, action::Tile{s, dx, {64}},
         action::Tile{s, dy, {32}}, action::Tile{s, dk, {16}},
         action::Reorder{s,
                         {{s, dy, 0}, {s, dk, 0}, {s, dx, 0}, {s, dy, 1}, {s, dk, 1}, {s, dx, 1}}},
         action::Vectorize{s, dx, 16}});
    StageExpander expander(built.graph);
    const Result<PerfectNest> scheduled = nest_of_stage(schedule, expander, s);
    ASSERT_TRUE(scheduled.ok());
    const Tiling tiling = tiling_of_stage(*scheduled, schedule.stage_nest(s));
    EXPECT_EQ(tiling.first_intra, 3u);
    const NestRuns runs(*scheduled, 64);
    EXPECT_EQ(expected_misses(runs, tiling, l1_reuse_level(tiling), true), 80 * 1536);
    EXPECT_EQ(expected_misses(runs, tiling, l2_reuse_level(tiling), true), 416 * 192);
}

TEST_F(MatmulStage, AVectorAloneIsNoTile) {
    const LoopNest schedule = test::scheduled(
        built.graph, {action::ComputeRoot{test::func(built, out).id},
                      action::ComputeRoot{test::func(built, c).id}, action::Vectorize{s, dx, 16}});
    const Tiling tiling = tiling_of_stage(nest, schedule.stage_nest(s));
    EXPECT_EQ(tiling.first_intra, 0u);
    EXPECT_EQ(tiling.levels.size(), 4u);
}

struct StageNests : testing::Test {
    Var x{"x"}, y{"y"}, ch{"ch"};
    ImageParam input{Float(32), 2, "input"};
    Halide::Func out{"out"};
};

TEST_F(StageNests, OffsetsOfAStencilAreASpan) {
    out(x, y) = input(x, y) + input(x + 2, y) + input(x + 1, y + 3);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const PerfectNest nest = of(built, test::stage(built, out));
    const Reference &in = array(nest, "input");
    EXPECT_EQ(in.dims[0].offset_span, 2);
    EXPECT_EQ(in.dims[1].offset_span, 3);
    EXPECT_EQ(in.loads, 3);
    EXPECT_EQ(classify(nest, 64), Locality::Unoptimised);
}

TEST_F(StageNests, TransposesAreSeenThroughInlinedFuncs) {
    Halide::Func turned("turned");
    turned(x, y) = input(y, x) * 2.0f;
    out(x, y) = turned(x, y) + 1.0f;
    estimate(out, {2000, 1000});
    const BuiltGraph built = build({out});
    const StageId s = test::stage(built, out).id;
    EXPECT_EQ(classify(of(built, test::stage(built, out)), 64), Locality::Contiguous);
    const LoopNest schedule =
        test::scheduled(built.graph, {action::ComputeRoot{test::func(built, out).id}});
    StageExpander expander(built.graph);
    const Result<PerfectNest> nest = nest_of_stage(schedule, expander, s);
    ASSERT_TRUE(nest.ok());
    EXPECT_EQ(classify(*nest, 64), Locality::Spatial);
    EXPECT_TRUE(plan_locality(*nest, test::some_machine()).ok());
}

TEST_F(StageNests, StorageOrderDecidesWhichDimensionIsTheColumn) {
    Halide::Func stored("stored");
    stored(x, y) = input(x, y) + 1.0f;
    stored.reorder_storage(y, x).compute_root();
    out(x, y) = stored(x, y) * stored(x, y);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const PerfectNest nest = of(built, test::stage(built, out));
    EXPECT_EQ(stride_bytes(array(nest, stored.name()), 0), 4 * 480);
    EXPECT_EQ(classify(nest, 64), Locality::Spatial);
}

TEST_F(StageNests, TupleElementsAreArraysOfTheirOwn) {
    Halide::Func pair("pair");
    pair(x, y) = Tuple(input(x, y), cast<uint8_t>(x));
    out(x, y) = pair(x, y)[0] + cast<float>(pair(y, x)[1]);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const PerfectNest nest = of(built, test::stage(built, out));
    EXPECT_EQ(array(nest, pair.name() + ".0").element_bytes, 4);
    EXPECT_EQ(array(nest, pair.name() + ".1").element_bytes, 1);
    EXPECT_TRUE(is_transposed(nest, array(nest, pair.name() + ".1"), 64));
    const PerfectNest written = of(built, test::stage(built, pair));
    EXPECT_TRUE(array(written, pair.name() + ".0").writes);
    EXPECT_TRUE(array(written, pair.name() + ".1").writes);
}

TEST_F(StageNests, AHistogramGathersAndScatters) {
    ImageParam bytes(UInt(8), 2, "bytes");
    Halide::Func histogram("histogram");
    RDom r(0, 640, 0, 480, "r");
    histogram(x) = 0;
    histogram(cast<int>(bytes(r.x, r.y))) += 1;
    out(x) = histogram(x);
    estimate(out, {256});
    estimate(bytes, {640, 480});
    const BuiltGraph built = build({out});
    const PerfectNest nest = of(built, test::stage(built, histogram, 1));
    const Reference &h = array(nest, histogram.name());
    EXPECT_TRUE(h.is_gather());
    EXPECT_TRUE(h.reads && h.writes);
    EXPECT_TRUE(h.gathered_over[0] && h.gathered_over[1]);
    const Result<LocalityPlan> plan = plan_locality(nest, test::some_machine());
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_FALSE(plan->nontemporal_stores);
}

TEST_F(StageNests, ADownsamplingReductionHasStrides) {
    RDom r(0, 2, 0, 2, "r");
    out(x, y) = 0.0f;
    out(x, y) += input(2 * x + r.x, 2 * y + r.y);
    estimate(out, {320, 240});
    const BuiltGraph built = build({out});
    const PerfectNest nest = of(built, test::stage(built, out, 1));
    EXPECT_EQ(nest.loops.size(), 4u);
    EXPECT_EQ(classify(nest, 64), Locality::Temporal);
    EXPECT_TRUE(plan_locality(nest, test::some_machine()).ok());
}

}  // namespace
}  // namespace cryolite::locality
