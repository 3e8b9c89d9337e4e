// transpose: a float matrix written with its rows and columns exchanged ("tp" of Sioutas et al.,
// "Loop transformations leveraging hardware prefetching", CGO 2018). Nothing is computed: what
// counts is how much of every cache line and page is used before it leaves.
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/transpose_schedule.h"

namespace cryolite::apps {

class Transpose : public App<Transpose> {
public:
    GeneratorParam<int> size{"size", 4096};  // of the estimates
    Input<Buffer<float, 2>> a{"a"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() { output(x, y) = a(y, x); }

    void estimates() {
        a.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() { schedule_transpose_for_cpu(output, a.in(), get_target()); }

    void manual_gpu() { schedule_transpose_for_gpu(output, a.in()); }

private:
    Var x{"x"}, y{"y"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Transpose, transpose)
