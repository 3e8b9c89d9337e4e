// Traffic, windows and the memo of the whole model.
#include "analytical/cost_model.h"

#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::loop_over;
using test::scheduled;
using test::some_machine;

StageTime time_of(const StageGraph &graph, const LoopNest &nest, StageId stage) {
    CostModel model(graph, some_machine());
    for (const StageTime &t : model.explain(nest).stages) {
        if (t.stage == stage) return t;
    }
    throw std::runtime_error("no time for that stage");
}

double memory_seconds(const StageTime &t) {
    return t.raw[index(Term::MemoryLoads)] + t.raw[index(Term::MemoryStores)];
}

struct MatrixMultiply : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    Halide::Func product{"product"}, out{"out"};
    int size;
    BuiltGraph built;
    const Stage &update;
    StageId s = update.id;
    int16_t dx = loop_over(update, 0), dy = loop_over(update, 1), dk = loop_over(update, -1);

    // By default rows that spread over all sets of a cache.
    explicit MatrixMultiply(int n = 1040)
        : size(n), built(make()), update(test::stage(built, product, 1)) {}

    BuiltGraph make() {
        RDom k(0, size, "k");
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);
        out(x, y) = product(x, y);
        estimate(out, {size, size});
        estimate(a, {size, size});
        estimate(b, {size, size});
        return build({out});
    }
    double traffic(const Trace &then) {
        Trace trace{action::ComputeRoot{func(built, out).id},
                    action::ComputeRoot{func(built, product).id}};
        trace.insert(trace.end(), then.begin(), then.end());
        const StageTime t = time_of(built.graph, scheduled(built.graph, trace), s);
        double seconds = 0;
        for (Term k : {Term::L2Loads, Term::L2Stores, Term::LastLevelLoads, Term::LastLevelStores})
            seconds += t.raw[index(k)];
        return seconds + memory_seconds(t);
    }
    double plain() { return traffic({action::Reorder{s, {{s, dy, 0}, {s, dk, 0}, {s, dx, 0}}}}); }
    double blocked(int64_t side) {
        return traffic(
            {action::Tile{s, dx, {side}}, action::Tile{s, dy, {side}}, action::Tile{s, dk, {side}},
             action::Reorder{
                 s, {{s, dy, 0}, {s, dx, 0}, {s, dk, 0}, {s, dy, 1}, {s, dk, 1}, {s, dx, 1}}}});
    }
};

// Three blocks of 32 x 32 floats are 12 KB, of 4 x 4 are 192 bytes: each is used less often.
TEST_F(MatrixMultiply, BlocksThatFillTheCacheMoveLessThanSmallOnes) {
    EXPECT_LT(blocked(32), blocked(16));
    EXPECT_LT(blocked(16), blocked(4));
}

TEST_F(MatrixMultiply, AnUntiledOneReadsAMatrixForEveryRow) {
    EXPECT_LT(blocked(32), plain() / 4);
    EXPECT_LT(blocked(32), blocked(512));
}

// 32 x 32 copies of a multiply-add are code that no compiler should be given; 4 x 4 are fine.
TEST_F(MatrixMultiply, UnrollingHasALimit) {
    const auto too_large = [&](int64_t side) {
        Trace trace{
            action::ComputeRoot{func(built, out).id},
            action::ComputeRoot{func(built, product).id},
            action::Tile{s, dx, {side}},
            action::Tile{s, dy, {side}},
            action::Reorder{s, {{s, dy, 0}, {s, dx, 0}, {s, dk, 0}, {s, dy, 1}, {s, dx, 1}}},
            action::Unroll{{s, dy, 1}},
            action::Unroll{{s, dx, 1}}};
        return CostModel(built.graph, some_machine())
            .evaluate(scheduled(built.graph, trace))
            .too_large;
    };
    EXPECT_TRUE(too_large(32));
    EXPECT_FALSE(too_large(4));
}

// Rows of 4 KB all start in the same set of a 32 KB cache with 8 ways: of 32 rows a few stay.
struct ConflictingRows : MatrixMultiply {
    ConflictingRows() : MatrixMultiply(1024) {}
};

TEST_F(ConflictingRows, OfABlockEvictEachOther) {
    struct Spread : MatrixMultiply {
        void TestBody() override {}
    } spread;
    EXPECT_GT(blocked(32), 1.5 * spread.blocked(32));
    // Small blocks fit the first cache nevertheless, but a column of them collides in the second.
    EXPECT_GT(blocked(4), spread.blocked(4));
    EXPECT_LT(blocked(4) / spread.blocked(4), blocked(32) / spread.blocked(32));
}

