// Which Funcs, stages, loops and edges a pipeline has: one test for each kind of pipeline that
// Halide compiles.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::edge;
using test::estimate;
using test::func;
using test::needed;
using test::stage;

TEST(Structure, ConsumersComeBeforeProducersAndInputsLast) {
    Var x, y;
    ImageParam input(Float(32), 2, "input");
    Halide::Func a("a"), b("b"), out("out");
    a(x, y) = input(x, y) * 2.0f;
    b(x, y) = a(x - 1, y) + a(x + 1, y);
    out(x, y) = b(x, y) + a(x, y);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    // An ImageParam is read through a Func of its own, as Halide makes it.
    EXPECT_EQ(built.graph.num_scheduled(), 4u);
    EXPECT_TRUE(func(built, test::reader(input)).is_trivial);
    EXPECT_LT(func(built, out).id, func(built, b).id);
    EXPECT_LT(func(built, b).id, func(built, a).id);
    EXPECT_LT(func(built, a).id, func(built, "input").id);
    EXPECT_EQ(func(built, a).outgoing.size(), 2u);
    EXPECT_EQ(func(built, a).root_region, (Box{{-1, 64}, {0, 31}}));
    EXPECT_EQ(func(built, "input").root_region, (Box{{-1, 64}, {0, 31}}));
    EXPECT_TRUE(func(built, a).can_inline);
    EXPECT_FALSE(func(built, out).can_inline);
    EXPECT_TRUE(func(built, out).root_only);
    EXPECT_EQ(built.functions.size(), 5u);
    EXPECT_FALSE(built.functions[4].get_contents().defined());
    EXPECT_TRUE(built.functions[0].same_as(out.function()));
    EXPECT_EQ(func(built, out).values[0], (ScalarType{ScalarType::Kind::Float, 32}));
}

TEST(Structure, UpdatesHaveReductionLoopsInnermost) {
    Var x, y;
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    Halide::Func product("product"), out("out");
    RDom r(0, 48, "r");
    product(x, y) += a(r, y) * b(x, r);
    out(x, y) = product(x, y);
    estimate(out, {16, 8});
    const BuiltGraph built = build({out});
    const Stage &update = stage(built, product, 1);
    ASSERT_EQ(update.loops.size(), 3u);
    EXPECT_TRUE(update.loops[0].is_reduction);
    EXPECT_EQ(update.loops[0].range, (Interval{0, 47}));
    EXPECT_TRUE(update.loops[0].constant_range);
    EXPECT_TRUE(update.loops[0].reorderable);
    EXPECT_FALSE(update.loops[0].parallelizable);
    EXPECT_EQ(update.loops[1].func_dim, 0);
    EXPECT_EQ(update.loops[2].func_dim, 1);
    EXPECT_TRUE(update.loops[2].parallelizable);
    EXPECT_FALSE(func(built, product).can_inline);
    EXPECT_TRUE(edge(built, update, product.name()).is_self);
    EXPECT_EQ(func(built, "a").root_region, (Box{{0, 47}, {0, 7}}));
    EXPECT_EQ(func(built, "b").root_region, (Box{{0, 15}, {0, 47}}));
    EXPECT_EQ(update.ops.at(OpKind::Multiply, TypeClass::Float32), 1);
    EXPECT_EQ(update.ops.at(OpKind::Add, TypeClass::Float32), 1);
}

TEST(Structure, AScanKeepsItsOrderAndIsFreeInTheOtherLoop) {
    Var x, y;
    ImageParam input(Float(32), 2, "input");
    Halide::Func scan("scan"), out("out");
    RDom r(1, 31, "r");
    scan(x, y) = input(x, y);
    scan(x, r) = scan(x, r - 1) * 0.5f + input(x, r);
    out(x, y) = scan(x, y);
    estimate(out, {16, 32});
    const BuiltGraph built = build({out});
    const Stage &update = stage(built, scan, 1);
    EXPECT_FALSE(update.loops[0].reorderable);
    EXPECT_FALSE(update.loops[0].parallelizable);
    EXPECT_TRUE(update.loops[1].reorderable);
    EXPECT_TRUE(update.loops[1].vectorizable);
    // Rows 0 to 31: read r - 1 and written r.
    EXPECT_EQ(needed(edge(built, update, scan.name()), {{1, 31}, {0, 15}}),
              (Box{{0, 15}, {0, 31}}));
}

