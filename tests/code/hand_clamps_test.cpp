// Clamps by hand: where loads share them, where Halide cuts them off the middle of a loop, and that the result is right
// at any size.
#include "code/stage/hand_clamps.h"

#include <functional>

#include "code/stage/split_tails.h"
#include "emit/emit.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::func;

// Vectors that the code loads from consecutive places of an input.
class DenseLoads : public Internal::IRVisitor {
public:
    static int of(Halide::Func f, const ImageParam &input) {
        DenseLoads loads(input.name());
        const Module module = f.compile_to_module({input}, "f", get_host_target());
        for (const Internal::LoweredFunc &lowered : module.functions()) lowered.body.accept(&loads);
        return loads.count_;
    }

private:
    explicit DenseLoads(const std::string &name) : name_(name) {}
    using Internal::IRVisitor::visit;
    void visit(const Internal::Load *op) override {
        count_ += op->name == name_ && op->index.as<Internal::Ramp>() != nullptr;
        Internal::IRVisitor::visit(op);
    }
    std::string name_;
    int count_ = 0;
};

struct HandClamps : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{UInt(8), 3, "input"};
    Halide::Func grey{"grey"}, out{"out"};
    Expr column = clamp(x, 0, input.width() - 1), row = clamp(y, 0, input.height() - 1);

    Expr colour(const Expr &at, int c) const { return cast<uint16_t>(input(at, row, c)); }
    void make_grey() { grey(x, y) = colour(column, 0) + colour(column, 1) + colour(column, 2); }

    BuiltGraph built() {
        if (!out.defined()) out(x, y) = grey(x, y) + grey(x, y + 1);
        input.set_estimates({{0, 640}, {0, 480}, {0, 3}});
        out.set_estimates({{0, 640}, {0, 480}});
        return build({out});
    }
    bool shifts() {
        const BuiltGraph b = built();
        const std::vector<bool> &along = func(b, grey).shifts_vectors;
        return !along.empty() && along[0];
    }
    // The Func in vectors of 16, in tiles of 64 if asked for, stored at root; all else inlined or plain.
    LoopNest in_vectors(const BuiltGraph &b, const Halide::Func &f, bool tiled) {
        const Func &o = func(b, out), &chosen = func(b, f);
        const StageId s = chosen.stages[0];
        Trace trace{action::ComputeRoot{o.id}};
        if (chosen.id != o.id) trace.push_back(action::ComputeRoot{chosen.id});
        if (tiled) trace.push_back(action::Tile{s, 0, {64}});
        trace.push_back(action::Vectorize{s, 0, 16});
        return test::scheduled(b.graph, trace);
    }
    // Grey is computed in the tiles of the output, each in vectors.
    LoopNest in_tiles(const BuiltGraph &b) {
        const Func &o = func(b, out), &g = func(b, grey);
        const StageId s = o.stages[0];
        return test::scheduled(
            b.graph,
            {action::ComputeRoot{o.id}, action::Tile{s, 0, {64}}, action::Vectorize{s, 0, 16},
             action::ComputeAt{g.id, {s, 0, 0}}, action::Vectorize{g.stages[0], 0, 16}});
    }
    void expect_cut_off(bool tiled) {
        make_grey();
        const BuiltGraph b = built();
        const LoopNest nest = in_vectors(b, grey, tiled);
        const StageNest &loops = nest.stage_nest(func(b, grey).stages[0]);
        EXPECT_TRUE(shifts_vectors(b.graph, loops, 0, false));
        EXPECT_TRUE(cuts_shared_clamps(b.graph, loops, false));
        EXPECT_FALSE(cuts_shared_clamps(b.graph, loops, true));
        ASSERT_TRUE(emit(b, nest).ok());
        EXPECT_EQ(DenseLoads::of(out, input), 3);
    }
    static int value(int i, int j, int c) { return (i * 31 + j * 17 + c * 5) % 251; }
    void expect_right_at_any_size(const std::function<LoopNest(const BuiltGraph &)> &schedule) {
        make_grey();
        const BuiltGraph b = built();
        ASSERT_TRUE(emit(b, schedule(b)).ok());
        for (int width : {1, 3, 15, 16, 17, 63, 64, 65, 130}) {
            Buffer<uint8_t> image(width, 3, 3);
            image.for_each_element([&](int i, int j, int c) {
                image(i, j, c) = static_cast<uint8_t>(value(i, j, c));
            });
            input.set(image);
            // An output that begins before the input and ends behind it.
            Buffer<uint16_t> result(width + 4, 3);
            result.set_min(-2, 0);
            out.realize(result);
            for (int j = 0; j < 3; j++)
                for (int i = -2; i < width + 2; i++) {
                    int sum = 0;
                    for (int c = 0; c < 3; c++)
                        for (int k : {j, std::min(j + 1, 2)})
                            sum += value(std::clamp(i, 0, width - 1), k, c);
                    ASSERT_EQ(result(i, j), sum) << i << ", " << j << " of " << width;
                }
        }
    }
};

