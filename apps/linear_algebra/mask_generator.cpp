// mask: a matrix of 32-bit integers masked with another by a bitwise and ("mask" of Sioutas et al.,
// "Loop transformations leveraging hardware prefetching", CGO 2018).
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/elementwise_schedule.h"

namespace cryolite::apps {

class Mask : public App<Mask> {
public:
    GeneratorParam<int> size{"size", 4096};  // of the estimates
    Input<Buffer<uint32_t, 2>> a{"a"};
    Input<Buffer<uint32_t, 2>> b{"b"};
    Output<Buffer<uint32_t, 2>> output{"output"};

    void generate() { output(x, y) = a(x, y) & b(x, y); }

    void estimates() {
        a.set_estimates({{0, size}, {0, size}});
        b.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() { schedule_elementwise_for_cpu(output, get_target()); }

    void manual_gpu() { schedule_elementwise_for_gpu(output); }

private:
    Var x{"x"}, y{"y"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Mask, mask)
