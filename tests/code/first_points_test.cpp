// Where loops are known to begin, and that Halide knows as much.
#include "code/kernel/first_points.h"

#include <sstream>

#include "code/kernel/constant_sides.h"
#include "code/kernel/stage_code.h"
#include "code/stage/unrolled_code.h"
#include "emit/emit.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

struct FirstPointsOf : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Halide::Func rows{"rows"}, out{"out"};

    static void add(Trace &to, const Trace &more) { to.insert(to.end(), more.begin(), more.end()); }
    // Vectors of 8, in `unrolled` rows.
    static Trace rows_of(StageId s, int64_t unrolled) {
        return {action::Tile{s, 1, {unrolled}}, action::Vectorize{s, 0, 8},
                action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}},
                action::Unroll{{s, 1, 1}}};
    }
    // Unrolled tiles of so many rows of the reader, with the producer computed in each.
    static Trace tiled(const BuiltGraph &built, const Halide::Func &reader,
                       const Halide::Func &producer, int64_t height) {
        const StageId o = func(built, reader).stages[0];
        return {action::ComputeRoot{func(built, reader).id},
                action::Tile{o, 1, {height}},
                action::Vectorize{o, 0, 8},
                action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 1, 1}, {o, 0, 1}}},
                action::Unroll{{o, 1, 1}},
                action::ComputeAt{func(built, producer).id, {o, 1, 0}}};
    }
    // What Halide makes of the output's first case.
    std::string statements(const BuiltGraph &built, const Trace &trace) {
        EXPECT_TRUE(emit(built, scheduled(built.graph, trace)).ok());
        std::ostringstream text;
        for (const auto &f : out.compile_to_module({in}).functions()) text << f.body;
        const std::string all = text.str();
        const size_t from = all.find("produce out");
        return all.substr(from, all.find("} else", from) - from);
    }
    // Per copy.
    static double kept_roots(const BuiltGraph &built, const LoopNest &nest, StageId s) {
        StageExpander expander(built.graph);
        const StageCode code = stage_code(nest, s, expander);
        double kept = 0;
        for (const Computation &what : code.body->computations)
            for (const OperationCount &n : what.operations)
                if (n.kind == OpKind::SquareRoot)
                    kept += n.count * kept_of_copies(*code.stage, what, code.inner);
        return kept;
    }
};

TEST_F(FirstPointsOf, RowsDecideWhatTheyCompute) {
    out(x, y) = select(y % 2 == 0, sqrt(in(x, y)), in(x, y) * 3.0f);
    struct Found {
        double roots;
        bool has_select;
    };
    const auto found = [&](Region of, int64_t unrolled) {
        out.set_estimates(of);
        const BuiltGraph built = build({out});
        const StageId o = func(built, out).stages[0];
        Trace trace{action::ComputeRoot{func(built, out).id}};
        add(trace, rows_of(o, unrolled));
        const double roots = kept_roots(built, scheduled(built.graph, trace), o);
        return Found{roots, statements(built, trace).find("select(") != std::string::npos};
    };
    for (int64_t unrolled : {2, 4, 8}) {
        const Found even = found({{0, 640}, {0, 480}}, unrolled);
        EXPECT_EQ(even.roots, 0.5) << unrolled;
        EXPECT_FALSE(even.has_select) << unrolled;
        out = Halide::Func("out");
        out(x, y) = select(y % 2 == 0, sqrt(in(x, y)), in(x, y) * 3.0f);
    }
    const Found three = found({{0, 640}, {0, 480}}, 3);
    EXPECT_EQ(three.roots, 1);
    EXPECT_TRUE(three.has_select);
}

