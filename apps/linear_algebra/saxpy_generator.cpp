// saxpy: output = alpha x + y over float vectors (SAXPY of the BLAS, which overwrites y). The
// estimate is a vector of 64 MB, beyond most caches; Tiramisu's evaluation (CGO 2019, section 7.2)
// has it at 1060, where only the cost of starting anything shows.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Saxpy : public App<Saxpy> {
public:
    GeneratorParam<int> size{"size", 1 << 24};  // of the estimates
    Input<float> alpha{"alpha"};
    Input<Buffer<float, 1>> x{"x"};
    Input<Buffer<float, 1>> y{"y"};
    Output<Buffer<float, 1>> output{"output"};

    void generate() { output(i) = alpha * x(i) + y(i); }

    void estimates() {
        alpha.set_estimate(1.5f);
        x.set_estimates({{0, size}});
        y.set_estimates({{0, size}});
        output.set_estimates({{0, size}});
    }

    void manual_cpu() {
        // Long enough that waking a thread for it pays; short vectors stay on the caller's, where
        // the loop ends with the vector rather than walking through an empty rest of the task.
        const int vec = natural_vector_size<float>();
        const int vectors_per_task = (1 << 16) / vec;
        Var ii("ii"), task("task");
        output.split(i, i, ii, vec, TailStrategy::GuardWithIf)
            .vectorize(ii)
            .split(i, task, i, vectors_per_task, TailStrategy::GuardWithIf)
            .parallel(task);
    }

    void manual_gpu() {
        constexpr int threads = 256;
        Var block("block"), thread("thread");
        output.gpu_tile(i, block, thread, threads, TailStrategy::GuardWithIf);
    }

private:
    Var i{"i"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Saxpy, saxpy)
