// Products are found whatever their loops are called and however their operands lie, and others are told why not.
#include "tensorcore/matrix_product.h"

#include "tests/graph/built_pipeline.h"

namespace cryolite::tensorcore {
namespace {

using namespace Halide;
using cryolite::test::build;
using cryolite::test::estimate;

struct Matching : testing::Test {
    Var x{"x"}, y{"y"}, z{"z"};
    ImageParam a{Float(16), 2, "a"}, b{Float(16), 2, "b"};
    ImageParam wide_a{Float(32), 2, "wide_a"}, wide_b{Float(32), 2, "wide_b"};
    RDom k{0, 64, "k"};
    Halide::Func f{"f"};

    Matching() {
        for (ImageParam *p : {&a, &b, &wide_a, &wide_b}) estimate(*p, {64, 64});
    }

    Precision precision = Precision::Exact;
    MatchedStage match(Halide::Func output, const Halide::Func &product, size_t stage = 1) {
        estimate(output, std::vector<int>(static_cast<size_t>(output.dimensions()), 64));
        built = build({output});
        return match_product(built, cryolite::test::stage(built, product, stage).id, precision);
    }
    MatchedStage match() { return match(f, f); }
    void expect_not(NoProduct reason, size_t stage = 1) {
        const MatchedStage m = match(f, f, stage);
        ASSERT_FALSE(m.ok());
        EXPECT_EQ(explanation_of(m.error()), std::string(explanation_of(reason)));
    }
    // Names of the stage's loops.
    std::vector<std::string> names(const MatrixProduct &product, const std::vector<int> &loops) {
        std::vector<std::string> result;
        for (int l : loops)
            result.push_back(built.graph.stage(product.stage).loops[static_cast<size_t>(l)].name);
        return result;
    }

