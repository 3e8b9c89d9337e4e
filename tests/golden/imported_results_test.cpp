// Manual schedules that were imported compute what the manual schedules compute.
#include <gtest/gtest.h>

#include <cmath>

#include "emit/emit.h"
#include "emit/import/clear_schedule.h"
#include "emit/import/import_schedule.h"
#include "tests/golden/app_graph.h"

namespace cryolite {
namespace {

template <typename T>
void fill(Halide::Buffer<> &buffer) {
    uint32_t state = 1;
    Halide::Buffer<T> typed = buffer;
    typed.for_each_value([&](T &value) {
        state = state * 1664525u + 1013904223u;
        value = std::is_floating_point_v<T> ? T(state >> 8) / T(1 << 24) : T(state >> 24);
    });
}

// The first output at that size, of inputs that Halide finds large enough.
Halide::Buffer<> run(Halide::Pipeline pipeline, const std::vector<int> &size) {
    pipeline.infer_input_bounds(size);
    for (const InputView &input : view_pipeline(outputs_of(pipeline)).inputs) {
        Halide::Buffer<> buffer = input.parameter.buffer();
        if (input.type == Halide::UInt(8)) fill<uint8_t>(buffer);
        if (input.type == Halide::UInt(16)) fill<uint16_t>(buffer);
        if (input.type == Halide::Float(32)) fill<float>(buffer);
    }
    return pipeline.realize(size)[0];
}

template <typename T>
void expect_near(const Halide::Buffer<> &expected, const Halide::Buffer<> &found) {
    const Halide::Buffer<T> a = expected, b = found;
    int different = 0;
    a.for_each_element([&](const int *at) {
        const double x = double(a(at)), y = double(b(at));
        different += std::abs(x - y) > (std::is_integral_v<T> ? 0 : 1e-4 * (1 + std::abs(x)));
    });
    EXPECT_EQ(different, 0);
}

class ImportedResults : public ::testing::TestWithParam<std::string> {};

TEST_P(ImportedResults, are_those_of_the_manual_schedule) {
    const Halide::Target target = Halide::get_jit_target_from_environment();
    const Halide::Pipeline by_hand = testing::app_by_hand(GetParam(), target);
    const Halide::Pipeline imported = testing::app_by_hand(GetParam(), target);
    const PipelineView view = view_pipeline(outputs_of(imported));
    clear_schedules(outputs_of(imported));
    const auto built = build_graph(outputs_of(imported), target);
    ASSERT_TRUE(built.ok()) << built.error().message;
    const auto schedule = import_schedule(*built, view);
    ASSERT_TRUE(schedule.ok()) << schedule.error().message;
    for (const ScheduleDifference &d : schedule->differences)
        EXPECT_EQ(d.kind, ScheduleDifference::Kind::Tail) << to_text(d);
    const auto emitted = emit(*built, schedule->nest);
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;

    std::vector<int> size{203, 131, 3};
    size.resize(static_cast<size_t>(by_hand.outputs()[0].dimensions()));
    const Halide::Buffer<> expected = run(by_hand, size), found = run(imported, size);
    if (expected.type() == Halide::UInt(8))
        expect_near<uint8_t>(expected, found);
    else if (expected.type() == Halide::UInt(16))
        expect_near<uint16_t>(expected, found);
    else
        expect_near<float>(expected, found);
}

INSTANTIATE_TEST_SUITE_P(Apps, ImportedResults, ::testing::Values("blur", "harris", "gaussian"),
                         [](const auto &info) { return info.param; });

}  // namespace
}  // namespace cryolite
