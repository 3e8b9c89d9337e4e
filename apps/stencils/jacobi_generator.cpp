// jacobi: Jacobi's method on a grid with nine points: a step replaces a value by the mean of its
// 3x3 neighbourhood, the iterated stencil of the literature on tiling over time. One call makes
// `fused` steps; a hundred steps are 100 / fused calls. Each step alone is bound by memory; fused
// steps have more arithmetic per byte the more halo their tiles recompute.
//
// The boundary is free: a neighbour outside of the grid is the nearest value on its edge, in every
// step, so that calls compose. The mean weighs all nine points alike.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"
#include "apps/stencils/overlapped_steps.h"

namespace cryolite::apps {

class Jacobi : public App<Jacobi> {
public:
    GeneratorParam<int> size{"size", 4000, 1, 32768};  // of the estimate, along both axes
    GeneratorParam<int> fused{"fused", 5, 1, 64};
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Func before = BoundaryConditions::repeat_edge(input);
        for (int i = 1; i <= fused; i++) {
            Func step("step_" + std::to_string(i));
            Expr sum = 0.0f;
            for (int dy = -1; dy <= 1; dy++) {
                // A row first: neighbouring rows share its sum wherever it is kept.
                sum += before(x - 1, y + dy) + before(x, y + dy) + before(x + 1, y + dy);
            }
            step(x, y) = sum * (1.0f / 9.0f);
            steps.push_back(step);
            before = BoundaryConditions::repeat_edge(step,
                                                     {{input.dim(0).min(), input.dim(0).extent()},
                                                      {input.dim(1).min(), input.dim(1).extent()}});
        }
        output(x, y) = steps.back()(x, y);
    }

    void estimates() {
        const int n = size;
        input.set_estimates({{0, n}, {0, n}});
        output.set_estimates({{0, n}, {0, n}});
    }

    void manual_cpu() {
        schedule_steps_for_cpu({output, steps, x, y, group}, natural_vector_size<float>());
    }

    void manual_gpu() { schedule_steps_for_gpu({output, steps, x, y, group}); }

private:
    static constexpr int group = 5;  // steps between two trips to memory

    Var x{"x"}, y{"y"};
    std::vector<Func> steps;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Jacobi, jacobi)
