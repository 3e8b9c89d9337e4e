// The semantics check at a length for every run of the tests; semantics_fuzz runs more of the same.
#include <gtest/gtest.h>

#include "graph/builder/divide_reductions.h"
#include "tests/semantics/case_runner.h"
#include "tests/semantics/opencl_device.h"
#include "tests/semantics/sources.h"

namespace cryolite {
namespace {

constexpr uint64_t first_seed = 1;
struct Shares {
    double interpreters = SizeProfile{}.interpreters, channels = SizeProfile{}.channels;
};
// Of cases that a certain seed stands for.
constexpr Shares as_before{0, 0};

// Every case runs in a child process, so that a crash fails one case.
void expect_all_agree(const char *source, uint64_t cases, int max_funcs, uint64_t seed = first_seed,
                      Shares shares = {}) {
    const Scheduler scheduler = find_scheduler(source);
    ASSERT_TRUE(scheduler);
    CheckOptions options;
    options.profile.max_funcs = max_funcs;
    options.profile.interpreters = shares.interpreters;
    options.profile.channels = shares.channels;
    options.sizes = 3;
    options.by_hand = find_hand_scheduler(source);
    if (is_for_gpu(source)) options.target = opencl_target();
    uint64_t reports = 0;
    run_cases(
        seed, cases, RunLimits{},
        [&](uint64_t each, std::ostream &log) { return check(each, scheduler, log, options); },
        [&](const CaseReport &report) {
            reports++;
            EXPECT_EQ(report.outcome, CaseOutcome::Passed)
                << name(report.outcome) << " with max_funcs " << max_funcs << "\n"
                << report.log;
        });
    EXPECT_EQ(reports, cases);
}

TEST(Semantics, RandomTracesComputeWhatTheReferenceComputes) {
    expect_all_agree("random_trace", 10, 6);
}

TEST(Semantics, SearchedSchedulesComputeWhatTheReferenceComputes) {
    expect_all_agree("search", 8, 6);
}

// Nearly all of their Funcs are updates under predicates of loaded values: unrolled along what the predicates
// compare, and without.
TEST(Semantics, InterpretersComputeWhatTheReferenceComputes) {
    constexpr Shares most{0.6, 0};
    expect_all_agree("random_trace", 6, 4, first_seed, most);
    expect_all_agree("search", 3, 4, first_seed, most);
}

// Most of their Funcs choose by their channel: copies that know theirs, in outputs that have as many channels as the
// estimates, or others.
TEST(Semantics, ChannelsComputeWhatTheReferenceComputes) {
    constexpr Shares most{0, 0.6};
    expect_all_agree("random_trace", 6, 4, first_seed, most);
    expect_all_agree("search", 3, 4, first_seed, most);
    // Of a Func that is read in one channel alone: it was bounded to one.
    expect_all_agree("random_trace", 1, 5, 14, most);
}

// Reductions in lanes and blocks, in any combination.
TEST(Semantics, DividedReductionsComputeWhatTheReferenceComputes) {
    expect_all_agree("divided", 8, 6);
}

TEST(Semantics, PlainSchedulesComputeWhatTheReferenceComputes) { expect_all_agree("plain", 6, 6); }

// The user has scheduled some Funcs before.
TEST(Semantics, SchedulesAroundTheUsersComputeWhatTheReferenceComputes) {
    expect_all_agree("partial", 7, 6);
}

TEST(Semantics, StrategiesComputeWhatTheReferenceComputes) {
    for (const char *strategy : {"temporal", "spatial", "reuse"}) {
        SCOPED_TRACE(strategy);
        expect_all_agree(strategy, 3, 6);
    }
}

// Kernels run on an OpenCL device; without one there is nothing to see.
void expect_all_agree_on_gpu(const char *source, uint64_t cases, int max_funcs,
                             uint64_t seed = first_seed) {
    const std::string missing = why_no_opencl();
    if (!missing.empty()) GTEST_SKIP() << missing;
    expect_all_agree(source, cases, max_funcs, seed, as_before);
}

TEST(GpuSemantics, AutoGpuComputesWhatTheReferenceComputes) {
    expect_all_agree_on_gpu("autogpu", 12, 6);
}

TEST(GpuSemantics, SearchedKernelsComputeWhatTheReferenceComputes) {
    expect_all_agree_on_gpu("gpu_search", 16, 6);
}

TEST(GpuSemantics, RandomKernelsComputeWhatTheReferenceComputes) {
    expect_all_agree_on_gpu("random_kernels", 12, 6);
}

// Int16 beside int32 in shared memory: Halide dropped the kernel, until what is narrower was padded.
TEST(GpuSemantics, NarrowValuesShareAKernelWithWiderOnes) {
    expect_all_agree_on_gpu("random_kernels", 1, 25, 40);
}

// Of stages with one loop iteration around their threads, whose barriers PoCL does not get right.
TEST(GpuSemantics, BarriersStandUnderNoCondition) { expect_all_agree_on_gpu("autogpu", 1, 25, 36); }

// Of what is read in a loop and kept around it, whose memory Halide would give to another there.
TEST(GpuSemantics, NothingIsGivenAwayInALoopBeforeItsLastUse) {
    expect_all_agree_on_gpu("random_kernels", 1, 25, 158);
}

// Of a reduction whose predicate leaves nothing at some sizes: an empty buffer on a device ended the
// program.
TEST(GpuSemantics, WhatMayBeEmptyStaysOnTheHost) { expect_all_agree_on_gpu("autogpu", 1, 25, 148); }

// The checker itself must notice what it is there for.
TEST(Semantics, CheckerNoticesAWrongSchedule) {
    const Scheduler races = [](const RandomPipeline &pipeline, uint64_t, std::ostream &) {
        for (Halide::Func func : all_funcs(pipeline)) {
            func.compute_root();
            // Rounding up the innermost loop without a guard stores beyond an output of odd size.
            if (!func.args().empty()) {
                const Halide::Var inner;
                func.split(func.args()[0], func.args()[0], inner, 64,
                           Halide::TailStrategy::RoundUp);
            }
        }
        return SchedulingOutcome{};
    };
    CheckOptions options;
    options.profile.max_funcs = 2;
    uint64_t noticed = 0;
    run_cases(
        first_seed, 4, RunLimits{},
        [&](uint64_t seed, std::ostream &log) { return check(seed, races, log, options); },
        [&](const CaseReport &report) { noticed += report.outcome == CaseOutcome::Failed; });
    EXPECT_GE(noticed, 3u);
}

TEST(Semantics, CrashesAndEndlessLoopsAreOutcomesOfTheirCase) {
    RunLimits limits;
    limits.jobs = 2;
    limits.seconds_per_case = 1;
    std::vector<CaseOutcome> outcomes(3);
    run_cases(
        0, 3, limits,
        [](uint64_t seed, std::ostream &log) {
            log << "written before\n" << std::flush;
            if (seed == 0) abort();
            volatile bool forever = seed == 1;
            while (forever) {
            }
            return Verdict::Agrees;
        },
        [&](const CaseReport &report) {
            outcomes[report.seed] = report.outcome;
            EXPECT_NE(report.log.find("written before"), std::string::npos);
        });
    EXPECT_EQ(outcomes[0], CaseOutcome::Crashed);
    EXPECT_EQ(outcomes[1], CaseOutcome::TimedOut);
    EXPECT_EQ(outcomes[2], CaseOutcome::Passed);
}

TEST(RandomPipeline, SameSeedSamePipeline) {
    // Names are made unique per process: compare what is left without the suffixes.
    auto without_suffixes = [](const std::string &text) {
        std::string result;
        for (size_t i = 0; i < text.size(); i++) {
            const bool digit = text[i] >= '0' && text[i] <= '9';
            if (!digit && text[i] != '$') result += text[i];
        }
        return result;
    };
    // Some Funcs are listed in the order of their unique names, so compare lengths and few seeds.
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const RandomPipeline a = make_random_pipeline(seed), b = make_random_pipeline(seed);
        EXPECT_EQ(without_suffixes(a.description).size(), without_suffixes(b.description).size());
        ASSERT_EQ(a.outputs.size(), b.outputs.size());
        for (size_t i = 0; i < a.outputs.size(); i++) {
            EXPECT_EQ(a.outputs[i].estimate, b.outputs[i].estimate);
        }
    }
}

}  // namespace
}  // namespace cryolite
