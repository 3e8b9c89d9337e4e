// Tile kernels as decisions of the search: what a trace holds of them, what they cost, and where they are taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analytical/gpu/schedule_time.h"
#include "analytical/gpu/tile_kernel_terms.h"
#include "code/legality/apply.h"
#include "code/legality/tile_kernels.h"
#include "code/legality/validate.h"
#include "machine/machine_fields.h"
#include "schedule/trace_text.h"
#include "search/gpu/tensor_choice.h"
#include "search/search.h"
#include "tests/featurize/scheduled.h"
#include "tests/tensorcore/half_pipelines.h"

namespace cryolite::tensorcore {
namespace {

using testing::HalfPipeline;
using testing::with_products;

gpu::GpuDevice device_named(const char *name) { return gpu::device_of(*gpu_preset(name)); }
const Machine kHost = test::some_machine();
constexpr const char *kDevices[] = {"t4", "a100", "rtx-3090", "rtx-4090", "h100"};

SearchOptions quick() {
    SearchOptions options;
    options.beam_size = 4;
    options.num_passes = 1;
    options.tilings_per_placement = 8;
    options.threads = 2;
    options.time_limit_seconds = 1e6;
    return options;
}

// A product and the reader that finishes it.
struct Finished {
    explicit Finished(Halide::Type type = Halide::Float(16))
        : built(with_products(HalfPipeline().gemm(1024, 1024, 1024, type), Precision::Tf32)) {}

    BuiltGraph built;
    const StageGraph &graph = built.graph;
    const TensorProduct &product = graph.products()[0];
    FuncId out = graph.stage(product.leads[1].stage).func, sums = graph.stage(product.stage).func;

