// heat2d: the heat equation on a plate in explicit steps, with the five-point Laplacian, after the
// kernel of this name in Baghdadi et al., "Tiramisu" (CGO 2019, section 7). One call makes `steps`
// time steps. The rim of the plate keeps its temperature (Dirichlet's condition), so a step treats
// inner points and the rim differently, unlike jacobi.
//
// rate = diffusivity * time step / square of the grid's spacing; stable up to 1/4.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"
#include "apps/stencils/overlapped_steps.h"

namespace cryolite::apps {

class Heat2d : public App<Heat2d> {
public:
    GeneratorParam<int> steps{"steps", 4, 1, 64};
    Input<Buffer<float, 2>> input{"input"};
    Input<float> rate{"rate", 0.2f, 0.0f, 0.25f};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        const Expr right_end = input.dim(0).max(), lower_end = input.dim(1).max();
        const Expr left_end = input.dim(0).min(), upper_end = input.dim(1).min();
        const Expr inner = x > left_end && x < right_end && y > upper_end && y < lower_end;
        Func before = BoundaryConditions::repeat_edge(input);
        for (int i = 1; i <= steps; i++) {
            Func step("step_" + std::to_string(i));
            const Expr laplacian = before(x - 1, y) + before(x + 1, y) + before(x, y - 1) +
                                   before(x, y + 1) - 4.0f * before(x, y);
            step(x, y) = before(x, y) + select(likely(inner), rate * laplacian, 0.0f);
            stages.push_back(step);
            before = BoundaryConditions::repeat_edge(
                step, {{left_end, input.dim(0).extent()}, {upper_end, input.dim(1).extent()}});
        }
        output(x, y) = stages.back()(x, y);
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width}, {0, height}});
        rate.set_estimate(0.2f);
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        schedule_steps_for_cpu({output, stages, x, y, group}, natural_vector_size<float>());
    }

    void manual_gpu() { schedule_steps_for_gpu({output, stages, x, y, group}); }

private:
    static constexpr int group = 4;  // steps between two trips to memory

    Var x{"x"}, y{"y"};
    std::vector<Func> stages;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Heat2d, heat2d)
