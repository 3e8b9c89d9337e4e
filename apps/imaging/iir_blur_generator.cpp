// iir_blur: a blur of infinite support by first-order recursive filters (Deriche, "Recursively
// implementing the Gaussian and its derivatives", 1993, in its simplest form): along every column
// an exponential average runs down and then back up; the image is transposed and the same is done
// again, which filters rows and turns the picture upright. alpha is the weight of a new pixel: 1
// leaves the image as it is, small values blur widely.
//
// Scans are serial along their axis, so the parallelism lies across columns, and the transposes
// decide how memory is walked.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class IirBlur : public App<IirBlur> {
public:
    Input<Buffer<float, 3>> input{"input"};
    Input<float> alpha{"alpha", 0.1f, 0.0f, 1.0f};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        first = column_pass("first", input, input.height());
        second = column_pass("second", first.transposed, input.width());
        output(x, y, c) = second.transposed(x, y, c);
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        alpha.set_estimate(0.1f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // One colour after the other: the transposed image between the passes is then a third as
        // large and stays in the last cache level.
        schedule_pass(first, first.transposed);
        schedule_pass(second, output);
        first.transposed.compute_at(output, c);
    }

    void manual_gpu() {
        schedule_pass_gpu(first, first.transposed);
        schedule_pass_gpu(second, output);
        first.transposed.compute_root();
    }

private:
    struct Pass {
        Func scan;  // down, then up, in place
        Func transposed;
        RDom down, up;
    };

    template <typename Source>
    Pass column_pass(const std::string &name, const Source &source, const Expr &height) {
        Pass pass{Func(name + "_scan"), Func(name + "_transposed"), RDom(1, height - 1), {}};
        pass.up = RDom(1, height - 1);
        pass.scan(x, y, c) = undef<float>();
        pass.scan(x, 0, c) = source(x, 0, c);
        pass.scan(x, pass.down, c) =
            pass.scan(x, pass.down - 1, c) * (1.0f - alpha) + source(x, pass.down, c) * alpha;
        const Expr row = height - 1 - pass.up;
        pass.scan(x, row, c) =
            pass.scan(x, row + 1, c) * (1.0f - alpha) + pass.scan(x, row, c) * alpha;
        pass.transposed(x, y, c) = pass.scan(y, x, c);
        return pass;
    }

    // The filtered columns never leave the cache: a task takes a band of columns of one colour,
    // filters it in scratch memory, and writes it out transposed. Several vectors side by side hide
    // the latency of the recurrence.
    void schedule_pass(Pass &pass, Func written) {
        const int vec = natural_vector_size<float>();
        const int vectors = 4;
        Var band("band"), xi("xi"), yi("yi"), lane("lane");
        // Shifted, not guarded, tails keep the scratch's bounds exact: images must be at least one
        // band wide and high.
        written.split(y, band, yi, vectors * vec, TailStrategy::ShiftInwards)
            .split(yi, yi, lane, vec)
            .split(x, x, xi, vec, TailStrategy::ShiftInwards)
            .reorder(xi, lane, yi, x, band, c)
            .vectorize(xi)
            .unroll(lane)
            .parallel(band);
        pass.scan.compute_at(written, band);
        pass.scan.update(0).vectorize(x, vec, TailStrategy::RoundUp);
        for (int stage = 1; stage <= 2; stage++) {
            pass.scan.update(stage)
                .split(x, x, lane, vec, TailStrategy::RoundUp)
                .reorder(lane, x, stage == 1 ? pass.down : pass.up, c)
                .vectorize(lane)
                .unroll(x);
        }
    }

    // A thread scans a column: there are no more independent ones. Small blocks spread them over
    // the whole GPU. The transposition goes through shared memory, so that reads and writes are
    // both along rows.
    void schedule_pass_gpu(Pass &pass, Func written) {
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var yi("yi"), row("row");
        pass.scan.compute_root();
        pass.scan.update(0).gpu_tile(x, block_x, thread_x, 32, guard).gpu_blocks(c);
        for (int stage = 1; stage <= 2; stage++) {
            const RVar along = stage == 1 ? pass.down.x : pass.up.x;
            pass.scan.update(stage)
                .split(x, block_x, thread_x, 32, guard)
                .reorder(along, thread_x, block_x, c)
                .gpu_threads(thread_x)
                .gpu_blocks(block_x, c);
        }
        written.split(x, block_x, thread_x, 32, guard)
            .split(y, block_y, yi, 32, guard)
            .split(yi, row, thread_y, 8)
            .reorder(row, thread_x, thread_y, block_x, block_y, c)
            .gpu_threads(thread_x, thread_y)
            .gpu_blocks(block_x, block_y, c);
        pass.scan.in(pass.transposed)
            .compute_at(written, block_x)
            .tile(x, y, thread_x, thread_y, 32, 8, guard)
            .gpu_threads(thread_x, thread_y);
    }

    Var x{"x"}, y{"y"}, c{"c"};
    Pass first, second;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::IirBlur, iir_blur)
