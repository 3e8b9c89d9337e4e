// The runner with pipelines that Halide has compiled: what it takes from their metadata, what it makes of requests, and
// packs.
#include <Halide.h>
#include <gtest/gtest.h>

#include <functional>

#include "autotune/runner/pack.h"
#include "autotune/runner/run.h"
#include "tests/autotune/runner/runner_program.h"

namespace cryolite {
namespace {

using Halide::Func;
using Halide::ImageParam;
using Halide::Param;
using Halide::TailStrategy;
using Halide::Target;
using Halide::Var;
using End = Entry::End;

// out(x, y) = gain * (in around x, y), of interleaved colours where `colours` is more than 1.
struct Blur {
    ImageParam in{Halide::UInt(8), 2, "in"};
    Param<float> gain{"gain"};
    Func sum{"sum"}, out{"out"};
    Var x{"x"}, y{"y"}, outer{"outer"}, inner{"inner"};

    Blur() {
        sum(x, y) = Halide::cast<float>(in(x - 1, y)) + in(x + 1, y);
        out(x, y) = gain * (sum(x, y) + sum(x, y + 1));
        gain.set_estimate(0.5f);
        out.set_estimates({{0, 200}, {0, 100}});
    }
};

struct Built {
    Func out;
    std::vector<Halide::Argument> arguments;
};

// Built in a process of its own: in one process a second Func of a name gets another name.
std::string compiled(const TemporaryFolder &folder, const std::string &name,
                     const std::function<Built()> &build) {
    const std::string object = folder.path(name + ".o").string(),
                      library = folder.path(name + ".so").string();
    const pid_t child = fork();
    if (child == 0) {
        Built built = build();
        Halide::Pipeline(built.out).compile_to_object(object, built.arguments, "pipeline",
                                                      Halide::get_host_target());
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const std::string command =
        std::string(COMPILER) + " -shared " + object + " -o " + library + " -lpthread -ldl -lm";
    if (status != 0 || std::system(command.c_str()) != 0) throw std::runtime_error(command);
    return library;
}

std::string blurring(
    const TemporaryFolder &folder, const std::string &name,
    const std::function<void(Blur &)> &schedule = [](Blur &) {}) {
    return compiled(folder, name, [&]() -> Built {
        Blur blur;
        schedule(blur);
        return {blur.out, {blur.in, blur.gain}};
    });
}

RunRequest request(const std::string &reference, const std::vector<std::string> &candidates) {
    RunRequest r;
    r.function = "pipeline";
    r.threads = 2;
    r.rules.seconds = 0.2;
    r.rules.cut_off = 1e6;  // whatever the schedules are worth
    r.reference = {"reference", reference, ""};
    for (const std::string &c : candidates)
        r.candidates.push_back({std::filesystem::path(c).stem().string(), c, ""});
    return r;
}

std::string error_of(const RunRequest &r) {
    const Result<RunResult> result = run(r);
    return result.ok() ? "" : result.error().message;
}

TEST(CompiledPipelines, that_read_regions_of_different_sizes_read_the_same_values) {
    const TemporaryFolder folder;
    const std::string plain = blurring(folder, "plain");
    const std::string wide = blurring(folder, "wide", [](Blur &b) {
        // 256 columns of 200, and columns beyond them of the input.
        b.sum.compute_root()
            .split(b.x, b.outer, b.inner, 256, TailStrategy::RoundUp)
            .vectorize(b.inner, 8);
    });
    const std::string tiled = blurring(folder, "tiled", [](Blur &b) {
        b.out.vectorize(b.x, 8, TailStrategy::GuardWithIf).parallel(b.y);
        b.sum.compute_at(b.out, b.y);
    });
    const std::string other = blurring(folder, "other", [](Blur &b) {
        b.out(b.x, b.y) += Halide::select(b.x == 199, 1.0f, 0.0f);
    });
    const Result<RunResult> result = run(request(plain, {wide, tiled, other}));
    ASSERT_TRUE(result.ok()) << result.error().message;
    for (const char *id : {"reference", "wide", "tiled"})
        EXPECT_EQ(result->find(id)->entry.end, End::Timed)
            << id << ": " << result->find(id)->entry.message;
    EXPECT_EQ(result->find("other")->entry.end, End::Wrong);
    EXPECT_EQ(result->find("other")->entry.message.substr(0, 22), "100 of 20000 values di");
    EXPECT_GT(result->machine.cores, 0);
    EXPECT_EQ(result->machine.threads, 2);
}

TEST(CompiledPipelines, keep_to_the_order_of_memory_that_they_ask_for) {
    const TemporaryFolder folder;
    const auto colours = [&](const std::string &name, bool is_vectorized) {
        return compiled(folder, name, [=]() -> Built {
            ImageParam in(Halide::UInt(8), 3, "in");
            Func out("out");
            Var x("x"), y("y"), c("c");
            out(x, y, c) = in(x + 1, y, c) / 2 + in(x, y, 2 - c) / 2;
            in.dim(0).set_stride(3).dim(2).set_stride(1).set_bounds(0, 3);
            out.output_buffer().dim(0).set_stride(3).dim(2).set_stride(1).set_bounds(0, 3);
            out.set_estimates({{-3, 64}, {2, 48}, {0, 3}});
            in.set_estimates({{-10, 100}, {0, 60}, {0, 3}});
            out.reorder(c, x, y).unroll(c);
            if (is_vectorized) out.vectorize(x, 8);
            return {out, {in}};
        });
    };
    const std::string plain = colours("plain", false), vectorized = colours("vectorized", true);
    const Result<RunResult> result = run(request(plain, {vectorized}));
    ASSERT_TRUE(result.ok()) << result.error().message;
    for (const RunEntry &e : result->entries)
        EXPECT_EQ(e.entry.end, End::Timed) << e.id << ": " << e.entry.message;
}

TEST(CompiledPipelines, may_have_no_inputs_or_no_dimensions_or_several_outputs) {
    const TemporaryFolder folder;
    const std::string alone = compiled(folder, "alone", []() -> Built {
        Func out("out");
        Var x("x");
        out(x) = x * x;
        out.set_estimates({{0, 100}});
        return {out, {}};
    });
    const std::string number = compiled(folder, "number", []() -> Built {
        ImageParam in(Halide::Float(64), 0, "in");
        Func out("out");
        out() = in() + Halide::Expr(1.0);
        return {out, {in}};
    });
    const std::string pair = compiled(folder, "pair", []() -> Built {
        ImageParam in(Halide::Float(32), 1, "in");
        Func out("out");
        Var x("x");
        out(x) = Halide::Tuple(in(x), Halide::cast<int16_t>(in(x)*100));
        out.set_estimates({{0, 100}});
        return {out, {in}};
    });
    for (const std::string &library : {alone, number, pair}) {
        const Result<RunResult> result = run(request(library, {library}));
        ASSERT_TRUE(result.ok()) << result.error().message;
        for (const RunEntry &e : result->entries)
            EXPECT_EQ(e.entry.end, End::Timed) << library << ": " << e.entry.message;
    }
}

// Repeats the input's edge, wherever that is: it reads whatever there is, and asks for what it was given.
TEST(CompiledPipelines, may_read_whatever_size_their_input_has) {
    const TemporaryFolder folder;
    const auto repeating = [&](const std::string &name, int root_columns) {
        return compiled(folder, name, [=]() -> Built {
            ImageParam in(Halide::UInt(8), 2, "in");
            Var x("x"), y("y"), outer("outer"), inner("inner");
            Func edge = Halide::BoundaryConditions::repeat_edge(in), out("out"), copy("copy");
            copy(x, y) = edge(x, y);
            out(x, y) = copy(x - 20, y) + copy(x + 20, y);
            in.set_estimates({{0, 100}, {0, 50}});
            out.set_estimates({{0, 100}, {0, 50}});
            if (root_columns > 0)
                copy.compute_root().split(x, outer, inner, root_columns, TailStrategy::RoundUp);
            return {out, {in}};
        });
    };
    const std::string plain = repeating("plain", 0), root = repeating("root", 97);
    for (const bool has_shape : {false, true}) {
        RunRequest r = request(plain, {root});
        if (has_shape) r.shapes = {{"in", {60, 70}}};
        const Result<RunResult> result = run(r);
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_EQ(result->find("root")->entry.end, End::Timed)
            << result->find("root")->entry.message;
    }
}

TEST(CompiledPipelines, refuse_requests_that_do_not_fit_them) {
    const TemporaryFolder folder;
    const std::string plain = blurring(folder, "plain");
    const auto error_with = [&](const std::function<void(RunRequest &)> &change) {
        RunRequest r = request(plain, {});
        change(r);
        return error_of(r);
    };
    EXPECT_EQ(error_with([](RunRequest &r) { r.inputs["im"].has_range = true; }),
              "request: 'inputs.im' is no argument of the pipeline: it has in");
    EXPECT_EQ(error_with([](RunRequest &r) { r.scalars["out"] = 1.0; }),
              "request: 'scalars.out' is no argument of the pipeline: it has gain");
    EXPECT_EQ(error_with([](RunRequest &r) { r.shapes["out"] = {3}; }),
              "request: 'shapes.out' has 1 extents, and the argument has 2 dimensions");
    EXPECT_EQ(error_with([](RunRequest &r) {
                  r.shapes["out"] = {1 << 30, 1 << 30};
              }),
              "request: 'out' has more elements than Halide can count");
    const std::string small = folder.file("small.pgm", "P5 3 2 255\n" + std::string(6, 'a'));
    EXPECT_EQ(error_with([&](RunRequest &r) { r.inputs["in"].file = small; }),
              "request: '" + small + "' holds 3 x 2, and input 'in' needs 202 x 101 or more");
    const std::string large =
        folder.file("large.pgm", "P5 202 101 255\n" + std::string(202 * 101, 'a'));
    EXPECT_EQ(error_with([&](RunRequest &r) { r.inputs["in"].file = large; }), "");
}

TEST(CompiledPipelines, need_estimates_or_the_request_s_values) {
    const TemporaryFolder folder;
    const std::string plain = compiled(folder, "plain", []() -> Built {
        ImageParam in(Halide::UInt(8), 1, "in");
        Param<uint8_t> offset("offset");
        Func out("out");
        Var x("x");
        out(x) = in(x) + offset;
        return {out, {in, offset}};
    });
    RunRequest r = request(plain, {});
    EXPECT_EQ(
        error_of(r),
        "request: scalar 'offset' has neither an estimate nor a default: give its value under "
        "'scalars'");
    r.scalars["offset"] = int64_t{256};
    EXPECT_EQ(error_of(r), "request: 'scalars.offset' is out of the range of uint8");
    r.scalars["offset"] = 0.5;
    EXPECT_EQ(error_of(r), "request: 'scalars.offset' must be a whole number");
    r.scalars["offset"] = 3.0;
    EXPECT_EQ(
        error_of(r),
        "request: output 'out' has no estimate of dimension 0: give its extents under 'shapes', "
        "or estimates in the generator");
    r.shapes["out"] = {1000};
    EXPECT_EQ(error_of(r), "");
}

TEST(RunnerProgram, refuses_with_a_status_of_its_own) {
    const TemporaryFolder folder;
    const Said unknown = say({RUNNER, folder.file("a.json", "{}"), "-o", "-"}, folder);
    EXPECT_EQ(unknown.status, 2);
    EXPECT_EQ(unknown.output, "");
    EXPECT_EQ(unknown.errors, "cryolite_runner: request: 'version' is missing\n");
    EXPECT_EQ(say({RUNNER, folder.path("none.json").string()}, folder).status, 2);
    RunRequest r = request(blurring(folder, "plain"), {});
    r.inputs["im"].has_range = true;
    EXPECT_EQ(say({RUNNER, folder.file("a.json", to_json_text(r)), "-o", "-"}, folder).status, 2);
    r.inputs.clear();
    const Said unwritten = say({RUNNER, folder.file("a.json", to_json_text(r)), "-o",
                                folder.path("none/result.json").string()},
                               folder);
    EXPECT_EQ(unwritten.status, 1);
    EXPECT_NE(unwritten.errors, "");
}

TEST(Pack, runs_where_it_is_moved_and_needs_nothing_else) {
    TemporaryFolder folder;
    const std::filesystem::path packed = folder.path("packed"), moved = folder.path("moved");
    {
        const TemporaryFolder sources;
        const std::string plain = blurring(sources, "plain");
        RunRequest r = request(
            plain, {blurring(sources, "rows", [](Blur &b) { b.sum.compute_root(); }), plain});
        r.inputs["in"].file =
            sources.file("in.pgm", "P5 202 101 255\n" + std::string(202 * 101, 'a'));
        const Result<bool> written = write_pack(packed, r, RUNNER);
        ASSERT_TRUE(written.ok()) << written.error().message;
        EXPECT_FALSE(write_pack(packed, r, RUNNER).ok());  // it is there
        r.reference.library += ".none";
        EXPECT_NE(write_pack(folder.path("other"), r, RUNNER)
                      .error()
                      .message.find("there is no file '" + r.reference.library + "'"),
                  std::string::npos);
        EXPECT_FALSE(std::filesystem::exists(folder.path("other")));
    }
    std::filesystem::rename(packed, moved);
    const Said said = say({(moved / "run").string()}, folder);
    EXPECT_EQ(said.status, 0) << said.errors;
    const Result<RunResult> result = parse_run_result(text_of(moved / "results.json"));
    ASSERT_TRUE(result.ok()) << result.error().message;
    ASSERT_EQ(result->entries.size(), 3u);
    for (const RunEntry &e : result->entries)
        EXPECT_EQ(e.entry.end, End::Timed) << e.id << ": " << e.entry.message;
    EXPECT_TRUE(std::filesystem::exists(moved / "lib/1.so"));
    EXPECT_FALSE(std::filesystem::exists(moved / "lib/2.so"));  // the reference, once more
}

// The same request from the command line: `cryolite_runner REQUEST --pack FOLDER`.
TEST(Pack, is_made_by_the_program_too) {
    const TemporaryFolder folder;
    blurring(folder, "plain");
    const std::string file = folder.file("request.json", to_json_text(request("plain.so", {})));
    const std::string packed = folder.path("packed").string();
    const Said said = say({RUNNER, file, "--pack", packed}, folder);
    EXPECT_EQ(said.status, 0) << said.errors;
    EXPECT_EQ(say({packed + "/run"}, folder).status, 0);
    EXPECT_TRUE(std::filesystem::exists(packed + "/results.json"));
}

}  // namespace
}  // namespace cryolite
