// Loads and stores at places that are themselves loaded: gathers, scatters, warps, tables.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y");

Expr last_of(const ImageParam &in, int d) { return in.dim(d).extent() - 1; }

void gather_with_a_clamp(Subject &s) {
    const ImageParam index = s.input("index", Int(32), 2, {-20, 600});
    const ImageParam table = s.sized_input("table", Float(32), {about(512)});
    Func fetched("fetched"), out("out");
    fetched(x, y) = table(clamp(index(x, y), 0, last_of(table, 0)));
    out(x, y) = fetched(x, y) + fetched(x + 1, y) * 2;
    s.output(out, {about(400), about(300)});
}

// Rows of 64 by an index that may count from the end, everything flattened to one dimension.
void embedding_rows(Subject &s) {
    constexpr int width = 64;
    const ImageParam index = s.input("index", Int(64), 1, {-100, 99});
    const ImageParam rows = s.sized_input("rows", Float(32), {exactly(100 * width)});
    const Param<int> count = s.parameter("count", 100, 100);
    Func loaded("loaded"), shifted("shifted"), negative("negative"), wrapped("wrapped"),
        narrow("narrow"), inside("inside"), fetched("fetched"), out("out");
    loaded(x) = index(x / width);
    shifted(x) = loaded(x) + count;
    negative(x) = loaded(x) < 0;
    wrapped(x) = select(negative(x), shifted(x), loaded(x));
    narrow(x) = cast<int>(wrapped(x));
    inside(x) = clamp(narrow(x), 0, count - 1);
    fetched(x) = BoundaryConditions::constant_exterior(rows, 0.0f)(x % width + width * inside(x));
    out(x) = fetched(x);
    s.output(out, {about(64 * width)});
}

void gather_of_gather_of_gather(Subject &s) {
    constexpr int size = 1000;
    const ImageParam a = s.sized_input("a", UInt(16), {about(size)}, {0, 999});
    const ImageParam b = s.sized_input("b", UInt(16), {about(size)}, {0, 999});
    const ImageParam c = s.sized_input("c", Int(32), {about(size)});
    auto at = [](const ImageParam &in, const Expr &i) {
        return in(clamp(cast<int>(i), 0, last_of(in, 0)));
    };
    Func first("first"), second("second"), third("third"), out("out");
    first(x) = at(a, x);
    second(x) = at(b, first(x));
    third(x) = at(c, second(x));
    out(x) = third(x) - third(x + 1) + cast<int>(second(x));
    s.output(out, {about(20000)});
}

// Where a pixel comes from is computed from what lies around it.
void warp_by_a_flow(Subject &s) {
    const ImageParam in = s.sized_input("in", Float(32), {about(320), about(240)}, {0, 255});
    const ImageParam flow = s.input("flow", Int(32), 2, {-9, 9});
    const Func edge = BoundaryConditions::repeat_edge(in);
    Func smooth("smooth"), horizontal("horizontal"), out("out");
    smooth(x, y) = (flow(x - 1, y) + flow(x, y) * 2 + flow(x + 1, y)) / 4;
    const Expr from_x = clamp(x + smooth(x, y), 0, last_of(in, 0));
    const Expr from_y = clamp(y + smooth(x, y + 1), 0, last_of(in, 1));
    horizontal(x, y) = edge(from_x, from_y) + edge(from_x + 1, from_y);
    out(x, y) = horizontal(x, y) * 0.5f;
    s.output(out, {about(320), about(240)});
}

// A producer that is itself scheduled, read at loaded places: its region is all that a clamp allows.
void computed_table_by_loaded_index(Subject &s) {
    const ImageParam in = s.input("in", UInt(16), 2, {-32768, 32767});
    const Var i("i");
    Func linear("linear"), curve("curve"), out("out");
    linear(i) = cast<float>(i) / 65535.0f;
    curve(i) = cast<uint8_t>(clamp(sqrt(linear(i)) * 255.0f, 0.0f, 255.0f));
    out(x, y) = curve(cast<int>(in(x, y)));
    s.output(out, {about(640), about(480)});
}

void promised_index(Subject &s) {
    constexpr int size = 300;
    const ImageParam index = s.input("index", Int(32), 1, {0, size - 1});
    const ImageParam data = s.sized_input("data", Float(32), {exactly(size)});
    const ImageParam mask = s.input("mask", Int(32), 1, {0, 1});
    Func fetched("fetched"), masked("masked");
    fetched(x) = data(unsafe_promise_clamped(index(x), 0, size - 1));
    masked(x) = select(mask(x) != 0, fetched(x) * 2.0f, 0.0f);
    s.output(masked, {about(5000)});
}

