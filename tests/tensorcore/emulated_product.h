// Products of many shapes, run through Halide's CUDA runtime on the emulator and compared with plain C++.
#pragma once

#include <Halide.h>

#include <optional>
#include <string>
#include <vector>

#include "schedule/kernel_shape.h"
#include "tensorcore/schedule_product.h"

namespace cryolite::tensorcore::test {

enum class Finish {
    StoreZero,    // c = 0; c += a b, stored
    StoreLoaded,  // c = input; c += a b, stored
    BiasRelu,     // max(c + bias, 0), in the type of the sums
    Residual,     // c * scale + residual, narrowed
    Turned,       // the result's dimensions in the other order
};
inline constexpr int kFinishes = 5;

// One program. Its sizes vary from run to run.
struct Program {
    ProductTypes types = {};
    Tile tile = {};
    int capability = 80;
    bool rows_turned = false;     // a(m, k) instead of a(k, m): the rows are neighbours in memory
    bool columns_turned = false;  // b(k, n) instead of b(n, k)
    bool is_batched = false;
    bool any_stride = false;  // the inner stride of a is not known to be 1
    Finish finish = Finish::BiasRelu;

    std::string text() const;
};

struct Sizes {
    int rows = 1, columns = 1, depth = 1, batch = 1;
    int first = 0;    // the min of every dimension
    int padding = 0;  // elements between the rows of the operands
    std::string text() const;
};

// A compiled program.
class EmulatedProduct {
public:
    explicit EmulatedProduct(const Program &program);

    // Empty if the result is right; otherwise what is wrong.
    std::string run(const Sizes &sizes, uint64_t seed);

    // The PTX of its kernels.
    const std::string &ptx() const { return *ptx_; }

private:
    Program program_;
    Halide::Target target_;
    Halide::ImageParam a_, b_, start_, bias_;
    Halide::Pipeline pipeline_;
    std::shared_ptr<std::string> ptx_;
};

}  // namespace cryolite::tensorcore::test
