// Which reductions are offered to be divided, and how.
#include "search/divisions/divisions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;
using testing::image;
using testing::machine;
using testing::product_of_images;
using testing::SmallPipeline;

constexpr auto lanes = DividedReduction::Kind::Lanes, blocks = DividedReduction::Kind::Blocks;

struct Offered {
    std::vector<DivisionChoice> choices;

    explicit Offered(const Halide::Func &output) {
        const BuiltGraph built = SmallPipeline{{output}}.build();
        choices = division_choices(built.graph, machine());
    }
};

TEST(Divisions, of_a_sum_over_an_image_are_blocks_of_rows_and_lanes) {
    const ImageParam input = image(Float(32), 1000, 640);
    const RDom r(0, input.width(), 0, input.height(), "r");
    Halide::Func sum("sum");
    sum() = 0.0f;
    sum() += input(r.x, r.y);
    const Offered o(sum);
    ASSERT_EQ(o.choices.size(), 1u);
    // Two blocks for each of four cores; four vectors of eight floats.
    EXPECT_EQ(o.choices[0].blocks, (DividedReduction{sum.name(), 1, "r$y", blocks, 80}));
    EXPECT_EQ(o.choices[0].lanes, (DividedReduction{sum.name(), 1, "r$x", lanes, 32}));
}

TEST(Divisions, of_a_histogram_are_blocks_of_rows_and_a_few_tables) {
    Var i("i");
    const ImageParam input = image(UInt(8), 1000, 640);
    const RDom r(0, input.width(), 0, input.height(), "r");
    Halide::Func counts("counts");
    counts(i) = 0;
    counts(cast<int>(input(r.x, r.y))) += 1;
    counts.set_estimates({{0, 256}});
    const Offered o(counts);
    ASSERT_EQ(o.choices.size(), 1u);
    EXPECT_EQ(o.choices[0].blocks, (DividedReduction{counts.name(), 1, "r$y", blocks, 80}));
    EXPECT_EQ(o.choices[0].lanes, (DividedReduction{counts.name(), 1, "r$x", lanes, 4}));
}

// Sums of all rows and of all columns of an image.
struct SumsBothWays {
    Var x{"x"}, y{"y"};
    Halide::Func rows{"rows"}, columns{"columns"}, out{"out"};

    explicit SumsBothWays(int width) {
        const ImageParam input = image(Float(32), width, 640);
        const RDom across(0, width, "across"), down(0, 640, "down");
        rows(y) = 0.0f;
        rows(y) += input(across, y);
        columns(x) = 0.0f;
        columns(x) += input(x, down);
        out(x, y) = rows(y) + columns(x);
        out.set_estimates({{0, width}, {0, 640}});
    }
};

TEST(Divisions, of_sums_of_rows_are_lanes_and_of_columns_none) {
    const SumsBothWays sums(4096);
    const Offered o(sums.out);
    ASSERT_EQ(o.choices.size(), 1u);
    EXPECT_FALSE(o.choices[0].blocks);
    EXPECT_EQ(o.choices[0].lanes, (DividedReduction{sums.rows.name(), 1, "across$x", lanes, 32}));
}

// Of shorter rows, four cores would each read less than a page at a time.
TEST(Divisions, of_sums_of_columns_are_blocks_where_rows_are_short) {
    const SumsBothWays sums(3000);
    const Offered o(sums.out);
    const auto of_columns = std::ranges::find_if(
        o.choices, [](const DivisionChoice &c) { return c.blocks.has_value(); });
    ASSERT_NE(of_columns, o.choices.end());
    EXPECT_EQ(of_columns->blocks, (DividedReduction{sums.columns.name(), 1, "down$x", blocks, 80}));
    EXPECT_FALSE(of_columns->lanes);
}