// A transposition written as a scatter: nothing is defined before the update.
void scatter_into_undefined(Subject &s) {
    constexpr int rows = 48, columns = 32;
    const ImageParam in = s.sized_input("in", Float(32), {exactly(rows * columns)});
    const RDom r(0, columns, 0, rows, "r");
    Func loaded("loaded"), positive("positive"), out("out");
    loaded(x, y) = in(clamp(x + y * columns, 0, rows * columns - 1));
    positive(x, y) = max(loaded(x, y), 0.0f);
    out(x) = undef<float>();
    out(clamp(r.y + r.x * rows, 0, rows * columns - 1)) = positive(r.x, r.y);
    s.output(out, {exactly(rows * columns)});
}

// One row of a table is overwritten: which one is loaded, and may be counted from the end.
void scatter_to_a_loaded_row(Subject &s) {
    constexpr int width = 4, height = 8;
    const ImageParam index = s.sized_input("index", Int(64), {exactly(1)}, {-height, height - 1});
    const ImageParam in = s.sized_input("in", Float(32), {exactly(width)});
    const RDom r(0, width, "r");
    Func loaded("loaded"), out("out");
    const Expr wrapped = select(index(0) < 0, index(0) + height, index(0));
    loaded(x) = in(clamp(x, 0, width - 1));
    out(x, y) = 0.0f;
    out(r, clamp(cast<int>(wrapped), 0, height - 1)) = loaded(r);
    s.output(out, {exactly(width), exactly(height)});
}

void scatter_by_loaded_bins(Subject &s) {
    constexpr int bins = 97;
    const ImageParam in = s.sized_input("in", Int(32), {about(300), about(200)}, {-500, 500});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
    Func bin("bin"), weight("weight"), sums("sums"), out("out");
    bin(x, y) = clamp((in(x, y) + 500) / 10, 0, bins - 1);
    weight(x, y) = in(x, y) % 7;
    sums(x) = Tuple(0, 0);
    sums(bin(r.x, r.y)) =
        Tuple(sums(bin(r.x, r.y))[0] + 1, sums(bin(r.x, r.y))[1] + weight(r.x, r.y));
    out(x) = sums(x)[0] * 10 + sums(x)[1];
    s.output(out, {exactly(bins)});
}

void large_constant_table(Subject &s) {
    constexpr int size = 1024;
    Buffer<int> table(size, size);
    table.for_each_element([&](int i, int j) { table(i, j) = i * 31 + j * 17; });
    const ImageParam in = s.input("in", UInt(16), 2, {0, 1023});
    Func fetched("fetched"), out("out");
    fetched(x, y) = table(clamp(cast<int>(in(x, y)), 0, size - 1), clamp(x + y, 0, size - 1));
    out(x, y) = fetched(x, y) - fetched(x, y + 1);
    s.output(out, {about(400), about(300)});
}

// A table of weights known to the compiler, unrolled by the writer into one long expression.
void long_constant_expression(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func out("out");
    Expr total = 0;
    for (int i = 0; i < 11; i++)
        for (int j = 0; j < 11; j++) total += in(x + i, y + j) * ((i * 37 + j * 11) % 23 - 11);
    out(x, y) = total;
    s.output(out, {about(200), about(150)});
}

}  // namespace

std::vector<Entry> indirect_loads() {
    return {
        {"gather_with_a_clamp", "an indirect load between clamps; 8261", gather_with_a_clamp},
        {"embedding_rows", "flattened rows by an index that wraps; 8308", embedding_rows},
        {"gather_of_gather_of_gather", "three levels of indirection", gather_of_gather_of_gather},
        {"warp_by_a_flow", "data-dependent loads in two dimensions; 4108", warp_by_a_flow},
        {"computed_table_by_loaded_index", "a table of 65536 entries read by a 16-bit value",
         computed_table_by_loaded_index},
        {"promised_index", "unsafe_promise_clamped; 8261", promised_index},
        {"scatter_into_undefined", "an update over undef; 8278", scatter_into_undefined},
        {"scatter_to_a_loaded_row", "an update at a loaded row; 8312", scatter_to_a_loaded_row},
        {"scatter_by_loaded_bins", "a tuple updated at loaded places", scatter_by_loaded_bins},
        {"large_constant_table", "a million constants inside of the pipeline",
         large_constant_table},
        {"long_constant_expression", "121 loads in one expression", long_constant_expression},
    };
}

}  // namespace cryolite::robustness