// They begin at an odd row, or an odd row may be computed twice at the end.
TEST_F(FirstPointsOf, OddPicturesAreNotDecided) {
    for (const Region &of : {Region{{0, 640}, {1, 480}}, Region{{0, 640}, {0, 481}}}) {
        Halide::Func f("f");
        f(x, y) = select(y % 2 == 0, sqrt(in(x, y)), in(x, y) * 3.0f);
        f.set_estimates(of);
        const BuiltGraph built = build({f});
        const StageId s = func(built, f).stages[0];
        Trace trace{action::ComputeRoot{func(built, f).id}};
        add(trace, rows_of(s, 2));
        EXPECT_EQ(kept_roots(built, scheduled(built.graph, trace), s), 1);
    }
}

TEST_F(FirstPointsOf, FuncsInTilesBeginWhereTheyAreRead) {
    const auto roots = [&](const Expr &first_row, bool at_root) {
        Halide::Func producer("producer"), reader("reader");
        producer(x, y) = select(y % 2 == 0, sqrt(in(x, y)), in(x, y) * 3.0f);
        reader(x, y) = producer(x, first_row) + producer(x, first_row + 1);
        estimate(reader, {640, 480});
        const BuiltGraph built = build({reader});
        Trace trace = tiled(built, reader, producer, 16);
        if (at_root) trace.back() = action::ComputeRoot{func(built, producer).id};
        const StageId s = func(built, producer).stages[0];
        add(trace, rows_of(s, 2));
        return kept_roots(built, scheduled(built.graph, trace), s);
    };
    EXPECT_EQ(roots(y, false), 0.5);
    EXPECT_EQ(roots(y - 2, false), 0.5);
    EXPECT_EQ(roots(y / 2, false), 0.5);
    EXPECT_EQ(roots(y - 1, false), 1);
    EXPECT_EQ(roots(y, true), 1);  // a Func at root begins anywhere
}

// A reduction of constant range walks all of what it reads, wherever it is computed.
TEST_F(FirstPointsOf, WhatADeeperReductionReadsBeginsWhereItDoes) {
    for (int first : {0, 2}) {
        Halide::Func channels("channels"), sums("sums");
        RDom k(first, 64, "k");
        channels(x, y) = select(x % 2 == 0, sqrt(in(x, y)), in(x, y) * 3.0f);
        sums(x, y) = 0.0f;
        sums(x, y) += channels(k, y) * in(x, k);
        out = Halide::Func("out");
        out(x, y) = sums(x, y) + 1.0f;
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        Trace trace = tiled(built, out, channels, 16);
        const StageId o = func(built, out).stages[0], c = func(built, channels).stages[0];
        add(trace, {action::ComputeAt{func(built, sums).id, {o, 0, 0}}});
        std::swap(trace[trace.size() - 1], trace[trace.size() - 2]);
        add(trace, {action::Tile{c, 0, {2}}, action::Vectorize{c, 1, 8},
                    action::Reorder{c, {{c, 1, 0}, {c, 0, 0}, {c, 0, 1}, {c, 1, 1}}},
                    action::Unroll{{c, 0, 1}}});
        EXPECT_EQ(kept_roots(built, scheduled(built.graph, trace), c), 0.5) << first;
        EXPECT_EQ(statements(built, trace).find("select("), std::string::npos) << first;
    }
}

TEST_F(FirstPointsOf, FuncsInTilesDecideWhatTheyCompute) {
    rows(x, y) = select(y % 2 == 0, sqrt(in(x, y)), in(x, y) * 3.0f);
    out(x, y) = rows(x, y) + rows(x, y + 1);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    Trace trace = tiled(built, out, rows, 16);
    add(trace, rows_of(func(built, rows).stages[0], 2));
    EXPECT_EQ(statements(built, trace).find("select("), std::string::npos);
}

