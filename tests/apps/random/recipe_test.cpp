// What seeds draw: everything that is meant to be drawn, at sizes that spread, with nothing that nobody reads.
#include "apps/random/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace cryolite::apps {
namespace {

constexpr uint64_t seeds = 600;

std::vector<Recipe> many() {
    std::vector<Recipe> all;
    for (uint64_t seed = 0; seed < seeds; seed++) all.push_back(draw_recipe(seed));
    return all;
}

TEST(Recipe, IsTheSameForTheSameSeed) {
    for (uint64_t seed = 0; seed < 50; seed++) EXPECT_EQ(draw_recipe(seed), draw_recipe(seed));
    EXPECT_NE(draw_recipe(1), draw_recipe(2));
}

TEST(Recipe, HasEveryOperatorTypeLayoutAndBoundary) {
    std::array<int, num_operators> operators{};
    std::array<int, 6> types{};
    std::array<int, 3> layouts{};
    std::array<int, 5> boundaries{};
    for (const Recipe &r : many())
        for (const Step &s : r.steps) {
            operators[static_cast<size_t>(s.op)]++;
            types[static_cast<size_t>(s.type)]++;
            layouts[static_cast<size_t>(s.layout)]++;
            boundaries[static_cast<size_t>(s.boundary)]++;
        }
    for (int op = 0; op < num_operators; op++)
        EXPECT_GE(operators[static_cast<size_t>(op)], 12) << name(static_cast<Operator>(op));
    for (const int n : types) EXPECT_GE(n, 50);
    for (const int n : layouts) EXPECT_GE(n, 300);
    for (const int n : boundaries) EXPECT_GE(n, 50);
}

TEST(Recipe, SpreadsOverSizes) {
    std::vector<double> funcs, operations, outputs;
    for (const Recipe &r : many()) {
        funcs.push_back(r.funcs);
        operations.push_back(r.operations);
        outputs.push_back(static_cast<double>(r.outputs.size()));
        for (const Step &s : r.steps) EXPECT_LE(s.points(), 48'000'000);
    }
    for (auto *v : {&funcs, &operations, &outputs}) std::ranges::sort(*v);
    const auto quantile = [](const std::vector<double> &v, double q) {
        return v[static_cast<size_t>(q * static_cast<double>(v.size() - 1))];
    };
    EXPECT_LE(quantile(funcs, 0.1), 4);
    EXPECT_GE(quantile(funcs, 0.9), 12);
    EXPECT_LE(funcs.back(), 60);
    EXPECT_LE(quantile(operations, 0.1), 1e8);
    EXPECT_GE(quantile(operations, 0.9), 4e8);
    EXPECT_LE(operations.back(), 6e9);
    EXPECT_EQ(outputs.front(), 1);
    EXPECT_EQ(outputs.back(), 3);
}

TEST(Recipe, ReadsAllThatItHas) {
    for (uint64_t seed = 0; seed < seeds; seed++) {
        const Recipe r = draw_recipe(seed);
        std::vector<bool> is_used(r.steps.size(), false);
        for (size_t i = 0; i < r.steps.size(); i++)
            for (const int source : r.steps[i].sources) {
                ASSERT_GE(source, 0);
                ASSERT_LT(source, static_cast<int>(i)) << "seed " << seed;
                is_used[static_cast<size_t>(source)] = true;
            }
        ASSERT_FALSE(r.outputs.empty());
        for (const int output : r.outputs) {
            EXPECT_NE(r.steps[static_cast<size_t>(output)].op, Operator::Input) << "seed " << seed;
            is_used[static_cast<size_t>(output)] = true;
        }
        EXPECT_EQ(std::ranges::count(is_used, false), 0) << "seed " << seed;
    }
}

}  // namespace
}  // namespace cryolite::apps
