// Region programs against Halide's own answer: for random boxes of the output, the region of the
// input that a bounds query of the unscheduled pipeline asks for.
#include "base/random.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::edge;
using test::estimate;
using test::func;
using test::needed;
using test::stage;

// The region of every Func when `box` of the first output is computed, everything at root.
std::vector<Box> propagate(const StageGraph &graph, const Box &box) {
    std::vector<Box> regions;
    for (const Func &f : graph.funcs()) regions.emplace_back(f.dims.size());
    regions[0] = box;
    for (const Func &f : graph.funcs()) {
        Box &region = regions[f.id.index()];
        graph.include_self_accesses(f, region);
        for (StageId s : f.stages) {
            Intervals loops(graph.stage(s).loops.size());
            graph.loop_ranges(graph.stage(s), region, loops);
            for (EdgeId e : graph.stage(s).incoming) {
                if (graph.edge(e).is_self) continue;
                Box part = needed(graph.edge(e), loops);
                grow_to_hull(regions[graph.edge(e).producer.index()], part);
            }
        }
    }
    return regions;
}

// Compares on random boxes. `exact`: ours must not be larger either.
void compare(Halide::Func out, ImageParam input, bool exact = true) {
    for (const Var &v : out.args()) out.set_estimate(v, 0, 64);
    const BuiltGraph built = build({out});
    Pipeline pipeline(out);
    Random random(7);
    for (int round = 0; round < 12; round++) {
        Box box;
        std::vector<int> extents;
        for (size_t d = 0; d < out.args().size(); d++) {
            const int64_t min = random.between(-20, 20);
            extents.push_back(static_cast<int>(random.between(1, 30)));
            box.push_back({min, min + extents.back() - 1});
        }
        Buffer<> target(out.type(), extents);
        std::vector<int> mins;
        for (const Interval &i : box) mins.push_back(static_cast<int>(i.min));
        target.set_min(mins);
        input.reset();
        pipeline.infer_input_bounds(target);
        const Buffer<> asked = input.get();
        const Box ours = propagate(built.graph, box)[func(built, input.name()).id.index()];
        for (int d = 0; d < asked.dimensions(); d++) {
            const Interval theirs{asked.dim(d).min(), asked.dim(d).max()};
            const Interval mine = ours[static_cast<size_t>(d)];
            EXPECT_TRUE(mine.contains(theirs))
                << "dimension " << d << ": " << mine.min << ".." << mine.max << " against "
                << theirs.min << ".." << theirs.max;
            if (!exact) continue;
            EXPECT_EQ(mine, theirs) << "dimension " << d << ", round " << round;
        }
    }
}

struct Regions : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Int(32), 2, "input"};
    Halide::Func a{"a"}, out{"out"};
};

TEST_F(Regions, Stencil) {
    out(x, y) = input(x - 1, y - 2) + input(x + 3, y + 1);
    compare(out, input);
}

TEST_F(Regions, ChainOfStencils) {
    a(x, y) = input(x - 1, y) + input(x + 1, y);
    out(x, y) = a(x, y - 1) + a(x, y + 1);
    compare(out, input);
}

TEST_F(Regions, DownAndUpsampling) {
    a(x, y) = input(2 * x, 2 * y) + input(2 * x + 1, 2 * y + 1);
    out(x, y) = a(x / 2, (y + 1) / 2);
    compare(out, input);
}

TEST_F(Regions, TransposeAndMirror) {
    out(x, y) = input(10 - y, x + y);
    compare(out, input);
}

TEST_F(Regions, ConstantClamp) {
    out(x, y) = input(clamp(x, 0, 15), max(y, -3));
    compare(out, input);
}

TEST_F(Regions, Remainder) {
    out(x, y) = input(x % 8, y);
    compare(out, input, false);
}

TEST_F(Regions, ReductionAndPredicate) {
    RDom r(-2, 5, 0, 10, "r");
    r.where(r.y < 6);
    a(x, y) = 0;
    a(x, y) += input(x + r.x, y + 2 * r.y);
    out(x, y) = a(x, y);
    compare(out, input);
}

TEST_F(Regions, APredicateOfLoadedValuesBesidesOneOfLoops) {
    ImageParam mask(UInt(8), 1, "mask");
    estimate(mask, {100});
    Buffer<uint8_t> all(100);
    all.fill(1);
    mask.set(all);
    RDom r(0, 100, "r");
    r.where(mask(r) > 0);
    r.where(r < 50);
    a(x, y) = 0;
    a(x, y) += input(x + r, y);
    out(x, y) = a(x, y);
    compare(out, input);
}

TEST_F(Regions, ScanIncludesWhatTheUpdatesTouch) {
    RDom r(1, 40, "r");
    a(x, y) = input(x, y);
    a(x, r) = a(x, r - 1) + input(x, r);
    out(x, y) = a(x, y);
    compare(out, input);
}

TEST_F(Regions, HistogramOfBytes) {
    ImageParam bytes(UInt(8), 2, "bytes");
    RDom r(0, 20, 5, 10, "r");
    Halide::Func histogram("histogram");
    histogram(x) = 0;
    histogram(cast<int>(bytes(r.x, r.y))) += 1;
    out(x) = histogram(x);
    compare(out, bytes);
}

TEST_F(Regions, FloatResampling) {
    const Expr source = (x + 0.5f) * 0.75f - 0.5f;
    const Expr first = cast<int>(floor(source));
    out(x, y) = input(first, y) + input(first + 1, y);
    compare(out, input);
}

TEST_F(Regions, SelectBetweenPlaces) {
    out(x, y) = select(x > 5, input(x, y), input(x + 10, y - 4));
    compare(out, input, false);
}

TEST_F(Regions, LookupThroughABoundedFunc) {
    a(x, y) = cast<int>(cast<uint8_t>(x + y));
    out(x, y) = input(a(x, y) % 16, clamp(a(y, x), 2, 9));
    compare(out, input, false);
}

TEST_F(Regions, ABoundOfAStencilTakesTheFastPath) {
    out(x, y) = input(x - 1, y) + input(x + 1, y);
    estimate(out, {64, 64});
    const BuiltGraph built = build({out});
    const Edge &e = edge(built, stage(built, out), test::reader(input));
    EXPECT_EQ(e.region.dims[0].min.code().size(), 3u);
    EXPECT_EQ(e.region.dims[0].max.code().size(), 3u);
    EXPECT_EQ(e.region.dims[1].min.code().size(), 1u);
}

}  // namespace
}  // namespace cryolite
