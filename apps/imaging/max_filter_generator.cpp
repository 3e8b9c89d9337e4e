// max_filter: the maximum over a disc around every pixel (greyscale dilation). As in van Herk's and
// Gil and Werman's filters ("Computing 2-D min, median, and max filters", PAMI 1993), the work per
// column of the disc does not grow with the column's height; here that is because a maximum may
// count an element twice: spans of 1, 2, 4, ... rows are made by doubling, and two overlapping ones
// cover a column of any height. The disc is the union of its columns.
//
// The image's edge pixels are repeated outwards, which for a disc is the same as looking only at
// the pixels inside the image.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class MaxFilter : public App<MaxFilter> {
public:
    GeneratorParam<int> radius{"radius", 26, 1, 127};
    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        clamped(x, y, c) = BoundaryConditions::repeat_edge(input)(x, y, c);

        // spans[t](x, y) is the maximum over the rows y .. y + 2^t - 1.
        spans = {clamped};
        while (2 << (spans.size() - 1) <= 2 * radius + 1) {
            const int half = 1 << (spans.size() - 1);
            Func twice("span_" + std::to_string(2 * half));
            twice(x, y, c) = max(spans.back()(x, y, c), spans.back()(x, y + half, c));
            spans.push_back(twice);
        }

        // Neighbouring columns of the disc's middle are equally tall and share one stage.
        std::map<int, Func> column_of_height;
        Expr maximum_of_disc;
        for (int i = 0; i <= radius; i++) {
            const int height = half_height(i);
            Func &column = column_of_height[height];
            if (!column.defined()) {
                size_t level = 0;
                while (2 << level <= 2 * height + 1) {
                    level++;
                }
                column = Func("column_" + std::to_string(height));
                column(x, y, c) = max(spans[level](x, y - height, c),
                                      spans[level](x, y + height + 1 - (1 << level), c));
                columns.push_back(column);
            }
            const Expr pair =
                i == 0 ? Expr(column(x, y, c)) : max(column(x - i, y, c), column(x + i, y, c));
            maximum_of_disc = i == 0 ? pair : max(maximum_of_disc, pair);
        }
        output(x, y, c) = maximum_of_disc;
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // Within a tile everything stays in the second cache level. A strip's tiles lie side by
        // side, so that a strip's rows of the input are still in cache for the next tile.
        const int vec = natural_vector_size<float>();
        Var strip("strip"), tile("tile"), xi("xi"), yi("yi");
        output.tile(x, y, tile, strip, xi, yi, 8 * vec, 64, TailStrategy::GuardWithIf)
            .reorder(xi, yi, tile, c, strip)
            .parallel(strip)
            .vectorize(xi, vec, TailStrategy::GuardWithIf);
        for (size_t t = 2; t < spans.size(); t++) {
            spans[t].compute_at(output, tile).vectorize(x, vec);
        }
        for (Func &column : columns) {
            column.compute_at(output, yi).vectorize(x, vec);
        }
    }

    void manual_gpu() {
        // A disc's halo is wider than a block, so spans go through global memory and L2; a thread
        // makes several rows, whose columns overlap in what they load.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        for (size_t t = 1; t < spans.size(); t++) {
            spans[t].compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 64, 8);
        }
        output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 64, 8,
                        TailStrategy::GuardWithIf);
    }

private:
    // Rows above the centre that belong to the column i pixels beside it. The quarter of a pixel
    // rounds the disc's outermost points.
    int half_height(int i) const {
        const double r = int(radius) + 0.25;
        return int(std::sqrt(r * r - double(i) * i));
    }

    Var x{"x"}, y{"y"}, c{"c"};
    Func clamped{"clamped"};
    std::vector<Func> spans, columns;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::MaxFilter, max_filter)
