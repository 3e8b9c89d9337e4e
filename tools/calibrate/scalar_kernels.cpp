// The kernels over scalars: what a loop that is not vectorised costs.
#include "tools/calibrate/arithmetic_kernels.h"
#include "tools/calibrate/kernels.h"
#include "tools/calibrate/throughput.h"

#include <cmath>

namespace cryolite::calibrate {
namespace {

struct ScalarLanes {
    template <typename T>
    using of = T;
    static constexpr int integer_chains = 8;  // there are fewer general registers

    template <typename To, typename From>
    static CRYOLITE_INLINE To convert(From a) {
        return static_cast<To>(a);
    }
    static CRYOLITE_INLINE float square_root(float a) { return __builtin_sqrtf(a); }
    template <int copies>
    static CRYOLITE_INLINE void repeat_widen(int64_t n) {
        repeat_independent<copies>(n, uint8_t{200}, [](uint8_t a) { return uint32_t{a}; });
    }
    template <int copies>
    static CRYOLITE_INLINE void repeat_narrow(int64_t n) {
        // Saturating: a truncation costs nothing.
        repeat_independent<copies>(n, int32_t{200},
                                   [](int32_t a) { return uint8_t(a < 255 ? a : 255); });
    }
};

using Arithmetic = ArithmeticKernels<ScalarLanes>;

constexpr int64_t elements = 256;
void strided_element(int64_t n, char *scratch) {
    const auto *from = reinterpret_cast<const float *>(scratch);
    for (int64_t i = 0; i < n; i++) {
        asm volatile("" : : : "memory");
#pragma GCC unroll 16
        for (int64_t k = 0; k < elements; k++) use(from[k * 5]);
    }
}
void gather_element(int64_t n, char *scratch) {
    const auto *from = reinterpret_cast<const float *>(scratch);
    auto *index = reinterpret_cast<int32_t *>(scratch + scratch_bytes / 2);
    for (int32_t k = 0; k < elements; k++) index[k] = k * 37 % 1024;
    for (int64_t i = 0; i < n; i++) {
        asm volatile("" : : : "memory");
#pragma GCC unroll 16
        for (int64_t k = 0; k < elements; k++) use(from[index[k]]);
    }
}

// The same loads with a branch and an address for each, and for every eight.
constexpr int64_t iterations = 1024;
template <int unrolled>
CRYOLITE_INLINE void loop(int64_t n, char *scratch) {
    const auto *from = reinterpret_cast<const float *>(scratch);
    for (int64_t i = 0; i < n; i++) {
        asm volatile("" : : : "memory");
#pragma GCC unroll 1
        for (int64_t k = 0; k < iterations; k += unrolled) {
#pragma GCC unroll 8
            for (int u = 0; u < unrolled; u++) use(from[k + u]);
        }
    }
}
void loop_rolled(int64_t n, char *scratch) { loop<1>(n, scratch); }
void loop_unrolled(int64_t n, char *scratch) { loop<8>(n, scratch); }

constexpr int divisions = 8;
void integer_divide_by_value(int64_t n, char *) {
    uint32_t divisor = 7;
    hide(divisor);
    for (int64_t i = 0; i < n; i++) {
#pragma GCC unroll 8
        for (uint32_t k = 0; k < divisions; k++) {
            uint32_t dividend = 1000000 + k;
            hide(dividend);
            use(dividend / divisor);
        }
    }
}

// One foreign function is cheap and one is not; both calls go through a pointer.
void extern_call_scalar(int64_t n, char *) {
    float (*volatile one_argument)(float) = std::tanh;
    float (*volatile two_arguments)(float, float) = std::atan2;
    float x = 0.3f;
    for (int64_t i = 0; i < n; i++) {
        hide(x);
        use(one_argument(x));
        hide(x);
        use(two_arguments(x, 0.7f));
    }
}

// One dependent addition of two registers a cycle on every processor, and none that a processor
// could fold, as it could additions of constants.
constexpr int additions = 64;
void dependent_additions(int64_t n, char *) {
    uint64_t sum = 1, x = 3;
    hide(x);
    for (int64_t i = 0; i < n; i++) {
#pragma GCC unroll 64
        for (int k = 0; k < additions; k++) {
            sum += x;
            hide(sum);
        }
    }
}

constexpr Kernel kernels[] = {
    CRYOLITE_ARITHMETIC_KERNELS(Arithmetic),
    {"strided_element", double(elements), strided_element},
    {"gather_element", double(elements), gather_element},
    {"loop_rolled", double(iterations), loop_rolled},
    {"loop_unrolled", double(iterations), loop_unrolled},
    {"extern_call_scalar", 2, extern_call_scalar},
    {"integer_divide_by_value", double(divisions), integer_divide_by_value},
    {"dependent_additions", double(additions), dependent_additions},
};
constexpr KernelSet set{"scalar", 0,      0, kernels, sizeof kernels / sizeof kernels[0],
                        nullptr,  nullptr};

}  // namespace

const KernelSet &scalar_kernels() { return set; }

const KernelSet &vector_kernels() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return avx512_kernels();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_kernels();
    return sse41_kernels();
#else
    return neon_kernels();
#endif
}

}  // namespace cryolite::calibrate
