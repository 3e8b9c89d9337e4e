#include "tests/semantics/opencl_device.h"

#include <sys/wait.h>
#include <unistd.h>

namespace cryolite {

Halide::Target opencl_target() {
    return Halide::get_host_target().with_feature(Halide::Target::OpenCL);
}

Halide::Target cuda_target() {
    return Halide::get_host_target()
        .with_feature(Halide::Target::CUDA)
        .with_feature(Halide::Target::CUDACapability80);
}

std::string why_no_opencl() {
    const pid_t child = fork();
    if (child < 0) return "no process to try OpenCL in";
    if (child == 0) {
        bool right = false;
        try {
            Halide::Func f("kernel");
            const Halide::Var x("x"), thread("thread");
            f(x) = x * 3;
            f.gpu_tile(x, thread, 8, Halide::TailStrategy::GuardWithIf);
            const Halide::Buffer<int32_t> found = f.realize({20}, opencl_target());
            right = found(0) == 0 && found(19) == 57;
        } catch (...) {
        }
        _exit(right ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
    return "no OpenCL device that runs a kernel";
}

}  // namespace cryolite
