// Which sums stand under guards of a part that is not whole at every size, held against Halide's code.
#include <sstream>

#include "code/kernel/known_addresses.h"
#include "emit/emit.h"
#include "tests/featurize/scheduled.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::loop_over;
using test::scheduled;

// Sums of products that may not be computed past the end, since the first factor is an input, in the tiles of whoever
// reads them: 16 columns in two vectors, and four rows.
struct GuardedSums : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    RDom k{0, 64, "k"};
    Halide::Func sums;

    void SetUp() override {
        sums = Halide::Func("sums");
        sums(x, y) += a(x, k) * b(k, y);
        estimate(a, {512, 64});
        estimate(b, {64, 512});
    }

    // How the output's last stage, whose loops are x and y in any order, is walked around the sums.
    struct Tiles {
        bool parallel;  // the loop over tiles
        bool nested;    // two tiles in one of 32 columns
    };

    void check(const Halide::Func &out, Tiles tiles, bool are_guarded) {
        SCOPED_TRACE(std::string(tiles.parallel ? "parallel" : "serial") +
                     (tiles.nested ? " tiles of tiles" : " tiles"));
        const BuiltGraph built = build({out});
        const FuncId o = func(built, out).id, f = func(built, sums).id;
        const StageId s = built.graph.func(o).stages.back(), u = built.graph.func(f).stages[1];
        const Stage &tiled = built.graph.stage(s), &summed = built.graph.stage(u);
        const int16_t column = loop_over(tiled, 0), row = static_cast<int16_t>(1 - column);
        const int16_t c = loop_over(summed, 0), r = loop_over(summed, 1),
                      sum = loop_over(summed, -1);
        const auto level = [&](int16_t d, int16_t l) { return LoopName{s, d, l}; };
        const auto depth = static_cast<int16_t>(tiles.nested ? 2 : 1);
        const LoopName site = level(column, static_cast<int16_t>(depth - 1));
        std::vector<LoopName> order{level(column, 0), level(row, 0)};
        if (tiles.nested) order.push_back(site);
        order.insert(order.end(), {level(row, 1), level(column, depth)});
        Trace trace{
            action::ComputeRoot{o},
            tiles.nested ? action::Tile{s, column, {32, 16}} : action::Tile{s, column, {16}},
            action::Tile{s, row, {4}}, action::Reorder{s, order}};
        if (tiles.parallel) trace.push_back(action::Parallel{s, 1});
        const Trace of_sums{
            action::ComputeAt{f, tiles.nested ? site : level(row, 0)},
            action::Tile{u, c, {16, 8}},
            action::Tile{u, r, {4}},
            action::Vectorize{u, c, 8},
            action::Reorder{u,
                            {{u, r, 0}, {u, c, 0}, {u, sum, 0}, {u, r, 1}, {u, c, 1}, {u, c, 2}}},
            action::Unroll{{u, c, 1}},
            action::Unroll{{u, r, 1}}};
        trace.insert(trace.end(), of_sums.begin(), of_sums.end());
        const LoopNest nest = scheduled(built.graph, trace);
        StageExpander expander(built.graph);
        const std::vector<FuncId> members{o, f};
        const KernelCode code(built.graph, expander, nest, members);
        const auto summing = std::ranges::find_if(
            code.stages(), [&](const StageCode &each) { return each.stage->id == u; });
        const KnownAddresses known = known_addresses(nest, *summing, ConstantSides(code));
        EXPECT_EQ(known.sums_in_registers, !are_guarded);

        ASSERT_TRUE(emit(built, nest).ok());
        std::ostringstream text;
        text << Halide::Func(out).compile_to_module(out.infer_arguments()).functions().front().body;
        // The first loop over the products is that of the case for large sizes.
        const std::string all = text.str();
        const size_t loop = all.find("for (" + sums.name() + ".s1.k");
        ASSERT_NE(loop, std::string::npos);
        const size_t body = all.find('\n', loop) + 1;
        const size_t indented = loop - (all.rfind('\n', loop) + 1);
        const size_t end = all.find("\n" + std::string(indented, ' ') + "}", body);
        EXPECT_EQ(all.substr(body, end - body).find("if (") != std::string::npos, are_guarded)
            << all.substr(body, end - body);
    }
};

TEST_F(GuardedSums, AreNoneInTilesThatShiftInwards) {
    for (const bool parallel : {false, true})
        for (const bool nested : {false, true}) {
            SetUp();
            Halide::Func out("out");
            out(x, y) = sums(x, y) + 1;
            estimate(out, {512, 512});
            check(out, {parallel, nested}, false);
        }
}

// Found in a search for nearest points, which took three times as long as by hand: tiles of an update end where the image
// does. Halide cuts the last one off, unless two loops decide which it is.
TEST_F(GuardedSums, AreThoseInTilesOfTilesOfAnUpdate) {
    for (const bool parallel : {false, true})
        for (const bool nested : {false, true}) {
            SetUp();
            Halide::Func out("out");
            RDom r(0, 512, "r");
            out(x) = Float(32).max();
            out(x) = min(out(x), sums(x, r));
            estimate(out, {512});
            check(out, {parallel, nested}, nested);
        }
}

}  // namespace
}  // namespace cryolite
