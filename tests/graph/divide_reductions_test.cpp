// Reductions in partial results: the graph that comes out, and what is refused.
#include "graph/builder/divide_reductions.h"

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::func;
using test::functions_of;
using test::stage;

constexpr auto lanes = DividedReduction::Kind::Lanes, blocks = DividedReduction::Kind::Blocks;

struct Sum {
    ImageParam input{Int(32), 2, "input"};
    Halide::Func sum{"sum"};

    Sum() {
        const RDom r(0, input.width(), 0, input.height(), "r");
        sum() = 0;
        sum() += input(r.x, r.y);
        input.set_estimates({{0, 640}, {0, 480}});
    }

    Result<BuiltGraph> divided(const std::vector<DividedReduction> &divisions) const {
        return build_divided_graph(functions_of({sum}), get_host_target(), divisions);
    }
    DividedReduction along(const char *loop, DividedReduction::Kind kind, int64_t points) const {
        return {sum.name(), 1, loop, kind, points};
    }
};

class DividedReductions : public ::testing::Test {
protected:
    void SetUp() override {
        if (!can_divide_reductions) GTEST_SKIP() << "this Halide's rfactor() is not used";
    }
};

TEST_F(DividedReductions, become_a_func_of_partial_results_that_nothing_locks) {
    const Sum p;
    const uint64_t hash = test::build({p.sum}).graph.algorithm_hash();
    const auto built = p.divided({p.along("r$y", blocks, 60)});
    ASSERT_TRUE(built.ok()) << built.error().message;
    const Func &partial = func(*built, built->divisions[0].partial);
    EXPECT_FALSE(partial.locked) << partial.locked_because;
    EXPECT_FALSE(func(*built, p.sum).locked);
    EXPECT_EQ(partial.root_region, (Box{{0, 7}}));
    const Stage &update = built->graph.stage(partial.stages[1]);
    // The end of the last block is taken off the loop by Halide; it is no predicate that stands around all.
    EXPECT_FALSE(update.has_predicate);
    ASSERT_EQ(update.loops.size(), 3u);
    EXPECT_TRUE(update.loops[0].is_reduction);
    EXPECT_EQ(update.loops[0].range, (Interval{0, 639}));
    EXPECT_EQ(update.loops[1].range, (Interval{0, 59}));
    EXPECT_EQ(update.loops[2].func_dim, 0);
    // A trace and an emitted schedule belong to the pipeline that the user wrote.
    EXPECT_EQ(built->graph.algorithm_hash(), hash);
    EXPECT_EQ(built->graph.divisions().size(), 1u);
}

// rfactor() promises that the end of the last block is clamped by the size of the image. The promise moves no load.
TEST_F(DividedReductions, read_as_exactly_as_before) {
    const Sum p;
    const auto built = p.divided({p.along("r$y", blocks, 60)});
    ASSERT_TRUE(built.ok()) << built.error().message;
    const Func &partial = func(*built, built->divisions[0].partial);
    for (EdgeId e : built->graph.stage(partial.stages[1]).incoming) {
        const Edge &edge = built->graph.edge(e);
        if (edge.is_self) continue;
        ASSERT_EQ(edge.accesses.size(), 1u);
        const IndexMap &row = edge.accesses[0].index[1];
        EXPECT_TRUE(row.affine && row.exact && row.clamp == Clamp::None);
        EXPECT_EQ(row.coefficient[2], (Rational{60, 1}));
    }
}

TEST_F(DividedReductions, may_be_divided_again) {
    // The name of the partial results is the same however often this was done before.
    for (int time = 0; time < 2; time++) {
        const Sum p;
        const std::string partial = p.sum.name() + "_blocks";
        const auto built = p.divided({p.along("r$y", blocks, 60), {partial, 1, "r$x", lanes, 32}});
        ASSERT_TRUE(built.ok()) << built.error().message;
        EXPECT_EQ(func(*built, partial).dims.size(), 1u);
        EXPECT_EQ(func(*built, partial + "_lanes").dims.size(), 2u);
        EXPECT_EQ(built->divisions[1].partial, partial + "_lanes");
    }
}

// rfactor() leaves the loops of the update that combines the partial results in another order than Halide's own, as if
// the user had reordered them.
TEST_F(DividedReductions, that_are_divided_again_are_not_locked) {
    Var i("i");
    const Sum p;
    Halide::Func counts("counts");
    const RDom r(0, p.input.width(), 0, p.input.height(), "r");
    counts(i) = 0;
    counts(clamp(p.input(r.x, r.y), 0, 255)) += 1;
    counts.set_estimates({{0, 256}});
    const auto first = build_divided_graph(
        functions_of({counts}), get_host_target(),
        std::vector{DividedReduction{counts.name(), 1, "r$y", blocks, 60},
                    DividedReduction{counts.name() + "_blocks", 1, "r$x", lanes, 4}});
    ASSERT_TRUE(first.ok()) << first.error().message;
    for (const Func &f : first->graph.funcs())
        EXPECT_FALSE(f.locked) << f.name << ": " << f.locked_because;
}

