// game_of_life: thirty generations of Conway's cellular automaton (Gardner, Scientific American
// 223(4), 1970) in one call, on bytes that are 0 or 1. The plane has no borders: cells outside of the
// input begin dead and may be born, so that a generation needs a ring of cells more than the next.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"
#include "apps/stencils/overlapped_steps.h"

namespace cryolite::apps {

class GameOfLife : public App<GameOfLife> {
public:
    GeneratorParam<int> generations{"generations", 30, 1, 100};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Func before = BoundaryConditions::constant_exterior(input, cast<uint8_t>(0));
        for (int i = 1; i <= generations; i++) {
            Func born("generation_" + std::to_string(i));
            Expr neighbours = cast<uint8_t>(0);
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    if (dx != 0 || dy != 0) {
                        neighbours += before(x + dx, y + dy);
                    }
                }
            }
            // Three neighbours, or two and alive.
            born(x, y) = cast<uint8_t>((neighbours | before(x, y)) == 3);
            steps.push_back(born);
            before = born;
        }
        output(x, y) = before(x, y);
    }

    void estimates() {
        const int size = 2048;
        input.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() {
        schedule_steps_for_cpu({output, steps, x, y, group}, natural_vector_size<uint8_t>());
    }

    void manual_gpu() { schedule_steps_for_gpu({output, steps, x, y, 3}); }

private:
    static constexpr int group = 10;  // generations between two trips to memory

    Var x{"x"}, y{"y"};
    std::vector<Func> steps;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::GameOfLife, game_of_life)