TEST(Structure, AReductionThatWritesEachPointOnceIsParallel) {
    Var x;
    Halide::Func f("f"), out("out");
    RDom r(0, 10, "r");
    f(x) = 0;
    f(r) = r * 3;
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    const StageLoop &loop = stage(built, f, 1).loops.at(0);
    EXPECT_TRUE(loop.parallelizable);
    EXPECT_TRUE(loop.reorderable);
}

TEST(Structure, APredicateIsNotedAndItsLoadsAreEdges) {
    Var x;
    ImageParam input(Int(32), 1, "input"), mask(UInt(8), 1, "mask");
    Halide::Func f("f"), out("out");
    RDom r(0, 100, "r");
    r.where(mask(r) > 0);
    r.where(r < 50);
    f(x) = 0;
    f(x) += input(r + x);
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    const Stage &update = stage(built, f, 1);
    EXPECT_TRUE(update.has_predicate);
    EXPECT_EQ(edge(built, update, test::reader(mask)).accesses.size(), 1u);
    // The predicate narrows r to [0, 49], as in Halide's bounds inference.
    EXPECT_EQ(func(built, "input").root_region, (Box{{0, 58}}));
}

// What a predicated update reads stays at root, where Halide narrows its region by the predicate.
TEST(Structure, WhatAPredicatedUpdateReadsStaysAtRoot) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Halide::Func read("read"), guarded("guarded"), f("f"), out("out");
    RDom r(0, 100, "r");
    r.where(r <= x);
    read(x) = input(x) + 1;
    guarded(x) = BoundaryConditions::repeat_edge(input)(x) + 2;
    f(x) = 0;
    f(x) += read(r) + guarded(r);
    out(x) = f(x) + read(x);
    estimate(out, {10});
    estimate(input, {100});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, read).root_only);
    EXPECT_FALSE(func(built, read).can_inline);
    // Reading more than is needed does no harm here.
    EXPECT_FALSE(func(built, guarded).root_only);
    EXPECT_TRUE(func(built, guarded).can_inline);
    EXPECT_FALSE(func(built, f).root_only);
}

TEST(Structure, WhatAnUpdateWithoutPredicateReadsMayBeAnywhere) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Halide::Func read("read"), f("f"), out("out");
    RDom r(0, 100, "r");
    read(x) = input(x) + 1;
    f(x) = 0;
    f(x) += read(r);
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    EXPECT_FALSE(func(built, read).root_only);
    EXPECT_TRUE(func(built, read).can_inline);
}

// An output's buffer is the user's: where an update loads from it, no vector runs along its rows.
TEST(Structure, OutputsThatReadThemselvesAreNotVectorisedAlongTheirRows) {
    Var x, y;
    Halide::Func added("added"), set("set"), inner("inner");
    RDom r(0, 8, "r"), s(0, 4, "s");
    inner(x, y) = x;
    inner(x, y) += r;
    added(x, y) = inner(x, y);
    added(x, y) += r;
    set(x, y) = 0;
    set(x, s) = x + s;
    estimate(added, {32, 16});
    estimate(set, {32, 16});
    const BuiltGraph built = build({added, set});
    const auto vectorizable = [&](const Halide::Func &f, int stage_index, int func_dim) {
        for (const StageLoop &loop : stage(built, f, static_cast<size_t>(stage_index)).loops) {
            if (loop.func_dim == func_dim) return loop.vectorizable;
        }
        return false;
    };
    EXPECT_TRUE(vectorizable(added, 0, 0));
    EXPECT_FALSE(vectorizable(added, 1, 0));
    EXPECT_TRUE(vectorizable(added, 1, 1));
    EXPECT_TRUE(vectorizable(set, 1, 0));    // stores only
    EXPECT_TRUE(vectorizable(inner, 1, 0));  // Halide's own allocation
}

TEST(Structure, ATriangularReductionIsBoundedByItsPredicate) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Halide::Func f("f"), out("out");
    RDom r(0, 100, 0, 100, "r");
    r.where(r.x <= r.y);
    f(x) = 0;
    f(x) += input(r.y - r.x);
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    EXPECT_EQ(stage(built, f, 1).loops.size(), 3u);
    EXPECT_EQ(func(built, "input").root_region[0].max, 99);
}