TEST_F(HandClamps, AreSharedByTheColoursOfAPixel) {
    make_grey();
    EXPECT_TRUE(shifts());
}

TEST_F(HandClamps, AreSharedByTheRowsOfAWindow) {
    Halide::Func edges("edges");
    edges(x, y) = colour(column, 0);
    grey(x, y) = edges(x - 1, y) + edges(x - 1, y + 1);
    EXPECT_TRUE(shifts());
}

TEST_F(HandClamps, AreNotSharedByNeighboursInARow) {
    grey(x, y) = colour(clamp(x - 1, 0, input.width() - 1), 0) + colour(column, 0);
    EXPECT_FALSE(shifts());
}

TEST_F(HandClamps, AreNoneOfABoundaryCondition) {
    const Halide::Func edges = BoundaryConditions::repeat_edge(input);
    grey(x, y) = cast<uint16_t>(edges(x, y, 0)) + edges(x, y, 1);
    EXPECT_FALSE(shifts());
}

TEST_F(HandClamps, LetVectorsShiftOnlyWhereAllLoadsAreClamped) {
    grey(x, y) = colour(column, 0) + colour(column, 1) + input(x, y, 2);
    EXPECT_FALSE(shifts());
}

TEST_F(HandClamps, AreCutOffInAFuncWhoseVectorsShift) { expect_cut_off(false); }
TEST_F(HandClamps, AreCutOffInTilesOfAFuncWhoseVectorsShift) { expect_cut_off(true); }

TEST_F(HandClamps, AreCutOffInAnOutputWhoseVectorsAreSplitOffFirst) {
    make_grey();
    const BuiltGraph b = built();
    const LoopNest nest = in_vectors(b, out, true);
    const StageNest &loops = nest.stage_nest(func(b, out).stages[0]);
    EXPECT_TRUE(cuts_shared_clamps(b.graph, loops, false));
    EXPECT_FALSE(cuts_shared_clamps(b.graph, loops, true));
    ASSERT_TRUE(emit(b, nest).ok());
    EXPECT_GT(DenseLoads::of(out, input), 0);
}

TEST_F(HandClamps, AreRightInAFuncOfAnySize) {
    expect_right_at_any_size([&](const BuiltGraph &b) { return in_vectors(b, grey, true); });
}

TEST_F(HandClamps, AreRightInAnOutputOfAnySize) {
    expect_right_at_any_size([&](const BuiltGraph &b) { return in_vectors(b, out, true); });
}

TEST_F(HandClamps, AreRightInAFuncInTilesOfAnySize) {
    expect_right_at_any_size([&](const BuiltGraph &b) {
        const LoopNest nest = in_tiles(b);
        EXPECT_TRUE(shifts_vectors(b.graph, nest.stage_nest(func(b, grey).stages[0]), 0, false));
        return nest;
    });
}

}  // namespace
}  // namespace cryolite
