// The kernels over vectors. Compiled once per instruction set, with its flags and with
// CRYOLITE_KERNEL_SET and CRYOLITE_VECTOR_BYTES defined; see kernels.h on what that forbids.
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "tools/calibrate/arithmetic_kernels.h"
#include "tools/calibrate/kernels.h"
#include "tools/calibrate/throughput.h"

namespace cryolite::calibrate {
namespace {

constexpr int vector_bytes = CRYOLITE_VECTOR_BYTES;

template <typename T>
struct VectorOf {
    typedef T type __attribute__((vector_size(vector_bytes)));
};

// The intrinsics for what has no operator, under one name for every set.
#if CRYOLITE_VECTOR_BYTES == 64
using Bits = __m512i;
CRYOLITE_INLINE __m512 root(__m512 a) { return _mm512_sqrt_ps(a); }
CRYOLITE_INLINE Bits widen(Bits a) { return _mm512_cvtepu8_epi16(_mm512_castsi512_si256(a)); }
CRYOLITE_INLINE Bits narrow(Bits a) {
    const __m256i half = _mm512_cvtepi16_epi8(a);
    return _mm512_inserti64x4(_mm512_castsi256_si512(half), half, 1);
}
#elif CRYOLITE_VECTOR_BYTES == 32
using Bits = __m256i;
CRYOLITE_INLINE __m256 root(__m256 a) { return _mm256_sqrt_ps(a); }
CRYOLITE_INLINE Bits widen(Bits a) { return _mm256_cvtepu8_epi16(_mm256_castsi256_si128(a)); }
CRYOLITE_INLINE Bits narrow(Bits a) {
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(a, a), 0xd8);
}
#elif defined(__aarch64__)
using Bits = uint8x16_t;
CRYOLITE_INLINE float32x4_t root(float32x4_t a) { return vsqrtq_f32(a); }
CRYOLITE_INLINE Bits widen(Bits a) { return vreinterpretq_u8_u16(vmovl_u8(vget_low_u8(a))); }
CRYOLITE_INLINE Bits narrow(Bits a) {
    const uint16x8_t wide = vreinterpretq_u16_u8(a);
    return vmovn_high_u16(vmovn_u16(wide), wide);
}
#else
using Bits = __m128i;
CRYOLITE_INLINE __m128 root(__m128 a) { return _mm_sqrt_ps(a); }
CRYOLITE_INLINE Bits widen(Bits a) { return _mm_cvtepu8_epi16(a); }
CRYOLITE_INLINE Bits narrow(Bits a) { return _mm_packus_epi16(a, a); }
#endif

struct VectorLanes {
    template <typename T>
    using of = typename VectorOf<T>::type;
    static constexpr int integer_chains = chains;

    template <typename To, typename From>
    static CRYOLITE_INLINE of<To> convert(From a) {
        return __builtin_convertvector(a, of<To>);
    }
    static CRYOLITE_INLINE of<float> square_root(of<float> a) { return (of<float>)root(a); }