// A row of sums that fills a vector leaves only one core something to do.
TEST(Divisions, of_rows_that_are_added_at_loaded_places_are_blocks_where_there_are_few_vectors) {
    Var d("d"), k("k");
    const auto offered = [&](int length) {
        const ImageParam input = image(Float(32), length, 100000), label(UInt(8), 1, "label");
        const RDom r(0, 100000, "r");
        Halide::Func sums("sums");
        sums(d, k) = 0.0f;
        sums(d, cast<int>(label(r))) += input(d, r);
        sums.set_estimates({{0, length}, {0, 256}});
        ImageParam(label).set_estimates({{0, 100000}});
        const Offered o(sums);
        return o.choices.empty() ? std::nullopt : o.choices[0].blocks;
    };
    const auto two_for_each_core = [](const std::optional<DividedReduction> &d) {
        return d && d->kind == blocks && d->points == 12500;
    };
    // Four cores, and vectors of eight floats.
    EXPECT_TRUE(two_for_each_core(offered(8)));
    EXPECT_TRUE(two_for_each_core(offered(24)));
    EXPECT_FALSE(offered(32));
}

// The mean of each row lies in a row of its own, and does not make the image's columns rows.
TEST(Divisions, of_sums_of_rows_less_a_value_of_each_are_lanes) {
    Var y("y");
    const ImageParam input = image(Float(32), 1000, 640);
    const RDom r(0, 1000, "r");
    Halide::Func mean("mean"), squares("squares");
    mean(y) = input(0, y);
    squares(y) = 0.0f;
    squares(y) += pow(input(r, y) - mean(y), 2);
    squares.set_estimates({{0, 640}});
    const Offered o(squares);
    ASSERT_EQ(o.choices.size(), 1u);
    EXPECT_EQ(o.choices[0].lanes, (DividedReduction{squares.name(), 1, "r$x", lanes, 32}));
    EXPECT_EQ(o.choices[0].vector, 8);
}

TEST(Divisions, of_short_sums_are_fewer_lanes_or_none) {
    Var y("y");
    const auto offered = [&](int length) {
        const ImageParam input = image(Float(32), length, 640);
        const RDom r(0, length, "r");
        Halide::Func rows("rows");
        rows(y) = 0.0f;
        rows(y) += input(r, y);
        rows.set_estimates({{0, 640}});
        const Offered o(rows);
        const auto &lanes = o.choices.at(0).lanes;
        return lanes ? lanes->points : 0;
    };
    EXPECT_EQ(offered(15), 0);
    EXPECT_EQ(offered(64), 16);
    EXPECT_EQ(offered(127), 16);
    EXPECT_EQ(offered(128), 32);
}

// Of blocks that lie beside each other one lane holds a column; of windows that overlap a row of the image has as many
// sums.
TEST(Divisions, of_blocks_are_their_columns) {
    Var x("x"), y("y");
    const auto offered = [&](int length, int step) {
        const ImageParam input = image(UInt(8), 64 * step + length, 64 * length);
        const RDom r(0, length, 0, length, "r");
        Halide::Func sums("sums"), out("out");
        sums(x, y) += Halide::cast<uint16_t>(input(step * x + r.x, length * y + r.y));
        out(x, y) = sums(x, y) / 2;
        out.set_estimates({{0, 64}, {0, 64}});
        const Offered o(out);
        for (const DivisionChoice &c : o.choices)
            if (c.lanes) return *c.lanes;
        return DividedReduction{};
    };
    EXPECT_EQ(offered(8, 8).loop, "r$x");
    EXPECT_EQ(offered(8, 8).points, 8);
    EXPECT_EQ(offered(16, 16).points, 16);
    EXPECT_EQ(offered(2, 2).points, 0) << "two loads side by side";
    EXPECT_EQ(offered(8, 1).points, 0) << "its points have vectors";
}

// At root its sums would be in memory, a row of unknown length apart.
TEST(Divisions, of_an_output_that_sums_up_are_one_part) {
    Var x("x"), y("y");
    Halide::Func product = product_of_images(640), reader("reader");
    reader(x, y) = product(x, y) + 1;
    reader.set_estimates({{0, 640}, {0, 640}});
    const Offered o(product);
    ASSERT_EQ(o.choices.size(), 1u);
    EXPECT_EQ(o.choices[0].whole, (DividedReduction{product.name(), 1, "k$x", blocks, 640}));
    EXPECT_FALSE(o.choices[0].blocks || o.choices[0].lanes);
    EXPECT_TRUE(Offered(reader).choices.empty());
}

