// Core-bound cycles: exact where they are a product, else in the right order.
#include "analytical/cycles/stage_cycles.h"
#include "analytical/cycles/arithmetic_cycles.h"

#include "analytical/cycles/access_cycles.h"

#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;
using test::some_machine;

TEST(ArithmeticCycles, AreThroughputTimesVectors) {
    const Machine &machine = some_machine();
    OpHistogram ops;
    ops.at(OpKind::Add, TypeClass::Float32) = 3;
    const int natural = machine.vector_bytes / 4;
    EXPECT_DOUBLE_EQ(arithmetic_cycles(machine, ops, 1), 3 * machine.scalar.float_add);
    EXPECT_DOUBLE_EQ(arithmetic_cycles(machine, ops, natural), 3 * machine.vector.float_add);
    EXPECT_DOUBLE_EQ(arithmetic_cycles(machine, ops, 2 * natural), 6 * machine.vector.float_add);
    // Part of a vector costs a whole one.
    EXPECT_DOUBLE_EQ(arithmetic_cycles(machine, ops, natural / 2), 3 * machine.vector.float_add);
}

TEST(ArithmeticCycles, NarrowTypesFillAVectorWithMoreElements) {
    const Machine &machine = some_machine();
    OpHistogram narrow, wide;
    narrow.at(OpKind::Add, TypeClass::Int8) = wide.at(OpKind::Add, TypeClass::Int32) = 1;
    EXPECT_DOUBLE_EQ(4 * arithmetic_cycles(machine, narrow, machine.vector_bytes),
                     arithmetic_cycles(machine, wide, machine.vector_bytes));
}

TEST(ArithmeticCycles, AMultiplyAndAnAddFuse) {
    const Machine &machine = some_machine();
    OpHistogram ops;
    ops.at(OpKind::Multiply, TypeClass::Float32) = 4;
    const double multiplies = arithmetic_cycles(machine, ops, 8);
    ops.at(OpKind::Add, TypeClass::Float32) = 4;
    const double both = arithmetic_cycles(machine, ops, 8);
    EXPECT_GE(both, multiplies);
    EXPECT_LT(both, 1.5 * multiplies);
}

// Of minima and multiplications, which do not fuse.
TEST(ArithmeticCycles, AreThoseOfTheBusierUnitsWhereSumsAndProductsHaveTheirOwn) {
    Machine machine = some_machine();
    OpHistogram ops;
    ops.at(OpKind::MinMax, TypeClass::Float32) = 4;
    const double minima = arithmetic_cycles(machine, ops, 8);
    ops.at(OpKind::Multiply, TypeClass::Float32) = 4;
    machine.core.float_units_apart = 0;
    const double together = arithmetic_cycles(machine, ops, 8);
    machine.core.float_units_apart = 1;
    EXPECT_DOUBLE_EQ(arithmetic_cycles(machine, ops, 8), std::max(minima, together - minima));
    EXPECT_DOUBLE_EQ(arithmetic_cycles(machine, ops, 1),
                     4 * std::max(machine.scalar.float_add, machine.scalar.float_multiply));
    // Integers share all units.
    ops.at(OpKind::MinMax, TypeClass::Int32) = 4;
    EXPECT_GT(arithmetic_cycles(machine, ops, 8), minima);
}

struct Cycles : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};
    Halide::Func out{"out"};

    // A column of taps.
    BuiltGraph column(int taps) {
        Expr sum = input(x, y);
        for (int i = 1; i < taps; i++) sum += input(x, y + i) * static_cast<float>(i);
        out(x, y) = sum;
        estimate(out, {640, 480});
        return build({out});
    }
    StageCycles of(const BuiltGraph &built, const Trace &then) {
        const Func &o = func(built, out);
        Trace trace{action::ComputeRoot{o.id}};
        trace.insert(trace.end(), then.begin(), then.end());
        const LoopNest nest = scheduled(built.graph, trace);
        return test::cycles_of(nest, some_machine(), o.stages[0]);
    }
};

TEST_F(Cycles, GrowWithTheWorkPerPoint) {
    double arithmetic = 0, memory = 0;
    for (int taps : {2, 3, 5, 9}) {
        out = Halide::Func("out");
        const BuiltGraph built = column(taps);
        const StageCycles c = of(built, {});
        EXPECT_GT(c.arithmetic, arithmetic);
        EXPECT_GT(c.memory_operations(), memory);
        arithmetic = c.arithmetic;
        memory = c.memory_operations();
    }
}

