// What is said when an estimate is missing, and that nothing is said when it is not needed.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::try_build;

std::string message(const Halide::Func &out) {
    const Result<BuiltGraph> built = try_build({out});
    return built.ok() ? "built" : built.error().message;
}

void expect_contains(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Estimates, AMissingOutputEstimateNamesFuncDimensionAndLine) {
    Var x("x"), y("y");
    Halide::Func sharpened("sharpened");
    sharpened(x, y) = x + y;
    sharpened.set_estimate(x, 0, 10);
    const std::string text = message(sharpened);
    expect_contains(text, "Func \"" + sharpened.name() + "\" dimension 1 (y)");
    expect_contains(text, "add `sharpened.set_estimate(y, min, extent);`");
    expect_contains(text, "sharpened.set_estimate(y, 0, 1536);");
}

TEST(Estimates, AnInputsSizeInABoundNeedsAnEstimate) {
    Var x("x");
    ImageParam photo(Int(32), 1, "photo");
    Halide::Func out("out");
    out(x) = photo(clamp(x, 0, photo.width() - 1));
    estimate(out, {10});
    expect_contains(message(out), "Input \"photo\" dimension 0");
    expect_contains(message(out), "add `photo.dim(0).set_estimate(min, extent);`");
    estimate(photo, {8});
    const BuiltGraph built = build({out});
    EXPECT_EQ(func(built, "photo").root_region, (Box{{0, 7}}));
    EXPECT_EQ(func(built, test::reader(photo)).root_region, (Box{{0, 7}}));
}

TEST(Estimates, AnInputThatNobodyAsksAboutGetsWhatIsRead) {
    Var x("x");
    ImageParam photo(Int(32), 1, "photo");
    Halide::Func out("out");
    out(x) = photo(x + 2);
    estimate(out, {10});
    EXPECT_EQ(func(build({out}), "photo").root_region, (Box{{2, 11}}));
}

TEST(Estimates, AnInputReadAtLoadedPlacesNeedsAnEstimate) {
    Var x("x");
    ImageParam photo(Int(32), 1, "photo"), where(Int(32), 1, "where");
    Halide::Func out("out");
    out(x) = photo(where(x));
    estimate(out, {10});
    expect_contains(message(out), "Input \"photo\" dimension 0");
    estimate(photo, {100});
    EXPECT_EQ(func(build({out}), "photo").root_region, (Box{{0, 99}}));
}

TEST(Estimates, ConstraintsAndBoundsServeAsEstimates) {
    Var x("x");
    ImageParam photo(Int(32), 1, "photo");
    photo.dim(0).set_bounds(0, 20);
    Halide::Func out("out");
    out(x) = BoundaryConditions::repeat_edge(photo)(x - 1);
    out.bound(x, 0, photo.width());
    const BuiltGraph built = build({out});
    EXPECT_EQ(func(built, "photo").root_region, (Box{{0, 19}}));
    EXPECT_EQ(func(built, out).root_region, (Box{{0, 19}}));
}

TEST(Estimates, TheEstimateOfAnOutputBufferCounts) {
    Var x("x");
    Halide::Func out("out");
    out(x) = x;
    out.output_buffer().dim(0).set_estimate(3, 7);
    EXPECT_EQ(func(build({out}), out).root_region, (Box{{3, 9}}));
}

TEST(Estimates, AParameterInABoundNeedsAnEstimate) {
    Var x("x");
    ImageParam photo(Int(32), 1, "photo");
    Param<int> radius("radius");
    Halide::Func out("out");
    out(x) = photo(x + radius) + photo(x - radius);
    estimate(out, {10});
    expect_contains(message(out), "Parameter \"radius\"");
    expect_contains(message(out), "add `radius.set_estimate(value);`");
    radius.set_estimate(4);
    EXPECT_EQ(func(build({out}), "photo").root_region, (Box{{-4, 13}}));
}

TEST(Estimates, AParameterThatIsOnlyAValueNeedsNone) {
    Var x("x");
    Param<float> gain("gain");
    Halide::Func out("out");
    out(x) = x * gain;
    estimate(out, {10});
    EXPECT_EQ(message(out), "built");
}

TEST(Estimates, AFloatParameterMayScaleAnIndex) {
    Var x("x"), y("y");
    ImageParam photo(Float(32), 1, "photo");
    Param<float> step("step");
    Halide::Func grid("grid"), out("out");
    grid(x, y) = photo(x) + y;
    out(x) = grid(x, cast<int>(clamp(photo(x), 0.0f, 1.0f) * (1.0f / step) + 0.5f));
    estimate(out, {10});
    step.set_estimate(0.125f);
    EXPECT_EQ(func(build({out}), grid).root_region, (Box{{0, 9}, {0, 8}}));
}

}  // namespace
}  // namespace cryolite
