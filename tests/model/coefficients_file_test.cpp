#include "model/coefficients_file.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

LearnedCoefficients some() {
    std::array<double, num_terms> factors;
    factors.fill(1);
    factors[index(Term::Compute)] = 1.0 / 3;
    factors[index(Term::LoadLatency)] = 1e-17;
    return {Coefficients(factors), "mine \"quoted\"", 240, 0.8125};
}

TEST(CoefficientsFile, gives_back_every_bit) {
    const auto read = parse_coefficients(coefficients_text(some()), "w.json");
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->coefficients.factors(), some().coefficients.factors());
    EXPECT_EQ(read->machine, some().machine);
    EXPECT_EQ(read->samples, 240);
    EXPECT_EQ(read->rank_correlation, 0.8125);
}

std::string error_of(const std::string &text) {
    const auto read = parse_coefficients(text, "w.json");
    return read.ok() ? "" : read.error().message;
}

TEST(CoefficientsFile, says_what_is_wrong_with_a_file) {
    EXPECT_NE(error_of("{"), "");
    EXPECT_NE(error_of("{\"a\": 1}").find("holds no coefficients"), std::string::npos);
    EXPECT_NE(error_of("{\"cryolite_coefficients\": 2, \"factors\": {}}").find("version 2"),
              std::string::npos);
    const auto with = [](const std::string &factors) {
        return error_of("{\"cryolite_coefficients\": 1, \"factors\": " + factors + "}");
    };
    EXPECT_EQ(with("{}"), "");
    EXPECT_NE(with("{\"warp\": 1}").find("'warp'"), std::string::npos);
    EXPECT_NE(with("{\"compute\": 0}").find("positive"), std::string::npos);
    EXPECT_NE(with("{\"compute\": -1}").find("positive"), std::string::npos);
    EXPECT_NE(with("{\"compute\": \"much\"}"), "");
    EXPECT_NE(with("3"), "");
    EXPECT_NE(read_coefficients("/nowhere/w.json").error().message.find("/nowhere/w.json"),
              std::string::npos);
}

}  // namespace
}  // namespace cryolite
