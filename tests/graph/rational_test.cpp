#include <gtest/gtest.h>

#include "graph/access.h"

namespace cryolite {
namespace {

TEST(Rational, IsInLowestTermsWithAPositiveDenominator) {
    EXPECT_EQ(make_rational(4, 6), (Rational{2, 3}));
    EXPECT_EQ(make_rational(4, -6), (Rational{-2, 3}));
    EXPECT_EQ(make_rational(0, -6), (Rational{0, 1}));
}

TEST(Rational, SumsAndProducts) {
    EXPECT_EQ(make_rational(1, 2) + make_rational(1, 3), make_rational(5, 6));
    EXPECT_EQ(make_rational(1, 2) * make_rational(2, 3), make_rational(1, 3));
    EXPECT_EQ(make_rational(1, 2) + make_rational(-1, 2), Rational{});
}

}  // namespace
}  // namespace cryolite