TEST(Structure, TuplesHaveOneValuePerElement) {
    Var x;
    ImageParam input(Float(32), 1, "input");
    Halide::Func pair("pair"), out("out");
    pair(x) = Tuple(input(x), cast<int16_t>(input(x) * 2));
    out(x) = pair(x)[0] + pair(x + 1)[1];
    estimate(out, {10});
    const BuiltGraph built = build({out});
    EXPECT_EQ(func(built, pair).values.size(), 2u);
    EXPECT_EQ(func(built, pair).bytes_per_point(), 6);
    EXPECT_EQ(stage(built, pair).stores.size(), 2u);
    const Edge &e = edge(built, stage(built, out), pair.name());
    ASSERT_EQ(e.accesses.size(), 2u);
    EXPECT_EQ(e.accesses[0].value + e.accesses[1].value, 1);
}

TEST(Structure, AnOutputMayReadAnother) {
    Var x;
    Halide::Func first("first"), second("second");
    first(x) = x * 2;
    second(x) = first(x) + first(x + 1);
    estimate(first, {20});
    estimate(second, {10});
    for (const std::vector<Halide::Func> &order :
         {std::vector<Halide::Func>{first, second}, {second, first}}) {
        const BuiltGraph built = build(order);
        EXPECT_LT(func(built, second).id, func(built, first).id);
        EXPECT_TRUE(func(built, first).is_output());
        EXPECT_EQ(func(built, first).root_region, (Box{{0, 19}}));
    }
}

TEST(Structure, ScalarFuncsHaveNoDimensions) {
    Var x;
    ImageParam input(Float(32), 1, "input");
    Halide::Func sum("sum"), out("out");
    RDom r(0, 32, "r");
    sum() = 0.0f;
    sum() += input(r);
    out(x) = input(x) / sum();
    estimate(out, {32});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, sum).dims.empty());
    EXPECT_EQ(stage(built, sum).loops.size(), 0u);
    EXPECT_EQ(stage(built, sum, 1).loops.size(), 1u);
    EXPECT_EQ(points(func(built, sum).root_region), 1);
    EXPECT_TRUE(stage(built, sum, 1).loops[0].reorderable);
}

TEST(Structure, ExternStagesAndTheirInputsStayAtRoot) {
    Var x, y;
    Halide::Func before("before"), stage_("stage"), out("out");
    before(x, y) = x + y;
    stage_.define_extern("some_stage", {before}, Int(32), {x, y});
    out(x, y) = stage_(x, y) + 1;
    estimate(out, {16, 8});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, stage_).is_extern);
    EXPECT_TRUE(func(built, stage_).root_only);
    EXPECT_FALSE(func(built, stage_).can_inline);
    EXPECT_TRUE(func(built, before).root_only);
    EXPECT_FALSE(func(built, before).can_inline);
    EXPECT_EQ(func(built, before).root_region, (Box{{0, 15}, {0, 7}}));
    EXPECT_EQ(func(built, stage_).may_overcompute, (std::vector<bool>{false, false}));
}

TEST(Structure, AnExternStageOfFewerDimensionsNeedsItsInputsEstimate) {
    Var x, y;
    Halide::Func before("before"), stage_("stage"), out("out");
    before(x, y) = x + y;
    stage_.define_extern("some_stage", {before}, Int(32), {x});
    out(x) = stage_(x) + 1;
    estimate(out, {16});
    const Result<BuiltGraph> missing = test::try_build({out});
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().message.find(" dimension 1 (" + y.name() + ")"), std::string::npos)
        << missing.error().message;
    estimate(before, {16, 30});
    EXPECT_EQ(func(build({out}), before).root_region, (Box{{0, 15}, {0, 29}}));
}

TEST(Structure, AWrapperIsAFuncLikeAnyOther) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Halide::Func f("f"), g("g"), out("out");
    f(x) = input(x) * 3;
    g(x) = f(x - 1) + f(x + 1);
    out(x) = g(x) + f(x);
    Halide::Func wrapper = f.in(g);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    const Func &w = func(built, wrapper);
    EXPECT_TRUE(w.is_trivial);
    EXPECT_LT(func(built, g).id, w.id);
    EXPECT_LT(w.id, func(built, f).id);
    EXPECT_EQ(edge(built, stage(built, g), w.name).accesses.size(), 2u);
    EXPECT_EQ(func(built, f).outgoing.size(), 2u);  // out and the wrapper
    // Nothing of the user's pipeline was changed.
    EXPECT_TRUE(built.functions[w.id.index()].same_as(wrapper.function()));
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(build({out}).graph.funcs().size(), built.graph.funcs().size());
}

