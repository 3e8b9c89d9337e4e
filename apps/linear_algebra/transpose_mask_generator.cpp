// transpose_mask: a matrix of 32-bit integers transposed and then masked with another by a bitwise
// and ("tpm" of Sioutas et al., "Loop transformations leveraging hardware prefetching", CGO 2018).
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/transpose_schedule.h"

namespace cryolite::apps {

class TransposeMask : public App<TransposeMask> {
public:
    GeneratorParam<int> size{"size", 4096};  // of the estimates
    Input<Buffer<uint32_t, 2>> a{"a"};       // read transposed
    Input<Buffer<uint32_t, 2>> b{"b"};
    Output<Buffer<uint32_t, 2>> output{"output"};

    void generate() { output(x, y) = a(y, x) & b(x, y); }

    void estimates() {
        a.set_estimates({{0, size}, {0, size}});
        b.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() { schedule_transpose_for_cpu(output, a.in(), get_target()); }

    void manual_gpu() { schedule_transpose_for_gpu(output, a.in()); }

private:
    Var x{"x"}, y{"y"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::TransposeMask, transpose_mask)
