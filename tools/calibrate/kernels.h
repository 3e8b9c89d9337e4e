// The loops that calibration times, one set per instruction set of the processor. The sets are
// compiled with flags that this computer may not have, so nothing here or in what their files
// include may define an inline function with external linkage: the linker keeps one copy of those,
// and it could be the one that this processor cannot run.
#pragma once

#include <cstdint>

namespace cryolite::calibrate {

// At least this many bytes, aligned to a page, which a kernel may overwrite.
constexpr int64_t scratch_bytes = 16 << 10;

struct Kernel {
    const char *name;   // a field of ArithmeticCosts, or what an experiment asks for
    double operations;  // in one repetition
    void (*run)(int64_t repetitions, char *scratch);
};

struct KernelSet {
    const char *name;
    int vector_bytes;  // 0: scalars
    int vector_registers;
    const Kernel *kernels;
    int kernel_count;
    // Reads `rows` rows of `bytes` bytes, whose starts are `distance` apart, one after the other.
    // Multiples of a 64-byte line.
    void (*read_rows)(const char *begin, int64_t rows, int64_t distance, int64_t bytes);
    // The same rows at once: the first line of each, then the second.
    void (*read_streams)(const char *begin, int64_t rows, int64_t distance, int64_t bytes);
};

const KernelSet &scalar_kernels();
// The widest that this processor runs.
const KernelSet &vector_kernels();

// Only the compiled ones are there; vector_kernels() chooses.
const KernelSet &sse41_kernels();
const KernelSet &avx2_kernels();
const KernelSet &avx512_kernels();
const KernelSet &neon_kernels();

}  // namespace cryolite::calibrate