TEST_F(Cycles, FallWithTheVectorsWidth) {
    const BuiltGraph built = column(3);
    const StageId s = func(built, out).stages[0];
    const int16_t along = test::loop_over(test::stage(built, out), 0);
    const auto lanes = static_cast<int16_t>(some_machine().vector_bytes / 4);
    const double scalar = of(built, {}).memory_operations();
    const double half = of(built, {action::Vectorize{s, along, static_cast<int16_t>(lanes / 2)}})
                            .memory_operations();
    const double full = of(built, {action::Vectorize{s, along, lanes}}).memory_operations();
    EXPECT_LT(half, scalar);
    EXPECT_LT(full, half);
    EXPECT_GT(full, scalar / lanes / 4);
}

// Loads per body: three taps in a row share two with their neighbour. Those of a column would, but that
// nothing is known of the distance of the input's rows (compiled_body_test.cpp).
TEST_F(Cycles, UnrollingAlongARowOfTapsSharesItsLoads) {
    out(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const Stage &stage = test::stage(built, out);
    const StageId s = stage.id;
    const int16_t dx = test::loop_over(stage, 0), dy = test::loop_over(stage, 1);
    const auto unrolled = [&](int16_t dim) {
        std::vector<LoopName> order;
        for (int16_t d : {dy, dx}) order.push_back({s, d, 0});
        order.push_back({s, dim, 1});
        return of(built, {action::Tile{s, dim, {4}}, action::Reorder{s, order},
                          action::Unroll{{s, dim, 1}}})
            .memory_operations();
    };
    const double rolled = of(built, {}).memory_operations();
    EXPECT_LT(unrolled(dx), rolled);
    EXPECT_DOUBLE_EQ(unrolled(dy), rolled);
}

// Found by a race: a layer whose vectors went along rows was predicted to take a thirtieth of its time.
// The operand is the same for all elements, so that only the sums differ.
TEST_F(Cycles, SumsInVectorsStoredApartGoToMemory) {
    Halide::Func sum("sum");
    ImageParam weights{Float(32), 1, "weights"};
    RDom k(0, 64, "k");
    sum(x, y) = 0.0f;
    sum(x, y) += weights(k);
    out(x, y) = sum(x, y) + 1.0f;
    weights.set_estimates({{0, 64}});
    out.set_estimates({{0, 640}, {0, 480}});
    const BuiltGraph built = build({out});
    const Func &f = func(built, sum);
    const StageId update = f.stages[1];
    const auto lanes = static_cast<int16_t>(some_machine().vector_bytes / 4);
    const auto memory = [&](int dim) {
        const int16_t loop = test::loop_over(built.graph.stage(update), dim);
        const LoopNest nest = scheduled(
            built.graph, {action::ComputeRoot{func(built, out).id}, action::ComputeRoot{f.id},
                          action::Vectorize{update, loop, lanes}});
        return test::cycles_of(nest, some_machine(), update).memory_operations();
    };
    EXPECT_GT(memory(1), 10 * memory(0));
}

// The rows of a triangular product, unrolled whole in a tile of the reader, each under a condition.
struct ConditionalRows : Cycles {
    // `copied`: the second factor is copied for the tile first. `pieces`: vectors of the tile of which
    // one at a time is summed up.
    StageCycles sums(bool copied, int64_t pieces) {
        ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
        Halide::Func product("product");
        RDom k(0, 512, "k");
        k.where(k <= y);
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);
        out = Halide::Func("out");
        out(x, y) = product(x, y) + 1.0f;
        for (ImageParam *p : {&a, &b}) p->set_estimates({{0, 512}, {0, 512}});
        estimate(out, {512, 512});
        const BuiltGraph built = build({out});
        const StageId s = func(built, out).stages[0], update = func(built, product).stages[1];
        const auto loop = [&](int dim) {
            return LoopName{update, test::loop_over(built.graph.stage(update), dim), 0};
        };
        const int16_t columns = loop(0).dim;
        const auto lanes = static_cast<int16_t>(some_machine().vector_bytes / 4);
        const LoopName tile_of_rows{s, 1, 0}, tile{s, 0, 0};
        Trace trace{action::ComputeRoot{func(built, out).id},
                    action::Tile{s, 0, {2 * lanes}},
                    action::Tile{s, 1, {4}},
                    action::Reorder{s, {tile, tile_of_rows, {s, 1, 1}, {s, 0, 1}}},
                    action::ComputeAt{func(built, product).id, tile_of_rows},
                    action::Tile{update, columns, {lanes * 2 / pieces}},
                    action::Vectorize{update, columns, lanes}};
        std::vector<LoopName> order{{update, columns, 0}, loop(-1), loop(1)};
        if (pieces == 1) order.push_back({update, columns, 1});
        order.push_back({update, columns, static_cast<int16_t>(pieces == 1 ? 2 : 1)});
        trace.push_back(action::Reorder{update, order});
        trace.push_back(action::Unroll{loop(1)});
        if (pieces == 1) trace.push_back(action::Unroll{{update, columns, 1}});
        const FuncId factor = func(built, test::reader(b)).id;
        if (copied) trace.push_back(action::ComputeAt{factor, tile});
        const LoopNest nest = scheduled(built.graph, trace);
        EXPECT_EQ(nest.stage_nest(update).loops.size(), order.size());
        StageExpander expander(built.graph);
        const ExpandedStage body = expander.expand(nest, update);
        bool packed = false;
        for (const LoadGroup &load : body.loads)
            packed |= load.producer == factor && is_packed(nest, nest.stage_nest(update), load);
        EXPECT_EQ(packed, copied);
        return test::cycles_of(nest, some_machine(), update);
    }
};