// Wherever the reader begins: what is computed for it is aligned.
TEST_F(FirstPointsOf, WovenVectorsKnowTheirPlaces) {
    rows(x, y) = select(x % 2 == 0, sqrt(cast<float>(x + y)), cast<float>(x * y));
    out(x, y) = rows(x + 1, y) + rows(x, y);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const StageId s = func(built, rows).stages[0];
    const auto with_vectors = [&](int woven) {
        Trace trace = tiled(built, out, rows, 16);
        add(trace, {action::Vectorize{s, 0, 16, woven}});
        return trace;
    };
    EXPECT_EQ(kept_roots(built, scheduled(built.graph, with_vectors(1)), s), 1);
    EXPECT_EQ(kept_roots(built, scheduled(built.graph, with_vectors(2)), s), 0.5);
    EXPECT_EQ(statements(built, with_vectors(2)).find("select("), std::string::npos);
}

TEST_F(FirstPointsOf, LanesWithinAPeriodAreNeighbours) {
    const auto wrap = [&](const Expr &column, int width, bool tiled_rows = false) {
        Halide::Func f("f");
        f(x, y) = in(column, y);
        estimate(f, {width, 480});
        const BuiltGraph built = build({f});
        const StageId s = func(built, f).stages[0];
        Trace trace{action::ComputeRoot{func(built, f).id}};
        if (tiled_rows) trace.push_back(action::Tile{s, 0, {64}});
        trace.push_back(action::Vectorize{s, 0, 8});
        const LoopNest nest = scheduled(built.graph, trace);
        StageExpander expander(built.graph);
        const StageCode code = stage_code(nest, s, expander);
        EXPECT_EQ(code.body->loads.size(), 1u);
        EXPECT_FALSE(code.body->loads[0].gather);
        return lanes_may_wrap(nest, s, code.body->loads[0], 0, 8);
    };
    EXPECT_FALSE(wrap(x % 64, 640));
    EXPECT_FALSE(wrap(x % 64 % 32, 640));
    EXPECT_FALSE(wrap((x + 8) % 8, 640));
    EXPECT_FALSE(wrap(x & 15, 640));
    EXPECT_FALSE(wrap(2 * (x % 64), 640));
    EXPECT_FALSE(wrap(y % 4 + x, 640));  // all lanes have the same y
    EXPECT_TRUE(wrap((x + 1) % 64, 640));
    EXPECT_TRUE(wrap((x + y) % 64, 640));
    EXPECT_FALSE(wrap(64 * (y % 2) + x % 64, 640));
    EXPECT_TRUE(wrap(2 * (y % 2) + x % 2, 640));
    EXPECT_TRUE(wrap(x % 4, 640));
    EXPECT_TRUE(wrap(x % 12, 640));
    EXPECT_TRUE(wrap((2 * x) % 8, 640));
    EXPECT_FALSE(wrap((2 * x) % 64, 640));
    EXPECT_FALSE(wrap(x % 64, 644));       // the innermost loop is partitioned
    EXPECT_TRUE(wrap(x % 64, 644, true));  // the last part begins anywhere
}

TEST_F(FirstPointsOf, VectorsWithinAPeriodAreLoadedWhole) {
    const auto loads_whole = [&](const Expr &column) {
        out = Halide::Func("out");
        out(x, y) = in(column, y);
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        const StageId o = func(built, out).stages[0];
        const Trace trace{action::ComputeRoot{func(built, out).id}, action::Tile{o, 0, {64}},
                          action::Vectorize{o, 0, 8}};
        return statements(built, trace).find("in[ramp(") != std::string::npos;
    };
    EXPECT_TRUE(loads_whole(x % 64));
    EXPECT_TRUE(loads_whole((x + 8) % 32));
    EXPECT_TRUE(loads_whole(64 * (y % 2) + x % 64));
    EXPECT_FALSE(loads_whole((x + 1) % 64));
    EXPECT_FALSE(loads_whole(x % 12));
}

