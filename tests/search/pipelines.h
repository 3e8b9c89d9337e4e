// Small Halide pipelines for the search's tests, each with estimates.
#pragma once

#include <Halide.h>

#include "graph/builder/build.h"
#include "machine/presets.h"

namespace cryolite::testing {

// What these tests schedule for.
inline Machine machine() {
    Machine m = *machine_preset("x86-avx2");
    m.cores = 4;
    return m;
}

struct SmallPipeline {
    std::vector<Halide::Func> outputs;
    BuiltGraph build() const {
        std::vector<Halide::Internal::Function> functions;
        for (const Halide::Func &f : outputs) functions.push_back(f.function());
        auto built = build_graph(functions, Halide::get_host_target());
        if (!built.ok()) throw std::runtime_error(built.error().message);
        return std::move(*built);
    }
};

inline Halide::ImageParam image(Halide::Type type, int width, int height) {
    Halide::ImageParam input(type, 2, "input");
    input.set_estimates({{0, width}, {0, height}});
    return input;
}

// Of two square images.
inline Halide::Func product_of_images(int size) {
    const Halide::Var x("x"), y("y");
    const Halide::ImageParam a = image(Halide::Float(32), size, size),
                             b = image(Halide::Float(32), size, size);
    const Halide::RDom k(0, size, "k");
    Halide::Func product("product");
    product(x, y) = 0.0f;
    product(x, y) += a(k, y) * b(x, k);
    product.set_estimates({{0, size}, {0, size}});
    return product;
}

// Two passes of a 3-point box filter.
inline SmallPipeline box_filter(int width, int height) {
    using Halide::cast, Halide::ImageParam, Halide::RDom, Halide::UInt, Halide::Float, Halide::Var;
    using Func = Halide::Func;
    Var x("x"), y("y");
    ImageParam input(UInt(16), 2, "input");
    Func rows("rows"), out("out");
    rows(x, y) = cast<uint16_t>((input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3);
    out(x, y) = cast<uint16_t>((rows(x, y) + rows(x, y + 1) + rows(x, y + 2)) / 3);
    input.set_estimates({{0, width + 2}, {0, height + 2}});
    out.set_estimates({{0, width}, {0, height}});
    return {{out}};
}

// Each Func reads one point of the one before, in the next row: one read at its own point would be inlined unasked
// (is_pointwise_link).
inline SmallPipeline shifted_chain(int length, int size) {
    using Halide::cast, Halide::ImageParam, Halide::RDom, Halide::UInt, Halide::Float, Halide::Var;
    using Func = Halide::Func;
    Var x("x"), y("y");
    ImageParam input(Float(32), 2, "input");
    Func previous("stage0");
    previous(x, y) = input(x, y) + 1.0f;
    for (int i = 1; i < length; i++) {
        Func next("stage" + std::to_string(i));
        next(x, y) = previous(x, y + 1) * 1.5f + 0.25f;
        previous = next;
    }
    input.set_estimates({{0, size}, {0, size + length - 1}});
    previous.set_estimates({{0, size}, {0, size}});
    return {{previous}};
}

// Each level the mean of 2 x 2 points of the one before, and up again, added to what it was made of.
inline SmallPipeline pyramid(int levels, int size) {
    using Halide::Float, Halide::ImageParam, Halide::Var;
    using Func = Halide::Func;
    Var x("x"), y("y");
    ImageParam input(Float(32), 2, "input");
    std::vector<Func> down(1, Func("down0"));
    down[0](x, y) = input(x, y) * 0.5f;
    for (int i = 1; i < levels; i++) {
        const Func last = down.back();
        Func next("down" + std::to_string(i));
        next(x, y) = (last(2 * x, 2 * y) + last(2 * x + 1, 2 * y) + last(2 * x, 2 * y + 1) +
                      last(2 * x + 1, 2 * y + 1)) /
                     4;
        down.push_back(next);
    }
    Func up = down.back();
    for (int i = levels - 1; i-- > 0;) {
        Func next("up" + std::to_string(i));
        next(x, y) = down[static_cast<size_t>(i)](x, y) +
                     (up(x / 2, y / 2) + up((x + 1) / 2, (y + 1) / 2)) / 2;
        up = next;
    }
    input.set_estimates({{0, size + (1 << levels)}, {0, size + (1 << levels)}});
    up.set_estimates({{0, size}, {0, size}});
    return {{up}};
}

// A matrix written with its rows and columns exchanged.
inline SmallPipeline transposition(int size) {
    using Halide::ImageParam, Halide::Float, Halide::Var;
    Var x("x"), y("y");
    ImageParam matrix(Float(32), 2, "matrix");
    Halide::Func out("out");
    out(x, y) = matrix(y, x);
    matrix.set_estimates({{0, size}, {0, size}});
    out.set_estimates({{0, size}, {0, size}});
    return {{out}};
}

inline SmallPipeline matrix_multiply(int size) {
    using Halide::cast, Halide::ImageParam, Halide::RDom, Halide::UInt, Halide::Float, Halide::Var;
    using Func = Halide::Func;
    Var x("x"), y("y");
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    Func product("product"), out("out");
    RDom k(0, a.width(), "k");
    product(x, y) += a(k, y) * b(x, k);
    out(x, y) = product(x, y);
    a.set_estimates({{0, size}, {0, size}});
    b.set_estimates({{0, size}, {0, size}});
    out.set_estimates({{0, size}, {0, size}});
    return {{out}};
}

}  // namespace cryolite::testing
