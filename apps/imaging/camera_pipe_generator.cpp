// camera_pipe: from a camera's raw Bayer mosaic to an 8-bit picture, the pipeline of Adams et al.,
// "The Frankencamera" (SIGGRAPH 2010), in these steps: hot and dead pixels are clamped to their
// neighbours of the same colour; missing colours are interpolated along the direction of the
// smaller gradient, with Laplacian correction (Hamilton and Adams, US patent 5,629,734, 1997,
// expired) and by colour differences; colours are corrected by a matrix between those of a warm and
// a cool light; a curve applies black and white level, gamma and contrast; an unsharp mask ends.
//
// The mosaic's first row is green red green red, its second blue green. A frame of 16 columns and
// 24 rows at each side of the raw image feeds the filters and does not appear in the output, so no
// boundary condition is needed. Everything but the curve's table is integer arithmetic.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class CameraPipe : public App<CameraPipe> {
public:
    Input<Buffer<uint16_t, 2>> input{"input"};  // 10 bits, at least 2592 x 1968 for 2560 x 1920
    // Rows are red, green, blue of the output; columns those of the input and a constant.
    Input<Buffer<float, 2>> matrix_warm{"matrix_warm"};              // at 3200 K
    Input<Buffer<float, 2>> matrix_cool{"matrix_cool"};              // at 7000 K
    Input<float> colour_temperature{"colour_temperature", 3700.0f};  // kelvin
    Input<float> gamma{"gamma", 2.0f};
    Input<float> contrast{"contrast", 50.0f};  // percent
    Input<float> sharpen_strength{"sharpen_strength", 1.0f};
    Input<int> black_level{"black_level", 25};
    Input<int> white_level{"white_level", 1023};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const auto raw = [&](const Expr &u, const Expr &v) {
            return cast<int16_t>(input(u + 16, v + 24));
        };
        const Expr left = raw(x - 2, y), right = raw(x + 2, y);
        const Expr above = raw(x, y - 2), below = raw(x, y + 2);
        denoised(x, y) = clamp(raw(x, y), min(min(left, right), min(above, below)),
                               max(max(left, right), max(above, below)));

        // One half-size plane per position in the mosaic.
        green_r(x, y) = denoised(2 * x, 2 * y);  // the green of the red rows
        red(x, y) = denoised(2 * x + 1, 2 * y);
        blue(x, y) = denoised(2 * x, 2 * y + 1);
        green_b(x, y) = denoised(2 * x + 1, 2 * y + 1);  // the green of the blue rows

        green_at_red(x, y) =
            directed(red, green_r(x, y), green_r(x + 1, y), green_b(x, y - 1), green_b(x, y));
        green_at_blue(x, y) =
            directed(blue, green_b(x - 1, y), green_b(x, y), green_r(x, y), green_r(x, y + 1));

        // Colour differences are smoother than colours.
        red_excess(x, y) = red(x, y) - green_at_red(x, y);
        blue_excess(x, y) = blue(x, y) - green_at_blue(x, y);

        const Expr u = x / 2, v = y / 2;
        const auto by_site = [&](const Expr &at_green_r, const Expr &at_red, const Expr &at_blue,
                                 const Expr &at_green_b) {
            return select(y % 2 == 0, select(x % 2 == 0, at_green_r, at_red),
                          select(x % 2 == 0, at_blue, at_green_b));
        };
        const auto mean_of = [&](const Func &f, const Expr &u2, const Expr &v2) {
            return (f(u, v) + f(u2, v2)) >> 1;
        };
        const Expr red_diagonal = (red_excess(u - 1, v) + red_excess(u, v) +
                                   red_excess(u - 1, v + 1) + red_excess(u, v + 1)) >>
                                  2;
        const Expr blue_diagonal = (blue_excess(u, v - 1) + blue_excess(u, v) +
                                    blue_excess(u + 1, v - 1) + blue_excess(u + 1, v)) >>
                                   2;
        const Expr full_green =
            by_site(green_r(u, v), green_at_red(u, v), green_at_blue(u, v), green_b(u, v));
        const Expr full_red = by_site(green_r(u, v) + mean_of(red_excess, u - 1, v), red(u, v),
                                      green_at_blue(u, v) + red_diagonal,
                                      green_b(u, v) + mean_of(red_excess, u, v + 1));
        const Expr full_blue = by_site(green_r(u, v) + mean_of(blue_excess, u, v - 1),
                                       green_at_red(u, v) + blue_diagonal, blue(u, v),
                                       green_b(u, v) + mean_of(blue_excess, u + 1, v));
        demosaiced(x, y, c) = mux(c, {full_red, full_green, full_blue});

        // Light is mixed in mired (reciprocal kelvin), where equal steps look equal.
        const Expr warm = 1.0f / 3200, cool = 1.0f / 7000;
        const Expr coolness = (1.0f / colour_temperature - warm) / (cool - warm);
        matrix(i, c) = cast<int16_t>(
            round(lerp(matrix_warm(i, c), matrix_cool(i, c), clamp(coolness, 0.0f, 1.0f)) *
                  select(i < 3, 256.0f, 1.0f)));
        const auto term = [&](int channel) {
            return cast<int32_t>(matrix(channel, c)) * cast<int32_t>(demosaiced(x, y, channel));
        };
        corrected(x, y, c) = cast<int16_t>(((term(0) + term(1) + term(2)) >> 8) + matrix(3, c));

        const Expr linear = clamp(
            (cast<float>(i) - cast<float>(black_level)) / cast<float>(white_level - black_level),
            0.0f, 1.0f);
        const Expr bright = pow(linear, 1.0f / gamma);
        const Expr s_shaped = bright * bright * (3.0f - 2.0f * bright);
        const Expr toned = lerp(bright, s_shaped, clamp(contrast / 100.0f, 0.0f, 1.0f));
        curve(i) = cast<uint8_t>(clamp(toned * 255.0f + 0.5f, 0.0f, 255.0f));
        curved(x, y, c) = curve(cast<int32_t>(clamp(corrected(x, y, c), 0, 1023)));

        const auto one_two_one = [](const Expr &a, const Expr &b, const Expr &d) {
            return cast<int16_t>(a) + 2 * cast<int16_t>(b) + cast<int16_t>(d);
        };
        blurred_down(x, y, c) =
            one_two_one(curved(x, y - 1, c), curved(x, y, c), curved(x, y + 1, c));
        const Expr blurred = (one_two_one(blurred_down(x - 1, y, c), blurred_down(x, y, c),
                                          blurred_down(x + 1, y, c)) +
                              8) >>
                             4;
        strength() = cast<int16_t>(clamp(sharpen_strength * 32.0f, 0.0f, 127.0f));
        const Expr centre = cast<int16_t>(curved(x, y, c));
        const Expr sharpened = centre + (((centre - blurred) * strength()) >> 5);
        output(x, y, c) = cast<uint8_t>(clamp(sharpened, 0, 255));
    }

    void estimates() {
        const int width = 2560, height = 1920;
        input.set_estimates({{0, width + 32}, {0, height + 48}});
        matrix_warm.set_estimates({{0, 4}, {0, 3}});
        matrix_cool.set_estimates({{0, 4}, {0, 3}});
        colour_temperature.set_estimate(3700.0f);
        gamma.set_estimate(2.0f);
        contrast.set_estimate(50.0f);
        sharpen_strength.set_estimate(1.0f);
        black_level.set_estimate(25);
        white_level.set_estimate(1023);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // All stages slide down a strip together, two rows at a time (the period of the mosaic), so
        // that a task touches little memory and recomputes only the strip's first rows.
        const int vec16 = natural_vector_size<int16_t>();
        const int vec8 = natural_vector_size<uint8_t>();
        Var strip("strip"), pair("pair"), row("row"), xi("xi"), yi("yi");
        matrix.compute_root();
        strength.compute_root();
        curve.compute_root().vectorize(i, natural_vector_size<float>());
        output.bound(c, 0, 3)
            .align_bounds(y, 2)
            .split(y, strip, row, 64, TailStrategy::ShiftInwards)
            .split(row, pair, row, 2)
            .reorder(x, c, row, pair, strip)
            .unroll(row)
            .parallel(strip)
            .vectorize(x, vec8, TailStrategy::GuardWithIf);
        blurred_down.compute_at(output, c).vectorize(x, vec16);
        // The two parities of columns are two vectors, zipped on their way to memory; those of rows
        // are unrolled, so that no lane computes what a select throws away.
        curved.store_at(output, strip)
            .compute_at(output, pair)
            .fold_storage(y, 8)
            .align_bounds(x, 2)
            .align_bounds(y, 2)
            .tile(x, y, xi, yi, 2 * vec16, 2)
            .reorder(xi, yi, c, x, y)
            .vectorize(xi)
            .unroll(yi)
            .unroll(c);
        demosaiced.compute_at(curved, x)
            .bound_extent(c, 3)
            .align_bounds(x, 2)
            .align_bounds(y, 2)
            .split(x, x, xi, 2)
            .split(y, y, yi, 2)
            .reorder(xi, x, yi, c, y)
            .vectorize(x, vec16)
            .unroll(xi)
            .unroll(yi)
            .unroll(c);
        for (Func f : {green_at_red, green_at_blue, red_excess, blue_excess}) {
            f.store_at(output, strip)
                .compute_at(output, pair)
                .fold_storage(y, 4)
                .vectorize(x, vec16);
        }
        for (Func f : {green_r, red, blue, green_b, denoised}) {
            f.store_at(output, strip)
                .compute_at(output, pair)
                .fold_storage(y, 4)
                .vectorize(x, vec16, TailStrategy::GuardWithIf);
        }
    }

    void manual_gpu() {
        // Two kernels, up to the curve and the sharpening: the sharpening's halo over all of the
        // demosaicking would be recomputed otherwise. In the first a thread makes the four pixels
        // of one period of the mosaic, so that no site's formula is computed and thrown away, from
        // planes in shared memory.
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var xi("xi"), yi("yi");
        matrix.compute_root().gpu_tile(i, c, block_x, block_y, thread_x, thread_y, 4, 3, guard);
        strength.compute_root().gpu_single_thread();
        curve.compute_root().gpu_tile(i, block_x, thread_x, 256, guard);
        curved.compute_root()
            .bound(c, 0, 3)
            .align_bounds(x, 2)
            .align_bounds(y, 2)
            .tile(x, y, xi, yi, 2, 2)
            .reorder(c, xi, yi, x, y)
            .unroll(c)
            .unroll(xi)
            .unroll(yi)
            .gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, guard);
        demosaiced.compute_at(curved, thread_x)
            .bound_extent(c, 3)
            .align_bounds(x, 2)
            .align_bounds(y, 2)
            .reorder(c, x, y)
            .unroll(c)
            .unroll(x, 2)
            .unroll(y, 2);
        for (Func f : {green_at_red, green_at_blue, green_r, red, blue, green_b}) {
            f.compute_at(curved, block_x).tile(x, y, xi, yi, 32, 8, guard).gpu_threads(xi, yi);
        }
        output.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, block_x, block_y, thread_x,
                                                                  thread_y, 32, 8, guard);
    }