// Of a copy in parts of eight, which is inlined, the quotient and the rest are one index again, if it begins with a part.
TEST_F(FirstPointsOf, APackedCopyThatIsInlinedIsReadAsItWas) {
    Var a("a"), c("c");
    for (int first : {0, 8, 3}) {
        const Expr place = x + first;
        Halide::Func packed("packed");
        packed(a, y, c) = in(a + 8 * c + 64, y);
        out = Halide::Func("out");
        out(x, y) = packed(place % 8, y, place / 8);
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        const StageId o = func(built, out).stages[0];
        const Trace trace{action::ComputeRoot{func(built, out).id}, action::Tile{o, 0, {64}},
                          action::Vectorize{o, 0, 8}};
        const LoopNest nest = scheduled(built.graph, trace);
        StageExpander expander(built.graph);
        const StageCode code = stage_code(nest, o, expander);
        ASSERT_EQ(code.body->loads.size(), 1u);
        const LoadGroup &load = code.body->loads[0];
        const bool loads_whole = statements(built, trace).find("in[ramp(") != std::string::npos;
        EXPECT_EQ(loads_whole, first % 8 == 0);
        EXPECT_EQ(load.wrapped.empty(), loads_whole) << first;
        if (!loads_whole) continue;
        EXPECT_EQ(load.exact_coefficient[0][0], (Rational{1, 1}));
        EXPECT_FALSE(is_run(load, 0, 0));
    }
    // Of other numbers they are not.
    Halide::Func packed("packed"), other("other");
    packed(a, y, c) = in(a + 4 * c, y);
    other(x, y) = packed(x % 8, y, x / 8);
    estimate(other, {640, 480});
    const BuiltGraph built = build({other});
    const StageId s = func(built, other).stages[0];
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, other).id}});
    StageExpander expander(built.graph);
    EXPECT_FALSE(stage_code(nest, s, expander).body->loads[0].wrapped.empty());
}

// What is read once per block, directly or by a Func that is inlined there.
TEST_F(FirstPointsOf, LanesOfABlockShareAnIndex) {
    struct Case {
        Expr column;
        int lanes;
        bool is_shared;
        int width = 640;
    };
    Halide::Func blocks("blocks");
    blocks(x, y) = in(8 * x + 3, y);
    for (const Case &c : std::vector<Case>{{x / 8, 8, true},
                                           {x / 8 + 3, 8, true},
                                           {x / 16, 8, true},
                                           {x / 8, 16, false},
                                           {x / 12, 8, false},
                                           {(x + 4) / 8, 8, false},
                                           {x, 8, false},
                                           {(x + y) / 8, 8, false}})
        for (const bool is_inlined : {false, true}) {
            out = Halide::Func("out");
            // The remainder makes emission ask for a first point that is a multiple.
            out(x, y) = (is_inlined ? blocks(c.column, y) : in(c.column, y)) + in(x % 16, y);
            estimate(out, {c.width, 480});
            const BuiltGraph built = build({out});
            const StageId o = func(built, out).stages[0];
            Trace trace{action::ComputeRoot{func(built, out).id}, action::Vectorize{o, 0, c.lanes}};
            if (is_inlined) trace.push_back(action::Inline{func(built, blocks).id});
            const LoopNest nest = scheduled(built.graph, trace);
            StageExpander expander(built.graph);
            const StageCode code = stage_code(nest, o, expander);
            int found = 0;
            for (const LoadGroup &load : code.body->loads) {
                if (!load.wrapped.empty()) continue;
                found++;
                EXPECT_EQ(lanes_share_index(nest, o, load, 0, 0, c.lanes), c.is_shared)
                    << c.column << " by " << c.lanes << (is_inlined ? ", inlined" : "");
                EXPECT_EQ(is_run(load, 0, 0),
                          is_inlined && c.column.as<Internal::Variable>() == nullptr)
                    << c.column;
            }
            EXPECT_EQ(found, 1);
            // Halide loads one value then.
            if (!c.is_shared) continue;
            const std::string one = "x" + std::to_string(c.lanes) + "(in[";
            const std::string text = statements(built, trace);
            EXPECT_NE(text.find(one), std::string::npos) << c.column << text.substr(0, 3000);
        }
}

