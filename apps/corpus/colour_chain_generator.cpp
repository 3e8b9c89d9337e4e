// colour_chain: colours through ten affine maps, as a camera's and a monitor's profiles, a look and
// its corrections follow each other in a grading tool (the matrices of ASC's colour decision lists
// and of ICC profiles). Between two maps values are kept within 0 and 1, so that the ten cannot be
// multiplied into one.
//
// Every stage reads three channels of the one before: inlined, the last would compute the first
// 3^9 times.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class ColourChain : public App<ColourChain> {
public:
    GeneratorParam<int> maps{"maps", 10, 1, 64};
    Input<Buffer<float, 3>> input{"input"};
    Input<Buffer<float, 3>> matrices{"matrices"};  // (column, row, map); column 3 is added
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func before("colours");
        before(x, y, c) = input(x, y, c);
        for (int i = 0; i < maps; i++) {
            Func mapped("mapped_" + std::to_string(i));
            Expr sum = matrices(3, c, i);
            for (int j = 0; j < 3; j++) {
                sum += matrices(j, c, i) * before(x, y, j);
            }
            mapped(x, y, c) = clamp(sum, 0.0f, 1.0f);
            stages.push_back(mapped);
            before = mapped;
        }
        output(x, y, c) = before(x, y, c);
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        matrices.set_estimates({{0, 4}, {0, 3}, {0, maps}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // A few vectors of pixels through all maps: between two of them they are in registers or in
        // the first cache level.
        const int vec = natural_vector_size<float>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var strip("strip"), piece("piece");
        output.bound(c, 0, 3)
            .split(y, strip, y, 16, guard)
            .split(x, piece, x, 8 * vec, guard)
            .reorder(x, c, piece, y, strip)
            .unroll(c)
            .vectorize(x, vec, guard)
            .parallel(strip);
        for (Func &stage : stages) {
            stage.compute_at(output, piece).reorder(x, c).unroll(c).vectorize(x, vec, guard);
        }
    }

    void manual_gpu() {
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        output.bound(c, 0, 3)
            .tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf)
            .reorder(c, thread_x, thread_y, block_x, block_y)
            .unroll(c)
            .gpu_blocks(block_x, block_y)
            .gpu_threads(thread_x, thread_y);
        for (Func &stage : stages) {
            stage.compute_at(output, thread_x).unroll(c);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    std::vector<Func> stages;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::ColourChain, colour_chain)
