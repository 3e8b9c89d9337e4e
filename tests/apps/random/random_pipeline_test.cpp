// Random pipelines, shrunk, with the plain schedule: they read nothing beyond their inputs and compute something.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "apps/common/plain_schedule.h"
#include "apps/random/build_recipe.h"
#include "apps/random/dice.h"

namespace cryolite::apps {
namespace {

using Halide::Buffer;

// As the runner fills inputs: floats from 0 to 1, 16 bits below 1,024, wider ones below 256, of all values 8 bits.
Buffer<> filled(const Step &s, uint64_t seed) {
    Buffer<> b(halide_type(s.type), s.extents);
    Dice dice(seed);
    switch (s.type) {
        case Number::U8:
            b.as<uint8_t>().for_each_value(
                [&](uint8_t &v) { v = static_cast<uint8_t>(dice.bits()); });
            break;
        case Number::U16:
            b.as<uint16_t>().for_each_value(
                [&](uint16_t &v) { v = static_cast<uint16_t>(dice.between(0, 1023)); });
            break;
        case Number::I16:
            b.as<int16_t>().for_each_value(
                [&](int16_t &v) { v = static_cast<int16_t>(dice.between(0, 1023)); });
            break;
        case Number::I32:
            b.as<int32_t>().for_each_value([&](int32_t &v) { v = dice.between(0, 255); });
            break;
        case Number::F16:
            b.as<Halide::float16_t>().for_each_value(
                [&](Halide::float16_t &v) { v = Halide::float16_t(dice.unit()); });
            break;
        case Number::F32:
            b.as<float>().for_each_value([&](float &v) { v = static_cast<float>(dice.unit()); });
            break;
    }
    return b;
}

std::vector<double> values_of(const Buffer<> &b) {
    std::vector<double> all;
    const auto collect = [&](auto typed) {
        typed.for_each_value([&](auto &v) { all.push_back(static_cast<double>(v)); });
    };
    const Halide::Type t = b.type();
    if (t == Halide::UInt(8)) collect(b.as<uint8_t>());
    if (t == Halide::UInt(16)) collect(b.as<uint16_t>());
    if (t == Halide::Int(16)) collect(b.as<int16_t>());
    if (t == Halide::Int(32)) collect(b.as<int32_t>());
    if (t == Halide::Float(16)) collect(b.as<Halide::float16_t>());
    if (t == Halide::Float(32)) collect(b.as<float>());
    return all;
}

class RandomPipeline : public testing::TestWithParam<int> {};

TEST_P(RandomPipeline, ReadsItsInputsAndComputesSomething) {
    constexpr int per_case = 5;
    for (int i = 0; i < per_case; i++) {
        const auto seed = static_cast<uint64_t>(GetParam() * per_case + i);
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Recipe recipe = draw_recipe(seed, 16);
        std::vector<Source> inputs;
        std::vector<Buffer<>>
            buffers;  // exactly of the estimated sizes: a read beyond them is an error
        for (const Step &s : recipe.steps)
            if (s.op == Operator::Input) {
                buffers.push_back(filled(s, seed + buffers.size()));
                const Buffer<> b = buffers.back();
                inputs.push_back({[b](const std::vector<Halide::Expr> &at) { return b(at); },
                                  [b] {
                                      Halide::Func f;
                                      f(Halide::_) = b(Halide::_);
                                      return f;
                                  }});
            }
        const auto outputs = build_recipe(recipe, inputs);
        schedule_plain(outputs, Halide::get_jit_target_from_environment());
        std::vector<Buffer<>> results;
        for (const int o : recipe.outputs) {
            const Step &s = recipe.steps[static_cast<size_t>(o)];
            results.emplace_back(halide_type(s.type), s.extents);
        }
        Halide::Pipeline(outputs).realize(Halide::Realization(results));
        for (size_t o = 0; o < results.size(); o++) {
            const auto values = values_of(results[o]);
            const std::set<double> different(values.begin(), values.end());
            EXPECT_GE(different.size(), 4u) << "output " << o;
            for (const double v : values) ASSERT_TRUE(std::isfinite(v)) << "output " << o;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPipeline, testing::Range(0, 8));

}  // namespace
}  // namespace cryolite::apps
