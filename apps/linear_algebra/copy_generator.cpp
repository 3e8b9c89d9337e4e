// copy: a float matrix copied ("copy" of Sioutas et al., "Loop transformations leveraging hardware
// prefetching", CGO 2018). The bandwidth of memory is all there is to it: a scheduler must not make
// it worse.
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/elementwise_schedule.h"

namespace cryolite::apps {

class Copy : public App<Copy> {
public:
    GeneratorParam<int> size{"size", 4096};  // of the estimates
    Input<Buffer<float, 2>> a{"a"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() { output(x, y) = a(x, y); }

    void estimates() {
        a.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() { schedule_elementwise_for_cpu(output, get_target()); }

    void manual_gpu() { schedule_elementwise_for_gpu(output); }

private:
    Var x{"x"}, y{"y"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Copy, copy)
