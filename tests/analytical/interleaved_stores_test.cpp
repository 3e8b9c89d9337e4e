// Which copies Halide interleaves into whole vectors, what they cost, and that all sizes are right.
#include <sstream>

#include "code/kernel/known_addresses.h"
#include "emit/emit.h"
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;
using test::some_machine;

constexpr int lanes = 16;

struct Colours : testing::Test {
    Var x{"x"}, y{"y"}, c{"c"};
    ImageParam in{UInt(8), 3, "in"};
    Halide::Func out{"out"};

    void define(int stride) {
        out(x, y, c) = in(x, y, c) + cast<uint8_t>(x + 3 * y);
        estimate(in, {640, 480, 3});
        estimate(out, {640, 480, 3});
        out.output_buffer().dim(0).set_stride(stride);
        out.output_buffer().dim(2).set_stride(1).set_bounds(0, 3);
    }
    enum class Inside { Colours, Vectors };
    // Two vectors of three colours; which of their loops is the inner one.
    static LoopNest nest_of(const BuiltGraph &built, const Halide::Func &f, Inside inside) {
        const StageId s = func(built, f).stages[0];
        const LoopName colours{s, 2, 1}, vectors{s, 0, 1};
        const bool last = inside == Inside::Colours;
        return scheduled(built.graph,
                         {action::ComputeRoot{func(built, f).id}, action::Tile{s, 2, {3}},
                          action::Tile{s, 0, {2 * lanes}}, action::Vectorize{s, 0, lanes},
                          action::Reorder{s,
                                          {{s, 1, 0},
                                           {s, 2, 0},
                                           {s, 0, 0},
                                           last ? vectors : colours,
                                           last ? colours : vectors,
                                           {s, 0, 2}}},
                          action::Unroll{colours}, action::Unroll{vectors}});
    }
    int interleaved(Inside inside) {
        const BuiltGraph built = build({out});
        const LoopNest nest = nest_of(built, out, inside);
        StageExpander expander(built.graph);
        const std::vector<FuncId> members{func(built, out).id};
        const KernelCode code(built.graph, expander, nest, members);
        return known_addresses(nest, code.stages()[0], ConstantSides(code)).interleaved;
    }
    bool stores_whole_vectors(Inside inside) {
        const BuiltGraph built = build({out});
        EXPECT_TRUE(emit(built, nest_of(built, out, inside)).ok());
        std::ostringstream text;
        text << out.compile_to_module({in}).functions().front().body;
        return text.str().find("1, " + std::to_string(3 * lanes) + ")] =") != std::string::npos;
    }
    double stores(Inside inside) {
        const BuiltGraph built = build({out});
        return test::cycles_of(nest_of(built, out, inside), some_machine(),
                               func(built, out).stages[0])
            .stores;
    }
};

TEST_F(Colours, AreInterleavedIfTheirCopiesFollowEachOther) {
    define(3);
    EXPECT_EQ(interleaved(Inside::Colours), 3);
    EXPECT_EQ(interleaved(Inside::Vectors), 1);
    EXPECT_LT(4 * stores(Inside::Colours), stores(Inside::Vectors));
    EXPECT_TRUE(stores_whole_vectors(Inside::Colours));
}

TEST_F(Colours, AreStoredOneByOneInAnotherOrder) {
    define(3);
    EXPECT_FALSE(stores_whole_vectors(Inside::Vectors));
}

// Halide would write what lies in the gaps.
TEST_F(Colours, AreStoredOneByOneWithGaps) {
    define(4);
    EXPECT_EQ(interleaved(Inside::Colours), 1);
    EXPECT_FALSE(stores_whole_vectors(Inside::Colours));
}

// A load of every third element is loads of vectors and shuffles; of every 64th, of single elements.
TEST_F(Colours, AreLoadedByVectors) {
    const auto loads = [&](int stride) {
        Halide::Func planar("planar");
        ImageParam pixels(UInt(8), 3, "pixels");
        if (stride > 1) {
            pixels.dim(0).set_stride(stride);
            pixels.dim(2).set_stride(1);
        }
        planar(x, y, c) = pixels(x, y, c);
        estimate(pixels, {640, 480, 3});
        estimate(planar, {640, 480, 3});
        const BuiltGraph built = build({planar});
        return test::cycles_of(nest_of(built, planar, Inside::Vectors), some_machine(),
                               func(built, planar).stages[0])
            .loads;
    };
    EXPECT_LT(loads(1), loads(3));
    EXPECT_LT(loads(3), loads(64));
}

TEST_F(Colours, AreRightAtAllSizes) {
    define(3);
    const BuiltGraph built = build({out});
    ASSERT_TRUE(emit(built, nest_of(built, out, Inside::Colours)).ok());
    for (const int width : {1, 31, 32, 45, 96})
        for (const int height : {1, 5}) {
            Buffer<uint8_t> image(width, height, 3);
            image.for_each_element([&](int i, int j, int k) {
                image(i, j, k) = static_cast<uint8_t>(i + 7 * j + 50 * k);
            });
            in.set(image);
            Buffer<uint8_t> found = Buffer<uint8_t>::make_interleaved(width, height, 3);
            out.realize(found);
            found.for_each_element([&](int i, int j, int k) {
                ASSERT_EQ(found(i, j, k), static_cast<uint8_t>(image(i, j, k) + i + 3 * j))
                    << i << ", " << j << ", " << k << " of " << width << " x " << height;
            });
        }
}

}  // namespace
}  // namespace cryolite
