// Dense linear algebra and what moves memory: what a harness needs to call them.
#include "apps/linear_algebra/linear_algebra_apps.h"

#include <string>
#include <utility>

#include "apps/common/app_arguments.h"

namespace cryolite::apps {
namespace {

// Sums of some 2000 terms of magnitude 1.
constexpr Tolerance long_sums{2e-3, 1e-4, 0.0};

constexpr double any_bits = 4294967295.0;  // the largest of u32

Argument matrix(std::string name, int size, std::uint64_t seed) {
    return noise(std::move(name), {size, size}, seed);
}

std::map<std::string, std::string> of_size(int size) { return {{"size", std::to_string(size)}}; }

std::vector<Argument> mat_mul_arguments(int size) {
    return {matrix("a", size, 11), matrix("b", size, 12), output(f32, {size, size})};
}

std::vector<Argument> gemm_arguments(int size) {
    return {scalar("alpha", f32, 1.5), scalar("beta", f32, 1.2), matrix("a", size, 11),
            matrix("b", size, 12),     matrix("c", size, 13),    output(f32, {size, size})};
}

std::vector<Argument> saxpy_arguments(int size) {
    return {scalar("alpha", f32, 1.5), noise("x", {size}, 11), noise("y", {size}, 12),
            output(f32, {size})};
}

}  // namespace

std::vector<AppDescription> linear_algebra_apps() {
    constexpr int polybench = 2048, moved = 4096;
    constexpr ElementType u32 = ElementType::UInt32;
    const Argument bits_a = noise("a", u32, {moved, moved}, 0.0, any_bits, 11);
    const Argument bits_b = noise("b", u32, {moved, moved}, 0.0, any_bits, 12);
    const Argument bits_output = output(u32, {moved, moved});
    return {
        {"mat_mul", mat_mul_arguments(1536), long_sums},
        {"mat_mul_2048", mat_mul_arguments(2048), long_sums, "mat_mul", of_size(2048)},
        {"gemm", gemm_arguments(polybench), long_sums},
        {"sgemm_1060", gemm_arguments(1060), long_sums, "gemm", of_size(1060)},
        {"three_mm",
         {matrix("a", polybench, 11), matrix("b", polybench, 12), matrix("c", polybench, 13),
          matrix("d", polybench, 14), output(f32, {polybench, polybench})},
         // The product of two matrices whose elements have a magnitude of 15.
         {0.5, 1e-4, 0.0}},
        {"trmm",
         {scalar("alpha", f32, 1.5), matrix("a", polybench, 11), matrix("b", polybench, 12),
          output(f32, {polybench, polybench})},
         long_sums},
        {"syrk",
         {scalar("alpha", f32, 1.5), scalar("beta", f32, 1.2), matrix("a", polybench, 11),
          matrix("c", polybench, 13), output(f32, {polybench, polybench})},
         long_sums},
        {"syr2k", gemm_arguments(polybench), long_sums},
        {"doitgen",
         {noise("a", {256, 256, 256}, 11), matrix("c4", 256, 12), output(f32, {256, 256, 256})},
         long_sums},
        {"transpose", {matrix("a", moved, 11), output(f32, {moved, moved})}, exact},
        {"transpose_mask", {bits_a, bits_b, bits_output}, exact},
        {"copy", {matrix("a", moved, 11), output(f32, {moved, moved})}, exact},
        {"mask", {bits_a, bits_b, bits_output}, exact},
        {"saxpy", saxpy_arguments(1 << 24), rounding},
        {"saxpy_1060", saxpy_arguments(1060), rounding, "saxpy", of_size(1060)},
    };
}

}  // namespace cryolite::apps