TEST_F(ConditionalRows, StayInRegistersAtConstantAddressesOnly) {
    EXPECT_GT(sums(false, 2).stores, 10 * sums(false, 1).stores);
}

TEST_F(ConditionalRows, LoadPackedRowsWithoutStraddlingLines) {
    EXPECT_LT(sums(true, 1).memory_operations(), 0.8 * sums(false, 1).memory_operations());
}

// Found in batches of elementwise_chain: with all of its 86 stages inlined each vector waits for its own
// results, and takes five times what its operations do; unrolling does not help, since one copy is more than
// a core looks ahead. Of short bodies, the next ones fill the time.
TEST_F(Cycles, OfALongChainAreItsLatency) {
    const auto per_point = [&](int exponentials) {
        Expr value = input(x, y);
        for (int i = 0; i < exponentials; i++) value = exp(-value);
        out = Halide::Func("out");
        out(x, y) = value;
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        const StageId s = func(built, out).stages[0];
        const auto lanes = static_cast<int16_t>(some_machine().vector_bytes / 4);
        const LoopNest nest = scheduled(
            built.graph, {action::ComputeRoot{func(built, out).id},
                          action::Vectorize{s, test::loop_over(built.graph.stage(s), 0), lanes}});
        const StageCycles cycles = test::cycles_of(nest, some_machine(), s);
        return std::pair{cycles.arithmetic, cycles.dependence};
    };
    const auto [computed_once, waited_once] = per_point(1);
    EXPECT_LT(waited_once, computed_once);
    const auto [computed, waited] = per_point(30);
    EXPECT_GT(waited, 2 * computed);
    const double vectors = 640 * 480 / (some_machine().vector_bytes / 4.0);
    EXPECT_DOUBLE_EQ(waited, vectors * 30 * (45 + 3));
}

// Found in batches of products: of vectors that may end past the last column each keeps its condition where
// all loops along them are parallel, and such schedules took 1.4 to 2.5 times as long.
TEST_F(Cycles, OfVectorsUnderConditionsAreMore) {
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    Halide::Func product("product");
    RDom k(0, 512, "k");
    product(x, y) = 0.0f;
    product(x, y) += a(k, y) * b(x, k);
    out(x, y) = product(x, y) + 1.0f;
    for (ImageParam *p : {&a, &b}) p->set_estimates({{0, 512}, {0, 512}});
    estimate(out, {512, 512});
    const BuiltGraph built = build({out});
    const StageId update = func(built, product).stages[1];
    const auto loop = [&](int dim) {
        return LoopName{update, test::loop_over(built.graph.stage(update), dim), 0};
    };
    const int16_t columns = loop(0).dim;
    const auto lanes = static_cast<int16_t>(some_machine().vector_bytes / 4);
    const auto memory = [&](const action::Tile &tile) {
        const auto body = static_cast<int16_t>(tile.spans.size());
        std::vector<LoopName> order{loop(0), loop(1)};
        if (body > 1) order.push_back({update, columns, 1});
        order.insert(
            order.end(),
            {loop(-1), {update, columns, body}, {update, columns, static_cast<int16_t>(body + 1)}});
        LoopNest nest = scheduled(
            built.graph,
            {action::ComputeRoot{func(built, out).id}, action::ComputeRoot{func(built, product).id},
             tile, action::Vectorize{update, columns, lanes}, action::Reorder{update, order},
             action::Unroll{{update, columns, body}}, action::Parallel{update, 1}});
        return test::cycles_of(nest, some_machine(), update).memory_operations();
    };
    EXPECT_GT(memory({update, columns, {2 * lanes}}),
              1.1 * memory({update, columns, {8 * lanes, 2 * lanes}}));
}

