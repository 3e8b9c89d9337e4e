// The predicted time of kernels: what stays exposed of its terms adds up; the terms change with the constants that
// they name, and are what one finds by hand.
#include "analytical/gpu/schedule_time.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "code/legality/gpu_kernels.h"
#include "machine/machine_fields.h"
#include "schedule/trace_text.h"
#include "tests/featurize/scheduled.h"
#include "tests/schedule/pipelines.h"
#include "tests/semantics/random_trace.h"

namespace cryolite::gpu {
namespace {

using test::estimate;
using test::func;
using test::loop_over;
using test::some_machine;

constexpr double rounding = 1e-12;

GpuDevice a100() { return device_of(*gpu_preset("a100")); }

LoopNest random_kernels(const StageGraph &graph, uint64_t seed) {
    RandomTraceLimits limits;
    limits.gpu = LaunchLimits{};
    return draw_random_trace(graph, Random(seed), limits).nest;
}

Terms total(const GpuScheduleTime &time) {
    Terms terms{};
    for (const StageTime &t : time.stages)
        for (size_t k = 0; k < num_terms; k++) terms[k] += t.raw[k];
    return terms;
}

// Nine loads of a stencil read hardly more of memory and of L2 than one.
TEST(GpuMemory, CountsWhatSeveralLoadsShareOnce) {
    using namespace Halide;
    const auto work_of = [](bool stencil) {
        Var x("x"), y("y");
        ImageParam picture(Float(32), 2, "picture");
        Halide::Func out("out");
        Expr sum = picture(x, y);
        for (int i = 1; stencil && i < 9; i++) sum += picture(x + i % 3, y + i / 3);
        out(x, y) = sum;
        estimate(out, {1024, 1024});
        const BuiltGraph built = test::build({out});
        const FuncId o = func(built, out).id;
        const StageId s = func(built, out).stages[0];
        const LoopName rows{s, 1, 0}, columns{s, 0, 0}, row{s, 1, 1}, column{s, 0, 1};
        const LoopNest nest = test::scheduled(
            built.graph,
            {action::ComputeRoot{o}, action::Tile{s, 0, {32}}, action::Tile{s, 1, {8}},
             action::Reorder{s, {rows, columns, row, column}},
             action::MapToBlocks{s, {rows, columns}}, action::MapToThreads{s, {row, column}}});
        return predict(nest, a100(), some_machine()).in_kernels.at(0);
    };
    const StageInKernel one = work_of(false), nine = work_of(true);
    EXPECT_GT(one.l2_bytes_per_block, 0);
    EXPECT_LT(nine.l2_bytes_per_block,
              3 * one.l2_bytes_per_block);  // 10 rows of 2 lines, for 8 of 1
    EXPECT_LT(nine.memory_bytes_read, 1.05 * one.memory_bytes_read);
}

class GpuCost : public ::testing::TestWithParam<const char *> {};

TEST_P(GpuCost, SharesAddUpOverEveryStage) {
    const auto pipeline = testing::make_pipeline(GetParam());
    const Result<BuiltGraph> built = test::try_build(pipeline.outputs);
    ASSERT_TRUE(built.ok()) << built.error().message;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const LoopNest nest = random_kernels(built->graph, seed);
        const GpuScheduleTime time = predict(nest, a100(), some_machine());
        std::set<StageId> stages;
        double all = 0;
        for (const StageTime &t : time.stages) {
            EXPECT_TRUE(stages.insert(t.stage).second) << seed;
            EXPECT_TRUE(std::isfinite(t.seconds()) && t.seconds() >= 0)
                << seed << " " << built->graph.func_of(t.stage).name << " "
                << to_text(built->graph, trace_of(nest));
            EXPECT_NEAR(sum(t.overlap.exposed), t.seconds(), rounding * t.seconds()) << seed;
            for (double term : t.raw) EXPECT_GE(term, 0) << seed;
            all += t.seconds();
        }
        EXPECT_NEAR(all, time.seconds, rounding * all) << seed;
        size_t realised = 0;
        for (const Func &f : built->graph.funcs())
            if (!f.is_input()) realised += nest.at(f.id).stages.size();
        EXPECT_EQ(stages.size(), realised) << seed;
        for (const StageInKernel &work : time.in_kernels)
            for (double feature : *work.row) EXPECT_TRUE(std::isfinite(feature) && feature >= 0);
    }
}

// Steps are small, so that no threshold is crossed.
TEST_P(GpuCost, TermsChangeOnlyWithTheConstantsThatTheyName) {
    const auto pipeline = testing::make_pipeline(GetParam());
    const Result<BuiltGraph> built = test::try_build(pipeline.outputs);
    ASSERT_TRUE(built.ok()) << built.error().message;
    for (uint64_t seed = 0; seed < 10; seed++) {
        const LoopNest nest = random_kernels(built->graph, seed);
        GpuDevice device = a100();
        // No two costs are equal, so that a small step changes none of those that another hides.
        double step = 1;
        for (const FieldValue &v : values_of(device.speeds))
            if (double *const *number = std::get_if<double *>(&v.number))
                **number *= 1 + 0.001 * (step += 0.618);
        const Terms expected = total(predict(nest, device, some_machine()));
        for (const FieldValue &v : values_of(device.speeds)) {
            if (v.key == "l2_bytes") continue;  // a threshold
            double &number = *std::get<double *>(v.number);
            const double before = number;
            number *= 1 + 1e-7;
            const Terms found = total(predict(nest, device, some_machine()));
            number = before;
            for (size_t k = 0; k < num_terms; k++) {
                const auto named = gpu_constants_of(static_cast<Term>(k));
                if (std::ranges::find(named, v.key) != named.end()) continue;
                EXPECT_NEAR(found[k], expected[k], rounding * expected[k])
                    << term_table()[k].name << " changes with " << v.key << ", seed " << seed;
            }
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Pipelines, GpuCost,
                         ::testing::Values("blur", "clamped_blur", "tall_chain", "pyramid",
                                           "product", "equalise", "updates", "transpose",
                                           "two_outputs"),
                         [](const auto &info) { return std::string(info.param); });

TEST(GpuCostTable, HasNothingThatNoScheduleCosts) {
    Terms seen{};
    for (const char *name : {"blur", "product", "updates", "equalise", "tall_chain"}) {
        const auto pipeline = testing::make_pipeline(name);
        const BuiltGraph built = test::build(pipeline.outputs);
        for (uint64_t seed = 0; seed < 40; seed++) {
            GpuDevice device = a100();
            device.register_cap = 33;
            const Terms parts =
                total(predict(random_kernels(built.graph, seed), device, some_machine()));
            for (size_t k = 0; k < num_terms; k++) seen[k] += parts[k];
        }
    }
    for (size_t k = 0; k < num_terms; k++)
        EXPECT_EQ(seen[k] > 0, info(static_cast<Term>(k)).gpu.has_value()) << term_table()[k].name;
}

// 4096 x 4096 floats in blocks of 32 x 8 threads.
struct Tiled {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam in{Halide::Float(32), 2, "in"};
    Halide::Func out{"out"};
    std::unique_ptr<BuiltGraph> built;

    StageTime time(Halide::Expr value) {
        out(x, y) = value;
        estimate(out, {4096, 4096});
        built = std::make_unique<BuiltGraph>(test::build({out}));
        const Stage &s = test::stage(*built, out);
        const int16_t dx = loop_over(s, 0), dy = loop_over(s, 1);
        const LoopNest nest = test::scheduled(
            built->graph,
            {action::ComputeRoot{func(*built, out).id}, action::Tile{s.id, dx, {32}},
             action::Tile{s.id, dy, {8}},
             action::Reorder{s.id, {{s.id, dy, 0}, {s.id, dx, 0}, {s.id, dy, 1}, {s.id, dx, 1}}},
             action::MapToBlocks{s.id, {{s.id, dy, 0}, {s.id, dx, 0}}},
             action::MapToThreads{s.id, {{s.id, dy, 1}, {s.id, dx, 1}}}});
        const GpuScheduleTime all = predict(nest, a100(), some_machine());
        EXPECT_EQ(all.stages.size(), 1u);
        return all.stages[0];
    }
};
double part(const StageTime &t, Term k) { return t.raw[index(k)]; }

TEST(GpuTermsByHand, ACopyRunsAtTheSpeedOfMemory) {
    using C = Term;
    Tiled copy;
    const StageTime t = copy.time(copy.in(copy.x, copy.y));
    const double bytes = 4096.0 * 4096 * 4, reached = 1.555e12 * 0.85;
    EXPECT_EQ(t.overlap.bound_by, Resource::Memory);
    EXPECT_DOUBLE_EQ(part(t, C::MemoryLoads), bytes / reached);
    EXPECT_DOUBLE_EQ(part(t, C::MemoryStores), bytes / reached);
    // Beside it: 65,536 blocks on 108 multiprocessors, 607 on the busiest; a block of 8 warps
    // looks up 8 lines of 4 sectors each.
    EXPECT_DOUBLE_EQ(part(t, C::L1Loads), 607 * 8 / 1.41e9);
    EXPECT_DOUBLE_EQ(part(t, C::L2Loads), bytes / (108 * 32 * 1.41e9));
    EXPECT_DOUBLE_EQ(part(t, C::Launches), 4e-6);
    // One and a half integer instructions for the address, at 64 a cycle.
    EXPECT_DOUBLE_EQ(part(t, C::Compute), 607 * 8 * 1.5 * 32 / 64 / 1.41e9);
    // 8 blocks of 256 threads are resident at 32 registers: 76 rounds of one load, which L1 cannot serve.
    EXPECT_DOUBLE_EQ(part(t, C::LoadLatency), 76 * 500 / 1.41e9);
    EXPECT_DOUBLE_EQ(part(t, C::Tasks), 65536 / 0.83 / 1.41e9);
}

TEST(GpuTermsByHand, ATransposeFetchesASectorForEveryElement) {
    using C = Term;
    Tiled transpose;
    const StageTime t = transpose.time(transpose.in(transpose.y, transpose.x));
    // A warp's 32 elements lie in 32 rows: 32 lines to look up. The 8 elements that a block needs of each
    // fill a sector, and L2 delivers no more.
    EXPECT_EQ(t.overlap.bound_by, Resource::L1);
    EXPECT_DOUBLE_EQ(part(t, C::L1Loads), 607.0 * 8 * 32 / 1.41e9);
    EXPECT_DOUBLE_EQ(part(t, C::L2Loads), 4096 * 4096 * 4 / (108 * 32 * 1.41e9));
}

TEST(GpuTermsByHand, ArithmeticRunsAtTheRateOfItsType) {
    using C = Term;
    const auto cycles = [](Halide::Expr value_of(Halide::Expr)) {
        Tiled t;
        // Without the load's address: 1.5 instructions at 64 a cycle.
        return part(t.time(value_of(t.in(t.x, t.y))), C::Compute) * 1.41e9 / (607 * 8) - 0.75;
    };
    // 32 lanes at 64 a cycle; a multiplication and an addition are one instruction.
    EXPECT_NEAR(cycles([](Halide::Expr v) { return v + 1.5f; }), 0.5, 1e-9);
    EXPECT_NEAR(cycles([](Halide::Expr v) { return v * 2.5f + 1.5f; }), 0.5, 1e-9);
    EXPECT_NEAR(cycles([](Halide::Expr v) { return max(v * 2.5f + 1.5f, 0.0f); }), 1, 1e-9);
    // Four steps at 64 and one at 16.
    EXPECT_NEAR(cycles([](Halide::Expr v) { return sqrt(v); }), 4 * 0.5 + 2, 1e-9);
}

// out(x) += value(in, x, r) over so many points of r, in lines of 128 threads with a sum each.
template <typename Value>
GpuScheduleTime time_of_sums(int points, bool unrolled, Value value) {
    const Halide::Var x("x");
    const Halide::RDom r(0, points, "r");
    const Halide::ImageParam in(Halide::Float(32), 2, "in");
    Halide::Func out("out");
    out(x) = 0.0f;
    out(x) += value(in, x, r);
    estimate(out, {4096});
    const BuiltGraph built = test::build({out});
    const FuncId o = func(built, out).id;
    const StageId update = built.graph.func(o).stages[1];
    const int16_t dx = loop_over(built.graph.stage(update), 0);
    const LoopName block{update, dx, 0}, thread{update, dx, 1};
    const LoopName terms{update, static_cast<int16_t>(1 - dx), 0};
    Trace trace{action::ComputeRoot{o}, action::Tile{update, dx, {128}},
                action::Reorder{update, {block, thread, terms}},
                action::MapToBlocks{update, {block}}, action::MapToThreads{update, {thread}}};
    if (unrolled) trace.push_back(action::Unroll{terms});
    return predict(test::scheduled(built.graph, trace), a100(), some_machine());
}

// Loads of one sector by lanes and iterations that follow each other wait for L1 alone, but for the first of them.
TEST(GpuTermsByHand, WaitsForMemoryOnlyAtTheFirstLookAtASector) {
    const auto latency = [](bool along_rows) {
        const GpuScheduleTime time = time_of_sums(64, false, [&](auto &in, auto &x, auto &r) {
            return along_rows ? in(r, x) : in(x, r);
        });
        double cycles = 0;  // those of the sums: zeros load nothing
        for (const StageTime &t : time.stages) cycles += part(t, Term::LoadLatency) * 1.41e9;
        return cycles;
    };
    // 32 blocks, all resident at once, of 64 rounds. A warp asks 64 times for 4 sectors of its sums, and for 4 down
    // columns or 32 along rows. It sees 4 of its sums first, and all down columns, or one in 8 along rows.
    const auto cycles = [](double seen_first, double asked) {
        const double missed = seen_first / asked;
        return 64 * (missed * 500 + (1 - missed) * 40);
    };
    EXPECT_NEAR(latency(false), cycles(4 + 64 * 4, 64 * (4 + 4)), 1e-6);
    EXPECT_NEAR(latency(true), cycles(4 + 64 * 32 / 8, 64 * (4 + 32)), 1e-6);
}

// A clamped index is clamped for each load: Halide cuts off no ends of a GPU's loops.
TEST(GpuTermsByHand, AddressesOfClampedLoadsTakeInstructions) {
    using C = Term;
    const auto cycles = [](bool clamped) {
        Tiled t;
        const Halide::Expr x = clamped ? Halide::clamp(t.x, 0, 4095) : Halide::Expr(t.x);
        return part(t.time(t.in(x, t.y)), C::Compute) * 1.41e9 / (607 * 8) * 64 / 32;
    };
    EXPECT_NEAR(cycles(false), 1.5, 1e-9);
    EXPECT_NEAR(cycles(true), 3 + 1.5, 1e-9);
}

// Each copy of an unrolled reduction knows which of the roots it needs.
TEST(GpuOperations, AreThoseThatCopiesKeep) {
    const auto roots = [](bool unrolled) {
        const GpuScheduleTime time = time_of_sums(4, unrolled, [](auto &in, auto &x, auto &r) {
            return mux(r, {sqrt(in(x, 0)), sqrt(in(x, 1)), sqrt(in(x, 2)), sqrt(in(x, 3))});
        });
        return time.in_kernels.at(0).operations.at(OpKind::SquareRoot, TypeClass::Float32);
    };
    EXPECT_DOUBLE_EQ(roots(false), 4);
    EXPECT_DOUBLE_EQ(roots(true), 1);
}

TEST(GpuScheduleTime, CountsCopiesOfWhatCrossesOver) {
    using C = Term;
    Halide::Var x{"x"};
    Halide::Func mapped{"mapped"}, out{"out"};
    mapped(x) = Halide::cast<float>(x) * 2;
    out(x) = mapped(x) + 1;
    estimate(out, {1 << 20});
    const BuiltGraph built = test::build({out});
    const StageId s = test::stage(built, mapped).id;
    Trace trace{action::ComputeRoot{func(built, out).id},
                action::ComputeRoot{func(built, mapped).id}, action::Tile{s, 0, {128}}};
    const auto copies = [&] {
        const GpuScheduleTime time =
            predict(test::scheduled(built.graph, trace), a100(), some_machine());
        return total(time)[index(C::Copies)];
    };
    EXPECT_EQ(copies(), 0);
    trace.push_back(action::MapToBlocks{s, {{s, 0, 0}}});
    trace.push_back(action::MapToThreads{s, {{s, 0, 1}}});
    EXPECT_DOUBLE_EQ(copies(), (1 << 20) * 4 / 12e9);
}

// Halide drops the stage, so that it runs on neither side, whatever its loops say.
TEST(GpuScheduleTime, AStageThatIsUndefinedCostsNothing) {
    Halide::Var x{"x"};
    Halide::Func scan{"scan"}, out{"out"};
    scan(x) = Halide::undef<float>();
    scan(x) = Halide::cast<float>(x);
    out(x) = scan(x) + 1;
    estimate(out, {1 << 20});
    const BuiltGraph built = test::build({out});
    Trace kernels{action::ComputeRoot{func(built, out).id},
                  action::ComputeRoot{func(built, scan).id}};
    const Func &scanned = func(built, scan);
    for (StageId s : {func(built, out).stages[0], scanned.stages[1]}) {
        kernels.push_back(action::Tile{s, 0, {128}});
        kernels.push_back(action::MapToBlocks{s, {{s, 0, 0}}});
        kernels.push_back(action::MapToThreads{s, {{s, 0, 1}}});
    }
    const auto terms = [&](const Trace &trace) {
        return total(predict(test::scheduled(built.graph, trace), a100(), some_machine()));
    };
    const StageId s = scanned.stages[0];
    ASSERT_TRUE(built.graph.stage(s).is_undefined);
    const Terms plain = terms(kernels);
    EXPECT_EQ(plain[index(Term::Copies)], 0);
    Trace mapped = kernels;
    mapped.push_back(action::MapToBlocks{s, {{s, 0, 0}}});
    EXPECT_EQ(terms(mapped), plain);
}

}  // namespace
}  // namespace cryolite::gpu
