// Regions that are the same at all sizes. Halide's code says which they are: it allocates so many bytes, whatever the
// size of the output.
#include "graph/facts/constant_regions.h"

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/graph/built_pipeline.h"
#include "tests/temporary_folder.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

// The sides of what Halide allocates for f at root, outermost first: a constant or an expression each.
std::vector<std::string> sides_in_code(Halide::Func f, Halide::Func out,
                                       const std::vector<Argument> &arguments) {
    f.compute_root();
    const TemporaryFolder folder;
    const std::string file = folder.path("out.stmt").string();
    out.compile_to_lowered_stmt(file, arguments, Text);
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    const std::string code = text.str();
    const std::string allocation = "allocate " + f.name() + "[";
    const size_t start = code.find(allocation);
    if (start == code.npos) return {"no allocation in " + code};
    const size_t first = code.find(" * ", start), end = code.find('\n', start);
    const std::string rest = code.substr(first, code.rfind(']', end) - first);
    std::vector<std::string> sides;
    // " * (a side)" each; parts in parentheses belong together.
    int depth = 0;
    for (size_t i = 0; i < rest.size(); i++) {
        if (depth == 0 && rest.compare(i, 3, " * ") == 0) {
            sides.emplace_back();
            i += 2;
            continue;
        }
        depth += rest[i] == '(' ? 1 : rest[i] == ')' ? -1 : 0;
        sides.back() += rest[i];
    }
    return sides;
}

struct ConstantRegions : testing::Test {
    Var x{"x"}, y{"y"};
    Halide::Func f{"f"}, out{"out"};
    ImageParam image{Float(32), 2, "image"};
    RDom k{0, 24, "k"};

    void SetUp() override {
        image.dim(0).set_estimate(0, 640);
        image.dim(1).set_estimate(0, 480);
        f(x, y) = x + 2.5f * y;
    }

    // What we say of f, which Halide's code must agree with where we say that a side is constant.
    std::vector<bool> of_f() {
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        const std::vector<bool> constant = func(built, f).constant_region;
        const std::vector<std::string> sides = sides_in_code(f, out, {image});
        EXPECT_EQ(sides.size(), constant.size()) << sides[0];
        for (size_t d = 0; d < std::min(sides.size(), constant.size()); d++)
            if (constant[d]) {
                EXPECT_TRUE(std::regex_match(sides[d], std::regex("\\d+")))
                    << d << ": " << sides[d];
            }
        return constant;
    }
};

using Sides = std::vector<bool>;

TEST_F(ConstantRegions, WhatReductionsOfConstantRangeRead) {
    out(x, y) = 0.0f;
    out(x, y) += f(k, y) * f(k + 3, y + 1);
    EXPECT_EQ(of_f(), (Sides{true, false}));
}

TEST_F(ConstantRegions, WhatIsReadAtRemainders) {
    out(x, y) = f(x % 16, y) + f(y % 8 + 3, y / 8);
    EXPECT_EQ(of_f(), (Sides{true, false}));
}

TEST_F(ConstantRegions, WhatIsReadAtSeveralRemaindersAndReductions) {
    out(x, y) = 0.0f;
    out(x, y) += f(2 * (x % 2) + y % 2 + 4 * k, (x + 1) % 5);
    EXPECT_EQ(of_f(), (Sides{true, true}));
}

TEST_F(ConstantRegions, NotWhatMovesBesideARemainder) {
    out(x, y) = f(8 * x + y % 8, y % 8);
    EXPECT_EQ(of_f(), (Sides{false, true}));
}

TEST_F(ConstantRegions, NotWhatReductionsOverAnInputRead) {
    RDom columns(0, image.width(), "columns");
    out(x, y) = 0.0f;
    out(x, y) += f(columns, y) * image(x, columns);
    EXPECT_EQ(of_f(), (Sides{false, false}));
}

TEST_F(ConstantRegions, PassedOnByFuncsBetween) {
    Halide::Func between("between");
    between(x, y) = f(x, y) + f(x + 2, y);
    out(x, y) = 0.0f;
    out(x, y) += between(k, y);
    EXPECT_EQ(of_f(), (Sides{true, false}));
}

TEST_F(ConstantRegions, OfAllReadersTogether) {
    Halide::Func other("other");
    other(x, y) = 0.0f;
    other(x, y) += f(k, y);
    out(x, y) = other(x, y) + f(x, 0);
    EXPECT_EQ(of_f(), (Sides{false, false}));
}

TEST_F(ConstantRegions, ConstantPlaces) {
    out(x, y) = f(x, 3) + f(x, 5);
    EXPECT_EQ(of_f(), (Sides{false, true}));
}

TEST_F(ConstantRegions, NotClampedPlaces) {
    out(x, y) = 0.0f;
    out(x, y) += f(clamp(k + x, 0, image.width() - 1), y);
    EXPECT_EQ(of_f(), (Sides{false, false}));
}

TEST_F(ConstantRegions, NotThoseOfARangeThatAPredicateNarrows) {
    Param<int> n("n", 5);
    n.set_estimate(5);
    RDom some(0, 24, "some");
    some.where(some.x < n);
    out(x, y) = 0.0f;
    out(x, y) += f(some, y);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    EXPECT_EQ(func(built, f).constant_region, (Sides{false, false}));
}

// Colours are often bound, so that Halide knows how many there are.
TEST_F(ConstantRegions, WhatBoundOutputsRead) {
    out(x, y) = f(x, y) + f(x + 1, y);
    out.bound(x, 0, 8).bound(y, 0, image.height());
    EXPECT_EQ(of_f(), (Sides{true, false}));
}

TEST_F(ConstantRegions, WhatOutputsOfConstrainedBuffersRead) {
    out(x, y) = f(x, y) + f(x + 1, y);
    out.output_buffer().dim(0).set_bounds(0, 8);
    out.output_buffer().dim(1).set_extent(8);  // which may begin anywhere
    EXPECT_EQ(of_f(), (Sides{true, false}));
}

TEST_F(ConstantRegions, WhatIsBoundItself) {
    f.bound(x, 0, 24);
    out(x, y) = f(clamp(x, 0, 23), y);
    EXPECT_EQ(of_f(), (Sides{true, false}));
}

TEST_F(ConstantRegions, GrownByUpdatesOfConstantRange) {
    f(k, y) += 1.0f;
    RDom few(0, 8, "few");
    out(x, y) = 0.0f;
    out(x, y) += f(few, y);
    EXPECT_EQ(of_f(), (Sides{true, false}));
}

TEST_F(ConstantRegions, NotGrownByUpdatesOfAnotherOne) {
    RDom columns(0, image.width(), "columns");
    f(columns, y) += 1.0f;
    out(x, y) = 0.0f;
    out(x, y) += f(k, y);
    EXPECT_EQ(of_f(), (Sides{false, false}));
}

}  // namespace
}  // namespace cryolite