// Found in batches of sgemm_1060: of rows that six do not divide the last part alone is guarded, and the
// sums of the others live in registers. With two parts half of all is guarded. Found by a convolution of 1500 points in
// parts of 510: the last part stored its sums at each step, for a third of the points.
TEST_F(Cycles, SumsOfAGuardedTileAreInRegistersIfMostPartsAreFree) {
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    Halide::Func product("product");
    RDom k(0, 512, "k");
    product(x, y) = 0.0f;
    product(x, y) += a(k, y) * b(x, k);
    out(x, y) = product(x, y) + 1.0f;
    for (ImageParam *p : {&a, &b}) p->set_estimates({{0, 512}, {0, 512}});
    estimate(out, {512, 512});
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0], update = func(built, product).stages[1];
    const auto lanes = static_cast<int16_t>(some_machine().vector_bytes / 4);
    const Stage &stage = built.graph.stage(update);
    const int16_t columns = test::loop_over(stage, 0), rows = test::loop_over(stage, 1),
                  sums = test::loop_over(stage, -1);
    // Of 16 rows.
    const auto stores = [&](int64_t at_a_time) {
        const LoopNest nest = scheduled(
            built.graph,
            {action::ComputeRoot{func(built, out).id}, action::Tile{o, 1, {16}},
             action::Tile{o, 0, {2 * lanes}},
             action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 1, 1}, {o, 0, 1}}},
             action::ComputeAt{func(built, product).id, {o, 0, 0}},
             action::Tile{update, rows, {at_a_time}}, action::Vectorize{update, columns, lanes},
             action::Reorder{update,
                             {{update, rows, 0},
                              {update, columns, 0},
                              {update, sums, 0},
                              {update, rows, 1},
                              {update, columns, 1}}},
             action::Unroll{{update, rows, 1}}});
        return test::cycles_of(nest, some_machine(), update).stores;
    };
    EXPECT_NEAR(stores(6), stores(12) * 4 / 16, 0.01 * stores(12));
    EXPECT_GT(stores(12), 20 * stores(8));  // which divides them
}

// Found by bilateral_grid on a Sapphire Rapids: a vector of cells whose layers are data was believed to be
// stored at once.
TEST_F(Cycles, OfVectorsThatScatterAreAnElementsEach) {
    constexpr int vectors_in_all = 640 / 8 * 64;
    enum class Layer { Data, Loop, RowOfData };
    const auto cycles_per_vector = [](Layer of) {
        Var x("x"), z("z");
        ImageParam layers(Int(32), 2, "layers");
        Halide::Func cells("cells");
        RDom r(0, 64);
        cells(x, z) = 0.0f;
        const Expr layer = of == Layer::Data   ? clamp(layers(x, r), 0, 15)
                           : of == Layer::Loop ? r % 16
                                               : clamp(layers(0, r), 0, 15);
        cells(x, layer) = cast<float>(layers(x, r));
        cells.set_estimates({{0, 640}, {0, 16}});
        layers.set_estimates({{0, 640}, {0, 64}});
        const BuiltGraph built = build({cells});
        const Func &f = func(built, cells);
        const Stage &update = built.graph.stage(f.stages[1]);
        const int16_t along = update.loops[0].is_reduction ? 1 : 0;
        const LoopNest nest =
            scheduled(built.graph,
                      {action::ComputeRoot{f.id},
                       action::Reorder{update.id,
                                       {{update.id, int16_t(1 - along), 0}, {update.id, along, 0}}},
                       action::Vectorize{update.id, along, 8}});
        return test::cycles_of(nest, some_machine(), update.id).memory_operations() /
               vectors_in_all;
    };
    const double scattered = 8 * some_machine().vector.gather_element;
    EXPECT_GT(cycles_per_vector(Layer::Data), scattered);
    EXPECT_LT(cycles_per_vector(Layer::Loop), scattered);
    EXPECT_LT(cycles_per_vector(Layer::RowOfData), scattered);  // one layer for all of a vector
}

