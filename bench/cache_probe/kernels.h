// The kernels whose cache misses are counted: small loop nests in Halide's language, of any size, with
// their estimates. Each has one output Func and reads float or integer images.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Halide.h>

#include "base/random.h"

namespace cryolite::bench {

struct KernelPipeline {
    Halide::Func output;
    std::vector<Halide::ImageParam> inputs;
};

// One number that a kernel's sizes are drawn from, both ends included.
struct SizeRange {
    int64_t low = 1, high = 1;
};

struct KernelKind {
    const char *name;
    const char *doc;
    std::vector<SizeRange> sizes;
    // Names of Funcs are the same each time in a process that has made no other pipeline.
    KernelPipeline (*make)(std::span<const int64_t> sizes);
};

const std::vector<KernelKind> &kernel_kinds();
// nullptr if there is none.
const KernelKind *find_kernel(const std::string &name);

// Odd, prime, a multiple of the vector's width, a power of two now and then, or just any.
std::vector<int64_t> draw_sizes(const KernelKind &kind, Random &random);

}  // namespace cryolite::bench
