#include "graph/builder/read_groups.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

using Halide::Func;
using Halide::Var;

class ReadGroups : public ::testing::Test {
protected:
    ReadGroups() {
        f_(x_) = x_;
        g_(x_, y_) = x_ + y_;
    }

    std::vector<ReadGroup> of(const Expr &value) {
        dag_.add(value);
        return read_groups(dag_);
    }

    Var x_{"x"}, y_{"y"};
    Func f_{"f"}, g_{"g"};
    ExpressionDag dag_;
};

TEST_F(ReadGroups, TapsAreOneGroupWithTheFirstAndTheLast) {
    const auto groups = of(f_(2 * x_) + f_(2 * x_ + 2) + f_(2 * x_ - 1) + f_(2 * x_ + 1));
    ASSERT_EQ(groups.size(), 1);
    EXPECT_TRUE(Halide::Internal::equal(groups[0].first, Expr(2 * x_ - 1)));
    EXPECT_TRUE(Halide::Internal::equal(groups[0].last, Expr(2 * x_ + 2)));
}

TEST_F(ReadGroups, EachDimensionHasItsOwn) {
    const auto groups = of(g_(x_ - 1, y_) + g_(x_, y_ + 3));
    ASSERT_EQ(groups.size(), 2);
    EXPECT_EQ(groups[0].dim, 0);
    EXPECT_TRUE(Halide::Internal::equal(groups[0].first, Expr(x_ - 1)));
    EXPECT_TRUE(Halide::Internal::equal(groups[0].last, Expr(x_)));
    EXPECT_EQ(groups[1].dim, 1);
    EXPECT_TRUE(Halide::Internal::equal(groups[1].last, Expr(y_ + 3)));
}

// A rest at the end of a clamp or a quotient does not move it by a constant.
TEST_F(ReadGroups, OtherIndicesAreApart) {
    EXPECT_EQ(of(f_(x_ / 2) + f_((x_ + 1) / 2)).size(), 2);
    EXPECT_EQ(of(f_(clamp(x_, 0, 9)) + f_(clamp(x_ + 1, 0, 9))).size(), 4);  // with the two before
}

TEST_F(ReadGroups, OtherFuncsAreApart) {
    Func h("h");
    h(x_) = x_ * 2;
    EXPECT_EQ(of(f_(x_) + h(x_ + 1)).size(), 2);
}

}  // namespace
}  // namespace cryolite
