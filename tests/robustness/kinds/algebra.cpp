// Linear algebra and its neighbours: many small products, sparse rows, factors, clusters, bodies.
#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), b("b"), c("c"), i("i"), j("j"), xo("xo"), xi("xi"), yo("yo"), yi("yi"),
    task("task"), item("item");
constexpr auto guard = TailStrategy::GuardWithIf;

Expr wide(const Expr &e) { return cast<int>(e); }

// 8192 products of 12x12 matrices, added to a third.
void batched_products(Subject &s) {
    constexpr int side = 12;
    const Sizes sizes{exactly(side), exactly(side), about(8192)};
    const ImageParam left = s.sized_input("left", Float(32), sizes, {-9, 9});
    const ImageParam right = s.sized_input("right", Float(32), sizes, {-9, 9});
    const ImageParam start = s.sized_input("start", Float(32), sizes, {-9, 9});
    const RDom k(0, side, "k");
    const Expr which = clamp(b, 0, left.dim(2).extent() - 1);
    Func product("product"), out("out");
    product(x, y, b) = 0.0f;
    product(x, y, b) += left(k, y, which) * right(x, k, which);
    out(x, y, b) = product(x, y, b) * 0.5f + start(x, y, which);
    s.output(out, sizes, 1e-3);
    s.by_hand([=](const Target &) mutable {
        // Vectors of four divide twelve: three times four of them are the sums of four rows.
        constexpr int vec = 4, rows = 4;
        out.split(b, task, item, 64, guard)
            .split(y, yo, yi, rows)
            .reorder(x, yi, yo, item, task)
            .bound(x, 0, side)
            .bound(y, 0, side)
            .vectorize(x, vec)
            .unroll(x)
            .unroll(yi)
            .parallel(task);
        product.compute_at(out, yo).bound_extent(x, side).vectorize(x, vec).unroll(x).unroll(y);
        product.update().reorder(x, y, k).vectorize(x, vec).unroll(x).unroll(y).unroll(k, 2);
    });
}

// A product of signed bytes, 512x512x512, in whole numbers.
void bytes_times_bytes(Subject &s) {
    constexpr int size = 512;
    const ImageParam left = s.sized_input("left", Int(8), {exactly(size), about(size)});
    const ImageParam right = s.sized_input("right", Int(8), {about(size), exactly(size)});
    const RDom k(0, size, "k");
    Func wide_left("wide_left"), wide_right("wide_right"), product("product"), out("out");
    wide_left(x, y) = cast<int16_t>(left(x, clamp(y, 0, left.height() - 1)));
    wide_right(x, y) = cast<int16_t>(right(clamp(x, 0, right.width() - 1), y));
    product(x, y) = 0;
    product(x, y) += wide(wide_left(k, y)) * wide(wide_right(x, k));
    out(x, y) = product(x, y);
    s.output(out, {about(size), about(size)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Pairs along k are one multiply-add of 16-bit values; panels of the right factor are packed in
        // such pairs. Four rows of two vectors stay in registers.
        RVar pairs("pairs"), pair("pair");
        out.tile(x, y, xo, yo, xi, yi, 2 * vec, 4)
            .split(yo, task, yo, 16, guard)
            .reorder(xi, yi, yo, xo, task)
            .vectorize(xi, vec)
            .unroll(xi)
            .unroll(yi)
            .parallel(task);
        wide_right.compute_at(out, xo).split(y, y, yi, 2).reorder_storage(y, x).reorder(yi, x, y);
        wide_right.unroll(yi).vectorize(x, vec);
        wide_left.compute_at(out, task).vectorize(x, 2 * vec);
        product.compute_at(out, yo).vectorize(x, vec).unroll(x).unroll(y);
        product.update()
            .split(k, pairs, pair, 2)
            .reorder(pair, x, y, pairs)
            .atomic()
            .vectorize(x, vec)
            .unroll(x)
            .unroll(y)
            .vectorize(pair);
    });
}

// A sparse matrix in rows of 24 entries, stored entry by entry (ELLPACK), times a vector; and the residual.
void ellpack_product(Subject &s) {
    constexpr int entries = 24, columns = 65536;
    const Sizes sizes{about(columns), exactly(entries)};
    const ImageParam values = s.sized_input("values", Float(32), sizes, {-9, 9});
    const ImageParam index = s.sized_input("index", Int(32), sizes, {0, columns - 1});
    const ImageParam vector = s.sized_input("vector", Float(32), {exactly(columns)}, {-9, 9});
    const ImageParam wanted = s.sized_input("wanted", Float(32), {about(columns)}, {-99, 99});
    const RDom k(0, entries, "k");
    const Expr row = clamp(x, 0, values.width() - 1);
    Func product("product"), out("out"), squares("squares");
    product(x) = 0.0f;
    product(x) += values(row, k) * vector(clamp(index(row, k), 0, columns - 1));
    out(x) = wanted(row) - product(x);
    s.output(out, {about(columns)}, 1e-3);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // An entry of 1024 rows at a time: the sums stay in the first level, and all that is read lies dense.
        out.split(x, task, item, 1024, guard).vectorize(item, vec, guard).parallel(task);
        product.compute_at(out, task).vectorize(x, vec);
        product.update().reorder(x, k).vectorize(x, vec).unroll(x, 2);
    });
}

