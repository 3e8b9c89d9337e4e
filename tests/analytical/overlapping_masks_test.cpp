// Sums of short rows in vectors that are longer, under masks: where LLVM takes the vectors for overlapping, each step
// stores them.
#include <filesystem>
#include <fstream>
#include <regex>

#include "emit/emit.h"
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"
#include "tests/scratch_file.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

// Sums over 64 products for rows of so many points: 8 steps for each of `rows` rows in one body, with 32 lanes.
struct ShortRows {
    static constexpr int lanes = 32, steps = 8;
    Var x{"x"}, y{"y"};
    RDom r{0, 64, "r"};
    ImageParam input{UInt(16), 2, "input"};
    Halide::Func sum{"sum"}, out{"out"};
    std::unique_ptr<BuiltGraph> built;
    std::optional<LoopNest> nest;
    StageId update;

    ShortRows(int points, int rows) {
        sum(x, y) = cast<uint16_t>(0);
        sum(x, y) += input(r, y) * input(x + r, y);
        out(x, y) = sum(x, y);
        out.bound(x, 0, points).bound(y, 0, 64);
        estimate(input, {points + 64, 64});
        estimate(out, {points, 64});
        built = std::make_unique<BuiltGraph>(build({out}));
        update = func(*built, sum).stages[1];
        Trace trace{action::ComputeRoot{func(*built, out).id},
                    action::ComputeRoot{func(*built, sum).id}, action::Tile{update, 0, {steps}},
                    action::Vectorize{update, 1, lanes}};
        if (rows > 1) trace.push_back(action::Tile{update, 2, {rows}});
        std::vector<LoopName> order{{update, 2, 0}, {update, 1, 0}, {update, 0, 0}, {update, 0, 1}};
        if (rows > 1) order.push_back({update, 2, 1});
        order.push_back({update, 1, 1});
        trace.push_back(action::Reorder{update, order});
        trace.push_back(action::Unroll{{update, 0, 1}});
        if (rows > 1) trace.push_back(action::Unroll{{update, 2, 1}});
        nest = scheduled(built->graph, trace);
    }
    double dependence() const {
        return test::cycles_of(*nest, *machine_preset("x86-avx512"), update).dependence;
    }
    int masked_stores() {
        EXPECT_TRUE(emit(*built, *nest).ok());
        const std::string file = test::scratch_file("overlapping_masks.s").string();
        out.compile_to_assembly(
            file, {input}, "overlapping_masks",
            Target("x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41-no_runtime"));
        std::ifstream stream(file);
        const std::regex store("vmov\\w+\\s+%[xyz]mm\\d+, .*\\{%k");
        int stores = 0;
        for (std::string line; std::getline(stream, line);)
            stores += std::regex_search(line, store);
        std::filesystem::remove(file);
        return stores;
    }
};

TEST(OverlappingMasks, StoreEachStep) {
    struct Case {
        int points, rows;
        bool each_step;
    };
    for (const Case &c : {Case{17, 4, true}, {17, 1, false}, {40, 4, false}}) {
        ShortRows rows(c.points, c.rows);
        EXPECT_EQ(rows.masked_stores(), c.rows * (c.each_step ? ShortRows::steps : 1))
            << c.points << " points, " << c.rows << " rows";
    }
}

TEST(OverlappingMasks, MakeEachStepWait) {
    // Of four times as many sums in a body there are as many bodies less, and their steps wait at the same time.
    EXPECT_GT(ShortRows(17, 4).dependence(), 1.5 * ShortRows(17, 1).dependence());
    EXPECT_LT(ShortRows(40, 4).dependence(), ShortRows(40, 1).dependence());
}

}  // namespace
}  // namespace cryolite