    BuiltGraph built{StageGraph({}, {}, {}, 0), {}, {}};
};

using Names = std::vector<std::string>;

TEST_F(Matching, AProductAndItsLoops) {
    f(x, y) = 0.0f;
    f(x, y) += cast<float>(a(k, y)) * cast<float>(b(x, k));
    const MatchedStage m = match();
    ASSERT_TRUE(m.ok()) << explanation_of(m.error());
    EXPECT_EQ(m->types, (ProductTypes{Element::F16, Element::F16, Sum::F32}));
    EXPECT_EQ(names(*m, m->left_loops), Names{"y"});
    EXPECT_EQ(names(*m, m->right_loops), Names{"x"});
    EXPECT_EQ(names(*m, m->depth_loops), Names{"k$x"});
    EXPECT_TRUE(m->batch_loops.empty());
    EXPECT_FALSE(m->epilogue.has_value());
    EXPECT_TRUE(m->conversions.empty());
}

TEST_F(Matching, TransposedOperandsAndSums) {
    f(x, y) = 0.0f;
    f(x, y) = cast<float>(b(k, x)) * cast<float>(a(y, k)) + f(x, y);
    EXPECT_TRUE(match().ok());
}

TEST_F(Matching, ABatchIsWhatMovesBothFactors) {
    ImageParam left(Int(8), 3, "left"), right(UInt(8), 3, "right");
    f(x, y, z) = 0;
    f(x, y, z) += cast<int>(left(k, y, z)) * cast<int>(right(k, x, z));
    estimate(left, {64, 64, 64});
    estimate(right, {64, 64, 64});
    const MatchedStage m = match();
    ASSERT_TRUE(m.ok()) << explanation_of(m.error());
    EXPECT_EQ(m->types, (ProductTypes{Element::I8, Element::U8, Sum::I32}));
    EXPECT_EQ(names(*m, m->batch_loops), Names{"z"});
}

TEST_F(Matching, AConvolutionIsAProductOfItsWindows) {
    ImageParam image(UInt(8), 3, "image"), weights(Int(8), 4, "weights");
    estimate(image, {64, 66, 66});
    estimate(weights, {64, 3, 3, 64});
    RDom r(0, 64, 0, 3, 0, 3, "r");
    f(x, y, z) = 0;
    f(x, y, z) += cast<int>(image(r.x, y + r.y, z + r.z)) * cast<int>(weights(r.x, r.y, r.z, x));
    const MatchedStage m = match();
    ASSERT_TRUE(m.ok()) << explanation_of(m.error());
    EXPECT_EQ(names(*m, m->left_loops), (Names{"y", "z"}));
    EXPECT_EQ(names(*m, m->right_loops), Names{"x"});
    EXPECT_EQ(m->depth_loops.size(), 3u);
}

TEST_F(Matching, BytesMayBeMultipliedInSixteenBits) {
    ImageParam left(UInt(8), 2, "left"), right(Int(8), 2, "right");
    estimate(left, {64, 64});
    estimate(right, {64, 64});
    f(x, y) = 0;
    f(x, y) += cast<int>(cast<int16_t>(left(k, y)) * cast<int16_t>(right(x, k)));
    EXPECT_TRUE(match().ok());
}

TEST_F(Matching, AProductThatOverflowsSixteenBitsIsNone) {
    ImageParam left(UInt(8), 2, "left"), right(UInt(8), 2, "right");
    estimate(left, {64, 64});
    estimate(right, {64, 64});
    f(x, y) = 0;
    f(x, y) += cast<int>(cast<int16_t>(left(k, y)) * cast<int16_t>(right(x, k)));
    expect_not(NoProduct::WideFactors);
}

TEST_F(Matching, AFuncThatOnlyConvertsIsLookedThrough) {
    Halide::Func converted("converted");
    converted(x, y) = cast<float>(a(x, y));
    f(x, y) = 0.0f;
    f(x, y) += converted(k, y) * cast<float>(b(x, k));
    const MatchedStage m = match();
    ASSERT_TRUE(m.ok());
    EXPECT_EQ(m->conversions.size(), 1u);
}

TEST_F(Matching, ConstantsOfABoundaryConditionAreNarrow) {
    f(x, y) = 0.0f;
    f(x, y) += select(k < 5, cast<float>(a(k, y)), 0.0f) * cast<float>(b(x, k));
    EXPECT_TRUE(match().ok());
}

TEST_F(Matching, TheLastReaderByPointsIsTheEpilogue) {
    Halide::Func sums("sums"), biased("biased");
    ImageParam bias(Float(32), 1, "bias");
    estimate(bias, {64});
    sums(x, y) = 0.0f;
    sums(x, y) += cast<float>(a(k, y)) * cast<float>(b(x, k));
    biased(y, x) = sums(x, y) + bias(x);
    f(x, y) = max(biased(y, x), 0);
    const MatchedStage m = match(f, sums);
    ASSERT_TRUE(m.ok());
    ASSERT_TRUE(m->epilogue.has_value());
    EXPECT_EQ(built.graph.func(*m->epilogue).name, f.name());
    ASSERT_EQ(m->inlined.size(), 1u);
    EXPECT_EQ(built.graph.func(m->inlined[0]).name, biased.name());
}

TEST_F(Matching, AReaderOfNeighboursIsNoEpilogue) {
    Halide::Func sums("sums");
    sums(x, y) = 0.0f;
    sums(x, y) += cast<float>(a(k, y)) * cast<float>(b(x, k));
    f(x, y) = sums(x, y) + sums(x + 1, y);
    const MatchedStage m = match(f, sums);
    ASSERT_TRUE(m.ok());
    EXPECT_FALSE(m->epilogue.has_value());
}

TEST_F(Matching, WideFactors) {
    f(x, y) = Expr(0.0);
    f(x, y) += cast<double>(wide_a(k, y)) * cast<double>(wide_b(x, k));
    for (const Precision p : {Precision::Exact, Precision::Tf32}) {
        precision = p;
        expect_not(NoProduct::WideFactors);
        expect_not(NoProduct::PureStage, 0);
    }
}

TEST_F(Matching, FloatsThatMayNotBeRounded) {
    f(x, y) = 0.0f;
    f(x, y) += wide_a(k, y) * wide_b(x, k);
    expect_not(NoProduct::RoundedFactors);
}

TEST_F(Matching, FloatsThatMayBeRounded) {
    precision = Precision::Tf32;
    f(x, y) = 0.0f;
    f(x, y) += wide_a(k, y) * wide_b(x, k);
    const MatchedStage m = match();
    ASSERT_TRUE(m.ok()) << explanation_of(m.error());
    EXPECT_EQ(m->types, (ProductTypes{Element::TF32, Element::TF32, Sum::F32}));
    EXPECT_EQ(names(*m, m->left_loops), Names{"y"});
    EXPECT_EQ(names(*m, m->right_loops), Names{"x"});
}

TEST_F(Matching, HalvesKeepTheirValuesWhereFloatsMayBeRounded) {
    precision = Precision::Tf32;
    f(x, y) = 0.0f;
    f(x, y) += cast<float>(a(k, y)) * cast<float>(b(x, k));
    const MatchedStage m = match();
    ASSERT_TRUE(m.ok());
    EXPECT_EQ(m->types, (ProductTypes{Element::F16, Element::F16, Sum::F32}));
}

TEST_F(Matching, AFuncOfFloatsIsAnOperandAsItIs) {
    precision = Precision::Tf32;
    Halide::Func scaled("scaled");
    scaled(x, y) = wide_a(x, y) * 3.0f + 1.0f;
    f(x, y) = 0.0f;
    f(x, y) += scaled(k, y) * cast<float>(b(x, k));
    const MatchedStage m = match();
    ASSERT_TRUE(m.ok()) << explanation_of(m.error());
    EXPECT_TRUE(m->conversions.empty());
    const auto *load = m->left.as<Internal::Call>();
    ASSERT_NE(load, nullptr);
    EXPECT_EQ(load->name, scaled.name());
}

TEST_F(Matching, FurtherFactorsOfFloatsGoWithTheMatrixWhoseLoopsTheyShare) {
    precision = Precision::Tf32;
    ImageParam of_column(Float(32), 1, "of_column");
    estimate(of_column, {64});
    f(x, y) = 0.0f;
    f(x, y) += wide_a(k, y) * wide_b(x, k) * of_column(x) * 0.5f;
    const MatchedStage m = match();
    ASSERT_TRUE(m.ok()) << explanation_of(m.error());
    EXPECT_EQ(names(*m, m->left_loops), Names{"y"});
    EXPECT_EQ(names(*m, m->right_loops), Names{"x"});
}

TEST_F(Matching, FloatsWithoutALoopOfTheirOwn) {
    precision = Precision::Tf32;
    f(x, y) = 0.0f;
    f(x, y) += wide_a(k, y) * wide_b(y, k);
    EXPECT_FALSE(match().ok());
}

TEST_F(Matching, AMatrixTimesAVector) {
    f(y) = 0.0f;
    f(y) += cast<float>(a(k, y)) * cast<float>(b(k, 0));
    expect_not(NoProduct::Vector);
}

TEST_F(Matching, WhatIsNoSumOfProducts) {
    f(x, y) = 0.0f;
    f(x, y) = max(f(x, y), cast<float>(a(k, y)) * cast<float>(b(x, k)));
    expect_not(NoProduct::NotASum);
}

TEST_F(Matching, APredicate) {
    k.where(k != 7);
    f(x, y) = 0.0f;
    f(x, y) += cast<float>(a(k, y)) * cast<float>(b(x, k));
    expect_not(NoProduct::Predicate);
}

TEST_F(Matching, AStoreThatMoves) {
    f(x, y) = 0.0f;
    f(x, k) += cast<float>(a(k, x)) * cast<float>(b(x, k));
    expect_not(NoProduct::MovedStore);
}

TEST_F(Matching, HalvesAndBytesMixed) {
    ImageParam bytes(Int(8), 2, "bytes");
    estimate(bytes, {64, 64});
    f(x, y) = 0.0f;
    f(x, y) += cast<float>(a(k, y)) * cast<float>(cast<bfloat16_t>(b(x, k)));
    expect_not(NoProduct::UnsupportedTypes);
}

TEST_F(Matching, WhatIsScheduledByHand) {
    f(x, y) = 0.0f;
    f(x, y) += cast<float>(a(k, y)) * cast<float>(b(x, k));
    f.update().parallel(y);
    expect_not(NoProduct::Locked);
}

}  // namespace
}  // namespace cryolite::tensorcore
