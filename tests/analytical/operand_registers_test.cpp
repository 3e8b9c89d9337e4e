// Registers for the operands of a block of sums: which fit, against the code that LLVM makes of the block.
#include "analytical/cycles/operand_registers.h"

#include <filesystem>
#include <fstream>

#include "analytical/cycles/stage_cycles.h"
#include "code/kernel/stage_code.h"
#include "emit/emit.h"
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"
#include "tests/scratch_file.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::func;

constexpr int registers = 16;

size_t count(const std::string &in, const std::string &what) {
    size_t n = 0;
    for (size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) n++;
    return n;
}

// Sums of products of two factors that differ in every lane: outputs share one of them, and pixels the other.
struct Block : testing::Test {
    Var g{"g"}, o{"o"}, x{"x"};
    ImageParam inputs{Float(32), 3, "inputs"}, weights{Float(32), 3, "weights"};
    std::optional<BuiltGraph> built;
    std::optional<LoopNest> nest;
    StageId sums;

    // Sums of so many outputs and pixels, with the copies of the pixels inside or outside. complex: each sum is a tuple
    // of two.
    Halide::Func make(int outputs, int pixels, bool pixels_inside, bool complex = false) {
        const RDom k(0, 64, "k");
        Halide::Func block("block"), out("out");
        const Expr product = inputs(g, k, x) * weights(g, k, o);
        if (complex) {
            block(g, o, x) = {0.0f, 0.0f};
            block(g, o, x) = {block(g, o, x)[0] + product, block(g, o, x)[1] - product};
            out(g, o, x) = block(g, o, x)[0] * block(g, o, x)[1];
        } else {
            block(g, o, x) = 0.0f;
            block(g, o, x) += product;
            out(g, o, x) = block(g, o, x) * 2;
        }
        out.bound(g, 0, 16).bound(o, 0, 60).bound(x, 0, 840);
        out.set_estimates({{0, 16}, {0, 60}, {0, 840}});
        inputs.set_estimates({{0, 16}, {0, 64}, {0, 840}});
        weights.set_estimates({{0, 16}, {0, 64}, {0, 60}});
        built.emplace(build({out}));
        const StageId tiles = func(*built, out).stages[0];
        Trace trace{action::ComputeRoot{func(*built, out).id},
                    action::Tile{tiles, 1, {outputs}},
                    action::Tile{tiles, 2, {pixels}},
                    action::Vectorize{tiles, 0, 8},
                    action::Reorder{tiles,
                                    {{tiles, 2, 0},
                                     {tiles, 1, 0},
                                     {tiles, 0, 0},
                                     {tiles, 2, 1},
                                     {tiles, 1, 1},
                                     {tiles, 0, 1}}},
                    action::ComputeAt{func(*built, block).id, {tiles, 0, 0}}};
        for (StageId s : func(*built, block).stages) {
            sums = s;
            const Stage &stage = built->graph.stage(s);
            const auto loop = [&](int dim, int16_t level) {
                const auto found = std::ranges::find(stage.loops, dim, &StageLoop::func_dim);
                return LoopName{s, static_cast<int16_t>(found - stage.loops.begin()), level};
            };
            const int reduction = -1;
            std::vector<LoopName> order{loop(0, 0), loop(pixels_inside ? 1 : 2, 0),
                                        loop(pixels_inside ? 2 : 1, 0), loop(0, 1)};
            if (stage.loops.size() > 3) order.insert(order.begin(), loop(reduction, 0));
            trace.push_back(action::Vectorize{s, loop(0, 0).dim, 8});
            trace.push_back(action::Reorder{s, order});
            for (int dim : {1, 2}) trace.push_back(action::Unroll{loop(dim, 0)});
        }
        nest = test::scheduled(built->graph, trace);
        return out;
    }

    double operands() {
        StageExpander expander(built->graph);
        const StageCode code = stage_code(*nest, sums, expander);
        return operand_registers(test::some_machine(), *code.body, code.inner, 32);
    }

    // Whether the innermost loop of the sums keeps one of them in memory.
    bool llvm_spills(const Halide::Func &out) {
        EXPECT_TRUE(emit(*built, *nest).ok());
        const std::string file = test::scratch_file("operand_registers.s").string();
        Halide::Func f = out;
        f.compile_to_assembly(file, {inputs, weights}, "operand_registers",
                              Target("x86-64-linux-avx-avx2-f16c-fma-sse41-no_runtime"));
        std::ifstream stream(file);
        std::string line, block, most;
        while (std::getline(stream, line)) {
            if (line.starts_with(".L")) block.clear();
            block += line + "\n";
            if (count(block, "vfmadd") > count(most, "vfmadd")) most = block;
        }
        std::filesystem::remove(file);
        EXPECT_GT(count(most, "vfmadd"), 0U);
        return count(most, "Spill") > 0;
    }
};

// Of the copies inside, all factors are kept, and of those outside one.
TEST_F(Block, KeepsTheFactorsOfTheCopiesInside) {
    for (bool inside : {false, true}) {
        make(4, 3, inside);
        EXPECT_EQ(operands(), inside ? 3 + 1 : 4 + 1);
        make(2, 6, inside);
        EXPECT_EQ(operands(), inside ? 6 + 1 : 2 + 1);
    }
}

TEST_F(Block, IsKeptInRegistersByLlvmWhereItFits) {
    int fit = 0, spill = 0;
    for (auto [outputs, pixels] : {std::pair{4, 3}, {3, 4}, {2, 6}, {6, 2}, {2, 5}, {5, 2}})
        for (bool inside : {false, true}) {
            const Halide::Func out = make(outputs, pixels, inside);
            const double needed = outputs * pixels + operands();
            if (needed == registers) continue;  // LLVM manages with some, and not with others
            EXPECT_EQ(llvm_spills(out), needed > registers)
                << outputs << " outputs, " << pixels << " pixels, " << inside;
            (needed > registers ? spill : fit)++;
        }
    EXPECT_GT(fit, 3);
    EXPECT_GT(spill, 3);
}

// Twelve registers hold four times three sums, or two times three of two elements each. More live in memory.
TEST_F(Block, OfTuplesNeedsRegistersForEachElement) {
    const Machine machine = *machine_preset("x86-avx2");
    const auto stores_per_sum = [&](int outputs, bool complex) {
        make(outputs, 3, true, complex);
        return test::cycles_of(*nest, machine, sums).stores / outputs / (complex ? 2 : 1);
    };
    EXPECT_NEAR(stores_per_sum(4, false), stores_per_sum(2, true), 1e-9);
    EXPECT_GT(stores_per_sum(4, true), 10 * stores_per_sum(2, true));
}

// A sum that is spilled waits for itself.
TEST_F(Block, CostsMoreWhereSumsAreSpilled) {
    Machine machine = *machine_preset("x86-avx2");
    ASSERT_EQ(machine.vector_registers, registers);
    const auto cycles = [&](bool inside) {
        make(4, 3, inside);
        return test::cycles_of(*nest, machine, sums);
    };
    EXPECT_EQ(cycles(true).spills, 0);
    EXPECT_GT(cycles(false).spills, 0);
    EXPECT_GT(cycles(false).dependence, cycles(true).dependence);
    EXPECT_EQ(cycles(false).loads, cycles(true).loads);
}

}  // namespace
}  // namespace cryolite
