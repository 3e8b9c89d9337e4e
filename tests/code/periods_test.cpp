// Where outputs had better begin, and that they are right wherever they do.
#include "code/kernel/periods.h"

#include "code/kernel/channels.h"
#include "emit/emit.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

struct PeriodCode : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam in{Int(32), 2, "in"};
    Halide::Func table{"table"}, out{"out"};

    // The table is read in squares of 8 x 2; its own rows are every other row of the input.
    void define() {
        table(x, y) = in(x, y / 2) * 3;
        out(x, y) = table(x % 8, y) + in(x, y);
        estimate(out, {640, 480});
    }
    static Trace vectors_of(StageId s) { return {action::Vectorize{s, 0, 8}}; }
    static Trace vectors_in_rows_of(StageId s, bool unrolled) {
        Trace trace{action::Tile{s, 1, {4}}, action::Vectorize{s, 0, 8},
                    action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}}};
        if (unrolled) trace.push_back(action::Unroll{{s, 1, 1}});
        return trace;
    }
    static void add(Trace &to, const Trace &more) { to.insert(to.end(), more.begin(), more.end()); }
    static int64_t asked_of(const std::vector<WholePart> &parts, int dim) {
        for (const WholePart &p : parts)
            if (p.func_dim == dim) return p.period;
        return 0;
    }
};

TEST_F(PeriodCode, OfInlinedFuncsReachVectorsAndUnrolledRows) {
    define();
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0];
    const auto parts = [&](bool unrolled) {
        Trace trace{action::ComputeRoot{func(built, out).id}};
        add(trace, vectors_in_rows_of(o, unrolled));
        trace.push_back(action::Inline{func(built, table).id});
        return specialized_case(scheduled(built.graph, trace), o);
    };
    EXPECT_EQ(asked_of(parts(true), 0), 8);
    EXPECT_EQ(asked_of(parts(true), 1), 2);
    EXPECT_EQ(asked_of(parts(false), 1), 1);  // a row is a row, odd or even
}

TEST_F(PeriodCode, OfFuncsInTilesReachTheOutput) {
    define();
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0], t = func(built, table).stages[0];
    const auto rows_of_table = [&](bool at_root) {
        Trace trace{action::ComputeRoot{func(built, out).id}, action::Tile{o, 1, {16}},
                    action::Vectorize{o, 0, 8},
                    action::Reorder{o, {{o, 1, 0}, {o, 1, 1}, {o, 0, 0}, {o, 0, 1}}}};
        if (at_root)
            trace.push_back(action::ComputeRoot{func(built, table).id});
        else
            trace.push_back(action::ComputeAt{func(built, table).id, {o, 1, 0}});
        add(trace, vectors_in_rows_of(t, true));
        return asked_of(specialized_case(scheduled(built.graph, trace), o), 1);
    };
    EXPECT_EQ(rows_of_table(false), 2);
    EXPECT_EQ(rows_of_table(true), 1);
}

// A vector of 8 begins at a multiple of 8 whatever more is known of the first.
TEST_F(PeriodCode, AreOnlyAskedForAsFarAsStepsKeepThem) {
    out(x, y) = in(x % 64, y / 32) + in(x, y);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0];
    Trace trace{action::ComputeRoot{func(built, out).id}};
    add(trace, vectors_in_rows_of(o, true));
    const std::vector<WholePart> parts = specialized_case(scheduled(built.graph, trace), o);
    EXPECT_EQ(asked_of(parts, 0), 8);
    EXPECT_EQ(asked_of(parts, 1), 4);
}

TEST_F(PeriodCode, OfFuncsInTilesAreOnlyAskedForAsFarAsTilesKeepThem) {
    table(x, y) = in(x, y / 32) * 3;
    out(x, y) = table(x, y + 1) + table(x, y);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0], t = func(built, table).stages[0];
    Trace trace{action::ComputeRoot{func(built, out).id},
                action::Tile{o, 1, {8}},
                action::Vectorize{o, 0, 8},
                action::Reorder{o, {{o, 1, 0}, {o, 1, 1}, {o, 0, 0}, {o, 0, 1}}},
                action::ComputeAt{func(built, table).id, {o, 1, 0}},
                action::Unroll{{t, 1, 0}}};
    EXPECT_EQ(asked_of(specialized_case(scheduled(built.graph, trace), o), 1), 8);
}

