// What a stage is, whatever its schedule: loads by kind and strides by loop, counted by hand.
#include "featurize/rows/algorithm_features.h"

#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::stage;

struct AlgorithmFeatures : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam image{Float(32), 2, "image"}, places{UInt(8), 2, "places"};
    Halide::Func out{"out"};

    FeatureRow row_of(const BuiltGraph &built, const Stage &s) {
        FeatureRow row{};
        algorithm_features(built.graph, s, row);
        return row;
    }
    FeatureRow row_of(Expr value) {
        Halide::Func f("f");
        f(x, y) = value;
        estimate(f, {64, 48});
        estimate(image, {256, 256});
        estimate(places, {256, 256});
        const BuiltGraph built = build({f});
        return row_of(built, stage(built, f));
    }
};

double at(const FeatureRow &row, Feature f) { return row[index(f)]; }

TEST_F(AlgorithmFeatures, LoadsByKind) {
    const FeatureRow row = row_of(image(x + 1, y) + image(y, x) + image(x, 3) + image(2 * x, y) +
                                  image(clamp(cast<int>(places(x, y)), 0, 255), y));
    EXPECT_EQ(at(row, Feature::loads), 6);
    EXPECT_EQ(at(row, Feature::loads_pointwise), 3);  // with the slice and the load of the index
    EXPECT_EQ(at(row, Feature::loads_transpose), 1);
    EXPECT_EQ(at(row, Feature::loads_affine), 1);
    EXPECT_EQ(at(row, Feature::loads_gather), 1);
    EXPECT_EQ(at(row, Feature::loads_slice), 1);
    EXPECT_EQ(at(row, Feature::loads_broadcast), 1);  // the slice does not move with y
    EXPECT_EQ(at(row, Feature::producers_read), 2);
    EXPECT_EQ(at(row, Feature::stores), 1);
    EXPECT_EQ(at(row, Feature::stores_pointwise), 1);
    EXPECT_EQ(at(row, Feature::points_required), 64 * 48);
    EXPECT_EQ(at(row, Feature::is_output), 1);
}

TEST_F(AlgorithmFeatures, StridesByLoop) {
    const FeatureRow row =
        row_of(image(x, y) + image(2 * x, y) + image(x / 2, y) + image(y, x) + image(x, 3));
    EXPECT_EQ(at(row, Feature::strides_unit_along_inner), 2);
    EXPECT_EQ(at(row, Feature::strides_long_along_inner), 1);
    EXPECT_EQ(at(row, Feature::strides_fraction_along_inner), 1);
    EXPECT_EQ(at(row, Feature::strides_row_along_inner), 1);
    EXPECT_EQ(at(row, Feature::strides_still_along_inner), 0);
    EXPECT_EQ(at(row, Feature::strides_row_along_outer), 3);
    EXPECT_EQ(at(row, Feature::strides_unit_along_outer), 1);
    EXPECT_EQ(at(row, Feature::strides_still_along_outer), 1);
    EXPECT_EQ(at(row, Feature::strides_still_along_reduction), 0);
}

TEST_F(AlgorithmFeatures, OfAMatrixProductsUpdate) {
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    RDom k(0, 32, "k");
    out(x, y) += a(k, y) * b(x, k);
    estimate(out, {64, 48});
    estimate(a, {32, 48});
    estimate(b, {64, 32});
    const BuiltGraph built = build({out});
    const FeatureRow row = row_of(built, stage(built, out, 1));
    EXPECT_EQ(at(row, Feature::ops_multiply_float32), 1);
    EXPECT_EQ(at(row, Feature::ops_add_float32), 1);
    EXPECT_EQ(at(row, Feature::ops_add_int32), 0);
    EXPECT_EQ(at(row, Feature::loads), 3);
    EXPECT_EQ(at(row, Feature::loads_broadcast), 3);
    EXPECT_EQ(at(row, Feature::loads_slice), 0);
    EXPECT_EQ(at(row, Feature::loads_affine), 0);
    EXPECT_EQ(at(row, Feature::reads_itself), 1);
    EXPECT_EQ(at(row, Feature::producers_read), 2);
    EXPECT_EQ(at(row, Feature::pure_loops), 2);
    EXPECT_EQ(at(row, Feature::reduction_loops), 1);
    EXPECT_EQ(at(row, Feature::reduction_points), 32);
    EXPECT_EQ(at(row, Feature::points_required), 64 * 48 * 32);
    EXPECT_EQ(at(row, Feature::update_index), 1);
    // x moves b and the sum, y moves a and the sum by rows, k moves a along its row and b by rows.
    EXPECT_EQ(at(row, Feature::strides_unit_along_inner), 2);
    EXPECT_EQ(at(row, Feature::strides_still_along_inner), 1);
    EXPECT_EQ(at(row, Feature::strides_row_along_outer), 2);
    EXPECT_EQ(at(row, Feature::strides_still_along_outer), 1);
    EXPECT_EQ(at(row, Feature::strides_unit_along_reduction), 1);
    EXPECT_EQ(at(row, Feature::strides_row_along_reduction), 1);
    EXPECT_EQ(at(row, Feature::strides_still_along_reduction), 1);
}

TEST_F(AlgorithmFeatures, TuplesPredicatesAndScatters) {
    Halide::Func bins("bins");
    RDom r(0, 64, 0, 48, "r");
    r.where(places(r.x, r.y) > 3);
    bins(x) = Tuple(cast<uint16_t>(0), 0.0f);
    const Expr bin = clamp(cast<int>(places(r.x, r.y)), 0, 255);
    bins(bin) = Tuple(cast<uint16_t>(bins(bin)[0] + 1), bins(bin)[1] + image(r.x, r.y));
    estimate(bins, {256});
    estimate(image, {64, 48});
    estimate(places, {64, 48});
    const BuiltGraph built = build({bins});
    const FeatureRow pure = row_of(built, stage(built, bins));
    EXPECT_EQ(at(pure, Feature::tuple_size), 2);
    EXPECT_EQ(at(pure, Feature::point_bytes), 6);
    EXPECT_EQ(at(pure, Feature::stores_pointwise), 2);
    EXPECT_EQ(at(pure, Feature::has_predicate), 0);
    EXPECT_EQ(at(pure, Feature::loads), 0);
    const FeatureRow update = row_of(built, stage(built, bins, 1));
    EXPECT_EQ(at(update, Feature::has_predicate), 1);
    EXPECT_EQ(at(update, Feature::stores_scatter), 2);
    EXPECT_EQ(at(update, Feature::stores), 2);
    EXPECT_EQ(at(update, Feature::reduction_loops), 2);
    EXPECT_EQ(at(update, Feature::loads_gather), 2);
}

}  // namespace
}  // namespace cryolite