// A grouped convolution reads in(c / 32 * 32 + r): what is added to the rounded part ends no run of equal lanes.
TEST_F(FirstPointsOf, LanesShareAnIndexThatOthersMoveByWholeSteps) {
    struct Case {
        Expr column;
        int lanes;
        bool is_shared;
    };
    for (const Case &c : std::vector<Case>{{x / 8 + y, 8, true},
                                           {x / 8 * 8 + y, 8, true},
                                           {x / 16 * 8 + 3 * y, 8, true},
                                           {(x + y) / 8 * 8, 8, false},
                                           {(x + 2 * y) / 4 * 2, 4, false},
                                           {x / 8 + x, 8, false},
                                           {x / 8 + x / 4, 8, false},
                                           {x / 8 * 2 - x / 4, 8, false},
                                           {x * 3 / 8, 8, false}}) {
        out = Halide::Func("out");
        out(x, y) = in(c.column, y) + in(x % 16, y);
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        const StageId o = func(built, out).stages[0];
        const Trace trace{action::ComputeRoot{func(built, out).id},
                          action::Vectorize{o, 0, c.lanes}};
        const LoopNest nest = scheduled(built.graph, trace);
        StageExpander expander(built.graph);
        const StageCode code = stage_code(nest, o, expander);
        for (const LoadGroup &load : code.body->loads)
            if (load.wrapped.empty()) {
                EXPECT_EQ(lanes_share_index(nest, o, load, 0, 0, c.lanes), c.is_shared) << c.column;
            }
        if (!c.is_shared) continue;
        const std::string one = "x" + std::to_string(c.lanes) + "(in[";
        const std::string text = statements(built, trace);
        EXPECT_NE(text.find(one), std::string::npos) << c.column << text.substr(0, 3000);
    }
}

// Tiles of 8 rows read one block each.
TEST_F(FirstPointsOf, BlocksOfATileAreAConstantNumber) {
    const auto is_constant = [&](const Expr &row, int64_t height, size_t dim = 1) {
        rows = Halide::Func("rows");
        out = Halide::Func("out");
        rows(x, y) = in(x, y) * 2.0f;
        out(x, y) = rows(x % 8, row) + in(x, y);
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        const Trace trace = tiled(built, out, rows, height);
        const LoopNest nest = scheduled(built.graph, trace);
        StageExpander expander(built.graph);
        const std::vector<FuncId> members{func(built, out).id, func(built, rows).id};
        const KernelCode code(built.graph, expander, nest, members);
        return ConstantSides(code).is_constant(func(built, rows).id, dim);
    };
    EXPECT_TRUE(is_constant(y / 8, 8));
    EXPECT_TRUE(is_constant(y / 8 + 3, 16));
    EXPECT_TRUE(is_constant((y + 3) / 8, 16));
    EXPECT_FALSE(is_constant(y / 8, 4));
    EXPECT_FALSE(is_constant(y / 8, 12));
    EXPECT_TRUE(is_constant(y, 8, 0));  // eight columns, whichever
}

TEST_F(FirstPointsOf, BlocksOfATileAreStoredInAConstantArray) {
    const auto are_stored = [&](const Expr &row, int64_t height, int blocks) {
        rows = Halide::Func("rows");
        out = Halide::Func("out");
        rows(x, y) = in(x, y) * 2.0f;
        out(x, y) = rows(x % 8, row) + in(x, y);
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        return statements(built, tiled(built, out, rows, height))
                   .find("[float32 * " + std::to_string(8 * blocks) + "]") != std::string::npos;
    };
    EXPECT_TRUE(are_stored(y / 8, 8, 1));
    EXPECT_TRUE(are_stored(y / 8 + 3, 16, 2));
    EXPECT_TRUE(are_stored((y + 3) / 8, 16, 3));
}

}  // namespace
}  // namespace cryolite
