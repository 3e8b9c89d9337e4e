// Behind a mirror the last rows need the whole image. What is said of such regions is held against the points that
// Halide computes.
#include <gtest/gtest.h>

#include <atomic>

#include "code/kernel/kernel_members.h"
#include "code/legality/apply.h"
#include "code/regions/regions.h"
#include "tests/code/refusals.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

namespace Border = Halide::BoundaryConditions;

constexpr int size = 96;

std::atomic<int64_t> stored_points{0};

int count_stores(Halide::JITUserContext *, const halide_trace_event_t *event) {
    if (event->event == halide_trace_store) stored_points++;
    return 0;
}

enum class Kind { RepeatEdge, ConstantExterior, MirrorImage, MirrorInterior, RepeatImage };

// below → border → out, which sums five rows.
struct Pipeline {
    Halide::Var x{"x"}, y{"y"};
    Halide::Func below{"below"}, out{"out"}, border;
    BuiltGraph built;

    explicit Pipeline(Kind kind) : border(made(kind)), built(build()) {}

    FuncId id(const Halide::Func &f) const { return test::func(built, f).id; }
    LoopName rows() const { return {built.graph.func(id(out)).stages[0], 1, 0}; }
    // All but `below` and out is inlined.
    LoopNest nest_with_below_in(LoopName loop) const {
        Trace trace{action::ComputeRoot{id(out)}};
        for (const Func &f : built.graph.funcs())
            if (!f.is_input() && !f.is_output() && f.id != id(below))
                trace.push_back(action::Inline{f.id});
        trace.push_back(action::ComputeAt{id(below), loop});
        const Result<LoopNest, ReplayFailure> nest = replay(built.graph, trace);
        if (!nest) throw std::runtime_error(name(nest.error().reason));
        return *nest;
    }
    // By Halide, for below as it is scheduled.
    int64_t computed_points_of_below() {
        below.trace_stores();
        out.jit_handlers().custom_trace = count_stores;
        stored_points = 0;
        out.realize({size, size});
        return stored_points;
    }

private:
    Halide::Func made(Kind kind) {
        below(x, y) = 3 * x + y;
        const Halide::Region region{{0, size}, {0, size}};
        switch (kind) {
            case Kind::RepeatEdge: return Border::repeat_edge(below, region);
            case Kind::ConstantExterior: return Border::constant_exterior(below, 0, region);
            case Kind::MirrorImage: return Border::mirror_image(below, region);
            case Kind::MirrorInterior: return Border::mirror_interior(below, region);
            default: return Border::repeat_image(below, region);
        }
    }
    BuiltGraph build() {
        Halide::Expr sum = 0;
        for (int k = -2; k <= 2; k++) sum += border(x, y + k);
        out(x, y) = sum;
        test::estimate(out, {size, size});
        return test::build({out});
    }
};

constexpr Kind growing[] = {Kind::MirrorImage, Kind::MirrorInterior, Kind::RepeatImage};
constexpr Kind shrinking[] = {Kind::RepeatEdge, Kind::ConstantExterior};

TEST(MirroredRegions, GrowAtTheEnds) {
    for (Kind kind : growing)
        EXPECT_TRUE(Pipeline(kind).built.graph.regions_grow_at_ends()) << static_cast<int>(kind);
    for (Kind kind : shrinking)
        EXPECT_FALSE(Pipeline(kind).built.graph.regions_grow_at_ends()) << static_cast<int>(kind);
}

TEST(MirroredRegions, ResamplingAndTrianglesDoNotGrow) {
    Halide::Var x{"x"}, y{"y"};
    Halide::Func low{"low"}, up{"up"}, out{"out"};
    Halide::RDom r{0, size, "r"};
    r.where(r <= y);
    low(x, y) = x + y;
    up(x, y) = low(x / 2, y / 3) + low(x / 2 + 1, y / 3 + 1);
    out(x, y) = up(2 * x, 3 * y);
    out(x, y) += up(x, r);
    test::estimate(out, {size, size});
    EXPECT_FALSE(test::build({out}).graph.regions_grow_at_ends());
}

TEST(MirroredRegions, AreCountedAtTheEndsAsHalideComputesThem) {
    for (Kind kind : growing) {
        Pipeline p(kind);
        const LoopNest nest = p.nest_with_below_in(p.rows());
        StageExpander expander(p.built.graph);
        const std::vector<FuncId> members{p.id(p.out), p.id(p.below)};
        const Member m = KernelMembers(p.built.graph, expander, nest, members).at(p.id(p.below));
        p.below.compute_at(p.out, p.y);
        const auto computed = static_cast<double>(p.computed_points_of_below());
        const double counted = size * points(m.chain_boxes.back()) * m.fill;
        // Two or four rows need the whole image, which the model knows of one at each end.
        EXPECT_GT(m.fill, 1.3) << static_cast<int>(kind);
        EXPECT_NEAR(counted, computed, 0.35 * computed) << static_cast<int>(kind);
    }
}

// Halide cannot prove that the region only ever moves one way.
TEST(MirroredRegions, DoNotSlide) {
    for (Kind kind : growing) {
        Pipeline p(kind);
        EXPECT_EQ(find_slide(p.nest_with_below_in(p.rows()), p.id(p.below), p.rows()).dim, -1);
        p.below.store_root().compute_at(p.out, p.y);
        EXPECT_GT(p.computed_points_of_below(), 4 * size * size);
    }
    for (Kind kind : shrinking) {
        Pipeline p(kind);
        EXPECT_EQ(find_slide(p.nest_with_below_in(p.rows()), p.id(p.below), p.rows()).dim, 1);
        p.below.store_root().compute_at(p.out, p.y);
        EXPECT_EQ(p.computed_points_of_below(), size * size);
    }
}

}  // namespace
}  // namespace cryolite