TEST(Structure, AFuncIndexedByUnboundedValuesCanOnlyBeInlined) {
    Var x, v;
    ImageParam input(Int(32), 1, "input");
    Halide::Func square("square"), out("out");
    square(v) = v * v;
    out(x) = square(input(x));
    estimate(out, {10});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, square).inline_only);
    EXPECT_TRUE(func(built, square).can_inline);
}

TEST(Structure, TrivialFuncsOnlyCopy) {
    Var x, y;
    ImageParam input(UInt(8), 2, "input");
    Halide::Func padded = BoundaryConditions::constant_exterior(input, 0);
    Halide::Func widened("widened"), scaled("scaled"), out("out");
    widened(x, y) = cast<float>(padded(x, y));
    scaled(x, y) = widened(x, y) * 2;
    out(x, y) = scaled(x, y);
    estimate(out, {8, 8});
    estimate(input, {8, 8});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, widened).is_trivial);
    EXPECT_FALSE(func(built, scaled).is_trivial);
    EXPECT_TRUE(func(built, padded).is_trivial);
}

TEST(Structure, AHistogramsBinsComeFromTheTypeOfWhatIsCounted) {
    Var x, y, i;
    ImageParam input(UInt(8), 2, "input");
    Halide::Func histogram("histogram"), out("out");
    RDom r(0, 20, 0, 10, "r");
    histogram(i) = 0;
    histogram(cast<int>(input(r.x, r.y))) += 1;
    out(x, y) = histogram(cast<int>(input(x, y)));
    estimate(out, {20, 10});
    estimate(input, {20, 10});
    const BuiltGraph built = build({out});
    EXPECT_EQ(func(built, histogram).root_region, (Box{{0, 255}}));
    const Stage &update = stage(built, histogram, 1);
    EXPECT_TRUE(update.stores[0].index[0].data_dependent);
    EXPECT_FALSE(update.stores[0].index[0].affine);
    EXPECT_EQ(update.stores[0].index[0].depends_on, (std::vector<bool>{true, true}));
    EXPECT_TRUE(update.loops[0].reorderable);
    EXPECT_FALSE(update.loops[0].parallelizable);
    EXPECT_EQ(update.ops.at(OpKind::Cast, TypeClass::Int32), 1);
    EXPECT_EQ(update.ops.at(OpKind::Add, TypeClass::Int32), 1);
}

TEST(Structure, ReductionBoundsMayComeFromAParameter) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Param<int> taps("taps");
    Halide::Func f("f"), out("out");
    RDom r(1, taps / 2, "r");
    f(x) = 0;
    f(x) += input(r + x);
    out(x) = f(x);
    estimate(out, {10});
    const Result<BuiltGraph> missing = test::try_build({out});
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().message.find("add `taps.set_estimate(value);`"), std::string::npos)
        << missing.error().message;
    taps.set_estimate(16);
    const BuiltGraph built = build({out});
    EXPECT_EQ(stage(built, f, 1).loops[0].range, (Interval{1, 8}));
    EXPECT_FALSE(stage(built, f, 1).loops[0].constant_range);
    EXPECT_EQ(func(built, "input").root_region, (Box{{1, 17}}));
}

TEST(Structure, EmbeddedBuffersAreInputs) {
    Var x;
    Buffer<float> kernel(5);
    kernel.fill(1.0f);
    Halide::Func f("f"), out("out");
    RDom r(kernel);
    f(x) = 0.0f;
    f(x) += kernel(r) * cast<float>(x + r);
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    EXPECT_EQ(func(built, kernel.name()).root_region, (Box{{0, 4}}));
    EXPECT_EQ(stage(built, f, 1).loops[0].range, (Interval{0, 4}));
}

TEST(Structure, SharedSubexpressionsOfExponentialSizeBuildQuickly) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Halide::Func f("f");
    Expr e = input(x);
    for (int i = 0; i < 60; i++) e = e * e + e;
    f(x) = e;
    estimate(f, {10});
    const BuiltGraph built = build({f});
    EXPECT_EQ(stage(built, f).ops.at(OpKind::Multiply, TypeClass::Int32), 60);
    EXPECT_EQ(stage(built, f).ops.at(OpKind::Add, TypeClass::Int32), 60);
}

}  // namespace
}  // namespace cryolite
