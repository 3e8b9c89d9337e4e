// How the kernels keep a compiler from seeing through them: values that pass through an empty
// assembler statement are neither known nor unused. See kernels.h on why all is in an anonymous
// namespace.
#pragma once

#include <cstdint>

#define CRYOLITE_INLINE inline __attribute__((always_inline))

namespace cryolite::calibrate {
namespace {

#if defined(__x86_64__) || defined(__i386__)
#if defined(__AVX512F__)
#define CRYOLITE_REGISTER "v"
#else
#define CRYOLITE_REGISTER "x"
#endif
#else
#define CRYOLITE_REGISTER "w"
#endif

template <typename T>
constexpr bool in_general_register = false;
template <>
constexpr bool in_general_register<uint8_t> = true;
template <>
constexpr bool in_general_register<int16_t> = true;
template <>
constexpr bool in_general_register<uint16_t> = true;
template <>
constexpr bool in_general_register<int32_t> = true;
template <>
constexpr bool in_general_register<uint32_t> = true;
template <>
constexpr bool in_general_register<uint64_t> = true;

// A value that the compiler knows nothing of from here on.
template <typename T>
CRYOLITE_INLINE void hide(T &value) {
    if constexpr (in_general_register<T>)
        asm volatile("" : "+r"(value));
    else
        asm volatile("" : "+" CRYOLITE_REGISTER(value));
}

// A value that must be computed.
template <typename T>
CRYOLITE_INLINE void use(const T &value) {
    if constexpr (in_general_register<T>)
        asm volatile("" : : "r"(value));
    else
        asm volatile("" : : CRYOLITE_REGISTER(value));
}

// `chains` chains of dependent operations side by side: as many as it takes for the throughput of
// the operation, and not its latency, to set the pace.
template <int chains, typename T, typename Operation>
CRYOLITE_INLINE void repeat_chains(int64_t repetitions, T start, Operation operation) {
    T chain[chains];
#pragma GCC unroll 16
    for (int c = 0; c < chains; c++) {
        chain[c] = start;
        hide(chain[c]);
    }
    for (int64_t i = 0; i < repetitions; i++) {
#pragma GCC unroll 16
        for (int c = 0; c < chains; c++) {
            chain[c] = operation(chain[c]);
            hide(chain[c]);
        }
    }
}

// Independent operations: for those whose result has another type than their operand.
template <int copies, typename T, typename Operation>
CRYOLITE_INLINE void repeat_independent(int64_t repetitions, T operand, Operation operation) {
    for (int64_t i = 0; i < repetitions; i++) {
#pragma GCC unroll 16
        for (int c = 0; c < copies; c++) {
            hide(operand);
            use(operation(operand));
        }
    }
}

}  // namespace
}  // namespace cryolite::calibrate
