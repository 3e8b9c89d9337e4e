// Whole loops unrolled: Halide must never meet one that it cannot unroll, and the result must be right
// where the last tile is not whole.
#include "code/stage/whole_loops.h"

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::stage;

// The product of a triangular matrix: its rows are never split, as the predicate depends on them.
struct TriangularProduct {
    Var x{"x"}, y{"y"};
    ImageParam a{Int(32), 2, "a"}, b{Int(32), 2, "b"};
    Halide::Func product{"product"}, out{"out"};
    RDom k{0, a.width(), "k"};
    std::unique_ptr<BuiltGraph> built;

    explicit TriangularProduct(Expr (*read)(const Halide::Func &product, const Expr &x,
                                            const Expr &y) = plainly) {
        k.where(k <= y);
        product(x, y) = 0;
        product(x, y) += a(k, y) * b(x, k);
        out(x, y) = read(product, x, y) + 1;
        for (ImageParam *p : {&a, &b}) estimate(*p, {64, 64});
        estimate(out, {64, 64});
        built = std::make_unique<BuiltGraph>(build({out}));
    }

    static Expr plainly(const Halide::Func &product, const Expr &x, const Expr &y) {
        return product(x, y);
    }

    StageId out_stage() const { return stage(*built, out).id; }
    StageId update() const { return stage(*built, product, 1).id; }
    // Of the update, by the dimension of the product that they walk; -1: the sum.
    LoopName loop(int func_dim) const {
        const Stage &s = built->graph.stage(update());
        for (size_t l = 0; l < s.loops.size(); l++)
            if (s.loops[l].func_dim == func_dim) return {s.id, static_cast<int16_t>(l), 0};
        throw std::runtime_error("no such loop");
    }
    LoopName rows() const { return loop(1); }

    // `out` in tiles of 16 x 8 points, then a placement of the product.
    Trace tiles(const std::vector<Action> &placement) const {
        const StageId s = out_stage();
        Trace trace{action::ComputeRoot{func(*built, out).id}, action::Tile{s, 0, {16}},
                    action::Tile{s, 1, {8}},
                    action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}}};
        trace.insert(trace.end(), placement.begin(), placement.end());
        return trace;
    }
    Trace in_tiles() const {
        return tiles({action::ComputeAt{func(*built, product).id, {out_stage(), 0, 0}}});
    }

    bool accepts(const Trace &before) const {
        Result<LoopNest, ReplayFailure> nest = replay(built->graph, before);
        if (!nest.ok()) throw std::runtime_error(name(nest.error().reason));
        const Result<LoopNest, Reason> next = apply(*nest, action::Unroll{rows()});
        if (!next.ok()) {
            EXPECT_EQ(next.error(), Reason::NotConstant);
            return false;
        }
        EXPECT_EQ(validate(*next), "");
        const Result<LoopNest, ReplayFailure> again = replay(built->graph, trace_of(*next));
        EXPECT_TRUE(again.ok() && again->hash() == next->hash());
        return true;
    }

    // Buffers of just the size, so that a read past the end is an error.
    std::vector<int> at(int size) {
        Buffer<int> left(size, size), right(size, size);
        left.for_each_element([&](int i, int j) { left(i, j) = i * 7 + j * 3 + 1; });
        right.for_each_element([&](int i, int j) { right(i, j) = i * 5 - j * 11; });
        a.set(left);
        b.set(right);
        Buffer<int> result = out.realize({size, size});
        return {result.begin(), result.end()};
    }
};

TEST(WholeLoops, AreUnrolledInATileOfTheirReader) {
    const TriangularProduct p;
    EXPECT_TRUE(p.accepts(p.in_tiles()));
}

TEST(WholeLoops, AreNotUnrolledWhereTheyGrowWithASize) {
    const TriangularProduct p;
    const FuncId product = func(*p.built, p.product).id;
    EXPECT_FALSE(p.accepts(p.tiles({action::ComputeRoot{product}})));
    // Inside the tiles of rows, all columns; inside a column, all of its rows.
    EXPECT_TRUE(p.accepts(p.tiles({action::ComputeAt{product, {p.out_stage(), 1, 0}}})));
    const StageId s = p.out_stage();
    EXPECT_FALSE(p.accepts({action::ComputeRoot{func(*p.built, p.out).id},
                            action::Reorder{s, {{s, 0, 0}, {s, 1, 0}}},
                            action::ComputeAt{product, {s, 0, 0}}}));
}

// Found by a random pipeline (seed 50066): below one tile Halide knows the rows by the output's size alone.
TEST(WholeLoops, AreNotUnrolledInOutputsThatOneSideSpecialises) {
    const TriangularProduct p;
    const StageId s = p.out_stage();
    EXPECT_FALSE(p.accepts({action::ComputeRoot{func(*p.built, p.out).id}, action::Tile{s, 1, {8}},
                            action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}}},
                            action::ComputeAt{func(*p.built, p.product).id, {s, 0, 0}}}));
}

// Found by a random pipeline (seed 61351).
TEST(WholeLoops, AreNotUnrolledUnderTheGuardsOfTwoSplits) {
    const TriangularProduct p;
    const StageId s = p.out_stage();
    EXPECT_FALSE(
        p.accepts({action::ComputeRoot{func(*p.built, p.out).id}, action::Tile{s, 0, {16}},
                   action::Tile{s, 1, {8, 4}},
                   action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 1, 2}, {s, 0, 1}}},
                   action::ComputeAt{func(*p.built, p.product).id, {s, 0, 0}}}));
}

TEST(WholeLoops, AreNotUnrolledWhereTheReaderStretchesThem) {
    const TriangularProduct halved(
        [](const Halide::Func &f, const Expr &x, const Expr &y) -> Expr { return f(x, y / 2); });
    EXPECT_FALSE(halved.accepts(halved.in_tiles()));
    const TriangularProduct clamped([](const Halide::Func &f, const Expr &x,
                                       const Expr &y) -> Expr { return f(x, clamp(y, 0, 63)); });
    EXPECT_FALSE(clamped.accepts(clamped.in_tiles()));
    const TriangularProduct with_halo(
        [](const Halide::Func &f, const Expr &x, const Expr &y) -> Expr {
            return f(x, y) + f(x, max(y - 1, 0));
        });
    EXPECT_FALSE(with_halo.accepts(with_halo.in_tiles()));
}

// Halide meets both arrangements of the output at every size, and the guarded last tiles.
TEST(WholeLoops, ComputeTheSameAtEverySize) {
    TriangularProduct plain, unrolled;
    const StageId s = unrolled.update();
    const LoopName columns = unrolled.loop(0);
    Trace trace = unrolled.in_tiles();
    trace.push_back(action::Vectorize{s, columns.dim, 8});
    trace.push_back(
        action::Reorder{s, {unrolled.loop(-1), unrolled.rows(), columns, {s, columns.dim, 1}}});
    trace.push_back(action::Unroll{unrolled.rows()});
    for (const Func &f : unrolled.built->graph.funcs())
        if (!f.is_input() && f.can_inline) trace.push_back(action::Inline{f.id});
    const auto nest = replay(unrolled.built->graph, trace);
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    ASSERT_TRUE(emit(*unrolled.built, *nest).ok());
    for (int size : {1, 7, 8, 9, 15, 16, 17, 100, 131})
        EXPECT_EQ(unrolled.at(size), plain.at(size)) << size;
}

}  // namespace
}  // namespace cryolite
