// How inputs and outputs lie in memory, as their constraints say.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using Order = std::vector<int>;
using Strides = std::vector<int64_t>;

struct Layouts : testing::Test {
    Var x{"x"}, y{"y"}, c{"c"};
    ImageParam in{UInt(8), 3, "in"};
    Halide::Func out{"out"};

    void SetUp() override { out(x, y, c) = in(x, y, c) + cast<uint8_t>(1); }
    BuiltGraph built(int colours = 3) {
        test::estimate(in, {640, 480, colours});
        test::estimate(out, {640, 480, colours});
        return test::build({out});
    }
    const Func &input(const BuiltGraph &of) { return test::func(of, in.name()); }
    const Func &output(const BuiltGraph &of) { return test::func(of, out); }
    // Pixels are `stride` elements apart.
    template <typename Buffer>
    static void interleave(Buffer buffer, int stride) {
        buffer.dim(0).set_stride(stride);
        buffer.dim(2).set_stride(1);
    }
};

TEST_F(Layouts, ArePlanarIfNothingIsSaid) {
    const BuiltGraph b = built();
    for (const Func *f : {&input(b), &output(b)}) {
        EXPECT_EQ(f->strides, (Strides{1, 0, 0}));
        EXPECT_EQ(f->storage_order, (Order{0, 1, 2}));
        EXPECT_EQ(row_dim(*f), 0);
        EXPECT_EQ(interleaved_colours(*f), 1);
    }
}

TEST_F(Layouts, OfInterleavedColoursAreThoseOfPixels) {
    interleave(in, 3);
    interleave(out.output_buffer(), 3);
    const BuiltGraph b = built();
    for (const Func *f : {&input(b), &output(b)}) {
        EXPECT_EQ(f->strides, (Strides{3, 0, 1}));
        EXPECT_EQ(f->storage_order, (Order{2, 0, 1}));
        EXPECT_EQ(row_dim(*f), 0);
        EXPECT_EQ(interleaved_colours(*f), 3);
    }
}

// Three colours of pixels with four bytes.
TEST_F(Layouts, OfPixelsMayHaveGaps) {
    interleave(in, 4);
    const BuiltGraph b = built();
    EXPECT_EQ(row_dim(input(b)), 0);
    EXPECT_EQ(interleaved_colours(input(b)), 3);
}

TEST_F(Layouts, OfManyChannelsHaveRowsOfChannels) {
    interleave(in, 64);
    const BuiltGraph b = built(64);
    EXPECT_EQ(input(b).storage_order, (Order{2, 0, 1}));
    EXPECT_EQ(row_dim(input(b)), 2);
    EXPECT_EQ(interleaved_colours(input(b)), 1);
}

TEST_F(Layouts, MayBeByColumns) {
    in.dim(0).set_stride(Expr());
    in.dim(1).set_stride(1);
    const BuiltGraph b = built();
    EXPECT_EQ(input(b).strides, (Strides{0, 1, 0}));
    EXPECT_EQ(input(b).storage_order, (Order{1, 0, 2}));
}

TEST_F(Layouts, AreUnknownWhereTheUserLeavesThemOpen) {
    in.dim(0).set_stride(Expr());
    out.output_buffer().dim(0).set_stride(in.dim(0).stride());
    const BuiltGraph b = built();
    EXPECT_EQ(input(b).strides, (Strides{0, 0, 0}));
    EXPECT_EQ(output(b).strides, (Strides{0, 0, 0}));
    EXPECT_EQ(input(b).storage_order, (Order{0, 1, 2}));
}

TEST_F(Layouts, OfEmbeddedBuffersAreTheirOwn) {
    const Buffer<uint8_t> image = Buffer<uint8_t>::make_interleaved(64, 48, 3);
    out = Halide::Func("of_image");
    out(x, y, c) = image(x, y, c) + cast<uint8_t>(1);
    test::estimate(out, {64, 48, 3});
    const BuiltGraph b = test::build({out});
    const Func &embedded = test::func(b, image.name());
    EXPECT_EQ(embedded.strides, (Strides{3, 192, 1}));
    EXPECT_EQ(embedded.storage_order, (Order{2, 0, 1}));
}

TEST_F(Layouts, OfTuplesAreKnownIfAllElementsHaveTheSame) {
    out = Halide::Func("pair");
    out(x, y, c) = Tuple(in(x, y, c), in(x, y, c));
    test::estimate(in, {640, 480, 3});
    test::estimate(out, {640, 480, 3});
    interleave(out.output_buffers()[0], 3);
    interleave(out.output_buffers()[1], 4);
    const BuiltGraph b = test::build({out});
    EXPECT_EQ(output(b).strides, (Strides{0, 0, 1}));
}

}  // namespace
}  // namespace cryolite