    Trace trace(const Tile &tile) const {
        const StageId s = product.leads[1].stage;
        return {action::ComputeRoot{out}, action::TensorTile{s, product.stage, tile},
                action::ComputeAt{sums, {s, 0, 0}}};
    }
    LoopNest nest(const Tile &tile = {128, 128, 2, 4, 64, 2}) const {
        return test::scheduled(graph, trace(tile));
    }
    Terms terms(const Tile &tile, const gpu::GpuDevice &device = device_named("a100")) const {
        StageExpander expander(graph);
        const LoopNest n = nest(tile);
        const StageId lead = product.leads[1].stage;
        return tile_kernel_terms(lead, tile_kernel_work(n, lead, device, expander), device).raw;
    }
    double term(Term t, const Tile &tile) const { return terms(tile)[index(t)]; }
};

TEST(TensorTile, ATraceHoldsIt) {
    const Finished f;
    const LoopNest nest = f.nest();
    EXPECT_EQ(validate(nest), "");
    EXPECT_TRUE(nest.complete());
    const Trace trace = trace_of(nest), wanted = f.trace({128, 128, 2, 4, 64, 2});
    for (const Action &action : wanted)
        EXPECT_EQ(std::ranges::count(trace, action), 1) << to_text(f.graph, {action});
    const std::string text = to_text(f.graph, trace_of(nest));
    EXPECT_NE(text.find("tensor_tile " + f.graph.func(f.out).name + ".s0 "), std::string::npos);
    const Result<Trace> parsed = parse_trace(f.graph, text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(*parsed, trace_of(nest));
    EXPECT_EQ(replay(f.graph, *parsed)->hash(), nest.hash());
    EXPECT_NE(f.nest({64, 64, 2, 2, 64, 2}).hash(), nest.hash());
    EXPECT_NE(to_tree_text(nest).find("on tensor cores in tiles of 128x128"), std::string::npos);
}

TEST(TensorTile, ItsProductGoesNowhereElse) {
    const Finished f;
    const StageId lead = f.product.leads[1].stage;
    const LoopNest tiled = *replay(
        f.graph, Trace{action::ComputeRoot{f.out}, action::TensorTile{lead, f.product.stage, {}}});
    EXPECT_EQ(cryolite::apply(tiled, action::ComputeRoot{f.sums}).error(), Reason::NotATileKernel);
    EXPECT_EQ(cryolite::apply(tiled, action::ComputeAt{f.sums, {lead, 1, 0}}).error(),
              Reason::NotATileKernel);
    EXPECT_EQ(cryolite::apply(tiled, action::Unroll{{lead, 0, 0}}).error(), Reason::LoopsInUse);
    const LoopNest stored =
        *replay(f.graph, Trace{action::ComputeRoot{f.out}, action::ComputeRoot{f.sums}});
    EXPECT_EQ(cryolite::apply(stored, action::TensorTile{lead, f.product.stage, {}}).error(),
              Reason::NotATileKernel);
    EXPECT_TRUE(
        cryolite::apply(stored, action::TensorTile{f.product.stage, f.product.stage, {}}).ok());
    const LoopNest root = *replay(f.graph, Trace{action::ComputeRoot{f.out}});
    EXPECT_EQ(cryolite::apply(root, action::TensorTile{lead, lead, {}}).error(),
              Reason::NotATileKernel);
    EXPECT_EQ(
        cryolite::apply(root, action::TensorTile{lead, f.product.stage, {100, 8, 1, 1, 64, 2}})
            .error(),
        Reason::BadTile);
}

TEST(TensorTile, TheKernelCostsTheSameBeforeItsProductIsDecided) {
    const Finished f;
    const gpu::GpuDevice device = device_named("a100");
    CostModel model(f.graph, Hardware(kHost, &device));
    const LoopNest whole = f.nest();
    const LoopNest lead_alone = whole.without(f.sums);
    EXPECT_FALSE(lead_alone.complete());
    EXPECT_NEAR(model.evaluate(lead_alone).seconds, model.evaluate(whole).seconds, 1e-12);
    EXPECT_FALSE(model.evaluate(whole).too_large);
}

TEST(TensorTileTerms, LargerTilesReadLess) {
    const Finished f;
    EXPECT_LT(f.term(Term::L2Loads, {128, 128, 2, 4, 64, 2}),
              f.term(Term::L2Loads, {64, 64, 2, 2, 64, 2}));
    EXPECT_LT(f.term(Term::L2Loads, {64, 64, 2, 2, 64, 2}),
              f.term(Term::L2Loads, {32, 32, 1, 1, 64, 4}));
    // More warps on the same tile read more of shared memory.
    EXPECT_LT(f.term(Term::SharedLoads, {128, 128, 2, 2, 64, 2}),
              f.term(Term::SharedLoads, {128, 128, 2, 4, 64, 2}));
}

TEST(TensorTileTerms, AreWhatOneCountsByHand) {
    const Finished f;
    const gpu::GpuDevice device = device_named("a100");
    const Terms t = f.terms({128, 128, 2, 4, 64, 2}, device);
    // 64 blocks on 108 multiprocessors: one each. A block reads 256 rows and columns of 1024 halves.
    const double cycle = 1 / device.speeds.hertz;
    EXPECT_NEAR(t[index(Term::SharedStores)], 256 * 2048 / 128.0 * cycle, 1e-15);
    EXPECT_NEAR(t[index(Term::SharedLoads)], 8 * (64 + 32) * 2048 / 128.0 * cycle, 1e-15);
    EXPECT_DOUBLE_EQ(t[index(Term::Launches)], device.speeds.launch_seconds);
    // 128 * 128 * 1024 multiply-adds, 1024 a cycle, and 16 warps of 4 instructions keep the cores busy. Then a sum and
    // a maximum for each result.
    const double multiplying = 128.0 * 128 * 1024 / 1024 / std::min(1.0, 8 * 4 / 16.0);
    EXPECT_GT(t[index(Term::Compute)], multiplying * cycle);
    EXPECT_LT(t[index(Term::Compute)], 1.1 * multiplying * cycle);
}

TEST(TensorTileTerms, FloatsAreRoundedAndMultipliedAtHalfTheRate) {
    const Finished halves, floats(Halide::Float(32));
    const gpu::GpuDevice device = device_named("a100");
    const Tile tile{128, 128, 2, 2, 64, 3};
    const Terms of_halves = halves.terms(tile, device), of_floats = floats.terms(tile, device);
    // Twice the bytes in each place.
    EXPECT_NEAR(of_floats[index(Term::SharedStores)], 2 * of_halves[index(Term::SharedStores)],
                1e-15);
    EXPECT_NEAR(of_floats[index(Term::SharedLoads)], 2 * of_halves[index(Term::SharedLoads)],
                1e-15);
    const double cycle = 1 / device.speeds.hertz;
    const double multiplying = 128.0 * 128 * 1024 / 512;
    EXPECT_GT(of_floats[index(Term::Compute)], multiplying * cycle);
    EXPECT_LT(of_floats[index(Term::Compute)], 1.5 * multiplying * cycle);
    // Four warps round 64 rows and 64 columns each, at three instructions a float.
    StageExpander expander(floats.graph);
    const StageId lead = floats.product.leads[1].stage;
    EXPECT_DOUBLE_EQ(tile_kernel_work(floats.nest(tile), lead, device, expander).roundings,
                     4.0 * 128 * 1024);
}

TEST(TensorTileTerms, MoreStagesWaitLess) {
    const Finished f;
    EXPECT_LT(f.term(Term::LoadLatency, {64, 64, 2, 2, 64, 4}),
              f.term(Term::LoadLatency, {64, 64, 2, 2, 64, 2}));
}

TEST(TensorTileTerms, WhatIsGatheredTakesLonger) {
    const auto seconds = [](int depth) {
        const BuiltGraph built = with_products(HalfPipeline().gemm(1024, 1024, depth));
        const gpu::GpuDevice device = device_named("a100");
        const TensorProduct &product = built.graph.products()[0];
        const StageId lead = product.leads[1].stage;
        const LoopNest nest = *replay(
            built.graph, Trace{action::ComputeRoot{built.graph.stage(lead).func},
                               action::TensorTile{lead, product.stage, {64, 64, 2, 2, 64, 4}}});
        CostModel model(built.graph, Hardware(kHost, &device));
        return model.evaluate(nest).seconds;
    };
    // Rows of an odd number of halves are not aligned.
    EXPECT_GT(seconds(1023), 1.5 * seconds(1024));
}

TEST(TensorTileTerms, ChangeOnlyWithTheConstantsThatTheyName) {
    for (const Halide::Type type : {Halide::Float(16), Halide::Float(32)}) {
        const Finished f(type);
        gpu::GpuDevice device = device_named("a100");
        const Terms expected = f.terms({64, 64, 2, 2, 64, 4}, device);
        for (const FieldValue &v : values_of(device.speeds)) {
            if (v.key == "l2_bytes") continue;  // a threshold
            double &number = *std::get<double *>(v.number);
            const double before = number;
            number *= 1 + 1e-7;
            const Terms found = f.terms({64, 64, 2, 2, 64, 4}, device);
            number = before;
            for (size_t k = 0; k < num_terms; k++) {
                const auto named = gpu_constants_of(static_cast<Term>(k));
                if (std::ranges::find(named, v.key) != named.end()) continue;
                EXPECT_NEAR(found[k], expected[k], 1e-12 * expected[k])
                    << term_table()[k].name << " changes with " << v.key;
            }
        }
    }
}

TEST(TensorTileTerms, SharesAddUpAndTheExplanationHasEveryStage) {
    const Finished f;
    const gpu::GpuDevice device = device_named("a100");
    const gpu::GpuScheduleTime time = gpu::predict(f.nest(), device, kHost);
    double all = 0;
    for (const StageTime &t : time.stages) {
        EXPECT_NEAR(sum(t.overlap.exposed), t.seconds(), 1e-12 * t.seconds());
        all += t.seconds();
    }
    EXPECT_NEAR(all, time.seconds, 1e-12 * all);
    EXPECT_EQ(time.stages.size(), 3u);  // the lead, and two of the sums
}

size_t tiles_in(const LoopNest &nest) {
    size_t count = 0;
    for (const TensorProduct &product : nest.graph().products())
        count += lead_of_product(nest, product).has_value();
    return count;
}

// How many products the search gives to tensor cores.
size_t chosen(const BuiltGraph &built, const gpu::GpuDevice &device,
              const SearchOptions &options = quick()) {
    const SearchResult found = search(built.graph, Hardware(kHost, &device), options);
    EXPECT_EQ(validate(found.nest), "");
    return tiles_in(found.nest);
}

TEST(TensorTileSearch, LargeProductsAreTakenOnEveryDevice) {
    const HalfPipeline p;
    const BuiltGraph gemm = with_products(p.gemm(2048, 2048, 2048));
    const BuiltGraph conv = with_products(p.conv_layer(128, 56, 4));
    const BuiltGraph attention = with_products(p.attention(1024, 64, 16));
    const BuiltGraph bottleneck = with_products(p.bottleneck(256, 64, 58));
    ASSERT_EQ(attention.graph.products().size(), 2u);
    ASSERT_EQ(bottleneck.graph.products().size(), 3u);
    for (const char *name : kDevices) {
        const gpu::GpuDevice device = device_named(name);
        EXPECT_EQ(chosen(gemm, device), 1u) << name;
        EXPECT_EQ(chosen(conv, device), 1u) << name;
        EXPECT_EQ(chosen(attention, device), 2u) << name;
        EXPECT_EQ(chosen(bottleneck, device), 3u) << name;
    }
}

TEST(TensorTileSearch, ProductsOfFloatsAreTakenWhereTheyMayBeRounded) {
    const Halide::Func gemm = HalfPipeline().gemm(2048, 2048, 2048, Halide::Float(32));
    EXPECT_TRUE(with_products(gemm).graph.products().empty());
    const BuiltGraph built = with_products(gemm, Precision::Tf32);
    ASSERT_EQ(built.graph.products().size(), 1u);
    const TensorProduct &product = built.graph.products()[0];
    EXPECT_TRUE(product.left.has_units && product.right.has_units);
    EXPECT_FALSE(product.right.along_depth);
    for (const char *name : {"a100", "rtx-3090", "h100"})
        EXPECT_EQ(chosen(built, device_named(name)), 1u) << name;
    EXPECT_EQ(chosen(built, device_named("t4")), 0u);
}

TEST(TensorTileSearch, TinyProductsAndOlderDevicesStayOrdinary) {
    const HalfPipeline p;
    EXPECT_EQ(chosen(with_products(p.gemm(8, 8, 8)), device_named("a100")), 0u);
    EXPECT_EQ(chosen(with_products(p.gemm(1024, 1024, 1024)), device_named("v100")), 0u);
}

TEST(TensorTileSearch, RequiredProductsAreTakenWhateverTheyCost) {
    SearchOptions options = quick();
    options.require_tensor_cores = true;
    EXPECT_EQ(chosen(with_products(HalfPipeline().gemm(16, 16, 16)), device_named("a100"), options),
              1u);
}

TEST(TensorTileSearch, LargeProductsTakeLargeTilesAndSmallOnesFillTheDevice) {
    const auto tile_for = [](int side) {
        const BuiltGraph built = with_products(HalfPipeline().gemm(side, side, 1024));
        const gpu::GpuDevice device = device_named("a100");
        const SearchResult found = search(built.graph, Hardware(kHost, &device), quick());
        const auto lead = lead_of_product(found.nest, built.graph.products()[0]);
        EXPECT_TRUE(lead.has_value());
        return lead ? found.nest.stage_nest(*lead).tile_kernel->tile : Tile{};
    };
    const Tile large = tile_for(4096), small = tile_for(256);
    EXPECT_GE(large.block_rows * large.block_columns, 128 * 64);
    EXPECT_LE(small.block_rows * small.block_columns, 64 * 32);
}

TEST(TensorTileSearch, TheBestCandidatesHaveBothWays) {
    const BuiltGraph built = with_products(HalfPipeline().gemm(16, 16, 32));
    const gpu::GpuDevice device = device_named("a100");
    SearchOptions options = quick();
    options.candidates = 8;
    options.beam_size = 32;
    const SearchResult found = search(built.graph, Hardware(kHost, &device), options);
    std::set<size_t> ways{tiles_in(found.nest)};
    for (const LoopNest &nest : found.others) ways.insert(tiles_in(nest));
    EXPECT_EQ(ways, (std::set<size_t>{0, 1}));
}

TEST(TensorTileSearch, BothWaysArePricedForPeople) {
    const gpu::GpuDevice device = device_named("a100");
    const auto choices = [&](int side) {
        const BuiltGraph built = with_products(HalfPipeline().gemm(side, side, side));
        const SearchResult found = search(built.graph, Hardware(kHost, &device), quick());
        const auto all = tensor_choices(found.nest, Hardware(kHost, &device), quick());
        EXPECT_EQ(all.size(), 1u);
        return std::pair(all[0], text_of(built.graph, all[0]));
    };
    const auto [large, text] = choices(2048);
    EXPECT_TRUE(large.is_taken);
    EXPECT_TRUE(large.finished_in.has_value());
    EXPECT_LT(large.with_seconds, large.without_seconds);
    EXPECT_NE(text.find("with ordinary kernels"), std::string::npos) << text;
    EXPECT_NE(choices(8).second.find("smaller than one instruction"), std::string::npos);
}

}  // namespace
}  // namespace cryolite::tensorcore
