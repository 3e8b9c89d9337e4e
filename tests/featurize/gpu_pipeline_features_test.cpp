// The GPU's part of a row for small pipelines, from the schedule to the number, counted by hand.
#include "featurize/rows/gpu_features.h"

#include "code/legality/gpu_kernels.h"
#include "featurize/gpu/stage_mapping.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

struct GpuPipelineFeatures : ::testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam image{Float(32), 1, "image"}, picture{Float(32), 2, "picture"};
    Halide::Func out{"out"};

    static FeatureRow row_of(const LoopNest &nest, StageId stage) {
        StageExpander expander(nest.graph());
        const auto mapped = map_stage_to_gpu(nest, expander, stage, gpu_kernels_of(nest));
        if (!mapped) throw std::runtime_error("the stage is not in a kernel");
        EXPECT_EQ(validate(mapped->mapping), "");
        FeatureRow row{};
        gpu_features(mapped->mapping, {}, row);
        return row;
    }
};

// A kernel per row: 48 launches of 2 blocks of 32 threads.
TEST_F(GpuPipelineFeatures, LoopsAroundTheBlocksCount) {
    out(x, y) = picture(x, y) * 2;
    estimate(out, {64, 48});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id;
    const StageId s = func(built, out).stages[0];
    const LoopName rows{s, 1, 0}, strips{s, 0, 0}, lanes{s, 0, 1};
    const FeatureRow row =
        row_of(test::scheduled(built.graph, {action::ComputeRoot{o}, action::Tile{s, 0, {32}},
                                             action::Reorder{s, {rows, strips, lanes}},
                                             action::MapToBlocks{s, {strips}},
                                             action::MapToThreads{s, {lanes}}}),
               s);
    EXPECT_EQ(row[index(Feature::num_blocks)], 2);
    EXPECT_EQ(row[index(Feature::num_scalars)], 64 * 48);
    EXPECT_EQ(row[index(Feature::global_bytes_read_per_realisation)], 64 * 48 * 4);
    EXPECT_EQ(row[index(Feature::global_lines_read_per_realisation)], 48 * 2);
    EXPECT_EQ(row[index(Feature::global_bytes_read_per_block)], 32 * 4);
}

// 32 threads read elements 0 to 15 by x / 2, and 0 to 16 by (x + 1) / 2.
TEST_F(GpuPipelineFeatures, PhasesOfAnUpsamplingReadMostElementsTogether) {
    out(x) = image(x / 2) + image((x + 1) / 2);
    estimate(out, {64});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id;
    const StageId s = func(built, out).stages[0];
    const FeatureRow row =
        row_of(test::scheduled(built.graph, {action::ComputeRoot{o}, action::Tile{s, 0, {32}},
                                             action::MapToBlocks{s, {{s, 0, 0}}},
                                             action::MapToThreads{s, {{s, 0, 1}}}}),
               s);
    EXPECT_EQ(row[index(Feature::global_bytes_read_per_block)], 17 * 4);
    EXPECT_EQ(row[index(Feature::global_lines_read_per_block)], 2);
    EXPECT_EQ(row[index(Feature::global_bytes_read_per_realisation)], 33 * 4);
    EXPECT_EQ(row[index(Feature::global_bytes_read_per_iteration)], 2 * 4);
}

}  // namespace
}  // namespace cryolite
