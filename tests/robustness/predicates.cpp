// Reductions that a predicate leaves little of: interpreters, bands, parameters.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), c("c");

// What a few ways to blend make of a pixel and a layer, all of them bytes.
Expr blended(const Expr &way, const Expr &pixel, const Expr &layer) {
    const auto byte = [](const Expr &e) { return cast<uint8_t>(e); };
    const auto wide = [](const Expr &e) { return cast<uint16_t>(e); };
    const Expr product = wide(pixel) * wide(layer);
    const Expr inverse = (255 - wide(pixel)) * (255 - wide(layer));
    return mux(way, {layer, byte(min(wide(pixel) + wide(layer), 255)), byte(product / 255),
                     byte(255 - inverse / 255), max(pixel, layer), min(pixel, layer),
                     absd(pixel, layer), byte((wide(pixel) + wide(layer)) / 2),
                     byte(select(pixel < 128, product / 128, 255 - inverse / 128)), ~pixel});
}
constexpr int ways = 10;

// Each step blends a layer in a way that the program says, or in none.
void layers_blended_by_a_program(Subject &s) {
    constexpr int steps = 12;
    const ImageParam layers = s.input("layers", UInt(8), 4, {0, 255});
    const ImageParam program = s.sized_input("program", Int(32), {exactly(steps)}, {0, ways});
    Func pixel("pixel"), out("out");
    RDom r(0, ways, 0, steps, "r");
    r.where(r.x == program(r.y));
    const Expr black = cast<uint8_t>(0);
    pixel(x, y) = Tuple(black, black, black);
    std::vector<Expr> next;
    for (int i = 0; i < 3; i++) next.push_back(blended(r.x, pixel(x, y)[i], layers(x, y, i, r.y)));
    pixel(x, y) = Tuple(next);
    out(x, y, c) = mux(c, {pixel(x, y)[0], pixel(x, y)[1], pixel(x, y)[2]});
    s.output(out, {about(300), about(200), exactly(3)});
}

// The same in floats that a Func makes of the layers: no narrower a region is known to be read of it.
void converted_layers_blended(Subject &s) {
    constexpr int steps = 6, operations = 5;
    const ImageParam layers = s.input("layers", UInt(8), 3, {0, 255});
    const ImageParam program = s.sized_input("program", UInt(8), {exactly(steps)}, {0, operations});
    Func layer("layer"), pixel("pixel"), out("out");
    layer(x, y, c) = cast<float>(layers(x, y, c)) + cast<float>(layers(x + 1, y, c)) * 2.0f;
    RDom r(0, operations, 0, steps, "r");
    r.where(r.x == cast<int>(program(r.y)));
    pixel(x, y) = 0.0f;
    const Expr old = pixel(x, y), operand = layer(x, y, r.y);
    pixel(x, y) = select(r.x == 0, operand, r.x == 1, old + operand, r.x == 2, max(old, operand),
                         r.x == 3, operand - old, min(old, operand));
    out(x, y) = cast<int>(pixel(x, y));
    s.output(out, {about(300), about(200)});
}

// A predicate that holds for few steps, and guards what they read: beyond, the input has no columns.
void few_of_many_steps(Subject &s) {
    constexpr int most = 64;
    const ImageParam in = s.input("in", Int(32), 2);
    const Param<int> steps = s.parameter("steps", 5, 9);
    RDom r(0, most, "r");
    r.where(r < steps);
    Func f("f"), out("out");
    f(x, y) = 0;
    f(x, y) = f(x, y) * 3 + in(x + r, y);
    out(x, y) = f(x, y) + 1;
    s.output(out, {about(300), about(100)});
}

// The diagonals next to the main one of a square matrix, asked for of all its columns.
void band_of_a_matrix(Subject &s) {
    constexpr int size = 96;
    const ImageParam matrix = s.input("matrix", Int(32), 2), vectors = s.input("v", Int(32), 2);
    RDom k(0, size, "k");
    k.where(abs(k - y) <= 2);
    Func product("product"), out("out");
    product(x, y) = 0;
    product(x, y) += matrix(k, y) * vectors(x, k);
    out(x, y) = product(x, y) * 2;
    s.output(out, {about(100), exactly(size)});
}

// A stencil of which each tap is of its own kind, and a mask leaves some out.
void taps_of_many_kinds(Subject &s) {
    const ImageParam in = s.input("in", UInt(16), 2, {0, 1000});
    const ImageParam mask = s.sized_input("mask", UInt(8), {exactly(3), exactly(3)}, {0, 1});
    RDom r(0, 3, 0, 3, "r");
    r.where(mask(r.x, r.y) != 0);
    Func f("f"), out("out");
    f(x, y) = cast<uint32_t>(0);
    const Expr value = cast<uint32_t>(in(x + r.x, y + r.y));
    f(x, y) = select(r.x == 1 && r.y == 1, f(x, y) + value * 4, r.x == r.y, max(f(x, y), value),
                     f(x, y) + value);
    out(x, y) = f(x, y) / 2;
    s.output(out, {about(250), about(150)});
}

// Of the pixels, those that a mask holds are counted.
void histogram_under_a_mask(Subject &s) {
    constexpr int width = 200, height = 90, bins = 64;
    const Sizes sizes{exactly(width), exactly(height)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const ImageParam mask = s.sized_input("mask", UInt(8), sizes, {0, 3});
    Func scaled("scaled"), histogram("histogram"), out("out");
    scaled(x, y) = in(x, y) / 4;
    RDom r(0, width, 0, height, "r");
    r.where(mask(r.x, r.y) > 1);
    histogram(x) = 0;
    histogram(clamp(cast<int>(scaled(r.x, r.y)), 0, bins - 1)) += 1;
    out(x) = histogram(x) * 2;
    s.output(out, {exactly(bins)});
}

// One triangle of a matrix takes products of two others, of which a Func is a part.
void rank_update_of_a_triangle(Subject &s) {
    constexpr int rank = 24;
    const ImageParam a = s.input("a", Int(32), 2), b = s.input("b", Int(32), 2);
    Func twice("twice"), sum("sum"), out("out");
    twice(x, y) = b(x, y) * 2;
    RDom k(0, rank, "k");
    k.where(x <= y);
    sum(x, y) = x - y;
    sum(x, y) += a(x, k) * twice(y, k) + a(y, k) * twice(x, k);
    out(x, y) = sum(x, y) + 1;
    s.output(out, {about(120), about(120)});
}

}  // namespace

std::vector<Entry> predicates() {
    return {
        {"layers_blended_by_a_program", "one of ten operations in each of twelve steps",
         layers_blended_by_a_program},
        {"converted_layers_blended", "a Func under a predicate of a loaded value",
         converted_layers_blended},
        {"few_of_many_steps", "a parameter bounds a long reduction", few_of_many_steps},
        {"band_of_a_matrix", "a predicate that leaves five of 96 iterations", band_of_a_matrix},
        {"taps_of_many_kinds", "selects on both reduction variables", taps_of_many_kinds},
        {"histogram_under_a_mask", "a predicate of a loaded value over what is scattered",
         histogram_under_a_mask},
        {"rank_update_of_a_triangle", "a predicate on the pure variables alone",
         rank_update_of_a_triangle},
    };
}

}  // namespace cryolite::robustness