// Rows of a block that are stored turned: unrolled, they make whole squares, which are cheap to turn;
// else, or where the block's sides are not known, each element is stored for itself.
TEST_F(Cycles, OfATurnedBlockAreFewInWholeSquares) {
    Halide::Func copy("copy");
    copy(x, y) = input(x, y);
    out(x, y) = copy(y, x);
    estimate(out, {512, 512});
    const BuiltGraph built = build({out});
    const Func &o = func(built, out), &c = func(built, copy);
    const StageId s = o.stages[0], t = c.stages[0];
    const auto stores = [&](bool turned, bool unrolled, LoopName at) {
        Trace trace{
            action::ComputeRoot{o.id},
            action::Tile{s, 0, {64, 16}},
            action::Tile{s, 1, {64, 16}},
            action::Vectorize{s, 0, 16},
            action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}, {s, 1, 2}, {s, 0, 2}}},
            action::Parallel{s, 1},
            action::ComputeAt{c.id, at}};
        if (turned) trace.push_back(action::ReorderStorage{c.id, {1, 0}});
        trace.push_back(action::Tile{t, 1, {16}});
        trace.push_back(action::Vectorize{t, 0, 16});
        trace.push_back(action::Reorder{t, {{t, 1, 0}, {t, 0, 0}, {t, 1, 1}, {t, 0, 1}}});
        if (unrolled) trace.push_back(action::Unroll{{t, 1, 1}});
        const LoopNest nest = scheduled(built.graph, trace);
        const StageCycles cycles = test::cycles_of(nest, some_machine(), t);
        double points = 1;
        for (const Interval &i : nest.stage_nest(t).range) points *= double(i.extent());
        return cycles.memory_operations() / points;
    };
    const LoopName square{s, 0, 1}, whole{s, 1, 0};
    EXPECT_LT(stores(true, true, square), 0.5 * stores(true, false, square));
    EXPECT_LT(stores(false, false, square), 0.5 * stores(true, false, square));
    EXPECT_GE(stores(true, true, whole), stores(true, false, whole));
}

// With vectors of 256 bits, bytes cross from half to half in several instructions.
TEST_F(Cycles, OfATurnedBlockOfBytesAreManyWhereVectorsHaveTwoHalves) {
    const auto stores = [&](int bits, int lanes) {
        Halide::Func copy("copy"), turned("turned");
        copy(x, y) = Halide::cast(Halide::UInt(bits), input(x, y));
        turned(x, y) = copy(y, x);
        estimate(turned, {512, 512});
        const BuiltGraph built = build({turned});
        const FuncId c = func(built, copy).id, o = func(built, turned).id;
        const StageId s = built.graph.func(o).stages[0], t = built.graph.func(c).stages[0];
        const LoopNest nest = scheduled(
            built.graph, {action::ComputeRoot{o}, action::Tile{s, 0, {lanes}},
                          action::Tile{s, 1, {lanes}}, action::Vectorize{s, 0, lanes},
                          action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}},
                          action::ComputeAt{c, {s, 0, 0}}, action::ReorderStorage{c, {1, 0}},
                          action::Vectorize{t, 0, lanes}, action::Unroll{{t, 1, 0}}});
        Machine machine = some_machine();
        machine.vector_bytes = 32;
        return test::cycles_of(nest, machine, t).stores;
    };
    EXPECT_GT(stores(16, 16), 4 * stores(16, 8));  // of four times as many points
    EXPECT_LE(stores(32, 8), 8 * stores(32, 4));
}

// Vectors at the image's borders gather: the fewer iterations there are, the larger their share.
TEST_F(Cycles, AClampCostsGathersAtTheBorders) {
    const auto cycles = [&](Expr column, int64_t tile) {
        out = Halide::Func("out");
        out(x, y) = input(column, y) * 2.0f;
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        const StageId s = func(built, out).stages[0];
        const int16_t along = test::loop_over(test::stage(built, out), 0);
        return of(built, {action::Tile{s, along, {tile, 16}}, action::Vectorize{s, along, 16},
                          action::Reorder{s,
                                          {{s, test::loop_over(test::stage(built, out), 1), 0},
                                           {s, along, 0},
                                           {s, along, 1},
                                           {s, along, 2}}},
                          action::Unroll{{s, along, 1}}})
            .memory_operations();
    };
    const Expr likely_clamp = clamp(likely(x), 0, 639), plain_clamp = clamp(x, 0, 639);
    EXPECT_LT(cycles(x, 32), cycles(likely_clamp, 32));
    EXPECT_LT(cycles(likely_clamp, 32), cycles(likely_clamp, 160));
    EXPECT_DOUBLE_EQ(cycles(likely_clamp, 160), cycles(plain_clamp, 160));
    EXPECT_DOUBLE_EQ(cycles(x, 32), cycles(x, 160));
}

