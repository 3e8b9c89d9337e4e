#include "bench/cache_probe/kernels.h"

#include <algorithm>

namespace cryolite::bench {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::RDom;
using Halide::Var;
using Sizes = std::span<const int64_t>;

ImageParam input(const std::string &name, Halide::Type type, std::vector<int64_t> extents) {
    ImageParam image(type, static_cast<int>(extents.size()), name);
    for (size_t d = 0; d < extents.size(); d++)
        image.dim(static_cast<int>(d)).set_estimate(0, static_cast<int32_t>(extents[d]));
    return image;
}

KernelPipeline finished(Func output, std::vector<int64_t> extents, std::vector<ImageParam> inputs) {
    const std::vector<Var> args = output.args();
    for (size_t d = 0; d < args.size(); d++)
        output.set_estimate(args[d], 0, static_cast<int32_t>(extents[d]));
    return {output, std::move(inputs)};
}

const Halide::Type float32 = Halide::Float(32), uint32 = Halide::UInt(32),
                   uint16 = Halide::UInt(16);

KernelPipeline matmul(Sizes n) {
    ImageParam a = input("a", float32, {n[2], n[1]}), b = input("b", float32, {n[0], n[2]});
    Var x("x"), y("y");
    RDom k(0, a.width(), "k");
    Func out("out");
    out(x, y) = 0.0f;
    out(x, y) += a(k, y) * b(x, k);
    return finished(out, {n[0], n[1]}, {a, b});
}

KernelPipeline syrk(Sizes n) {
    ImageParam a = input("a", float32, {n[1], n[0]});
    Var x("x"), y("y");
    RDom k(0, a.width(), "k");
    Func out("out");
    out(x, y) = 0.0f;
    out(x, y) += a(k, y) * a(k, x);
    return finished(out, {n[0], n[0]}, {a});
}

KernelPipeline transpose(Sizes n) {
    ImageParam a = input("a", float32, {n[1], n[0]});
    Var x("x"), y("y");
    Func out("out");
    out(x, y) = a(y, x);
    return finished(out, {n[0], n[1]}, {a});
}

KernelPipeline transpose_mask(Sizes n) {
    ImageParam a = input("a", uint32, {n[1], n[0]}), b = input("b", uint32, {n[0], n[1]});
    Var x("x"), y("y");
    Func out("out");
    out(x, y) = a(y, x) & b(x, y);
    return finished(out, {n[0], n[1]}, {a, b});
}

KernelPipeline mask(Sizes n) {
    ImageParam a = input("a", uint16, {n[0], n[1]}), b = input("b", uint16, {n[0], n[1]});
    Var x("x"), y("y");
    Func out("out");
    out(x, y) = a(x, y) & b(x, y);
    return finished(out, {n[0], n[1]}, {a, b});
}

KernelPipeline blur(Sizes n) {
    ImageParam a = input("a", float32, {n[0] + 2, n[1] + 2});
    Var x("x"), y("y");
    Func blur_x("blur_x"), out("out");
    blur_x(x, y) = (a(x, y) + a(x + 1, y) + a(x + 2, y)) * (1.0f / 3);
    out(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) * (1.0f / 3);
    return finished(out, {n[0], n[1]}, {a});
}

KernelPipeline doitgen(Sizes n) {
    ImageParam a = input("a", float32, {n[0], n[1], n[2]}), c = input("c", float32, {n[0], n[0]});
    Var p("p"), q("q"), r("r");
    RDom s(0, a.dim(0).extent(), "s");
    Func out("out");
    out(p, q, r) = 0.0f;
    out(p, q, r) += a(s, q, r) * c(p, s);
    return finished(out, {n[0], n[1], n[2]}, {a, c});
}

KernelPipeline conv_layer(Sizes n) {
    ImageParam a = input("a", float32, {n[1], n[2] + 2, n[3] + 2});
    ImageParam filter = input("filter", float32, {n[0], 3, 3, n[1]});
    Var c("c"), x("x"), y("y");
    RDom taps(0, a.dim(0).extent(), 0, 3, 0, 3, "taps");
    Func out("out");
    out(c, x, y) = 0.0f;
    out(c, x, y) += filter(c, taps.y, taps.z, taps.x) * a(taps.x, x + taps.y, y + taps.z);
    return finished(out, {n[0], n[2], n[3]}, {a, filter});
}

KernelPipeline jacobi(Sizes n) {
    ImageParam a = input("a", float32, {n[0] + 2, n[1] + 2, n[2] + 2});
    Var x("x"), y("y"), z("z");
    Func out("out");
    const auto at = [&](int dx, int dy, int dz) { return a(x + 1 + dx, y + 1 + dy, z + 1 + dz); };
    out(x, y, z) = (at(0, 0, 0) + at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) +
                    at(0, 0, -1) + at(0, 0, 1)) *
                   (1.0f / 7);
    return finished(out, {n[0], n[1], n[2]}, {a});
}

bool is_prime(int64_t v) {
    for (int64_t d = 2; d * d <= v; d++)
        if (v % d == 0) return false;
    return v > 1;
}

int64_t draw_size(SizeRange range, Random &random) {
    const int64_t v = random.between(range.low, range.high);
    const auto inside = [&](int64_t w) { return std::clamp(w, range.low, range.high); };
    switch (random.below(8)) {
        case 0:
        case 1: return inside(v / 16 * 16);
        case 2:
        case 3: return inside(v | 1);
        case 4: {
            int64_t p = v;
            while (p < range.high && !is_prime(p)) p++;
            return p;
        }
        case 5: {
            int64_t p = 1;
            while (p * 2 <= v) p *= 2;
            return inside(p);
        }
        default: return v;
    }
}

}  // namespace

const std::vector<KernelKind> &kernel_kinds() {
    static const std::vector<KernelKind> kinds = {
        {"matmul", "a product of matrices", {{100, 220}, {100, 200}, {100, 200}}, matmul},
        {"syrk", "a matrix times its own transpose", {{80, 160}, {100, 240}}, syrk},
        {"transpose", "a matrix transposed", {{250, 600}, {250, 600}}, transpose},
        {"transpose_mask", "the same under a mask", {{200, 520}, {200, 520}}, transpose_mask},
        {"mask", "two images of 16 bits", {{300, 1100}, {300, 700}}, mask},
        {"blur", "3x3 in two stages", {{200, 700}, {200, 500}}, blur},
        {"doitgen", "a cube times a matrix", {{40, 90}, {16, 40}, {16, 40}}, doitgen},
        {"conv_layer",
         "3x3, channels innermost",
         {{24, 64}, {12, 40}, {10, 28}, {8, 20}},
         conv_layer},
        {"jacobi", "one sweep of seven points", {{40, 130}, {30, 90}, {20, 50}}, jacobi},
    };
    return kinds;
}

const KernelKind *find_kernel(const std::string &name) {
    for (const KernelKind &k : kernel_kinds())
        if (name == k.name) return &k;
    return nullptr;
}

std::vector<int64_t> draw_sizes(const KernelKind &kind, Random &random) {
    std::vector<int64_t> sizes;
    for (SizeRange range : kind.sizes) sizes.push_back(draw_size(range, random));
    return sizes;
}

}  // namespace cryolite::bench