struct Blur : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};
    Halide::Func row{"row"}, out{"out"};
    BuiltGraph built = make();
    const Func &o = func(built, out), &r = func(built, row);
    StageId s = o.stages[0];

    BuiltGraph make() {
        row(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
        out(x, y) = row(x, y) + row(x, y + 1) + row(x, y + 2);
        estimate(out, {640, 480});
        return build({out});
    }
    LoopNest in_strips(int64_t rows, bool window) {
        const int16_t dy = loop_over(test::stage(built, out), 1);
        Trace trace{action::ComputeRoot{o.id}, action::Tile{s, dy, {rows}},
                    action::ComputeAt{r.id, {s, dy, 1}}};
        if (window) trace.push_back(action::StoreAt{r.id, LoopName{s, dy, 0}});
        return scheduled(built.graph, trace);
    }
    double core_seconds(const LoopNest &nest) {
        const Terms raw = time_of(built.graph, nest, r.stages[0]).raw;
        return raw[index(Term::Compute)] + raw[index(Term::L1Loads)] + raw[index(Term::L1Stores)];
    }
};

// Two rows more per strip than the rows of the strip themselves.
TEST_F(Blur, FillingAWindowCosts) {
    EXPECT_NEAR(core_seconds(in_strips(8, true)) / core_seconds(in_strips(32, true)),
                (10.0 / 8) / (34.0 / 32), 1e-9);
}

TEST_F(Blur, AWindowSavesRecomputation) {
    const double window = core_seconds(in_strips(32, true)),
                 recomputed = core_seconds(in_strips(32, false));
    EXPECT_GT(recomputed, 2.5 * window);
    EXPECT_LT(recomputed, 3.5 * window);
}

// The pace of a search hangs on it: what is remembered must not change what is found.
TEST_F(Blur, IsPricedAsTheSameWorkWithAndWithoutAMemo) {
    const auto work = [&](KernelMemo memo) {
        CostModel model(built.graph, some_machine(), int64_t{256} << 20, memo);
        const LoopNest root = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
        const auto near = model.costed(root, nullptr);
        const uint64_t before = model.funcs_priced();
        for (int times = 0; times < 2; times++) {
            model.evaluate(in_strips(32, true), *near);
            model.evaluate(in_strips(8, false), *near);
        }
        return model.funcs_priced() - before;
    };
    EXPECT_EQ(work(KernelMemo::Terms), 2 * 2 * 2u) << "each has one kernel of two Funcs, twice";
    EXPECT_EQ(work(KernelMemo::Costs), work(KernelMemo::Terms));
    EXPECT_EQ(work(KernelMemo::Nothing), work(KernelMemo::Terms));
}

TEST_F(Blur, RememberedKernelsCostWhatTheyDid) {
    CostModel model(built.graph, some_machine());
    const LoopNest nest = in_strips(32, true);
    const double first = model.evaluate(nest).seconds;
    const size_t evaluated = model.kernels_evaluated();
    EXPECT_EQ(model.evaluate(nest).seconds, first);
    EXPECT_EQ(model.kernels_evaluated(), evaluated);
    EXPECT_EQ(model.explain(nest).seconds, first);
    EXPECT_EQ(CostModel(built.graph, some_machine()).evaluate(nest).seconds, first);
    EXPECT_GT(first, 0);
}

// As a network will: by its row, and by the stage's own terms.
class HalfLoads : public Correction {
public:
    explicit HalfLoads(bool reads_rows) : reads_rows_(reads_rows) {}
    bool reads_rows() const override { return reads_rows_; }
    void correct(std::span<const double> row, Terms &terms) const override {
        EXPECT_EQ(row.size(), reads_rows_ ? num_features : 0);
        terms[index(Term::L1Loads)] /= 2;
        terms[index(Term::PageFaults)] /= 2;
        if (reads_rows_) terms[index(Term::Compute)] *= 1 + row[index(Feature::realisations)];
    }

private:
    const bool reads_rows_;
};

