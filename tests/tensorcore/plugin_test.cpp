// The plugin's option tensor_cores, from the search to the results on the emulator.
#include "base/random.h"
#include "tests/plugin/plugin_run.h"
#include "tests/tensorcore/emulator/stand_in_driver.h"

namespace cryolite {
namespace {

using namespace Halide;
using cryolite::testing::complaint;
using cryolite::testing::Options;
using cryolite::testing::quick;

const Target kTarget(get_jit_target_from_environment().to_string() + "-cuda-cuda_capability_80");

template <typename T>
Buffer<T> filled(const std::vector<int> &extents, uint64_t seed) {
    Buffer<T> buffer(extents);
    Random random(seed);
    buffer.for_each_value([&](T &value) { value = T(static_cast<float>(random.between(-3, 3))); });
    buffer.set_host_dirty();
    return buffer;
}

constexpr int kColumns = 72, kRows = 80;

// A Func before the product and two behind it, of which the first finishes the sums. For the search it is a large
// pipeline: it is run at a size that the emulator can manage.
template <typename T = float16_t>
Pipeline chain(bool is_last = false) {
    const Buffer<T> a = filled<T>({96, kRows}, 1), b = filled<T>({kColumns, 96}, 2);
    Var x("x"), y("y");
    RDom k(0, 96, "k");
    Halide::Func scaled("scaled"), sums("sums"), positive("positive"), blurred("blurred");
    scaled(x, y) = a(x, y % kRows) * cast<T>(2);
    sums(x, y) = 1.0f;
    sums(x, y) += cast<float>(scaled(k, y)) * cast<float>(b(x % kColumns, k));
    positive(x, y) = max(sums(x, y), 0);
    blurred(x, y) = positive(x, y) + positive(x, min(y + 1, kRows - 1));
    Halide::Func output = is_last ? sums : blurred;
    output.set_estimates({{0, 2048}, {0, 2048}});
    return output;
}

// A product of two matrices at their own sizes, finished by a reader.
Pipeline product(int rows, int columns, int depth, bool converts_elsewhere = false,
                 const Type &type = Float(16)) {
    ImageParam a(type, 2, "a"), b(type, 2, "b");
    a.set_estimates({{0, depth}, {0, rows}});
    b.set_estimates({{0, columns}, {0, depth}});
    Var x("x"), y("y");
    RDom k(0, depth, "k");
    Halide::Func wide("wide"), sums("sums"), scaled("scaled");
    wide(x, y) = cast<float>(a(x, y));
    const Expr left = converts_elsewhere ? Expr(wide(k, y)) : cast<float>(a(k, y));
    sums(x, y) = 0.0f;
    sums(x, y) += left * cast<float>(b(x, k));
    scaled(x, y) = sums(x, y) * 0.5f;
    scaled.set_estimates({{0, columns}, {0, rows}});
    return scaled;
}

AutoSchedulerResults scheduled(const Pipeline &pipeline, const Options &options = {},
                               const Target &target = kTarget) {
    return cryolite::testing::schedule(pipeline, quick(options), target);
}

std::string trace_of(const AutoSchedulerResults &results) {
    return {results.featurization.begin(), results.featurization.end()};
}

bool has_tile(const AutoSchedulerResults &results) {
    return trace_of(results).find("tensor_tile") != std::string::npos;
}

int launches() { return emulator::count_launches("copied") + emulator::count_launches("gathered"); }

void expect_right(const std::function<Pipeline()> &make, const Options &options) {
    Buffer<float> expected(kColumns, kRows), result(kColumns, kRows);
    make().realize({expected}, get_jit_target_from_environment());
    Pipeline pipeline = make();
    ASSERT_TRUE(has_tile(scheduled(pipeline, options)));
    const int before = launches();
    try {
        pipeline.realize({result}, kTarget);
        result.copy_to_host();
    } catch (const Halide::Error &error) {
        FAIL() << error.what() << emulator::take_problem();
    }
    EXPECT_GT(launches(), before);
    int wrong = 0;
    result.for_each_element([&](const int *at) { wrong += result(at) == expected(at) ? 0 : 1; });
    EXPECT_EQ(wrong, 0);
}

TEST(TensorCoresOption, ByDefaultTheCostTakesALargeProduct) {
    expect_right([] { return chain(); }, {});
}

TEST(TensorCoresOption, SumsThatAreTheOutputAreStored) {
    expect_right([] { return chain(true); }, {{"tensor_cores", "require"}});
}

TEST(TensorCoresOption, EveryCapabilityThatHasTheUnitsTakesALargeProduct) {
    for (const char *capability : {"75", "80", "86"}) {
        const Target target(get_jit_target_from_environment().to_string() +
                            "-cuda-cuda_capability_" + capability);
        const AutoSchedulerResults found = scheduled(product(1024, 1024, 1024), {}, target);
        EXPECT_TRUE(has_tile(found)) << capability;
    }
    const Target without(get_jit_target_from_environment().to_string() +
                         "-cuda-cuda_capability_70");
    EXPECT_FALSE(has_tile(scheduled(product(1024, 1024, 1024), {}, without)));
    EXPECT_FALSE(has_tile(scheduled(product(1024, 1024, 1024), {{"tensor_cores", "off"}})));
}

TEST(TensorCoresOption, ATinyProductStaysOrdinary) {
    EXPECT_FALSE(has_tile(scheduled(product(8, 8, 8))));
    EXPECT_NE(complaint(product(8, 8, 8), quick({{"tensor_cores", "require"}}), kTarget)
                  .find("smaller than one instruction"),
              std::string::npos);
}

TEST(TensorCoresOption, ConversionsInOtherFuncsAreInlined) {
    EXPECT_TRUE(has_tile(scheduled(product(1024, 1024, 1024, true))));
}

TEST(TensorCoresOption, WhatIsRequiredAndCannotBeIsAnError) {
    const auto wide = [] {
        Var x("x"), y("y");
        RDom k(0, 64, "k");
        Halide::Func a("a"), product("product");
        a(x, y) = cast<float>(x + y);
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * a(x, k);
        product.set_estimates({{0, 64}, {0, 64}});
        return Pipeline(product);
    };
    const std::string why = complaint(wide(), quick({{"tensor_cores", "require"}}), kTarget);
    EXPECT_NE(why.find("tensor_cores_tf32=true allows that"), std::string::npos) << why;
    EXPECT_EQ(complaint(wide(), quick(), kTarget), "");
    EXPECT_NE(complaint(chain(), quick({{"tensor_cores", "require"}})).find("cuda_capability_75"),
              std::string::npos);
}

Pipeline product_of_floats() { return product(1024, 1024, 1024, false, Float(32)); }

TEST(TensorCoresOption, FloatsAreRoundedOnlyWhereThatIsAllowed) {
    const Options allowed{{"tensor_cores_tf32", "true"}};
    EXPECT_FALSE(has_tile(scheduled(product_of_floats())));
    EXPECT_FALSE(has_tile(
        scheduled(product_of_floats(), {{"tensor_cores_tf32", "true"}, {"tensor_cores", "off"}})));
    const AutoSchedulerResults found = scheduled(product_of_floats(), allowed);
    EXPECT_TRUE(has_tile(found));
    EXPECT_NE(found.schedule_source.find("::cryolite::tensorcore::Precision::Tf32}, target)"),
              std::string::npos)
        << found.schedule_source;
    EXPECT_EQ(scheduled(product(1024, 1024, 1024)).schedule_source.find("Precision"),
              std::string::npos);
    expect_right([] { return chain<float>(); }, allowed);
}

// As for other types: auto leaves such products to ordinary loops, require is an error.
TEST(TensorCoresOption, FloatsNeedNewerTensorCores) {
    const Target older(get_jit_target_from_environment().to_string() + "-cuda-cuda_capability_75");
    const Options allowed{{"tensor_cores_tf32", "true"}};
    const Options required{{"tensor_cores_tf32", "true"}, {"tensor_cores", "require"}};
    EXPECT_FALSE(has_tile(scheduled(product_of_floats(), allowed, older)));
    EXPECT_NE(complaint(product_of_floats(), quick(required), older).find("cuda_capability_80"),
              std::string::npos);
    EXPECT_EQ(complaint(chain<float>(), quick(allowed)), "");
    EXPECT_NE(complaint(chain<float>(), quick(required)).find("cuda_capability"),
              std::string::npos);
}

TEST(TensorCoresOption, AWrittenScheduleNamesTheTwoCalls) {
    const std::string source = scheduled(product(1024, 1024, 1024)).schedule_source;
    EXPECT_NE(source.find("::cryolite::tensorcore::schedule_product("), std::string::npos);
    EXPECT_NE(source.find("::cryolite::tensorcore::add_pass(pipeline"), std::string::npos);
    const std::string off =
        scheduled(product(1024, 1024, 1024), {{"tensor_cores", "off"}}).schedule_source;
    EXPECT_EQ(off.find("tensorcore"), std::string::npos);
}

}  // namespace
}  // namespace cryolite
