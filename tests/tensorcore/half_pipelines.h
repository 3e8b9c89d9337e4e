// Pipelines of 16-bit floats, and one of wider ones, with matrix products, as the graph that a search sees on a target with tensor cores.
#pragma once

#include <Halide.h>

#include "tensorcore/find_products.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite::tensorcore::testing {

struct HalfPipeline {
    Halide::Var x{"x"}, y{"y"}, c{"c"}, n{"n"};

    static Halide::ImageParam input(const std::string &name, const std::vector<int> &sizes,
                                    Halide::Type type = Halide::Float(16)) {
        Halide::ImageParam p(type, static_cast<int>(sizes.size()), name);
        test::estimate(p, sizes);
        return p;
    }
    static Halide::Expr wide(const Halide::Expr &e) { return Halide::cast<float>(e); }

    // rows x depth times depth x columns, with a bias and a ReLU.
    Halide::Func gemm(int rows, int columns, int depth,
                      Halide::Type type = Halide::Float(16)) const {
        const auto a = input("a", {depth, rows}, type), b = input("b", {columns, depth}, type);
        const auto bias = input("bias", {columns}, Halide::Float(32));
        Halide::RDom k(0, depth, "k");
        Halide::Func sums("sums"), out("out");
        sums(x, y) = 0.0f;
        sums(x, y) += wide(a(k, y)) * wide(b(x, k));
        out(x, y) = max(sums(x, y) + bias(x), 0);
        test::estimate(out, {columns, rows});
        return out;
    }

    // 3 x 3 over channels, which lie innermost, with a bias and a ReLU.
    Halide::Func conv_layer(int channels, int size, int batch) const {
        const auto image = input("image", {channels, size + 2, size + 2, batch});
        const auto filter = input("filter", {channels, 3, 3, channels});
        const auto bias = input("bias", {channels}, Halide::Float(32));
        Halide::RDom r(0, channels, 0, 3, 0, 3, "r");
        Halide::Func conv("conv"), out("out");
        conv(c, x, y, n) = bias(c);
        conv(c, x, y, n) += wide(image(r.x, x + r.y, y + r.z, n)) * wide(filter(r.x, r.y, r.z, c));
        out(c, x, y, n) = Halide::cast<Halide::float16_t>(max(conv(c, x, y, n), 0));
        test::estimate(out, {channels, size, size, batch});
        return out;
    }

    // One head of attention per batch entry: two products around a softmax.
    Halide::Func attention(int length, int head, int heads) const {
        const auto q = input("q", {head, length, heads}), k = input("k", {head, length, heads}),
                   v = input("v", {head, length, heads});
        Halide::RDom d(0, head, "d"), l(0, length, "l");
        Halide::Func scores("scores"), most("most"), parts("parts"), total("total"),
            shares("shares"), sums("sums"), out("out");
        scores(x, y, n) = 0.0f;
        scores(x, y, n) += wide(q(d, y, n)) * wide(k(d, x, n));
        most(y, n) = -1e30f;
        most(y, n) = max(most(y, n), scores(l, y, n));
        parts(x, y, n) = Halide::fast_exp((scores(x, y, n) - most(y, n)) * 0.125f);
        total(y, n) = 0.0f;
        total(y, n) += parts(l, y, n);
        shares(x, y, n) = Halide::cast<Halide::float16_t>(parts(x, y, n) / total(y, n));
        sums(x, y, n) = 0.0f;
        sums(x, y, n) += wide(shares(l, y, n)) * wide(v(x, l, n));
        out(x, y, n) = Halide::cast<Halide::float16_t>(sums(x, y, n));
        test::estimate(out, {head, length, heads});
        return out;
    }

    // A residual network's bottleneck: 1 x 1, 3 x 3, 1 x 1, and the residual.
    Halide::Func bottleneck(int wide_channels, int channels, int size) const {
        const auto image = input("image", {wide_channels, size, size});
        const auto first = input("first", {wide_channels, channels});
        const auto middle = input("middle", {channels, 3, 3, channels});
        const auto last = input("last", {channels, wide_channels});
        Halide::RDom w(0, wide_channels, "w"), r(0, channels, 0, 3, 0, 3, "r"), m(0, channels, "m");
        Halide::Func sums1("sums1"), one("one"), sums2("sums2"), two("two"), sums3("sums3"),
            out("out");
        sums1(c, x, y) = 0.0f;
        sums1(c, x, y) += wide(image(w, x, y)) * wide(first(w, c));
        one(c, x, y) = Halide::cast<Halide::float16_t>(max(sums1(c, x, y), 0));
        sums2(c, x, y) = 0.0f;
        sums2(c, x, y) += wide(one(r.x, x + r.y, y + r.z)) * wide(middle(r.x, r.y, r.z, c));
        two(c, x, y) = Halide::cast<Halide::float16_t>(max(sums2(c, x, y), 0));
        sums3(c, x, y) = 0.0f;
        sums3(c, x, y) += wide(two(m, x, y)) * wide(last(m, c));
        out(c, x, y) =
            Halide::cast<Halide::float16_t>(max(sums3(c, x, y) + wide(image(c, x, y)), 0));
        test::estimate(out, {wide_channels, size - 2, size - 2});
        return out;
    }
};

inline BuiltGraph with_products(const Halide::Func &output,
                                Precision precision = Precision::Exact) {
    BuiltGraph built = test::build({output});
    built.graph.set_products(find_products(built, precision).products);
    return built;
}

}  // namespace cryolite::tensorcore::testing