// Found in a batch: the steps of a sum that are unrolled one after the other leave one store, also where
// its rows are a distance apart that is not known.
TEST_F(Cycles, UnrolledStepsOfASumStoreOnce) {
    Halide::Func sum("sum");
    ImageParam weights{Float(32), 1, "weights"};
    RDom k(0, 8, "k");
    sum(x, y) = 0.0f;
    sum(x, y) += input(x + k, y) * weights(k);
    out(x, y) = sum(x, y) + 1.0f;
    estimate(weights, {8});
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const Func &f = func(built, sum);
    const StageId s = f.stages[1];
    const Stage &stage = built.graph.stage(s);
    const LoopName taps{s, test::loop_over(stage, -1), 0}, lx{s, test::loop_over(stage, 0), 0},
        ly{s, test::loop_over(stage, 1), 0}, rows{s, ly.dim, 1};
    const auto stores = [&](const std::vector<LoopName> &order) {
        const LoopNest nest = scheduled(
            built.graph, {action::ComputeRoot{func(built, out).id}, action::ComputeRoot{f.id},
                          action::Tile{s, ly.dim, {4}}, action::Reorder{s, order},
                          action::Unroll{rows}, action::Unroll{taps}});
        return test::cycles_of(nest, some_machine(), s).stores;
    };
    const double in_a_row = stores({ly, lx, rows, taps}), by_turns = stores({ly, lx, taps, rows});
    EXPECT_GT(in_a_row, 0);
    // What is left of them is hidden behind the loads in part.
    EXPECT_GE(by_turns, 8 * in_a_row);
    EXPECT_LE(by_turns, 16 * (1 + 1e-6) * in_a_row);
}

// Found in a Winograd convolution that ran 2.5 times longer than by hand: 32 products were added to one sum, each after
// the one before, and nothing was said to wait.
TEST_F(Cycles, OfAReductionThatIsUnrolledWholeAreThoseOfItsChain) {
    ImageParam numbers{Int(32), 2, "numbers"};
    const auto cycles = [&](const ImageParam &in, int steps) {
        Halide::Func sum("sum"), of_sums("of_sums");
        RDom k(0, steps, "k");
        sum(x, y) += in(x + k, y);
        of_sums(x, y) = sum(x, y) + 1;
        estimate(of_sums, {640, 480});
        const BuiltGraph built = build({of_sums});
        const Func &f = func(built, sum);
        const StageId s = f.stages[1];
        const LoopName taps{s, test::loop_over(built.graph.stage(s), -1), 0},
            lx{s, test::loop_over(built.graph.stage(s), 0), 0},
            ly{s, test::loop_over(built.graph.stage(s), 1), 0};
        const LoopNest nest =
            scheduled(built.graph,
                      {action::ComputeRoot{func(built, of_sums).id}, action::ComputeRoot{f.id},
                       action::Vectorize{s, lx.dim, 8},
                       action::Reorder{s, {ly, lx, taps, {s, lx.dim, 1}}}, action::Unroll{taps}});
        return test::cycles_of(nest, some_machine(), s);
    };
    const StageCycles few = cycles(input, 4), many = cycles(input, 64);
    EXPECT_GT(many.dependence, many.arithmetic);
    // The core looks ahead past a short chain.
    EXPECT_GT(many.dependence, 16 * few.dependence);
    EXPECT_LT(cycles(numbers, 64).dependence, many.dependence / 4);
}