TEST_F(Blur, AnotherCorrectionPricesAnewAndCountsNothing) {
    for (const bool rows : {false, true}) {
        CostModel model(built.graph, some_machine()), fresh(built.graph, some_machine());
        const auto correction = std::make_shared<HalfLoads>(rows);
        fresh.correct_by(correction);
        const LoopNest nest = in_strips(32, true);
        const double plain = model.evaluate(nest).seconds;
        if (rows) {
            model.correct_by(std::make_shared<HalfLoads>(true));
            model.evaluate(nest);  // makes the rows
        }
        const size_t counted = model.kernels_evaluated();
        model.correct_by(correction);
        EXPECT_EQ(model.evaluate(nest).seconds, fresh.evaluate(nest).seconds);
        EXPECT_NE(model.evaluate(nest).seconds, plain);
        EXPECT_EQ(model.kernels_evaluated(), counted);
        EXPECT_EQ(model.explain(nest).seconds, fresh.evaluate(nest).seconds);
        model.correct_by(std::make_shared<NoCorrection>());
        EXPECT_EQ(model.evaluate(nest).seconds, plain);
    }
}

// Of a search's memo, which keeps no terms.
TEST_F(Blur, AnotherCorrectionCountsAnewWhereNoTermsAreKept) {
    CostModel model(built.graph, some_machine(), int64_t{256} << 20, KernelMemo::Costs),
        fresh(built.graph, some_machine());
    const auto correction = std::make_shared<HalfLoads>(true);
    fresh.correct_by(correction);
    const LoopNest nest = in_strips(32, true);
    const double plain = model.evaluate(nest).seconds;
    model.correct_by(correction);
    EXPECT_EQ(model.evaluate(nest).seconds, fresh.evaluate(nest).seconds);
    const size_t counted = model.kernels_evaluated();
    EXPECT_EQ(model.evaluate(nest).seconds, fresh.evaluate(nest).seconds);
    EXPECT_EQ(model.kernels_evaluated(), counted);
    model.correct_by(std::make_shared<NoCorrection>());
    EXPECT_EQ(model.evaluate(nest).seconds, plain);
}

// An image walked down in narrow columns: every row of a column is a stream of its own, which main
// memory serves at a fraction of its speed. Whole rows follow each other.
struct Copy : testing::Test {
    static constexpr int width = 4096, height = 4096;
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};
    Halide::Func out{"out"};

    BuiltGraph made(int stride) {
        out(x, y) = input(stride * x, y) + 1.0f;
        estimate(out, {width, height});
        return build({out});
    }
    StageTime in_columns(const BuiltGraph &built, int64_t columns) {
        const StageId s = test::stage(built, out).id;
        const int16_t dx = loop_over(test::stage(built, out), 0),
                      dy = loop_over(test::stage(built, out), 1);
        Trace trace{action::ComputeRoot{func(built, out).id}};
        if (columns < width) {
            trace.push_back(action::Tile{s, dx, {columns}});
            trace.push_back(action::Reorder{s, {{s, dx, 0}, {s, dy, 0}, {s, dx, 1}}});
        }
        return time_of(built.graph, scheduled(built.graph, trace), s);
    }
};

TEST_F(Copy, NarrowColumnsStartStreamsAnew) {
    const BuiltGraph built = made(1);
    const double rows = memory_seconds(in_columns(built, width)),
                 wide = memory_seconds(in_columns(built, 512)),
                 narrow = memory_seconds(in_columns(built, 32));
    EXPECT_GT(wide, 1.3 * rows);
    EXPECT_LT(wide, 4 * rows);  // by half to three times, as measured
    EXPECT_GT(narrow, 1.3 * rows);
}

// Found in a batch: rows that are walked side by side are not walked on where they end. Two at a time took
// 2.2 times the time of one after the other in rows of 1.5 KB, 1.5 in 6 KB and 1.1 in 24 KB.
TEST_F(Copy, RowsSideBySideStartStreamsAnew) {
    const BuiltGraph built = made(1);
    const StageId s = test::stage(built, out).id;
    const int16_t dx = loop_over(test::stage(built, out), 0),
                  dy = loop_over(test::stage(built, out), 1);
    const auto side_by_side = [&](int64_t rows) {
        const Trace trace{action::ComputeRoot{func(built, out).id}, action::Tile{s, dy, {rows}},
                          action::Reorder{s, {{s, dy, 0}, {s, dx, 0}, {s, dy, 1}}},
                          action::Unroll{{s, dy, 1}}};
        return memory_seconds(time_of(built.graph, scheduled(built.graph, trace), s));
    };
    const double alone = memory_seconds(in_columns(built, width));
    EXPECT_GT(side_by_side(2), alone);
    EXPECT_LT(side_by_side(2), 3 * alone);
}