private:
    // The missing green at a pixel whose own colour is known in the plane `own`, from the
    // neighbours of known green: along rows or along columns, wherever less changes.
    Expr directed(const Func &own, const Expr &left, const Expr &right, const Expr &above,
                  const Expr &below) {
        const Expr bend_x = 2 * own(x, y) - own(x - 1, y) - own(x + 1, y);
        const Expr bend_y = 2 * own(x, y) - own(x, y - 1) - own(x, y + 1);
        const Expr change_x = cast<int16_t>(abs(left - right)) + cast<int16_t>(abs(bend_x));
        const Expr change_y = cast<int16_t>(abs(above - below)) + cast<int16_t>(abs(bend_y));
        const Expr along_x = (2 * (left + right) + bend_x) >> 2;
        const Expr along_y = (2 * (above + below) + bend_y) >> 2;
        return select(change_x < change_y, along_x, along_y);
    }

    Var x{"x"}, y{"y"}, c{"c"}, i{"i"};
    Func denoised{"denoised"}, green_r{"green_r"}, red{"red"}, blue{"blue"}, green_b{"green_b"};
    Func green_at_red{"green_at_red"}, green_at_blue{"green_at_blue"};
    Func red_excess{"red_excess"}, blue_excess{"blue_excess"}, demosaiced{"demosaiced"};
    Func matrix{"matrix"}, corrected{"corrected"}, curve{"curve"}, curved{"curved"};
    Func blurred_down{"blurred_down"}, strength{"strength"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::CameraPipe, camera_pipe)
