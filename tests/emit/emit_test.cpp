// What emission does to a real pipeline: the same result as without a schedule at every size, no
// more of the input read, and the text that says the same.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "graph/builder/divide_reductions.h"
#include "schedule/trace_text.h"
#include "tests/emit/divided_sum.h"
#include "tests/emit/prepared_case.h"
#include "tests/schedule/pipelines.h"

namespace cryolite::testing {
namespace {

struct Shape {
    int min[2], max[2];
};

Halide::Buffer<uint16_t> input_filled(const Shape &shape) {
    Halide::Buffer<uint16_t> input(shape.max[0] - shape.min[0] + 1,
                                   shape.max[1] - shape.min[1] + 1);
    input.set_min(shape.min[0], shape.min[1]);
    input.for_each_element([&](int cx, int cy) {
        input(cx, cy) = static_cast<uint16_t>(cx * 71 + cy * 1009 + cx * cy * 13);
    });
    return input;
}

std::vector<Halide::Buffer<int>> buffers(const SmallPipeline &p, int width, int height) {
    std::vector<Halide::Buffer<int>> all;
    for (size_t i = 0; i < p.outputs.size(); i++) {
        all.emplace_back(width, height);
        all.back().fill(-1);
    }
    return all;
}

Halide::Realization realization(std::vector<Halide::Buffer<int>> &all) {
    std::vector<Halide::Buffer<>> generic;
    for (const auto &b : all) generic.push_back(b);
    return Halide::Realization(generic);
}

Shape required_input(SmallPipeline &p, Halide::Pipeline &pipeline, int width, int height) {
    p.input.reset();
    auto out = buffers(p, width, height);
    auto into = realization(out);
    pipeline.infer_input_bounds(into);
    const Halide::Buffer<> needed = p.input.get();
    return {{needed.dim(0).min(), needed.dim(1).min()}, {needed.dim(0).max(), needed.dim(1).max()}};
}

class Emission : public ::testing::TestWithParam<EmitCase> {};

TEST_P(Emission, ComputesTheSameAndReadsNoMore) try {
    const std::unique_ptr<Scheduled> scheduled = prepare(GetParam());
    ASSERT_TRUE(scheduled);
    const Result<Emitted> emitted = emit(scheduled->built, *scheduled->nest);
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    SmallPipeline plain = make_pipeline(GetParam().pipeline);
    for (Halide::Func &f : plain.outputs) f.compute_root();
    Halide::Pipeline plain_pipeline = plain.pipeline(), pipeline = scheduled->pipeline.pipeline();
    for (auto [width, height] :
         {std::pair{1, 1}, {2, 2}, {7, 7}, {33, 33}, {100, 100}, {1, 50}, {130, 3}}) {
        SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height));
        const Shape entitled = required_input(plain, plain_pipeline, width, height);
        const Shape needed = required_input(scheduled->pipeline, pipeline, width, height);
        for (int d = 0; d < 2; d++) {
            EXPECT_GE(needed.min[d], entitled.min[d]);
            EXPECT_LE(needed.max[d], entitled.max[d]);
        }
        const Halide::Buffer<uint16_t> input = input_filled(entitled);
        auto expected = buffers(plain, width, height), found = buffers(plain, width, height);
        auto expected_into = realization(expected), found_into = realization(found);
        plain.input.set(input);
        plain_pipeline.realize(expected_into);
        scheduled->pipeline.input.set(input);
        pipeline.realize(found_into);
        for (size_t i = 0; i < found.size(); i++) {
            int wrong = 0;
            found[i].for_each_element(
                [&](int cx, int cy) { wrong += found[i](cx, cy) != expected[i](cx, cy); });
            EXPECT_EQ(wrong, 0);
        }
    }
} catch (const Halide::Error &error) {  // no std::exception, so that GoogleTest would not print it
    FAIL() << error.what();
}