// How much of the table a tile needs depends on where the tile begins, though the output has no vectors.
TEST_F(PeriodCode, OfDividedIndicesOfFuncsInTilesReachTheOutput) {
    table(x, y) = in(x, y) * 3;
    out(x, y) = table(x, y / 8) + in(x, y);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0];
    const auto asked = [&](int64_t tile) {
        return asked_of(
            specialized_case(
                scheduled(built.graph,
                          {action::ComputeRoot{func(built, out).id}, action::Tile{o, 1, {tile}},
                           action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 1, 1}}},
                           action::ComputeAt{func(built, table).id, {o, 1, 0}}}),
                o),
            1);
    };
    EXPECT_EQ(asked(16), 8);
    EXPECT_EQ(asked(4), 4);
}

// The last part of a split dimension is shifted inwards. It begins at a multiple, too, if the extent is one; if it may
// begin anywhere, Halide knows of none of the parts where it begins, but in an innermost loop.
TEST_F(PeriodCode, ExtentsAreMultiplesInACaseOfTheirOwn) {
    struct Asked {
        bool first;
        size_t cases;
        bool operator==(const Asked &) const = default;
    };
    const auto asked = [&](int width, int period, bool tiled) {
        Halide::Func o("o");
        o(x, y) = in(x % period, y) + in(x, y);
        estimate(o, {width, 480});
        const BuiltGraph built = build({o});
        const StageId s = func(built, o).stages[0];
        Trace trace{action::ComputeRoot{func(built, o).id}};
        if (tiled) trace.push_back(action::Tile{s, 0, {64}});
        add(trace, vectors_of(s));
        const auto cases = specialized_cases(scheduled(built.graph, trace), s);
        for (const auto &parts : cases) EXPECT_EQ(asked_of(parts, 0), std::min(period, 8));
        return Asked{cases[0][0].ends_at_period, cases.size()};
    };
    EXPECT_EQ(asked(640, 8, true), (Asked{true, 2}));
    EXPECT_EQ(asked(640, 4, true), (Asked{true, 2}));
    EXPECT_EQ(asked(640, 2, true), (Asked{false, 1}));  // repeats four times in a vector
    EXPECT_EQ(asked(644, 8, true), (Asked{false, 1}));
    EXPECT_EQ(asked(640, 8, false), (Asked{false, 1}));
}

// Where the estimates begin elsewhere, the case would never be taken.
TEST_F(PeriodCode, AreAskedForWhereTheEstimatesHaveThem) {
    define();
    out.set_estimates({{4, 640}, {0, 480}});
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0];
    Trace trace{action::ComputeRoot{func(built, out).id}};
    add(trace, vectors_of(o));
    trace.push_back(action::Inline{func(built, table).id});
    EXPECT_EQ(asked_of(specialized_case(scheduled(built.graph, trace), o), 0), 1);
}

TEST_F(PeriodCode, OutputsAreRightWhereverTheyBegin) {
    Halide::Func plain("plain");
    Buffer<int> image(100, 60);
    image.set_min(-10, -10);
    image.for_each_element([&](int i, int j) { image(i, j) = i * 7 + j * 1000; });
    in.set(image);
    define();
    plain(x, y) = in(x % 8, y / 2) * 3 + in(x, y);
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0];
    Trace trace{action::ComputeRoot{func(built, out).id}};
    add(trace, vectors_in_rows_of(o, true));
    trace.push_back(action::Inline{func(built, table).id});
    ASSERT_TRUE(emit(built, scheduled(built.graph, trace)).ok());
    for (const auto &[left, top] : {std::pair{0, 0}, {8, 2}, {3, 0}, {0, 1}, {-5, -3}, {-8, -4}})
        for (const auto &[width, height] : {std::pair{3, 13}, {8, 12}, {31, 13}, {24, 14}}) {
            Buffer<int> found(width, height), expected(width, height);
            for (Buffer<int> *b : {&found, &expected}) b->set_min(left, top);
            out.realize(found);
            plain.realize(expected);
            found.for_each_element(
                [&](int i, int j) { ASSERT_EQ(found(i, j), expected(i, j)) << i << ", " << j; });
        }
}

}  // namespace
}  // namespace cryolite