    // Halves of the narrow vectors are brought down and put together in the same number of
    // operations as are saved where the halves lie low already.
    template <int copies>
    static CRYOLITE_INLINE void repeat_widen(int64_t n) {
        repeat_independent<copies>(n, Bits{}, [](Bits a) { return widen(a); });
    }
    template <int copies>
    static CRYOLITE_INLINE void repeat_narrow(int64_t n) {
        repeat_independent<copies>(n, Bits{}, [](Bits a) { return narrow(a); });
    }
};

using Arithmetic = ArithmeticKernels<VectorLanes>;
using Floats = VectorLanes::of<float>;
using Ints = VectorLanes::of<int32_t>;
constexpr int lanes = vector_bytes / 4;
constexpr int stride = 5;  // more than the cost model would load whole vectors for

template <int... L>
struct Lane {
    static CRYOLITE_INLINE Floats reverse(Floats a) {
        return __builtin_shufflevector(a, a, (lanes - 1 - L)...);
    }
    static CRYOLITE_INLINE Floats evens(Floats a, Floats b) {
        return __builtin_shufflevector(a, b, (2 * L)...);
    }
    static CRYOLITE_INLINE Floats strided(const float *from) { return Floats{from[L * stride]...}; }
    static CRYOLITE_INLINE Floats gathered(const float *from, Ints index) {
        return Floats{from[index[L]]...};
    }
    static CRYOLITE_INLINE Ints indices() { return Ints{(L * 37 % 64)...}; }
};
#if CRYOLITE_VECTOR_BYTES == 64
using AllLanes = Lane<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
#elif CRYOLITE_VECTOR_BYTES == 32
using AllLanes = Lane<0, 1, 2, 3, 4, 5, 6, 7>;
#else
using AllLanes = Lane<0, 1, 2, 3>;
#endif

// Counted as the cost model does: a reversal is one shuffle, every second element of two are two.
void shuffle(int64_t n, char *) {
    Floats other{};
    hide(other);
    repeat_independent<4>(n, Floats{}, [](Floats a) { return AllLanes::reverse(a); });
    repeat_independent<4>(n, Floats{}, [=](Floats a) { return AllLanes::evens(a, other); });
}
constexpr double shuffles = 4 + 4 * 2;

constexpr int64_t assembled = 16;  // vectors put together from elements, in one repetition
void strided_element(int64_t n, char *scratch) {
    const auto *from = reinterpret_cast<const float *>(scratch);
    for (int64_t i = 0; i < n; i++) {
        asm volatile("" : : : "memory");
#pragma GCC unroll 1
        for (int64_t k = 0; k < assembled; k++) use(AllLanes::strided(from + k * 64));
    }
}
void gather_element(int64_t n, char *scratch) {
    const auto *from = reinterpret_cast<const float *>(scratch);
    Ints index = AllLanes::indices();
    for (int64_t i = 0; i < n; i++) {
        asm volatile("" : : : "memory");
#pragma GCC unroll 1
        for (int64_t k = 0; k < assembled; k++) {
            hide(index);
            use(AllLanes::gathered(from + k * 64, index));
        }
    }
}

constexpr int64_t line = 64;
CRYOLITE_INLINE void read_line(const char *from) {
    for (int64_t b = 0; b < line; b += vector_bytes)
        use(*reinterpret_cast<const Floats *>(from + b));
}

void read_rows(const char *begin, int64_t rows, int64_t distance, int64_t bytes) {
    for (int64_t r = 0; r < rows; r++, begin += distance) {
        int64_t b = 0;
        for (; b + 4 * line <= bytes; b += 4 * line)
            for (int64_t u = 0; u < 4; u++) read_line(begin + b + u * line);
        for (; b < bytes; b += line) read_line(begin + b);
    }
}

void read_streams(const char *begin, int64_t rows, int64_t distance, int64_t bytes) {
    for (int64_t b = 0; b < bytes; b += line)
        for (int64_t r = 0; r < rows; r++) read_line(begin + b + r * distance);
}

constexpr Kernel kernels[] = {
    CRYOLITE_ARITHMETIC_KERNELS(Arithmetic),
    {"shuffle", shuffles, shuffle},
    {"strided_element", double(assembled *lanes), strided_element},
    {"gather_element", double(assembled *lanes), gather_element},
};

#define CRYOLITE_TEXT_OF(x) #x
#define CRYOLITE_TEXT(x) CRYOLITE_TEXT_OF(x)
#define CRYOLITE_JOIN_OF(a, b) a##b
#define CRYOLITE_JOIN(a, b) CRYOLITE_JOIN_OF(a, b)
#if CRYOLITE_VECTOR_BYTES == 64 || defined(__aarch64__)
constexpr int registers = 32;
#else
constexpr int registers = 16;
#endif
constexpr KernelSet set{CRYOLITE_TEXT(CRYOLITE_KERNEL_SET), vector_bytes, registers,   kernels,
                        sizeof kernels / sizeof kernels[0], read_rows,    read_streams};

}  // namespace

const KernelSet &CRYOLITE_JOIN(CRYOLITE_KERNEL_SET, _kernels)() { return set; }

}  // namespace cryolite::calibrate
