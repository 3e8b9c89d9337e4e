// Addresses of rows that a loop moves unevenly: how many there are, against LLVM's code, and what they cost.
#include "code/kernel/uneven_rows.h"

#include <filesystem>
#include <fstream>

#include "code/kernel/known_addresses.h"
#include "emit/emit.h"
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"
#include "tests/scratch_file.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::func;

// A sum over some rows of an input, whose stride is known at run time only, in vectors of eight columns.
struct Rows : testing::Test {
    static constexpr int rows = 24;
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"}, weights{Float(32), 1, "weights"};
    std::optional<BuiltGraph> built;
    std::optional<LoopNest> nest;
    StageId sums;

    // inside: the loop over y stands inside of the one over columns. copies: so many y are computed at once.
    Halide::Func make(const Expr &row, int width, bool inside, int copies = 1) {
        const RDom k(0, rows, "k");
        Halide::Func sum("sum"), out("out");
        sum(x, y) = 0.0f;
        sum(x, y) += weights(k) * input(x, row + k);
        out(x, y) = sum(x, y) + 1.0f;
        out.set_estimates({{0, width}, {0, 480}});
        input.set_estimates({{0, width}, {0, 2048}});
        weights.set_estimates({{0, rows}});
        built.emplace(build({out}));
        const Func &o = func(*built, out), &f = func(*built, sum);
        const StageId s = o.stages[0];
        sums = f.stages[1];
        const Stage &update = built->graph.stage(sums);
        const int16_t dx = test::loop_over(update, 0), dk = test::loop_over(update, -1);
        const int16_t site = inside ? 1 : 0;
        Trace trace{action::ComputeRoot{o.id}, action::Tile{s, 0, {8}}, action::Vectorize{s, 0, 8}};
        if (copies > 1)
            trace.insert(trace.end(),
                         {action::Tile{s, 1, {copies}},
                          action::Reorder{s, {{s, 0, 0}, {s, 1, 0}, {s, 1, 1}, {s, 0, 1}}}});
        else if (inside)
            trace.push_back(action::Reorder{s, {{s, 0, 0}, {s, 1, 0}, {s, 0, 1}}});
        trace.insert(trace.end(),
                     {action::ComputeAt{f.id, {s, site, 0}}, action::Vectorize{sums, dx, 8},
                      action::Reorder{sums,
                                      {{sums, test::loop_over(update, 1), 0},
                                       {sums, dx, 0},
                                       {sums, dk, 0},
                                       {sums, dx, 1}}},
                      action::Unroll{{sums, dk, 0}}});
        if (copies > 1) trace.push_back(action::Unroll{{sums, test::loop_over(update, 1), 0}});
        nest = test::scheduled(built->graph, trace);
        return out;
    }

    template <class Answer>
    Answer ask_of_input(Answer (*question)(const LoopNest &, const StageCode &, const LoadGroup &,
                                           const ConstantSides &)) {
        StageExpander expander(built->graph);
        for (const Kernel &kernel : kernels_of(*nest, expander)) {
            const KernelCode code(built->graph, expander, *nest, kernel.members);
            const ConstantSides sides(code);
            for (const StageCode &s : code.stages())
                for (const LoadGroup &load : s.body->loads)
                    if (s.stage->id == sums &&
                        built->graph.func(load.producer).name.starts_with("input"))
                        return question(*nest, s, load, sides);
        }
        ADD_FAILURE() << "no load";
        return {};
    }
    UnevenRows of_input() { return ask_of_input(uneven_rows); }
    double addresses() { return ask_of_input(addresses_of_load); }

    size_t multiplications(const Halide::Func &out) {
        EXPECT_TRUE(emit(*built, *nest).ok());
        const std::string file = test::scratch_file("uneven_rows.s").string();
        Halide::Func f = out;
        f.compile_to_assembly(
            file, {input, weights}, "uneven_rows",
            Target("x86-64-linux-avx-avx2-f16c-fma-sse41-no_runtime-no_asserts-no_bounds_query"));
        std::ifstream stream(file);
        std::string line;
        size_t n = 0;
        while (std::getline(stream, line)) n += line.find("\timul") != std::string::npos;
        std::filesystem::remove(file);
        return n;
    }
};

TEST_F(Rows, AreMultipliedEachWhereTheirStepsDiffer) {
    const Halide::Func even = make(2 * y, 640, true);
    EXPECT_EQ(of_input().runs, 0);
    const size_t once = multiplications(even);
    const Halide::Func uneven = make(y * 7 / 5, 640, true);
    EXPECT_EQ(of_input().runs, 1);
    EXPECT_GE(multiplications(uneven), once + rows - 1);
}

TEST_F(Rows, AreComputedAheadOfLoopsThatDoNotMoveThem) {
    make(y * 7 / 5, 640, false);
    EXPECT_EQ(of_input().runs, 80);
    EXPECT_TRUE(of_input().ahead);
    // LLVM does not know that the loop runs once.
    make(y * 7 / 5, 8, false);
    EXPECT_EQ(of_input().runs, 1);
    EXPECT_TRUE(of_input().ahead);
    make(y * 7 / 5, 640, true);
    EXPECT_FALSE(of_input().ahead);
}

// Rows 2 * y + k of three y are four more than those of one. Rows y * 7 / 5 + k may be the same or not.
TEST_F(Rows, AreSharedByCopiesIfTheStepsAreEven) {
    const Halide::Func even = make(2 * y, 640, true, 3);
    EXPECT_EQ(addresses(), rows + 4);
    const size_t shared = multiplications(even);
    const Halide::Func uneven = make(y * 7 / 5, 640, true, 3);
    EXPECT_EQ(addresses(), 3 * rows);
    EXPECT_GE(multiplications(uneven), shared + 2 * rows - 4);
}

TEST_F(Rows, HaveOneAddressIfTheStrideIsKnown) {
    input.dim(1).set_stride(640);
    make(y * 7 / 5, 640, true);
    EXPECT_EQ(of_input().runs, 0);
}

// Each is stored at three steps, and loaded at the next two.
TEST_F(Rows, ComputedAheadLiveOnTheStackBeyondTheRegisters) {
    make(y * 7 / 5, 8, false);
    Machine few = test::some_machine(), many = test::some_machine();
    few.vector_registers = many.vector_registers = 32;
    few.address_registers = 10;
    many.address_registers = 1000;
    const auto spills = [&](const Machine &machine) {
        return test::cycles_of(*nest, machine, sums).spills;
    };
    EXPECT_NEAR(spills(few) - spills(many),
                (rows - 10) * (3 * few.scalar.store + 2 * few.scalar.load), 1e-6);
}

}  // namespace
}  // namespace cryolite
