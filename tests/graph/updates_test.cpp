// What is known of update stages: their reduction loops, in which order these may run, what they read
// and write of their own Func.
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

TEST(Updates, UpdatesHaveReductionLoopsInnermost) {
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

TEST(Updates, AScanKeepsItsOrderAndIsFreeInTheOtherLoop) {
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

TEST(Updates, AReductionThatWritesEachPointOnceIsParallel) {
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

// An output's buffer is the user's: where an update loads from it, Halide may take it for aligned.
TEST(Updates, RowsOfOutputsThatHalideTakesForAlignedAreMarked) {
    Var x, y;
    Halide::Func rows("rows"), row("row"), bounded("bounded"), strided("strided"), set("set"),
        inner("inner"), fixed("fixed"), walked("walked"), packed("packed");
    RDom r(0, 8, "r"), s(0, 4, "s");
    inner(x, y) = x;
    inner(x, y) += r;
    rows(x, y) = inner(x, y);
    rows(x, y) += r;
    bounded(x, y) = 0;
    bounded(x, y) += r;
    bounded.bound(y, 0, 1);
    strided(x, y) = 0;
    strided(x, y) += r;
    strided.output_buffer().dim(1).set_stride(32);
    row(x) = 0;
    row(x) += r;
    fixed(x) = 0;
    fixed(x) += r;
    fixed.output_buffer().dim(0).set_bounds(0, 32);
    walked(x) = 0;
    walked(r) = walked(r) * 2;
    walked.output_buffer().dim(0).set_min(0);
    set(x, y) = 0;
    set(x, s) = x + s;
    packed(x, y) = x;  // pixels of four channels
    packed(x, y) += r;
    packed.output_buffer().dim(0).set_stride(4);
    packed.output_buffer().dim(1).set_stride(1).set_bounds(0, 4);
    estimate(packed, {32, 4});
    for (const Halide::Func &f : {rows, bounded, strided, set}) estimate(f, {32, 16});
    for (const Halide::Func &f : {row, fixed, walked}) estimate(f, {32});
    const BuiltGraph built = build({rows, row, bounded, strided, set, fixed, walked, packed});
    const auto loop = [&](const Halide::Func &f, int stage_index, int func_dim) {
        for (const StageLoop &l : stage(built, f, static_cast<size_t>(stage_index)).loops)
            if (l.func_dim == func_dim) return l;
        throw std::runtime_error("no such loop");
    };
    const auto vectorizable = [&](const Halide::Func &f, int stage_index, int func_dim) {
        const StageLoop l = loop(f, stage_index, func_dim);
        return l.vectorizable && !l.taken_for_aligned;
    };
    EXPECT_TRUE(vectorizable(rows, 0, 0));
    EXPECT_TRUE(vectorizable(rows, 1, 0));  // at any address, since nobody knows the stride
    EXPECT_TRUE(vectorizable(bounded, 1, 1));
    EXPECT_TRUE(vectorizable(set, 1, 0));    // stores only
    EXPECT_TRUE(vectorizable(inner, 1, 0));  // Halide's own allocation
    for (const Halide::Func &f : {row, bounded, strided}) {
        EXPECT_TRUE(loop(f, 1, 0).vectorizable);
        EXPECT_TRUE(loop(f, 1, 0).taken_for_aligned);
    }
    EXPECT_FALSE(loop(fixed, 1, 0).vectorizable);  // no size is left to be unknown
    EXPECT_FALSE(loop(walked, 1, -1).vectorizable);
    EXPECT_FALSE(loop(packed, 1, 0).vectorizable);  // odd parts of four channels are known, too
    EXPECT_FALSE(loop(packed, 1, 1).vectorizable);
}

// Nobody hides where the loops of other stages start.
TEST(Updates, StagesThatReadOutputsGetNoVectorsWhereHalideTakesThemForAligned) {
    Var x, y;
    Halide::Func free("free"), fixed("fixed"), bounded("bounded"), named("named"), above("above"),
        reads_free("reads_free"), reads_fixed("reads_fixed"), reads_bounded("reads_bounded"),
        reads_above("reads_above"), inlined("inlined"), reads_inlined("reads_inlined");
    for (Halide::Func f : {free, fixed, bounded, named}) f(x) = x;
    above(x, y) = x;
    above.output_buffer().dim(1).set_min(0);
    fixed.output_buffer().dim(0).set_min(0);
    bounded.bound(x, 0, 64);
    RDom r(named.output_buffer().dim(0).min(), 64);
    named(r) = named(r) * 2;
    reads_free(x) = free(x);
    reads_fixed(x, y) = fixed(x) + y;
    reads_bounded(x) = bounded(100 - x);
    reads_above(x) = above(x, 0);
    inlined(x) = fixed(x) + 1;
    reads_inlined(x) = inlined(x);
    const std::vector<Halide::Func> outputs{free,        fixed,        bounded,     named,
                                            above,       reads_free,   reads_fixed, reads_bounded,
                                            reads_above, reads_inlined};
    for (const Halide::Func &f : outputs)
        estimate(f, std::vector<int>(static_cast<size_t>(f.dimensions()), 64));
    const BuiltGraph built = build(outputs);
    const auto vectorizable = [&](const Halide::Func &f, size_t loop) {
        return stage(built, f, f.num_update_definitions() > 0).loops[loop].vectorizable;
    };
    EXPECT_TRUE(vectorizable(reads_free, 0));
    EXPECT_TRUE(vectorizable(reads_above, 0));  // a row starts at the unknown min
    EXPECT_FALSE(vectorizable(reads_fixed, 0));
    EXPECT_TRUE(vectorizable(reads_fixed, 1));  // one value for all lanes
    EXPECT_FALSE(vectorizable(reads_bounded, 0));
    EXPECT_FALSE(vectorizable(named, 0));  // the reduction starts at the min
    EXPECT_FALSE(vectorizable(inlined, 0));
    EXPECT_TRUE(vectorizable(reads_inlined, 0));
    EXPECT_FALSE(func(built, inlined).can_inline);
}

TEST(Updates, AHistogramsBinsComeFromTheTypeOfWhatIsCounted) {
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

TEST(Updates, ReductionBoundsMayComeFromAParameter) {
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

TEST(Updates, ScalarFuncsHaveNoDimensions) {
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

}  // namespace
}  // namespace cryolite
