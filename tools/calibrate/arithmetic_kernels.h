// The kernels of arithmetic, for vectors and for scalars alike. `Lanes` says which: `of<T>` is the
// type that holds T, and its static functions are what the language lacks for vectors.
// See kernels.h on why all is in an anonymous namespace.
#pragma once

#include "tools/calibrate/kernels.h"
#include "tools/calibrate/throughput.h"

namespace cryolite::calibrate {
namespace {

// Enough for two operations a cycle of a latency of six, and they fit into 16 registers.
constexpr int chains = 12;

template <typename Lanes>
struct ArithmeticKernels {
    template <typename T>
    using of = typename Lanes::template of<T>;

    template <typename T>
    static CRYOLITE_INLINE of<T> constant(T value) {
        of<T> v = of<T>{} + value;
        hide(v);
        return v;
    }

    static void float_add(int64_t n, char *) {
        const of<float> x = constant(1e-7f);
        repeat_chains<chains>(n, constant(1.f), [=](of<float> a) { return a + x; });
    }
    static void float_multiply(int64_t n, char *) {
        const of<float> x = constant(1.0000001f);
        repeat_chains<chains>(n, constant(1.f), [=](of<float> a) { return a * x; });
    }
    static void float_divide(int64_t n, char *) {
        const of<float> x = constant(1.0000001f);
        repeat_chains<chains>(n, constant(1.f), [=](of<float> a) { return a / x; });
    }
    static void float_square_root(int64_t n, char *) {
        repeat_independent<chains>(n, constant(3.7f),
                                   [](of<float> a) { return Lanes::square_root(a); });
    }
    // Addition, maximum, and, compare with select.
    static constexpr double simple_operations = 5 * Lanes::integer_chains;
    static void integer_simple(int64_t n, char *) {
        const of<int32_t> x = constant<int32_t>(3), y = constant<int32_t>(17);
        const of<int16_t> z = constant<int16_t>(5);
        repeat_chains<Lanes::integer_chains>(n, x, [=](of<int32_t> a) { return a + x; });
        repeat_chains<Lanes::integer_chains>(n, z, [=](of<int16_t> a) { return a > z ? a : z; });
        repeat_chains<Lanes::integer_chains>(n, x, [=](of<int32_t> a) { return a & y; });
        repeat_chains<Lanes::integer_chains>(n, x, [=](of<int32_t> a) { return a > x ? y : a; });
    }
    static constexpr int multiplications = 8;
    template <typename T>
    static void integer_multiply(int64_t n, char *) {
        const of<T> x = constant<T>(3);
        repeat_independent<multiplications>(n, constant<T>(1),
                                            [=](of<T> a) { return of<T>(a * x); });
    }
    static void integer_divide(int64_t n, char *) {
        repeat_independent<4>(n, constant<uint16_t>(40000),
                              [](of<uint16_t> a) { return of<uint16_t>(a / uint16_t{7}); });
        repeat_independent<4>(n, constant<uint32_t>(4000000000u),
                              [](of<uint32_t> a) { return of<uint32_t>(a / 7u); });
    }
    // Widening and narrowing of integers (Lanes), integer to float and back.
    static void cast(int64_t n, char *) {
        repeat_independent<4>(n, constant<int32_t>(1000),
                              [](of<int32_t> a) { return Lanes::template convert<float>(a); });
        repeat_independent<4>(n, constant(1000.f),
                              [](of<float> a) { return Lanes::template convert<int32_t>(a); });
        Lanes::template repeat_widen<4>(n);
        Lanes::template repeat_narrow<4>(n);
    }
    // exp(x) = 2^k exp(r), k the whole part of x / ln 2, with exp(r) by its Taylor polynomial: as many operations as a
    // vectorised exponential needs, with the selections for what overflows and underflows.
    static void transcendental(int64_t n, char *) {
        repeat_independent<4>(n, constant(1.234f), [](of<float> x) {
            const of<int32_t> k = Lanes::template convert<int32_t>(x * 1.44269504f);
            const of<float> whole = Lanes::template convert<float>(k);
            const of<float> r = x - whole * 0.693145752f - whole * 1.42860677e-6f;
            of<float> p = r * (1 / 720.f) + 1 / 120.f;
            p = p * r + 1 / 24.f;
            p = p * r + 1 / 6.f;
            p = p * r + 0.5f;
            p = p * r + 1.f;
            p = p * r + 1.f;
            const of<int32_t> exponent = (k + 127) << 23;
            of<float> scale;
            __builtin_memcpy(&scale, &exponent, sizeof scale);
            const of<float> infinite = of<float>{} + __builtin_inff();
            of<float> y = p * scale;
            y = k > 127 ? infinite : y;
            y = k < -126 ? of<float>{} : y;
            return y;
        });
    }
    static constexpr int64_t loaded = 4096 / int64_t{sizeof(of<float>)};
    static void load(int64_t n, char *scratch) {
        const auto *from = reinterpret_cast<const of<float> *>(scratch);
        for (int64_t i = 0; i < n; i++) {
#pragma GCC unroll 16
            for (int64_t k = 0; k < loaded; k++) use(from[k]);
        }
    }
    static void store(int64_t n, char *scratch) {
        auto *to = reinterpret_cast<of<float> *>(scratch);
        const of<float> x = constant(1.f);
        for (int64_t i = 0; i < n; i++) {
#pragma GCC unroll 16
            for (int64_t k = 0; k < loaded; k++) {
                to[k] = x;
                asm volatile("" : : : "memory");  // neither merged with others nor left out
            }
        }
    }
};

// The kernels of either kind, as the head of an initialiser list.
#define CRYOLITE_ARITHMETIC_KERNELS(K)                                                    \
    {"float_add", chains, K::float_add}, {"float_multiply", chains, K::float_multiply},   \
        {"float_divide", chains, K::float_divide},                                        \
        {"float_square_root", chains, K::float_square_root},                              \
        {"integer_simple", K::simple_operations, K::integer_simple},                      \
        {"integer_multiply_8", K::multiplications, K::integer_multiply<uint8_t>},         \
        {"integer_multiply_16", K::multiplications, K::integer_multiply<uint16_t>},       \
        {"integer_multiply_32", K::multiplications, K::integer_multiply<uint32_t>},       \
        {"integer_multiply_64", K::multiplications, K::integer_multiply<uint64_t>},       \
        {"integer_divide", 8, K::integer_divide}, {"cast", 16, K::cast},                  \
        {"transcendental", 4, K::transcendental}, {"load", double(K::loaded), K::load}, { \
        "store", double(K::loaded), K::store                                              \
    }

}  // namespace
}  // namespace cryolite::calibrate
