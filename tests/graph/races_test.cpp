// Which reduction loops have no race while the loops around them stand still, and so may be vector loops.
#include "graph/facts/races.h"

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

struct Races : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Int(32), 2, "input"};
    Param<int> shift{"shift"};
    RDom r{1, 600, 1, 400, "r"};
    Halide::Func steps{"steps"};

    void SetUp() override {
        steps(x, y) = input(x, y);
        shift.set_estimate(1);
    }
    // The update's loop along r.x (0) or r.y (1).
    StageLoop loop(size_t l) {
        Halide::Func out("out");
        out(x, y) = steps(x, y);
        estimate(input, {640, 480});
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        return built.graph.stage(func(built, steps).stages[1]).loops[l];
    }
};

TEST_F(Races, AreNoneWithinARowMadeFromTheRowBefore) {
    steps(r.x, r.y) += min(steps(r.x - 1, r.y - 1), steps(clamp(r.x + 1, 0, 639), r.y - 1));
    EXPECT_TRUE(loop(0).race_free_in_order);
    EXPECT_TRUE(loop(0).vectorizable);
    EXPECT_EQ(loop(0).walked_dim, 0);
    // The order of the loops stays, and no loop outside of the rows runs at the same time as another.
    EXPECT_FALSE(loop(0).reorderable);
    EXPECT_FALSE(loop(0).parallelizable);
    EXPECT_FALSE(loop(1).race_free_in_order);
    EXPECT_FALSE(loop(1).vectorizable);
}

TEST_F(Races, AreNoneWithinAnAntidiagonal) {
    steps(r.x, r.y - r.x) +=
        steps(r.x - 1, r.y - r.x) + steps(r.x, r.y - r.x - 1) + steps(r.x - 1, r.y - r.x - 1);
    EXPECT_TRUE(loop(0).race_free_in_order);
}

TEST_F(Races, AreThoseOfNeighboursInTheRowItself) {
    steps(r.x, r.y) += steps(r.x, r.y - 1) + steps(r.x + 1, r.y);
    EXPECT_FALSE(loop(0).race_free_in_order);
    EXPECT_FALSE(loop(0).vectorizable);
}

TEST_F(Races, AreThoseAtDistancesThatAParameterMayMakeZero) {
    steps(r.x, r.y) += steps(r.x - 1, r.y - shift);
    EXPECT_FALSE(loop(0).race_free_in_order);
}

TEST_F(Races, AreThoseOfClampedRows) {
    // Row 1 reads itself.
    steps(r.x, r.y) += steps(r.x - 1, max(r.y - 1, 1));
    EXPECT_FALSE(loop(0).race_free_in_order);
}

TEST_F(Races, AreThoseOfLoopsAroundTheOneThatCarries) {
    steps(r.y, r.x) += steps(r.y - 1, r.x - 1);
    EXPECT_TRUE(loop(0).race_free_in_order);
    EXPECT_FALSE(loop(1).race_free_in_order);
}

TEST_F(Races, AreThoseOfPointsThatSeveralIterationsStore) {
    steps(r.x / 2, r.y) += steps(r.x / 2, r.y - 1);
    EXPECT_FALSE(loop(0).race_free_in_order);
}

// Halide would not let the states of a Viterbi path be taken in vectors inside of the loop over the states before.
TEST_F(Races, AreNotAskedAboutAroundALoopThatKeepsItsPlace) {
    const RDom path{0, 64, 0, 64, 1, 400, "path"};
    steps(path.y, path.z) = max(steps(path.y, path.z), steps(path.x, path.z - 1));
    for (size_t l : {0, 1, 2}) EXPECT_FALSE(loop(l).vectorizable) << l;
    // But tasks of a step may be.
    EXPECT_FALSE(loop(0).race_free_in_order);
    EXPECT_TRUE(loop(1).race_free_in_order);
    EXPECT_EQ(loop(1).walked_dim, 0);
    EXPECT_FALSE(loop(2).race_free_in_order);
}

// Of an elimination's step only the points below and right of the pivot change, and only its row and column are read.
TEST_F(Races, AreNoneWithWhatAPredicateExcludes) {
    RDom pivots{0, 64, 0, 64, 0, 63, "pivots"};
    const auto &p = pivots;
    pivots.where(p.x > p.z && p.y > p.z);
    steps(p.x, p.y) -= steps(p.z, p.y) / steps(p.z, p.z) * steps(p.x, p.z);
    for (size_t l : {0, 1}) EXPECT_TRUE(loop(l).race_free_in_order) << l;
    EXPECT_TRUE(loop(0).vectorizable);
    EXPECT_FALSE(loop(2).race_free_in_order);
}

TEST_F(Races, AreThoseWithWhatAPredicateLetsPass) {
    RDom pivots{0, 64, 0, 64, 0, 63, "pivots"};
    const auto &p = pivots;
    pivots.where(p.x >= p.z && p.y > p.z);
    steps(p.x, p.y) -= steps(p.z, p.y) * steps(p.x, p.z);
    EXPECT_FALSE(loop(0).race_free_in_order);
    // Each row changes its own pivot alone.
    EXPECT_TRUE(loop(1).race_free_in_order);
}

TEST_F(Races, AreThoseOfScatteredPoints) {
    steps(clamp(input(r.x, r.y), 0, 639), r.y) += steps(r.x, r.y - 1);
    EXPECT_FALSE(loop(0).race_free_in_order);
}

}  // namespace
}  // namespace cryolite
