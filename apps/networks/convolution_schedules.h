// How the convolutions of this group are scheduled by hand. All are direct convolutions with the
// channels innermost: a Func `layer` (bias, ReLU and the like) reads a Func `sum` whose update adds
// up filter(channel, ...) * input(i, ...). The one idea, for CPUs and GPUs: a block of the sum, some
// vectors of channels times some pixels, stays in registers while the loops over the filter run,
// so that every value of the filter serves all pixels and every input value all channels.
#pragma once

#include <Halide.h>

#include <vector>

namespace cryolite::apps {

// Accumulators of one block: vectors of channels times pixels.
struct RegisterBlock {
    int vectors = 1;
    int pixels = 1;
};

// The block for a layer of `channels` output channels; `pixels` is for 32 vector registers and two
// vectors. With one vector, twice as many pixels hide the latency of the sums; with 16 registers
// half as many fit.
inline RegisterBlock register_block(const Halide::Target &target, int channels, int pixels = 10) {
    const int vectors = channels >= 2 * target.natural_vector_size<float>() ? 2 : 1;
    const int all = vectors == 2 ? pixels : 2 * pixels;
    return {vectors, target.has_feature(Halide::Target::AVX512) ? all : all / 2};
}

// The dimensions and reduction loops (innermost first) of a convolution.
struct ConvolutionLoops {
    Halide::Var channel, x;
    std::vector<Halide::RVar> taps;
};

// Keeps `sum` in registers, block by block of `layer`, whose loops become: channels of the block,
// pixels of the block, blocks along x, blocks of channels, then the others as they were. Shifted
// tails keep all reads in bounds: the layer must be at least one block large.
inline void sum_in_registers(Halide::Func layer, Halide::Func sum, const ConvolutionLoops &loops,
                             int vec, RegisterBlock block) {
    const auto [c, x, taps] = loops;
    Halide::Var ci("ci"), xi("xi");
    layer.split(c, c, ci, block.vectors * vec, Halide::TailStrategy::ShiftInwards)
        .split(x, x, xi, block.pixels, Halide::TailStrategy::ShiftInwards)
        .reorder(ci, xi, x, c)
        .vectorize(ci, vec)
        .unroll(ci)
        .unroll(xi);
    sum.compute_at(layer, x)
        .bound_extent(c, block.vectors * vec)
        .bound_extent(x, block.pixels)
        .vectorize(c, vec)
        .unroll(c)
        .unroll(x);
    std::vector<Halide::VarOrRVar> order{c, x};
    order.insert(order.end(), taps.begin(), taps.end());
    sum.update().reorder(order).vectorize(c, vec).unroll(c).unroll(x).unroll(
        taps[0], 2, Halide::TailStrategy::GuardWithIf);
}

// The same on a GPU: a thread has 4 channels times 4 pixels, a block of threads 4 rows of 16 pixels
// and all or 64 of the channels. Neighbouring threads read neighbouring channels of the filter, and
// the same input values, which the first-level cache serves. `rest` are the dimensions above y,
// which become the grid's third dimension.
inline void sum_in_gpu_registers(Halide::Func layer, Halide::Func sum,
                                 const ConvolutionLoops &loops, Halide::Var y,
                                 const std::vector<Halide::Var> &rest, int channels) {
    const auto [c, x, taps] = loops;
    constexpr int thread_channels = 4, thread_pixels = 4, block_pixels = 16, block_rows = 4;
    constexpr auto shift = Halide::TailStrategy::ShiftInwards;
    Halide::Var ci("ci"), xi("xi"), yi("yi"), ct("ct"), xt("xt"), grid("grid");
    layer.split(c, c, ct, channels < 64 ? channels : 64, shift)
        .split(ct, ct, ci, thread_channels)
        .split(x, x, xt, block_pixels, shift)
        .split(xt, xt, xi, thread_pixels)
        .split(y, y, yi, block_rows, Halide::TailStrategy::GuardWithIf)
        .reorder(ci, xi, ct, xt, yi, c, x, y)
        .vectorize(ci)
        .unroll(xi)
        .gpu_threads(ct, xt, yi);
    grid = y;
    for (const Halide::Var &dimension : rest) {
        const Halide::Var fused("grid_" + dimension.name());
        layer.fuse(grid, dimension, fused);
        grid = fused;
    }
    layer.gpu_blocks(c, x, grid);
    sum.compute_at(layer, ct)
        .bound_extent(c, thread_channels)
        .bound_extent(x, thread_pixels)
        .vectorize(c)
        .unroll(x);
    std::vector<Halide::VarOrRVar> order{c, x};
    order.insert(order.end(), taps.begin(), taps.end());
    sum.update().reorder(order).vectorize(c).unroll(x);
}

}  // namespace cryolite::apps
