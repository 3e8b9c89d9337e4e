// Which Funcs, stages, loops and edges a pipeline has: one test for each kind of pipeline that
// Halide compiles. Updates, predicates and extern stages have files of their own.
#include "base/random.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::edge;
using test::estimate;
using test::func;
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

// Against the definitions, on random graphs.
TEST(Structure, WhoReadsAndWhoOnlyFeedsWhom) {
    for (uint64_t seed = 0; seed < 10; seed++) {
        Random random(seed);
        Var x;
        std::vector<Halide::Func> made;
        for (int i = 0; i < 24; i++) {
            made.emplace_back("f" + std::to_string(i));
            Expr sum = x;
            for (uint64_t reads = random.below(3); i > 0 && reads > 0; reads--)
                sum = sum + made[random.below(static_cast<uint64_t>(i))](x);
            made.back()(x) = sum;
        }
        std::vector<Halide::Func> outputs(made.end() - 2, made.end());
        for (Halide::Func &f : outputs) estimate(f, {100});
        const BuiltGraph built = build(outputs);
        const StageGraph &graph = built.graph;
        for (const Func &into : graph.funcs()) {
            std::vector<bool> reads(graph.funcs().size()), only(graph.funcs().size());
            for (const Func &f : graph.funcs()) {
                bool all = !f.outgoing.empty();
                for (EdgeId e : f.outgoing) {
                    const FuncId reader = graph.func_of(graph.edge(e).consumer).id;
                    all = all && (reader == into.id || only[reader.index()]);
                    reads[f.id.index()] =
                        reads[f.id.index()] || reader == into.id || reads[reader.index()];
                }
                only[f.id.index()] = all;
                EXPECT_EQ(graph.reads(into.id, f.id), reads[f.id.index()]);
                EXPECT_EQ(graph.only_feeds(f.id, into.id), only[f.id.index()])
                    << f.name << " into " << into.name;
            }
        }
    }
}

}  // namespace
}  // namespace cryolite