// Rows of an input are a distance apart that is known at run time only. The addresses of sums in registers that find no
// register themselves are loaded.
TEST_F(Cycles, AddressesBeyondTheRegistersAreLoaded) {
    Halide::Func sum("sum");
    ImageParam weights{Float(32), 2, "weights"};
    RDom k(0, 64, "k");
    sum(x, y) = 0.0f;
    sum(x, y) += weights(x, k) * input(k, y);
    out(x, y) = sum(x, y) + 1.0f;
    estimate(weights, {640, 64});
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const Func &o = func(built, out), &f = func(built, sum);
    const StageId s = o.stages[0], u = f.stages[1];
    const Stage &update = built.graph.stage(u);
    const int16_t dx = test::loop_over(update, 0), dy = test::loop_over(update, 1),
                  dk = test::loop_over(update, -1);
    Machine few = some_machine(), many = some_machine();
    few.vector_registers = many.vector_registers = 32;
    few.address_registers = 10;
    many.address_registers = 1000;
    const auto loaded = [&](int64_t rows) {
        const LoopNest nest = scheduled(
            built.graph,
            {action::ComputeRoot{o.id}, action::Tile{s, 1, {rows}}, action::Tile{s, 0, {8}},
             action::Vectorize{s, 0, 8},
             action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}},
             action::ComputeAt{f.id, {s, 0, 0}}, action::Vectorize{u, dx, 8},
             action::Tile{u, dy, {rows}},
             action::Reorder{u, {{u, dy, 0}, {u, dx, 0}, {u, dk, 0}, {u, dy, 1}, {u, dx, 1}}},
             action::Unroll{{u, dy, 1}}});
        return test::cycles_of(nest, few, u).loads - test::cycles_of(nest, many, u).loads;
    };
    // An address for each row of the input, and one for the weights.
    EXPECT_EQ(loaded(4), 0);
    EXPECT_NEAR(loaded(16), 64 * (16 + 1 - 10) * few.vector.load, 1e-6);  // of one tile
}

// Two loads of a row of the input need one address, and each loads it where it has no register.
TEST_F(Cycles, AddressesBeyondTheRegistersAreLoadedByEachOfTheirLoads) {
    constexpr int rows = 24;
    Expr sum = 0.0f;
    for (int i : {0, 5})
        for (int row = 0; row < rows; row++) sum += input(x + i, y + row);
    out(x, y) = sum;
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const Func &o = func(built, out);
    const StageId s = o.stages[0];
    Machine few = some_machine(), many = some_machine();
    few.address_registers = 10;
    many.address_registers = 1000;
    const LoopNest nest =
        scheduled(built.graph, {action::ComputeRoot{o.id}, action::Vectorize{s, 0, 8}});
    EXPECT_NEAR(test::cycles_of(nest, few, s).loads - test::cycles_of(nest, many, s).loads,
                640 / 8 * 480 * (2 * rows * (1 - 10.0 / rows)) * few.vector.load, 1e-3);
}

// Down a column of a wide image each step is a page of its own. As long as few rows are walked at a time, their pages
// are remembered from one column to the next.
TEST_F(Cycles, WalksOverManyPagesLookThemUp) {
    out(x, y) = input(y, x);
    estimate(out, {640, 2048});
    const BuiltGraph built = build({out});
    const StageId s = func(built, out).stages[0];
    const int16_t dx = test::loop_over(test::stage(built, out), 0),
                  dy = test::loop_over(test::stage(built, out), 1);
    Machine free = some_machine(), costly = some_machine();
    free.page_lookup_cycles = 0;
    costly.page_lookup_cycles = 7;
    costly.pages_remembered = free.pages_remembered = 64;
    const auto lookups = [&](const Trace &loops) {
        Trace trace{action::ComputeRoot{func(built, out).id}};
        trace.insert(trace.end(), loops.begin(), loops.end());
        const LoopNest nest = scheduled(built.graph, trace);
        return (test::cycles_of(nest, costly, s).loads - test::cycles_of(nest, free, s).loads) / 7;
    };
    const double points = 640.0 * 2048;
    // y outside, x inside: 640 rows of the input for each y.
    EXPECT_NEAR(lookups({}), points, 1e-6 * points);
    // Along the input's rows: 2 pages a row, each looked up once.
    EXPECT_NEAR(lookups({action::Reorder{s, {{s, dx, 0}, {s, dy, 0}}}}), 2 * 640, 1);
    // 32 rows at a time, which two loops walk.
    EXPECT_NEAR(lookups({action::Tile{s, dx, {32}},
                         action::Reorder{s, {{s, dx, 0}, {s, dy, 0}, {s, dx, 1}}}}),
                2 * 640, 1);
}

}  // namespace
}  // namespace cryolite
