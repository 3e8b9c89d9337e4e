// The plugin's option tensor_cores, from the search to the results on the emulator.
#include "base/random.h"
#include "tests/plugin/plugin_run.h"
#include "tests/tensorcore/emulator/stand_in_driver.h"

namespace cryolite {
namespace {

using namespace Halide;

const Target kTarget(get_jit_target_from_environment().to_string() + "-cuda-cuda_capability_80");

template <typename T>
Buffer<T> filled(const std::vector<int> &extents, uint64_t seed) {
    Buffer<T> buffer(extents);
    Random random(seed);
    buffer.for_each_value([&](T &value) { value = T(static_cast<float>(random.between(-3, 3))); });
    buffer.set_host_dirty();
    return buffer;
}

// A Func before the product and two behind it, of which the first finishes the sums.
Pipeline chain(bool is_last = false) {
    const Buffer<float16_t> a = filled<float16_t>({96, 80}, 1), b = filled<float16_t>({72, 96}, 2);
    Var x("x"), y("y");
    RDom k(0, 96, "k");
    Halide::Func scaled("scaled"), sums("sums"), positive("positive"), blurred("blurred");
    scaled(x, y) = a(x, y) * cast<float16_t>(2);
    sums(x, y) = 1.0f;
    sums(x, y) += cast<float>(scaled(k, y)) * cast<float>(b(x, k));
    positive(x, y) = max(sums(x, y), 0);
    blurred(x, y) = positive(x, y) + positive(x, min(y + 1, 79));
    Halide::Func output = is_last ? sums : blurred;
    output.set_estimates({{0, 72}, {0, 80}});
    return output;
}

void expect_right(const std::function<Pipeline()> &make, const std::string &option) {
    Buffer<float> expected(72, 80), result(72, 80);
    make().realize({expected}, get_jit_target_from_environment());
    Pipeline pipeline = make();
    cryolite::testing::schedule(pipeline, cryolite::testing::quick({{"tensor_cores", option}}),
                                kTarget);
    const int launches = emulator::count_launches("copied") + emulator::count_launches("gathered");
    try {
        pipeline.realize({result}, kTarget);
        result.copy_to_host();
    } catch (const Halide::Error &error) {
        FAIL() << error.what() << emulator::take_problem();
    }
    EXPECT_GT(emulator::count_launches("copied") + emulator::count_launches("gathered"), launches);
    int wrong = 0;
    result.for_each_element([&](const int *at) { wrong += result(at) == expected(at) ? 0 : 1; });
    EXPECT_EQ(wrong, 0);
}

TEST(TensorCoresOption, AProductIsTakenOutOfTheSearch) {
    expect_right([] { return chain(); }, "auto");
}

TEST(TensorCoresOption, SumsThatAreTheOutputAreStored) {
    expect_right([] { return chain(true); }, "require");
}

// The search is free to store the converted values, and no tensor core multiplies 32-bit floats.
TEST(TensorCoresOption, ConversionsInOtherFuncsAreLeftToTheSearch) {
    const Buffer<float16_t> a = filled<float16_t>({64, 64}, 1);
    Var x("x"), y("y");
    RDom k(0, 64, "k");
    Halide::Func converted("converted"), product("product");
    converted(x, y) = cast<float>(a(x, y));
    product(x, y) = 0.0f;
    product(x, y) += converted(k, y) * converted(x, k);
    product.set_estimates({{0, 64}, {0, 64}});
    const std::string complaint = cryolite::testing::complaint(
        Pipeline(product), cryolite::testing::quick({{"tensor_cores", "require"}}), kTarget);
    EXPECT_NE(complaint.find("convert them in the update"), std::string::npos) << complaint;
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
    const std::string complaint = cryolite::testing::complaint(
        wide(), cryolite::testing::quick({{"tensor_cores", "require"}}), kTarget);
    EXPECT_NE(complaint.find("not conversions of f16"), std::string::npos) << complaint;
    EXPECT_EQ(cryolite::testing::complaint(
                  wide(), cryolite::testing::quick({{"tensor_cores", "auto"}}), kTarget),
              "");
    EXPECT_NE(cryolite::testing::complaint(chain(),
                                           cryolite::testing::quick({{"tensor_cores", "require"}}))
                  .find("cuda_capability_75"),
              std::string::npos);
    EXPECT_NE(cryolite::testing::complaint(
                  chain(), cryolite::testing::quick({{"tensor_cores", "auto"}, {"mode", "top_k"}}),
                  kTarget)
                  .find("mode=one_shot"),
              std::string::npos);
}

}  // namespace
}  // namespace cryolite