// Filling a window starts the loop early: on large sizes, too, no row more of the input is asked for.
TEST(EmittedWindows, NeedTheInputThatThePlainPipelineNeeds) try {
    for (const EmitCase &of : emit_cases) {
        if (of.name != std::string_view("tall_chain_windows")) continue;
        const std::unique_ptr<Scheduled> scheduled = prepare(of);
        ASSERT_TRUE(scheduled);
        for (const Func &f : scheduled->built.graph.funcs()) {
            if (f.is_input() || f.is_output()) continue;
            const FuncNest &placed = scheduled->nest->at(f.id);
            if (placed.placement == Placement::At) {
                EXPECT_EQ(placed.slide_step, 4) << f.name;
            }
        }
        ASSERT_TRUE(emit(scheduled->built, *scheduled->nest).ok());
        SmallPipeline plain = make_pipeline(of.pipeline);
        for (Halide::Func &f : plain.outputs) f.compute_root();
        Halide::Pipeline plain_pipeline = plain.pipeline(),
                         pipeline = scheduled->pipeline.pipeline();
        for (auto [width, height] : {std::pair{64, 32}, {65, 33}, {200, 300}, {640, 479}}) {
            SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height));
            const Shape entitled = required_input(plain, plain_pipeline, width, height);
            const Shape needed = required_input(scheduled->pipeline, pipeline, width, height);
            for (int d = 0; d < 2; d++) {
                EXPECT_EQ(needed.min[d], entitled.min[d]);
                EXPECT_EQ(needed.max[d], entitled.max[d]);
            }
        }
    }
} catch (const Halide::Error &error) {
    FAIL() << error.what();
}

// --- the text ---

bool update_golden() {
    for (const std::string &argument : ::testing::internal::GetArgvs()) {
        if (argument == "--update-golden") return true;
    }
    return false;
}

// Against a file of tests/golden/schedule; written instead with --update-golden.
void expect_golden(const std::string &file, const std::string &found) {
    const std::string path = std::string(CRYOLITE_GOLDEN_FOLDER) + "/" + file;
    if (update_golden()) {
        std::ofstream(path) << found;
        return;
    }
    std::ostringstream expected;
    expected << std::ifstream(path).rdbuf();
    EXPECT_EQ(expected.str(), found) << "(accept with --update-golden: " << path << ")";
}

// Without what Halide appends to names so that they are unique in this process.
std::string stable(const std::string &text) {
    return std::regex_replace(std::regex_replace(text, std::regex("\\$[0-9]+"), ""),
                              std::regex("lambda_[0-9]+"), "lambda");
}

TEST_P(Emission, WritesTheGoldenText) {
    const std::unique_ptr<Scheduled> scheduled = prepare(GetParam());
    ASSERT_TRUE(scheduled);
    const std::string source = schedule_source(scheduled->built, *scheduled->nest);
    expect_golden(std::string(GetParam().name) + ".txt",
                  stable(source.substr(0, source.find("// What follows refuses"))));
}

// The golden bodies that emitted_text_test.cpp compiles.
TEST(EmittedText, IsWhatTheCompiledTestIncludes) {
    for (const EmitCase &of : emit_cases) {
        if (std::string(of.name) != "blur_window" && std::string(of.name) != "updates_shared")
            continue;
        const std::unique_ptr<Scheduled> scheduled = prepare(of);
        ASSERT_TRUE(scheduled);
        const Result<Emitted> emitted = emit(scheduled->built, *scheduled->nest);
        ASSERT_TRUE(emitted.ok());
        EXPECT_EQ(schedule_source(scheduled->built, *scheduled->nest), emitted->source);
        expect_golden(of.name + std::string(".body.inc"), stable(emitted->source));
    }
}

// The same of a schedule that divides a reduction twice and reads it through a copy.
TEST(EmittedText, DividesReductionsAsTheCompiledTestIncludes) {
    if (!can_divide_reductions) GTEST_SKIP() << "this Halide's rfactor() is not used";
    using Kind = DividedReduction::Kind;
    const DividedSum p;
    const std::vector<DividedReduction> divisions{
        {p.sum.name(), 1, "r$y", Kind::Blocks, 60},
        {p.sum.name() + "_blocks", 1, "r$x", Kind::Lanes, 32},
        {p.sum.name(), 1, "", Kind::Copy, 0}};
    const auto built = build_divided_graph({p.out.function()},
                                           Halide::get_jit_target_from_environment(), divisions);
    ASSERT_TRUE(built.ok()) << built.error().message;
    LoopNest nest(built->graph);
    for (const Func &f : built->graph.funcs()) {
        if (f.is_input()) continue;
        nest = f.can_inline ? *cryolite::apply(nest, action::Inline{f.id})
                            : *cryolite::apply(nest, action::ComputeRoot{f.id});
    }
    const Result<Emitted> emitted = emit(*built, nest);
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    expect_golden("sum_divided.body.inc", stable(emitted->source));
}

INSTANTIATE_TEST_SUITE_P(ByHand, Emission, ::testing::ValuesIn(emit_cases),
                         [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cryolite::testing