// What comes in and goes out stays in the last cache from one run of the pipeline to the next.
TEST(CostModel, SmallImagesAreInTheCacheAlready) {
    Var x("x"), y("y");
    for (const int rows : {64, 16384}) {
        ImageParam input(Float(32), 2, "input");
        Halide::Func out("out");
        out(x, y) = input(x, y) + 1.0f;
        estimate(out, {1024, rows});
        const BuiltGraph built = build({out});
        ASSERT_GT(some_machine().caches.back().size_bytes, 3 * 1024 * 64 * 4);
        const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
        const double memory =
            memory_seconds(time_of(built.graph, nest, test::stage(built, out).id));
        EXPECT_EQ(memory > 0, rows > 64);
    }
}

// Every 64th point of a row: a line each, not the row.
TEST_F(Copy, AStridedReadTouchesALinePerPoint) {
    const double apart = memory_seconds(in_columns(made(64), width));
    out = Halide::Func("dense");
    const double dense = memory_seconds(in_columns(made(1), width));
    EXPECT_GT(apart, 4 * dense);
    EXPECT_LT(apart, 20 * dense);  // 64 times the points between would be 32 times and more
}

// Halide drops a definition that is undef, and its stores with it.
TEST(CostModel, AnUndefinedStageCostsNothing) {
    Var x("x"), y("y");
    ImageParam in(Float(32), 2, "in");
    RDom r(1, 999, "r");
    Halide::Func scan("scan"), out("out");
    scan(x, y) = undef<float>();
    scan(x, 0) = in(x, 0);
    scan(x, r) = scan(x, r - 1) * 0.5f + in(x, r);
    out(x, y) = scan(x, y);
    estimate(out, {1000, 1000});
    estimate(in, {1000, 1000});
    const BuiltGraph built = build({out});
    const Stage &pure = test::stage(built, scan, 0);
    const Stage &update = test::stage(built, scan, 2);
    EXPECT_TRUE(pure.is_undefined);
    EXPECT_FALSE(update.is_undefined);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id},
                                                  action::ComputeRoot{func(built, scan).id}});
    EXPECT_EQ(time_of(built.graph, nest, pure.id).seconds(), 0);
    EXPECT_GT(time_of(built.graph, nest, update.id).seconds(), 0);
    // 4 MB in one block are kept from run to run; the allocation itself is the first real stage's.
    const StageTime first = time_of(built.graph, nest, test::stage(built, scan, 1).id);
    EXPECT_GT(first.raw[index(Term::Allocations)], 0);
}

// Cut into pieces of one vector each, every piece waits for the one before (measured: a chain of 42 stages of
// four operations in four pieces took 1.4 to 1.6 times as long as in one, on Zen 5).
TEST(CostModel, AChainInPiecesOfOneVectorWaitsAsLongAsInOne) {
    constexpr int length = 60;
    Var x("x"), y("y");
    ImageParam in(Float(32), 2, "in");
    std::vector<Halide::Func> chain;
    for (int i = 0; i < length; i++) {
        chain.emplace_back("link" + std::to_string(i));
        const Expr last = i == 0 ? in(x, y) : chain[static_cast<size_t>(i) - 1](x, y);
        chain.back()(x, y) = max(min(last * 0.5f + 1.0f, 200.0f), -5.0f);
    }
    estimate(chain.back(), {640, 480});
    estimate(in, {640, 480});
    const BuiltGraph built = build({chain.back()});
    const StageId s = test::stage(built, chain.back()).id;
    const int16_t dx = loop_over(test::stage(built, chain.back()), 0);
    CostModel model(built.graph, some_machine());
    const auto seconds = [&](int pieces) {
        Trace trace{action::ComputeRoot{func(built, chain.back()).id}, action::Vectorize{s, dx, 8}};
        for (int i = length - 2; i >= 0; i--) {
            const FuncId f = func(built, chain[static_cast<size_t>(i)]).id;
            if ((i + 1) % (length / pieces) != 0) {
                trace.push_back(action::Inline{f});
                continue;
            }
            trace.push_back(action::ComputeAt{f, {s, dx, 0}});
            trace.push_back(action::Vectorize{built.graph.func(f).stages[0], dx, 8});
        }
        return model.evaluate(scheduled(built.graph, trace)).seconds;
    };
    EXPECT_GE(seconds(4), seconds(1));
    EXPECT_GE(seconds(10), seconds(1));
}

}  // namespace
}  // namespace cryolite