// Of equal values the first counts, so that Halide proves no order of the iterations to be free.
TEST(Divisions, are_not_offered_for_where_the_maximum_is) {
    const ImageParam input = image(UInt(8), 1000, 640);
    const RDom r(0, input.width(), 0, input.height(), "r");
    Halide::Func best("best");
    best() = Tuple(0, 0, cast<uint8_t>(0));
    const Expr better = input(r.x, r.y) > best()[2];
    best() = Tuple(select(better, r.x, best()[0]), select(better, r.y, best()[1]),
                   select(better, input(r.x, r.y), best()[2]));
    EXPECT_TRUE(Offered(best).choices.empty());
}

TEST(Divisions, of_sums_beside_each_other_are_lanes) {
    Var y("y");
    const ImageParam input = image(Float(32), 1000, 640);
    const RDom r(0, 1000, "r");
    Halide::Func moments("moments");
    moments(y) = Tuple(0.0f, 0.0f);
    moments(y) = Tuple(moments(y)[0] + input(r, y), moments(y)[1] + input(r, y) * input(r, y));
    moments.set_estimates({{0, 640}});
    const Offered o(moments);
    ASSERT_EQ(o.choices.size(), 1u);
    EXPECT_EQ(o.choices[0].lanes, (DividedReduction{moments.name(), 1, "r$x", lanes, 32}));
}

TEST(Divisions, are_not_offered_for_scans_and_scheduled_funcs) {
    Var x("x");
    const ImageParam input = image(Int(32), 100'000, 1);
    const RDom r(1, 99'999, "r"), all(0, 100'000, "all");
    Halide::Func scan("scan"), sum("sum"), out("out");
    scan(x) = input(x, 0);
    scan(r) = scan(r - 1) * 3 + input(r, 0);
    sum() = 0;
    sum() += input(all, 0);
    sum.compute_root();
    out(x) = scan(x) + sum();
    out.set_estimates({{0, 100'000}});
    EXPECT_TRUE(Offered(out).choices.empty());
}

// out = f(what is read by it): whether a copy of f is offered.
struct CopiesOfSums : ::testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input = image(Float(32), 640, 640);
    Halide::Func f{"f"}, out{"out"};
    RDom k{0, input.width(), "k"};  // as long as the image is

    void SetUp() override {
        f(x, y) = 0.0f;
        f(x, y) += input(x, k) * input(k, y);
    }
    std::vector<DividedReduction> offered() {
        out.set_estimates({{0, 640}, {0, 640}});
        const BuiltGraph built = SmallPipeline{{out}}.build();
        return copy_choices(built.graph, machine());
    }
    std::vector<DividedReduction> of_f() const {
        return {{f.name(), 1, "", DividedReduction::Kind::Copy, 0}};
    }
};

TEST_F(CopiesOfSums, are_offered_where_the_next_product_reads_them) {
    out(x, y) = 0.0f;
    out(x, y) += f(k, y) * input(x, k);
    EXPECT_EQ(offered(), of_f());
}

TEST_F(CopiesOfSums, are_offered_where_two_read_them) {
    Halide::Func other("other");
    other(x, y) = 0.0f;
    other(x, y) += f(x, y) * input(k, y);
    out(x, y) = f(x, y) + other(x, y);
    EXPECT_EQ(offered(), of_f());
}

TEST_F(CopiesOfSums, are_not_offered_where_tiles_of_a_reader_do_the_same) {
    out(x, y) = f(x, y) + 1.0f;
    EXPECT_TRUE(offered().empty());
}

TEST_F(CopiesOfSums, are_not_offered_where_a_stencil_reads_them) {
    const RDom taps(0, 5, "taps");
    out(x, y) = 0.0f;
    out(x, y) += f(x + taps, y) * input(x, taps);
    EXPECT_TRUE(offered().empty());
}

// The compiler knows the strides.
TEST_F(CopiesOfSums, are_not_offered_where_rows_have_a_constant_length) {
    const RDom few(0, 64, "few");
    out(x, y) = 0.0f;
    out(x, y) += f(few, y) * input(x, few);
    EXPECT_TRUE(offered().empty());
}

TEST_F(CopiesOfSums, are_not_offered_of_what_sums_nothing_up) {
    Halide::Func g("g");
    g(x, y) = input(x, y);
    g(x, 0) = 0.0f;
    out(x, y) = 0.0f;
    out(x, y) += g(k, y) * input(x, k);
    EXPECT_TRUE(offered().empty());
}

}  // namespace
}  // namespace cryolite
