#include "bench/scale/pipelines.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"

namespace cryolite::bench {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;

constexpr std::array<Shape, 4> all_shapes{{
    {"chain", "a chain of elementwise Funcs"},
    {"stencils", "a chain of stencils of three points, along rows and columns in turn"},
    {"dag", "a random graph of elementwise Funcs"},
    {"mixed", "a random graph of elementwise Funcs, stencils, exponentials and short reductions"},
}};

constexpr int width = 1536, height = 1024;
// So many Funcs of a graph wait for a reader at once, at most.
constexpr size_t most_unread = 6;
// How far back a graph's Funcs read what has a reader already.
constexpr size_t recent = 12;

const Var x("x"), y("y");

Expr elementwise(const Expr &v, int64_t i) {
    const auto k = static_cast<float>(i % 7 + 1);
    switch (i % 5) {
        case 0: return v * 0.5f + k;
        case 1: return Halide::max(v, -k);
        case 2: return Halide::select(v > k, v * 0.25f, v + 1.0f);
        case 3: return Halide::abs(v - k);
        default: return Halide::min(v, 100.0f * k) + 1.0f / (Halide::abs(v) + k);
    }
}

Expr stencil(const Func &f, bool along_rows) {
    return along_rows ? (f(x - 1, y) + 2.0f * f(x, y) + f(x + 1, y)) * 0.25f
                      : (f(x, y - 1) + 2.0f * f(x, y) + f(x, y + 1)) * 0.25f;
}

class Maker {
public:
    Maker(std::string_view shape, uint64_t seed) : shape_(shape), random_(seed) {}

    Func make(int64_t funcs) {
        const Halide::ImageParam in(Halide::Float(32), 2, "in");
        in.dim(0).set_estimate(0, width);
        in.dim(1).set_estimate(0, height);
        Func first("f0");
        first(x, y) = Halide::BoundaryConditions::repeat_edge(in, {{0, width}, {0, height}})(x, y);
        made_ = unread_ = {first};
        // The boundary condition is a Func besides, and the last one joins what nobody reads.
        for (int64_t i = 1; i + 2 < funcs; i++) {
            Func f("f" + std::to_string(i));
            define(f, i);
            made_.push_back(f);
            unread_.push_back(f);
        }
        Func out("out");
        Expr sum = 0.0f;
        for (const Func &f : unread_) sum = sum * 0.5f + f(x, y);
        out(x, y) = sum;
        out.set_estimates({{0, width}, {0, height}});
        return out;
    }

private:
    void define(Func &f, int64_t i) {
        const Func a = take();
        if (shape_ == "chain") {
            f(x, y) = elementwise(a(x, y), i);
            return;
        }
        if (shape_ == "stencils") {
            f(x, y) = stencil(a, i % 2 == 0);
            return;
        }
        const bool joins = unread_.size() >= most_unread - 1 || random_.chance(0.4);
        const Func b = joins && !unread_.empty() ? take() : any();
        const uint64_t kind = shape_ == "dag" ? 0 : random_.below(8);
        if (kind == 1) {
            f(x, y) = stencil(a, random_.chance(0.5)) + b(x, y);
        } else if (kind == 2) {
            f(x, y) = a(x - 1, y - 1) + a(x + 1, y + 1) - b(x, y) * 2.0f;
        } else if (kind == 3) {
            const Halide::RDom r(-2, 5, "r");
            f(x, y) = b(x, y);
            f(x, y) += a(x + r, y) * 0.2f;
        } else if (kind == 4) {
            f(x, y) = Halide::exp(Halide::min(a(x, y), 4.0f) * 0.125f) + b(x, y);
        } else {
            f(x, y) = elementwise(a(x, y), i) - b(x, y);
        }
    }

    // One that nobody reads yet.
    Func take() {
        const size_t at = random_.below(unread_.size());
        const Func f = unread_[at];
        unread_.erase(unread_.begin() + static_cast<std::ptrdiff_t>(at));
        return f;
    }
    Func any() {
        const size_t back = std::min(made_.size(), recent);
        return made_[made_.size() - 1 - random_.below(back)];
    }

    const std::string shape_;
    Random random_;
    std::vector<Func> made_, unread_;
};

}  // namespace

std::span<const Shape> shapes() { return all_shapes; }

Func make_pipeline(std::string_view shape, int64_t funcs, uint64_t seed) {
    if (std::ranges::find(all_shapes, shape, &Shape::name) == all_shapes.end())
        throw std::invalid_argument("there is no shape " + std::string(shape));
    if (funcs < 4) throw std::invalid_argument("a pipeline has four Funcs at least");
    return Maker(shape, seed).make(funcs);
}

}  // namespace cryolite::bench