// 8192 matrices of 6x6, made positive definite, factored in place: a column after the other.
void batched_cholesky(Subject &s) {
    constexpr int side = 6;
    const Sizes sizes{about(8192), exactly(side), exactly(side)};
    const ImageParam in = s.sized_input("in", Float(32), sizes, {-5, 5});
    const Expr which = clamp(b, 0, in.width() - 1);
    Func lower("lower"), out("out");
    Expr square = select(i == j, 20.0f, 0.0f);
    for (int k = 0; k < side; k++) square += in(which, i, k) * in(which, j, k);
    lower(b, i, j) = square;
    for (int k = 0; k < side; k++) {
        lower(b, k, k) = sqrt(lower(b, k, k));
        if (k + 1 == side) break;
        const RDom below(k + 1, side - k - 1, "below" + std::to_string(k));
        lower(b, below, k) /= lower(b, k, k);
        RDom rest(k + 1, side - k - 1, k + 1, side - k - 1, "rest" + std::to_string(k));
        rest.where(rest.y <= rest.x);
        lower(b, rest.x, rest.y) -= lower(b, rest.x, k) * lower(b, rest.y, k);
    }
    out(b, i, j) = select(j <= i, lower(b, i, j), 0.0f);
    s.output(out, sizes, 1e-3);
}

// Lloyd 1982: colours go to the nearest of 16 centres, which move to the mean of their colours.
void k_means_step(Subject &s) {
    constexpr int pixels = 1 << 18, centres = 16;
    const ImageParam in = s.sized_input("in", UInt(8), {exactly(pixels), exactly(3)}, {0, 255});
    const ImageParam old =
        s.sized_input("centres", Int(16), {exactly(centres), exactly(3)}, {0, 255});
    const RDom k(0, centres, "k"), all(0, pixels, "all");
    Func nearest("nearest"), label("label"), sums("sums"), counts("counts"), moved("moved");
    const Expr pixel = clamp(x, 0, pixels - 1);
    Expr distance = 0;
    for (int channel = 0; channel < 3; channel++) {
        const Expr d = cast<int16_t>(in(pixel, channel)) - old(k, channel);
        distance += wide(d) * d;
    }
    nearest(x) = Tuple(1 << 30, cast<uint8_t>(0));
    const Expr is_nearer = distance < nearest(x)[0];
    nearest(x) = Tuple(select(is_nearer, distance, nearest(x)[0]),
                       select(is_nearer, cast<uint8_t>(k), nearest(x)[1]));
    label(x) = nearest(x)[1];
    const Expr to = clamp(wide(label(all)), 0, centres - 1);
    sums(i, c) = 0;
    sums(to, c) += wide(in(all, c));
    counts(i) = 0;
    counts(to) += 1;
    moved(i, c) = cast<int16_t>(sums(i, c) / max(counts(i), 1));
    s.output(label, {exactly(pixels)});
    s.output(moved, {exactly(centres), exactly(3)});
}

// The gravity of 4096 bodies on each other, softened (Aarseth 1963).
void n_bodies(Subject &s) {
    constexpr int bodies = 4096;
    const ImageParam place = s.sized_input("place", Float(32), {exactly(bodies), exactly(3)});
    const ImageParam mass = s.sized_input("mass", Float(32), {exactly(bodies)}, {1, 9});
    const RDom k(0, bodies, "k");
    const Expr body = clamp(x, 0, bodies - 1);
    const auto towards = [&](int axis) { return place(k, axis) - place(body, axis); };
    const Expr dx = towards(0), dy = towards(1), dz = towards(2);
    const Expr squared = dx * dx + dy * dy + dz * dz + 4.0f;
    const Expr pull = mass(k) / (squared * sqrt(squared));
    Func force("force"), out("out");
    force(x) = Tuple(0.0f, 0.0f, 0.0f);
    force(x) = Tuple(force(x)[0] + pull * dx, force(x)[1] + pull * dy, force(x)[2] + pull * dz);
    out(x) = Tuple(force(x)[0], force(x)[1], force(x)[2]);
    s.output(out, {about(bodies)}, 0.01);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // Two vectors of bodies keep their forces in registers while all others go by.
        out.split(x, task, item, 256, guard).split(item, xo, xi, 2 * vec, guard);
        out.vectorize(xi, vec).unroll(xi).parallel(task);
        force.compute_at(out, xo).vectorize(x, vec).unroll(x);
        force.update().reorder(x, k).vectorize(x, vec).unroll(x).unroll(k, 2);
    });
}

}  // namespace

std::vector<Entry> kinds_of_algebra() {
    return {
        {"batched_products", "8192 products of 12x12", batched_products},
        {"bytes_times_bytes", "a product of bytes in whole numbers", bytes_times_bytes},
        {"ellpack_product", "a sparse matrix times a vector", ellpack_product},
        {"batched_cholesky", "seventeen updates of 8192 small matrices", batched_cholesky},
        {"k_means_step", "labels, and sums by label", k_means_step},
        {"n_bodies", "all pairs of 4096, three sums at once", n_bodies},
    };
}

}  // namespace cryolite::robustness