// So that a vector of lanes is one load or store, wherever it is computed.
TEST_F(DividedReductions, in_lanes_lie_beside_each_other) {
    Var y("y"), i("i");
    const Sum p;
    Halide::Func rows("rows"), counts("counts");
    RDom r(0, p.input.width(), "r");
    rows(y) = 0;
    rows(y) += p.input(r, y);
    rows.set_estimates({{0, 480}});
    counts(i) = 0;
    counts(clamp(p.input(r, 0), 0, 255)) += 1;
    counts.set_estimates({{0, 256}});
    const auto order = [](const Halide::Func &f, const char *name) {
        const auto built =
            build_divided_graph(functions_of({f}), get_host_target(),
                                std::vector{DividedReduction{f.name(), 1, "r$x", lanes, 64}});
        if (!built.ok()) throw std::runtime_error(built.error().message);
        const Func &partial = func(*built, f.name() + "_lanes");
        EXPECT_FALSE(partial.locked) << name << ": " << partial.locked_because;
        return partial.storage_order;
    };
    EXPECT_EQ(order(rows, "rows"), (std::vector{1, 0}));
    // Each lane has a table of its own.
    EXPECT_EQ(order(counts, "counts"), (std::vector{0, 1}));
}

// The lanes of a sum are added to fewer lanes.
TEST_F(DividedReductions, of_one_func_have_names_of_their_own) {
    const Sum p;
    const auto built =
        p.divided({p.along("r$x", lanes, 64), {p.sum.name(), 1, "r_x_i", lanes, 16}});
    ASSERT_TRUE(built.ok()) << built.error().message;
    EXPECT_EQ(built->divisions[0].partial, p.sum.name() + "_lanes");
    EXPECT_EQ(built->divisions[1].partial, p.sum.name() + "_lanes_");
    EXPECT_EQ(func(*built, p.sum.name() + "_lanes").root_region, (Box{{0, 63}}));
    EXPECT_EQ(func(*built, p.sum.name() + "_lanes_").root_region, (Box{{0, 15}}));
}

TEST_F(DividedReductions, that_the_pipeline_does_not_have_are_named) {
    const auto complaint = [](const Sum &p, const DividedReduction &d) {
        const auto built = p.divided({d});
        return built.ok() ? std::string() : built.error().message;
    };
    const Sum p;
    EXPECT_EQ(complaint(p, {"total", 1, "r$x", lanes, 8}),
              "the pipeline has no Func total to divide");
    EXPECT_EQ(complaint(p, {p.sum.name(), 2, "r$x", lanes, 8}), p.sum.name() + " has no update 2");
    EXPECT_EQ(complaint(p, p.along("x", lanes, 8)), p.sum.name() + " has no reduction loop x");
    EXPECT_EQ(complaint(p, p.along("r$x", lanes, 0)),
              "a part of a reduction has at least one point");
}

TEST_F(DividedReductions, that_are_no_reductions_are_refused_by_Halide) {
    Var x("x");
    ImageParam input(Int(32), 1, "input");
    Halide::Func scan("scan");
    const RDom r(1, 99, "r");
    scan(x) = input(x);
    scan(r) = scan(r - 1) * 3 + input(r);
    scan.set_estimates({{0, 100}});
    const auto built =
        build_divided_graph(functions_of({scan}), get_host_target(),
                            std::vector{DividedReduction{scan.name(), 1, "r$x", lanes, 8}});
    ASSERT_FALSE(built.ok());
    EXPECT_EQ(built.error().message.rfind("Halide does not divide a reduction: ", 0), 0u)
        << built.error().message;
}

struct CopiedSum {
    Var x{"x"};
    Halide::Func sum{"sum"}, out{"out"};
    ImageParam input{Float(32), 2, "input"};

    CopiedSum() {
        const RDom r(0, input.width(), "r"), s(0, input.height(), "s");
        sum(x) = 0.0f;
        sum(x) += input(r, x);
        out(x) = 0.0f;
        out(x) += sum(s) * input(x, s);
        input.set_estimates({{0, 640}, {0, 480}});
        out.set_estimates({{0, 640}});
    }
    Result<BuiltGraph> copied() const {
        return build_divided_graph(
            functions_of({out}), get_host_target(),
            std::vector{DividedReduction{sum.name(), 1, "", DividedReduction::Kind::Copy, 0}});
    }
};

TEST(CopiedReductions, are_read_by_their_copy_alone) {
    const CopiedSum p;
    const uint64_t hash = test::build({p.out}).graph.algorithm_hash();
    const auto built = p.copied();
    ASSERT_TRUE(built.ok()) << built.error().message;
    const Func &copy = func(*built, p.sum.name() + "_copy"), &sum = func(*built, p.sum);
    EXPECT_TRUE(copy.can_inline);
    EXPECT_FALSE(copy.locked) << copy.locked_because;
    EXPECT_FALSE(sum.locked) << sum.locked_because;
    ASSERT_EQ(sum.outgoing.size(), 1u);
    EXPECT_EQ(built->graph.stage(built->graph.edge(sum.outgoing[0]).consumer).func, copy.id);
    EXPECT_EQ(built->graph.algorithm_hash(), hash);
}

TEST(CopiedReductions, that_the_user_has_copied_are_refused) {
    CopiedSum p;
    p.sum.in(p.out);
    const auto built = p.copied();
    ASSERT_FALSE(built.ok());
    EXPECT_EQ(built.error().message, p.sum.name() + " has copies of its own (Func::in)");
}

}  // namespace
}  // namespace cryolite
