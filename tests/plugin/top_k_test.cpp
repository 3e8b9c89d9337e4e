// mode=top_k: several schedules are compiled and run, and one that computes the right values is taken.
#include <map>
#include <regex>

#include "autotune/buffer_shapes.h"
#include "autotune/pipeline_run.h"
#include "tests/plugin/plugin_run.h"
#include "tests/temporary_folder.h"

namespace cryolite {
namespace {

using namespace Halide;
using testing::box_filter;
using testing::expect_same;
using testing::Options;
using testing::quick;

Options top_k(Options more = {}) {
    more.insert(
        {{"mode", "top_k"}, {"top_k", "3"}, {"benchmark_seconds", "0.1"}, {"parallelism", "2"}});
    return quick(more);
}

// What is said at log_level=info.
std::string told(const Pipeline &pipeline, Options options) {
    options["log_level"] = "info";
    ::testing::internal::CaptureStderr();
    const std::string complaint = testing::complaint(pipeline, options);
    return complaint + ::testing::internal::GetCapturedStderr();
}

Pipeline of_coordinates() {
    const Var x("x"), y("y");
    Halide::Func source("source"), rows("rows"), out("out");
    source(x, y) = cast<uint16_t>(x * 7 + y * 13);
    rows(x, y) = source(x, y) + source(x + 1, y) + source(x + 2, y);
    out(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
    out.set_estimates({{0, 512}, {0, 384}});
    return out;
}

TEST(TopK, computes_what_the_algorithm_says) {
    expect_same(of_coordinates, {512, 384}, top_k());
    expect_same(of_coordinates, {37, 5}, top_k());
}

TEST(TopK, measures_several_schedules_and_the_plain_one) {
    const std::string said = told(box_filter(), top_k());
    const std::regex timed("the schedule that was found: [0-9.e+-]+ ms \\([^)]*rounds\\), 1.000");
    EXPECT_TRUE(std::regex_search(said, timed)) << said;
    for (const char *part : {"  schedule 2: ", "  schedule 3: ", "  the plain schedule: "})
        EXPECT_NE(said.find(part), said.npos) << part << " is not in:\n" << said;
    EXPECT_EQ(said.find("schedule 4"), said.npos) << said;
}

// Of a pipeline that refuses all inputs but one.
Pipeline choosy() {
    ImageParam in(UInt(8), 2, "in");
    const Var x("x"), y("y");
    Halide::Func rows("rows"), out("out");
    rows(x, y) = cast<uint16_t>(require(in(0, 0) == 7 && in(1, 0) == 9, in(x, y), "another input"));
    out(x, y) = rows(x, y) + rows(x, y + 1);
    out.set_estimates({{0, 64}, {0, 48}});
    in.set_estimates({{0, 64}, {0, 49}});
    return out;
}

TEST(TopK, runs_on_files_that_the_user_names) {
    const TemporaryFolder folder;
    std::string pixels(64 * 49, '\3');
    pixels[0] = 7, pixels[1] = 9;
    const std::string file = folder.file("in.pgm", "P5 64 49 255\n" + pixels);
    EXPECT_NE(told(choosy(), top_k()).find("another input"), std::string::npos);
    const std::string said = told(choosy(), top_k({{"inputs", "in:" + file}}));
    EXPECT_EQ(said.find("another input"), said.npos) << said;
    EXPECT_NE(said.find("rounds), 1.000"), said.npos) << said;
}

TEST(TopK, says_what_is_wrong_with_a_file) {
    const TemporaryFolder folder;
    const std::string small = folder.file("small.pgm", "P5 2 2 255\nabcd");
    for (const auto &[inputs, part] : std::map<std::string, std::string>{
             {"in", "NAME:FILE"},
             {"out:" + small, "no input 'out'; it has in"},
             {"in:" + small, "holds 2 x 2, and input 'in' needs 64 x 49"},
             {"in:missing.npy", "'missing.npy'"},
             {"in:photo.png", "`cryolite tune` .png files"}}) {
        const std::string said = testing::complaint(choosy(), top_k({{"inputs", inputs}}));
        EXPECT_NE(said.find(part), said.npos) << inputs << ": " << said;
    }
    const std::string said = testing::complaint(choosy(), quick({{"inputs", "in:" + small}}));
    EXPECT_NE(said.find("inputs is for mode=top_k"), said.npos) << said;
}

TEST(TopK, says_where_the_target_cannot_run) {
    Target other = get_host_target();
    other.arch = other.arch == Target::ARM ? Target::X86 : Target::ARM;
    const std::string said = testing::complaint(box_filter(), top_k(), other);
    for (const char *part :
         {"mode=top_k", "cannot run here", "mode=one_shot", "cryolite tune", "--runner"})
        EXPECT_NE(said.find(part), said.npos) << said;
}

TEST(TopK, knows_features_that_a_computer_lacks) {
    const Target host("x86-64-linux-sse41-avx-avx2-f16c-fma");
    EXPECT_EQ(why_not_here(Target("x86-64-linux-sse41-avx"), host), "");
    EXPECT_EQ(
        why_not_here(host.with_feature(Target::AVX512).with_feature(Target::AVX512_Skylake), host),
        "this computer has no avx512");
    EXPECT_EQ(why_not_here(Target("arm-64-linux"), host), "this computer is x86-64-linux");
    EXPECT_EQ(why_not_here(host.with_feature(Target::CUDA), host), "it has a GPU");
}

// Parameters with and without estimates, interleaved buffers, tuples, mins that are not zero, an update.
Pipeline of_all_kinds() {
    const Var x("x"), y("y"), c("c");
    ImageParam in(UInt(8), 3, "in");
    Param<float> gain("gain");
    Param<int> shift("shift", 3);
    gain.set_estimate(1.5f);
    in.dim(0).set_stride(3).dim(2).set_stride(1).set_bounds(0, 3);
    in.set_estimates({{-4, 108}, {-2, 84}, {0, 3}});
    Halide::Func wide("wide"), out("out");
    wide(x, y, c) = cast<float>(in(x - 1, y, c)) + in(x + 1, y, c);
    out(x, y, c) =
        Tuple(cast<uint8_t>(wide(x, y, c) * gain / 4), cast<int32_t>(in(x, y, c)) + shift);
    out(x, y, c) = Tuple(out(x, y, c)[0], out(x, y, c)[1] * 2);
    for (int i : {0, 1})
        out.output_buffers()[static_cast<size_t>(i)].dim(0).set_stride(3).dim(2).set_stride(1);
    out.set_estimates({{-3, 106}, {-2, 84}, {0, 3}});
    return out;
}

TEST(TopK, runs_pipelines_of_all_kinds) {
    const std::string said = told(of_all_kinds(), top_k());
    EXPECT_NE(said.find("1.000 of the first"), said.npos) << said;
    EXPECT_EQ(said.find("could not run"), said.npos) << said;
    EXPECT_EQ(said.find("failed"), said.npos) << said;
}

// The input's size says how long the sum is: what the output needs of the input does not bound it.
TEST(TopK, runs_sums_over_the_size_of_an_input) {
    const Var x("x"), y("y");
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    const RDom k(0, a.dim(0).extent(), "k");
    Halide::Func product("product"), out("out");
    product(x, y) += a(k, y) * b(x, k);
    out(x, y) = product(x, y) * 2;
    for (ImageParam *p : {&a, &b}) p->set_estimates({{0, 64}, {0, 64}});
    out.set_estimates({{0, 64}, {0, 64}});
    const std::string said = told(out, top_k());
    EXPECT_NE(said.find("1.000 of the first"), said.npos) << said;
}

// The estimate of the input is smaller than what the estimated output needs.
TEST(TopK, runs_with_inputs_that_are_large_enough) {
    const Var x("x"), y("y");
    ImageParam in(UInt(8), 2, "in");
    Halide::Func out("out");
    out(x, y) = in(x - 1, y) + in(x + 1, y);
    in.set_estimates({{0, 64}, {0, 64}});
    out.set_estimates({{0, 64}, {0, 64}});
    const std::string said = told(out, top_k());
    EXPECT_NE(said.find("1.000 of the first"), said.npos) << said;
}

TEST(BufferShapes, have_the_strides_that_are_asked_for) {
    const Pipeline pipeline = of_all_kinds();
    std::vector<Internal::Function> functions;
    for (const Halide::Func &f : pipeline.outputs()) functions.push_back(f.function());
    const auto built = build_graph(functions, get_host_target());
    ASSERT_TRUE(built.ok());
    const std::vector<BufferShape> shapes = output_shapes(pipeline, *built);
    ASSERT_EQ(shapes.size(), 2u);
    for (const BufferShape &shape : shapes) {
        ASSERT_EQ(shape.dimensions.size(), 3u);
        EXPECT_EQ(shape.dimensions[0].min, -3);
        EXPECT_EQ(shape.dimensions[0].stride, 3);
        EXPECT_EQ(shape.dimensions[1].stride, 3 * 106);
        EXPECT_EQ(shape.dimensions[2].stride, 1);
    }
    EXPECT_EQ(shapes[0].bytes(), 106u * 84 * 3);
    EXPECT_EQ(shapes[1].bytes(), 4u * 106 * 84 * 3);
}

// Code that calls what this process does not have cannot be run here.
TEST(TopK, falls_back_to_the_prediction_where_nothing_can_run) {
    const Var x("x");
    ImageParam in(Float(32), 1, "in");
    Halide::Func far("far"), out("out");
    far.define_extern("cryolite_is_not_linked_anywhere", {in}, Float(32), {x});
    out(x) = far(x) * 2;
    in.set_estimates({{0, 4096}});
    out.set_estimates({{0, 4096}});
    const std::string said = told(out, top_k({{"verify", "false"}}));
    EXPECT_NE(said.find("mode=top_k could not run the pipeline (the plain schedule: "), said.npos)
        << said;
}

TEST(PluginResults, with_plans_are_right) {
    expect_same(of_coordinates, {512, 384}, quick({{"plans", "true"}}));
    expect_same(of_coordinates, {37, 5}, quick({{"plans", "true"}}));
}

}  // namespace
}  // namespace cryolite
