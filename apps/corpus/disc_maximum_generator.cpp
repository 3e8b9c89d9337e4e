// disc_maximum: the maximum over a disc around every pixel, like max_filter, but written with tables,
// as one writes it when the radius is to be a small program's own business: a stack of images whose
// slice t holds maxima over 2^t rows, each slice made of the one before by doubling (after Gil and
// Werman, "Computing 2-D min, median, and max filters", PAMI 1993); two tables that say how tall the
// disc is some columns beside its middle and which slice covers half of that at least; and a
// reduction over the columns, each covered by two spans of its slice.
//
// So two of the stack's four indices are data: rows shifted by what a table says, in a slice that a
// table says. A slice refers to other rows of the stack, which makes its rows a loop of a reduction:
// tiles are as high as the image. The image's edge pixels are repeated outwards.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class DiscMaximum : public App<DiscMaximum> {
public:
    GeneratorParam<int> radius{"radius", 26, 1, 127};
    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        clamped(x, y, c) = BoundaryConditions::repeat_edge(input)(x, y, c);

        // stack(x, y, c, t) is the maximum over the rows y .. y + 2^t - 1. Below the margin, where no
        // slice is made, rows are all the image's last one, and so is a maximum over them.
        const int slices = slice_count(), margin = radius;
        doubling = RDom(input.dim(1).min() - margin, input.dim(1).extent() + 2 * margin, 1,
                        slices - 1, "doubling");
        const Expr row = doubling.x, half = span(doubling.y - 1);
        stack(x, y, c, t) = clamped(x, y, c);
        stack(x, row, c, doubling.y) =
            max(stack(x, row, c, doubling.y - 1), stack(x, row + half, c, doubling.y - 1));

        // Rows above the middle that belong to the disc, i columns beside its middle. The square is
        // that of the radius and a quarter of a pixel, which rounds the outermost points.
        const int furthest = radius, square = furthest * furthest + furthest / 2;
        const RDom rows(1, furthest, "rows"), halves(1, slices - 1, "halves");
        reach(i) = 0;
        reach(i) += select(i * i + rows * rows <= square, 1, 0);
        slice(i) = 0;
        slice(i) += select((1 << halves) <= 2 * reach(i) + 1, 1, 0);

        const Expr r = clamp(reach(i), 0, furthest), s = clamp(slice(i), 0, slices - 1);
        column(x, y, c, i) = max(stack(x, y - r, c, s), stack(x, y + r + 1 - span(s), c, s));
        columns = RDom(1, furthest, "columns");
        disc(x, y, c) = column(x, y, c, 0);
        disc(x, y, c) = max(disc(x, y, c), max(column(x - columns, y, c, columns),
                                               column(x + columns, y, c, columns)));
        output(x, y, c) = disc(x, y, c);
    }

    void estimates() {
        const int width = 1536, height = 1024;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // A strip of columns at a time, with its whole stack, and all columns of the disc for a row.
        const int vec = natural_vector_size<float>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var strip("strip"), xi("xi");
        reach.compute_root();
        slice.compute_root();
        output.split(x, strip, xi, 4 * vec, guard)
            .reorder(xi, y, c, strip)
            .parallel(strip)
            .vectorize(xi, vec, guard);
        stack.compute_at(output, c).vectorize(x, vec);
        stack.update().reorder(x, doubling.x, doubling.y, c).vectorize(x, vec);
        column.compute_at(output, y).vectorize(x, vec);
        disc.compute_at(output, xi).vectorize(x, vec);
        disc.update().reorder(x, columns).vectorize(x, vec);
    }

    void manual_gpu() {
        // Discs are wider than a block, so the stack goes through global memory.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        reach.compute_root();
        slice.compute_root();
        stack.compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8);
        stack.update().reorder(doubling.x, doubling.y, x, c).gpu_tile(x, block_x, thread_x, 64);
        output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8,
                        TailStrategy::GuardWithIf);
        disc.compute_at(output, thread_x);
    }

private:
    // Rows in a span of a slice; Halide cannot bound the power itself.
    Expr span(const Expr &s) const { return clamp(1 << s, 1, 1 << (slice_count() - 1)); }

    // The tallest span is the greatest power of two that a full column can hold.
    int slice_count() const {
        int slices = 1;
        while (1 << slices <= 2 * int(radius) + 1) {
            slices++;
        }
        return slices;
    }

    Var x{"x"}, y{"y"}, c{"c"}, t{"t"}, i{"i"};
    RDom doubling, columns;
    Func clamped{"clamped"}, stack{"stack"}, reach{"reach"}, slice{"slice"};
    Func column{"column"}, disc{"disc"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::DiscMaximum, disc_maximum)
