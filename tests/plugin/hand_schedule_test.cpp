// mode=improve and mode=as_scheduled: the schedule that the author has written, on the Funcs or in the generator.
#include <unistd.h>

#include <filesystem>

#include "analytical/explain/explanation_json.h"
#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

using testing::complaint;
using testing::quick;
using testing::schedule;

constexpr int width = 512, height = 384;

// A blur whose author schedules it only where no autoscheduler does.
class Guarded : public Halide::Generator<Guarded> {
public:
    Halide::GeneratorParam<int> strip{"strip", 32};
    Input<Halide::Buffer<uint16_t, 2>> input{"input"};
    Output<Halide::Buffer<uint16_t, 2>> output{"output"};

    void generate() {
        rows(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
        output(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
    }

    void schedule() {
        input.set_estimates({{0, width + 2}, {0, height + 2}});
        output.set_estimates({{0, width}, {0, height}});
        if (using_autoscheduler()) return;
        output.split(y, yo, yi, strip).parallel(yo).vectorize(x, 16);
        rows.store_at(output, yo).compute_at(output, yi).vectorize(x, 16);
    }

private:
    Halide::Var x{"x"}, y{"y"}, yo{"yo"}, yi{"yi"};
    Halide::Func rows{"rows"};
};

Halide::Pipeline guarded() {
    const Halide::GeneratorContext context(Halide::get_host_target(),
                                           Halide::AutoschedulerParams("Cryolite", {}));
    return Halide::Internal::GeneratorRegistry::create("cryolite_guarded", context)
        ->build_pipeline();
}

// A pipeline without inputs, scheduled by hand or not.
Halide::Pipeline chain(bool scheduled) {
    Halide::Var x("x"), y("y"), yo("yo"), yi("yi");
    Halide::Func squares("squares"), sums("sums"), out("out");
    squares(x, y) = (x * 31 + y * 17) * (x - y);
    sums(x, y) = squares(x, y) + squares(x + 1, y) + squares(x, y + 1);
    out(x, y) = sums(x, y) - sums(x, y + 3);
    out.set_estimates({{0, 200}, {0, 150}});
    if (!scheduled) return out;
    out.split(y, yo, yi, 16, Halide::TailStrategy::GuardWithIf).parallel(yo).vectorize(x, 8);
    sums.compute_at(out, yo).vectorize(x, 8);
    squares.compute_root().vectorize(x, 8).async();
    return out;
}

Halide::Pipeline by_hand() { return chain(true); }

std::string trace_of(const Halide::AutoSchedulerResults &results) {
    return {results.featurization.begin(), results.featurization.end()};
}

bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

class HandSchedule : public ::testing::Test {
protected:
    HandSchedule()
        : file_((std::filesystem::temp_directory_path() /
                 ("cryolite_hand_schedule_" + std::to_string(getpid()) + ".json"))
                    .string()) {}
    ~HandSchedule() override { std::filesystem::remove(file_); }

    Explanation explained(const Halide::Pipeline &pipeline, testing::Options options) {
        options["explain"] = file_;
        schedule(pipeline, quick(options));
        auto explanation = read_explanation(file_);
        EXPECT_TRUE(explanation.ok()) << explanation.error().message;
        return explanation.ok() ? *explanation : Explanation();
    }

    const std::string file_;
};

TEST_F(HandSchedule, on_the_funcs_is_taken_as_it_is) {
    const std::string trace = trace_of(schedule(by_hand(), quick({{"mode", "as_scheduled"}})));
    EXPECT_TRUE(has(trace, " y 16\n")) << trace;
    EXPECT_TRUE(has(trace, "compute_root squares")) << trace;
    EXPECT_TRUE(has(trace, "compute_at sums")) << trace;
    EXPECT_TRUE(has(trace, "parallel out")) << trace;
}

TEST_F(HandSchedule, computes_what_the_pipeline_without_a_schedule_computes) {
    for (const char *mode : {"as_scheduled", "improve"}) {
        Halide::Pipeline scheduled = by_hand(), plain = chain(false);
        schedule(scheduled, quick({{"mode", mode}}));
        // The last is less than a vector: the schedule by hand itself would refuse it.
        for (const auto &[width, height] : {std::pair{200, 150}, {33, 21}, {5, 3}}) {
            Halide::Buffer<int> expected = plain.realize({width, height});
            Halide::Buffer<int> found = scheduled.realize({width, height});
            expected.for_each_element(
                [&](int x, int y) { ASSERT_EQ(expected(x, y), found(x, y)) << x << " " << y; });
        }
    }
}

TEST_F(HandSchedule, names_what_has_no_place) {
    const Explanation e = explained(by_hand(), {{"mode", "as_scheduled"}});
    EXPECT_TRUE(e.is_by_hand);
    std::string all;
    for (const std::string &line : e.differences) all += line + "\n";
    EXPECT_TRUE(has(all, "async()")) << all;
}

TEST_F(HandSchedule, improved_is_predicted_no_slower) {
    for (const char *beam : {"1", "8"}) {
        const double start = explained(by_hand(), {{"mode", "as_scheduled"}}).seconds;
        const Explanation improved =
            explained(by_hand(), {{"mode", "improve"}, {"beam_size", beam}, {"tilings", "1"}});
        EXPECT_LE(improved.seconds, start);
        EXPECT_FALSE(improved.is_by_hand);
    }
}

TEST_F(HandSchedule, of_the_only_generator_is_found_in_its_code) {
    const std::string trace = trace_of(schedule(guarded(), quick({{"mode", "as_scheduled"}})));
    EXPECT_TRUE(has(trace, " y 32\n")) << trace;
    EXPECT_TRUE(has(trace, "store_at rows")) << trace;
}

TEST_F(HandSchedule, of_a_named_generator_has_its_parameters) {
    const Explanation e = explained(guarded(), {{"mode", "as_scheduled"},
                                                {"generator", "cryolite_guarded"},
                                                {"generator_parameters", "strip:16"}});
    EXPECT_TRUE(has(e.trace, " y 16\n")) << e.trace;
    const Explanation improved = explained(guarded(), {{"mode", "improve"},
                                                       {"generator", "cryolite_guarded"},
                                                       {"generator_parameters", "strip:16"}});
    EXPECT_LE(improved.seconds, e.seconds);
}

TEST_F(HandSchedule, has_the_names_of_the_pipeline_that_was_given) {
    const Halide::Pipeline given = guarded();
    const Explanation e = explained(given, {{"mode", "as_scheduled"}});
    ASSERT_FALSE(e.stages.empty());
    bool found = false;
    for (const ExplainedStage &stage : e.stages)
        found |= stage.name == given.outputs()[0].name() + ".s0";
    EXPECT_TRUE(found) << e.stages[0].name;
    for (const std::string &line : e.differences)
        EXPECT_TRUE(has(line, given.outputs()[0].name()) || has(line, "rows")) << line;
}

TEST_F(HandSchedule, that_is_missing_is_an_error_that_says_what_to_do) {
    const auto said = [](const testing::Options &options) {
        return complaint(guarded(), quick(options));
    };
    EXPECT_TRUE(has(said({{"mode", "improve"}, {"generator", "none"}}),
                    "no generator of this program is called 'none'"));
    EXPECT_TRUE(has(said({{"mode", "improve"},
                          {"generator", "cryolite_guarded"},
                          {"generator_parameters", "strip"}}),
                    "'strip' is no KEY:VALUE"));
    EXPECT_TRUE(has(said({{"mode", "improve"},
                          {"generator", "cryolite_guarded"},
                          {"generator_parameters", "strips:3"}}),
                    "strips"));
}

TEST_F(HandSchedule, of_another_pipeline_is_not_emitted) {
    const Halide::Pipeline other = testing::box_filter();
    const std::string trace = trace_of(
        schedule(other, quick({{"mode", "as_scheduled"}, {"generator", "cryolite_guarded"}})));
    EXPECT_FALSE(trace.empty());
}

}  // namespace
}  // namespace cryolite

HALIDE_REGISTER_GENERATOR(cryolite::Guarded, cryolite_guarded)
