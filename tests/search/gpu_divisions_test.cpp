// Which reductions are offered to be divided for a GPU, and how.
#include "search/divisions/gpu_divisions.h"

#include <gtest/gtest.h>

#include "machine/gpu.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;
using testing::image;
using testing::product_of_images;
using testing::SmallPipeline;

constexpr auto lanes = DividedReduction::Kind::Lanes, blocks = DividedReduction::Kind::Blocks;

// 108 multiprocessors, each of which 16 warps keep busy: 55296 threads.
std::vector<DivisionChoice> offered(const Halide::Func &output) {
    const BuiltGraph built = SmallPipeline{{output}}.build();
    return gpu_division_choices(built.graph, gpu::device_of(*gpu_preset("a100")));
}

TEST(GpuDivisions, of_a_sum_over_an_image_are_a_warp_of_lanes_and_a_block_for_each_row) {
    const ImageParam input = image(Float(32), 1000, 640);
    const RDom r(0, input.width(), 0, input.height(), "r");
    Halide::Func sum("sum");
    sum() = 0.0f;
    sum() += input(r.x, r.y);
    const auto choices = offered(sum);
    ASSERT_EQ(choices.size(), 1u);
    EXPECT_EQ(choices[0].lanes, (DividedReduction{sum.name(), 1, "r$x", lanes, 32}));
    // 55296 threads in warps would be 1728 blocks; there are 640 rows.
    EXPECT_EQ(choices[0].blocks, (DividedReduction{sum.name(), 1, "r$y", blocks, 1}));
    // 640 results, by 32 threads of 20 each.
    EXPECT_EQ(choices[0].combination, (DividedReduction{sum.name(), 1, "", lanes, 32}));
    EXPECT_FALSE(choices[0].whole);
}

TEST(GpuDivisions, of_a_sum_over_a_line_leave_iterations_for_its_lanes) {
    const ImageParam input = image(Float(32), 1 << 16, 1);
    const RDom r(0, input.width(), "r");
    Halide::Func sum("sum");
    sum() = 0.0f;
    sum() += input(r, 0);
    const auto choices = offered(sum);
    ASSERT_EQ(choices.size(), 1u);
    EXPECT_EQ(choices[0].lanes, (DividedReduction{sum.name(), 1, "r$x", lanes, 32}));
    EXPECT_EQ(choices[0].blocks, (DividedReduction{sum.name(), 1, "r$x", blocks, 128}));
}

// No more tables than leave their addition a quarter of the work: 640000 / 4 / 256.
TEST(GpuDivisions, of_a_histogram_are_as_many_tables_as_are_worth_adding) {
    Var i("i");
    const ImageParam input = image(UInt(8), 1000, 640);
    const RDom r(0, input.width(), 0, input.height(), "r");
    Halide::Func counts("counts");
    counts(i) = 0;
    counts(cast<int>(input(r.x, r.y))) += 1;
    counts.set_estimates({{0, 256}});
    const auto choices = offered(counts);
    ASSERT_EQ(choices.size(), 1u);
    EXPECT_FALSE(choices[0].lanes);
    // 625 tables of two rows would be 320 for 640 rows: 320 are added as 32 times 10.
    EXPECT_EQ(choices[0].blocks, (DividedReduction{counts.name(), 1, "r$y", blocks, 2}));
    EXPECT_EQ(choices[0].combination, (DividedReduction{counts.name(), 1, "", blocks, 10}));
}

// There are enough threads, but each would walk a row of its own.
TEST(GpuDivisions, of_sums_of_many_rows_are_lanes_alone) {
    Var x("x"), y("y");
    const ImageParam input = image(Float(32), 1000, 100'000);
    const RDom across(0, 1000, "across"), down(0, 100'000, "down");
    Halide::Func rows("rows"), columns("columns"), out("out");
    rows(y) = 0.0f;
    rows(y) += input(across, y);
    columns(x) = 0.0f;
    columns(x) += input(x, down);
    out(x, y) = rows(y) + columns(x);
    out.set_estimates({{0, 1000}, {0, 100'000}});
    const auto choices = offered(out);
    ASSERT_EQ(choices.size(), 2u);
    const bool rows_first = choices[0].lanes.has_value();
    const DivisionChoice &of_rows = choices[rows_first ? 0 : 1];
    const DivisionChoice &of_columns = choices[rows_first ? 1 : 0];
    EXPECT_EQ(of_rows.lanes, (DividedReduction{rows.name(), 1, "across$x", lanes, 32}));
    EXPECT_FALSE(of_rows.blocks);
    // Neighbouring columns read neighbours. A thousand are too few threads.
    EXPECT_FALSE(of_columns.lanes);
    EXPECT_EQ(of_columns.blocks,
              (DividedReduction{columns.name(), 1, "down$x", blocks, 100'000 / 55 + 1}));
}

// Its points are threads enough, but at root its sums would be in memory.
TEST(GpuDivisions, of_an_output_that_sums_up_are_one_part) {
    Var x("x"), y("y");
    Halide::Func product = product_of_images(640), reader("reader");
    reader(x, y) = product(x, y) + 1;
    reader.set_estimates({{0, 640}, {0, 640}});
    const auto choices = offered(product);
    ASSERT_EQ(choices.size(), 1u);
    EXPECT_EQ(choices[0].whole, (DividedReduction{product.name(), 1, "k$x", blocks, 640}));
    EXPECT_FALSE(choices[0].blocks || choices[0].lanes);
    EXPECT_EQ(choices[0].chunks.size(), 2u);  // of that part
}

// All columns of a block share a row's values, and all rows a column's.
TEST(GpuDivisions, of_a_product_that_another_func_reads_are_chunks) {
    Var x("x"), y("y");
    Halide::Func product = product_of_images(640), reader("reader");
    reader(x, y) = product(x, y) + 1;
    reader.set_estimates({{0, 640}, {0, 640}});
    const auto choices = offered(reader);
    ASSERT_EQ(choices.size(), 1u);
    EXPECT_FALSE(choices[0].blocks || choices[0].lanes || choices[0].whole);
    ASSERT_EQ(choices[0].chunks.size(), 2u);
    EXPECT_EQ(choices[0].chunks[0], (DividedReduction{product.name(), 1, "k$x", blocks, 16}));
    EXPECT_EQ(choices[0].chunks[1], (DividedReduction{product.name(), 1, "k$x", blocks, 32}));
}

// No two points read the same values.
TEST(GpuDivisions, of_sums_that_share_nothing_are_no_chunks) {
    Var x("x"), y("y");
    ImageParam input(Float(32), 3, "input");
    input.set_estimates({{0, 640}, {0, 640}, {0, 640}});
    const RDom k(0, 640, "k");
    Halide::Func sums("sums"), reader("reader");
    sums(x, y) = 0.0f;
    sums(x, y) += input(x, y, k);
    reader(x, y) = sums(x, y) + 1;
    reader.set_estimates({{0, 640}, {0, 640}});
    for (const DivisionChoice &choice : offered(reader)) EXPECT_TRUE(choice.chunks.empty());
}

// Of equal values the first has to win.
TEST(GpuDivisions, of_a_maximum_with_its_place_are_none) {
    const ImageParam input = image(UInt(8), 1000, 640);
    const RDom r(0, input.width(), 0, input.height(), "r");
    Halide::Func best("best");
    best() = Tuple(0, cast<uint8_t>(0));
    const Expr better = input(r.x, r.y) > best()[1];
    best() = Tuple(select(better, r.x, best()[0]), select(better, input(r.x, r.y), best()[1]));
    EXPECT_TRUE(offered(best).empty());
}

}  // namespace
}  // namespace cryolite
