// hist: histogram equalisation of a colour photograph (Gonzalez and Woods, "Digital Image
// Processing", section 3.3): the luma's cumulative distribution is its own transfer curve. Colours
// go through YCbCr (ITU-R BT.601) in 8-bit fixed point, so the result is exact in integers; only
// the luma is changed.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Hist : public App<Hist> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const Expr r = cast<int32_t>(input(x, y, 0));
        const Expr g = cast<int32_t>(input(x, y, 1));
        const Expr b = cast<int32_t>(input(x, y, 2));
        // BT.601 with full range; the weights of each row sum to 256 or to 0.
        luma(x, y) = cast<uint8_t>((77 * r + 150 * g + 29 * b + 128) >> 8);
        chroma_blue(x, y) = cast<int16_t>((128 * b - 43 * r - 85 * g + 128) >> 8);
        chroma_red(x, y) = cast<int16_t>((128 * r - 107 * g - 21 * b + 128) >> 8);

        pixels = RDom(0, input.width(), 0, input.height(), "pixels");
        histogram(bin) = 0;
        histogram(luma(pixels.x, pixels.y)) += 1;

        RDom bins(1, 255, "bins");
        cumulative(bin) = 0;
        cumulative(0) = histogram(0);
        cumulative(bins) = cumulative(bins - 1) + histogram(bins);

        const Expr total = cast<uint64_t>(input.width()) * cast<uint64_t>(input.height());
        curve(bin) = cast<uint8_t>((cast<uint64_t>(cumulative(bin)) * 255 + total / 2) / total);

        const Expr new_luma = cast<int32_t>(curve(luma(x, y)));
        const Expr cb = cast<int32_t>(chroma_blue(x, y));
        const Expr cr = cast<int32_t>(chroma_red(x, y));
        const Expr red = new_luma + ((359 * cr + 128) >> 8);
        const Expr green = new_luma - ((88 * cb + 183 * cr + 128) >> 8);
        const Expr blue = new_luma + ((454 * cb + 128) >> 8);
        output(x, y, c) = cast<uint8_t>(clamp(mux(c, {red, green, blue}), 0, 255));
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<uint16_t>();
        // Histograms of strips in parallel, then their sum. Within a strip, neighbouring pixels
        // count in four separate tables: in a photograph they mostly fall into the same bin, and an
        // increment would wait for the previous one's store. The luma of a row is made by vectors
        // just before it is counted.
        const int bin_vec = natural_vector_size<int32_t>();
        RVar strip("strip"), row("row"), group("group"), neighbour("neighbour");
        Var part("part"), table("table");
        histogram.compute_root().vectorize(bin, bin_vec);
        histogram.update().split(pixels.y, strip, row, 64).split(pixels.x, group, neighbour, 4);
        Func partial = histogram.update().rfactor({{strip, part}, {neighbour, table}});
        partial.compute_root().parallel(part).vectorize(bin, bin_vec);
        partial.update().reorder(table, group, row, part).unroll(table).parallel(part);
        luma.in(partial).compute_at(partial, row).vectorize(x, vec, TailStrategy::GuardWithIf);
        histogram.update().reorder(bin, neighbour, strip).vectorize(bin, bin_vec).unroll(neighbour);
        cumulative.compute_root();
        cumulative.update(0).unscheduled();
        cumulative.update(1).unscheduled();  // a serial scan of 256 values
        curve.compute_root();

        Var chunk("chunk"), line("line"), lane("lane");
        output.bound(c, 0, 3)
            .split(y, chunk, line, 32, TailStrategy::GuardWithIf)
            .split(x, x, lane, vec, TailStrategy::GuardWithIf)
            .reorder(lane, c, x, line, chunk)
            .parallel(chunk)
            .unroll(c)
            .vectorize(lane);
    }

    void manual_gpu() {
        // A block counts a strip of rows in shared memory by atomic increments, then the strips'
        // histograms are added up. The scan of 256 values is one thread's work.
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        RVar strip("strip"), row("row"), group("group"), pixel("pixel");
        Var part("part");
        histogram.compute_root().gpu_tile(bin, block_x, thread_x, 64, guard);
        histogram.update().split(pixels.y, strip, row, 8);
        Func partial = histogram.update().rfactor({{strip, part}});
        histogram.update().gpu_tile(bin, block_x, thread_x, 64, guard);
        Func stored = partial.in();
        stored.compute_root().gpu_blocks(part).gpu_threads(bin);
        partial.compute_at(stored, part).gpu_threads(bin);
        partial.update().atomic().split(pixels.x, group, pixel, 256).gpu_threads(pixel);
        cumulative.compute_root().gpu_tile(bin, block_x, thread_x, 64, guard);
        cumulative.update(0).gpu_single_thread();
        cumulative.update(1).gpu_single_thread();
        curve.compute_root().gpu_tile(bin, block_x, thread_x, 64, guard);
        output.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, block_x, block_y, thread_x,
                                                                  thread_y, 32, 8, guard);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, bin{"bin"};
    RDom pixels;
    Func luma{"luma"}, chroma_blue{"chroma_blue"}, chroma_red{"chroma_red"};
    Func histogram{"histogram"}, cumulative{"cumulative"}, curve{"curve"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Hist, hist)
