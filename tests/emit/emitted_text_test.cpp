// The emitted texts compile as they stand, under our warnings, and do what emission itself does.
#include <Halide.h>

// As Halide writes the body into its own header.
inline void apply_schedule_blur_body(::Halide::Pipeline pipeline, ::Halide::Target target) {
    using ::Halide::Func;
    using ::Halide::MemoryType;
    using ::Halide::RVar;
    using ::Halide::TailStrategy;
    using ::Halide::Var;
#include "../golden/schedule/blur_window.body.inc"
}

inline void apply_schedule_updates_body(::Halide::Pipeline pipeline, ::Halide::Target target) {
    using ::Halide::Func;
    using ::Halide::MemoryType;
    using ::Halide::RVar;
    using ::Halide::TailStrategy;
    using ::Halide::Var;
#include "../golden/schedule/updates_shared.body.inc"
}

inline void apply_schedule_sum_divided(::Halide::Pipeline pipeline, ::Halide::Target target) {
    using ::Halide::Func;
    using ::Halide::MemoryType;
    using ::Halide::RVar;
    using ::Halide::TailStrategy;
    using ::Halide::Var;
#include "../golden/schedule/sum_divided.body.inc"
}

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "code/legality/apply.h"
#include "graph/builder/divide_reductions.h"
#include "tests/emit/divided_sum.h"
#include "tests/emit/prepared_case.h"
#include "tests/schedule/pipelines.h"

namespace cryolite::testing {
namespace {

// Where each Func is computed and stored and which loops its stages have, by names without the
// suffixes that make them unique.
std::string schedules(const SmallPipeline &p) {
    std::ostringstream text;
    for (const auto &[name, f] : Halide::Internal::build_environment(p.functions())) {
        Halide::LoopLevel compute = f.schedule().compute_level(),
                          store = f.schedule().store_level();
        text << name << " at " << compute.lock().to_string() << " stored "
             << store.lock().to_string() << "\n";
        for (size_t stage = 0; stage <= f.updates().size(); stage++) {
            const auto &definition =
                stage == 0 ? f.definition() : f.update(static_cast<int>(stage) - 1);
            for (const auto &dim : definition.schedule().dims()) {
                text << "  " << dim.var << " " << static_cast<int>(dim.for_type);
            }
            for (const auto &split : definition.schedule().splits()) {
                text << "  " << split.old_var << "/" << split.factor << " "
                     << static_cast<int>(split.tail);
            }
            text << "\n";
        }
    }
    return std::regex_replace(text.str(), std::regex("\\$[0-9]+|lambda_[0-9]+"), "");
}

TEST(EmittedText, MakesTheScheduleThatEmissionMakes) {
    const Halide::Target target = Halide::get_host_target();
    const auto compare = [&](const std::string &name, const auto &apply) {
        const SmallPipeline plain =
                                make_pipeline(name == "blur_window" ? "blur" : "clamped_updates"),
                            by_text =
                                make_pipeline(name == "blur_window" ? "blur" : "clamped_updates");
        apply(by_text.pipeline(), target);
        EXPECT_NE(schedules(by_text), schedules(plain));
        for (const EmitCase &of : emit_cases) {
            if (name != of.name) continue;
            const std::unique_ptr<Scheduled> by_calls = prepare(of);
            ASSERT_TRUE(by_calls);
            ASSERT_TRUE(emit(by_calls->built, *by_calls->nest).ok());
            EXPECT_EQ(schedules(by_text), schedules(by_calls->pipeline));
        }
    };
    compare("blur_window", apply_schedule_blur_body);
    compare("updates_shared", apply_schedule_updates_body);
}

template <typename Apply>
std::string refusal(Apply apply) {
    try {
        apply();
    } catch (const Halide::CompileError &error) {
        return error.what();
    }
    return "accepted";
}

TEST(EmittedText, DividesReductions) {
    if (!can_divide_reductions) GTEST_SKIP() << "this Halide's rfactor() is not used";
    DividedSum plain, divided;
    Halide::Buffer<int> image(97, 55);
    image.for_each_element([&](int x, int y) { image(x, y) = (x * 7919 + y * 104729) % 1009; });
    plain.input.set(image);
    divided.input.set(image);
    apply_schedule_sum_divided(divided.pipeline(), Halide::get_host_target());
    const auto environment = Halide::Internal::build_environment({divided.out.function()});
    EXPECT_EQ(environment.size(),
              Halide::Internal::build_environment({plain.out.function()}).size() + 3);
    const Halide::Buffer<int> expected = plain.out.realize({3}), found = divided.out.realize({3});
    for (int c = 0; c < 3; c++) EXPECT_EQ(found(c), expected(c));
    EXPECT_NE(refusal([&] {
                  apply_schedule_sum_divided(divided.pipeline(), Halide::get_host_target());
              }).find("another algorithm"),
              std::string::npos);
}

TEST(EmittedText, RefusesAnotherAlgorithmAndNamesTheFunc) {
    for (const char *other : {"clamped_blur", "transpose", "updates"}) {
        const SmallPipeline p = make_pipeline(other), q = make_pipeline(other);
        const std::string said =
            refusal([&] { apply_schedule_blur_body(p.pipeline(), Halide::get_host_target()); });
        EXPECT_NE(said.find("another algorithm"), said.npos) << said;
        EXPECT_NE(said.find("has changed since: Func \""), said.npos) << said;
        EXPECT_EQ(schedules(p), schedules(q));
    }
}

}  // namespace
}  // namespace cryolite::testing
