// What the copies of an unrolled body share, against the code that is made of it: loads and multiplications
// in the innermost block of LLVM's code, once it is optimised, beside those that the model counts.
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "analytical/cycles/access_cycles.h"
#include "analytical/cycles/stage_cycles.h"
#include "emit/emit.h"
#include "tests/featurize/scheduled.h"
#include "tests/scratch_file.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

// Vectors of them are one access on any processor.
constexpr int lanes = 8, bits = 16;
constexpr int side = 64, strip = 32;

struct Body {
    double loads = 0, multiplications = 0;
};

// A machine on which only what is counted takes time.
Machine machine_that_counts(double load, double multiplication) {
    Machine m = test::some_machine();
    m.vector = m.scalar = ArithmeticCosts{};
    for (double *cost : {&m.vector.float_add, &m.vector.integer_simple, &m.vector.cast}) *cost = 0;
    m.vector.store = 0;
    m.vector.load = load / accesses_per_vector(m, bits, lanes);
    m.vector.integer_multiply_16 = multiplication;
    return m;
}

size_t count(const std::string &in, const std::string &what) {
    size_t n = 0;
    for (size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) n++;
    return n;
}

// Of the block that has most of them.
Body by_llvm(Halide::Func out, const ImageParam &input) {
    const std::string file = test::scratch_file("compiled_body.ll").string();
    out.compile_to_llvm_assembly(file, {input}, "compiled_body",
                                 get_host_target().with_feature(Target::NoRuntime));
    std::ifstream stream(file);
    std::string line, block;
    Body most;
    const auto take = [&] {
        const Body b{double(count(block, "load <8 x i16>")),
                     double(count(block, "mul <8 x i16>") + count(block, "mul nuw <8 x i16>"))};
        if (b.loads + b.multiplications > most.loads + most.multiplications) most = b;
        block.clear();
    };
    while (std::getline(stream, line)) {
        if (!line.empty() && line[0] != ' ') take();
        block += line + "\n";
    }
    take();
    std::filesystem::remove(file);
    return most;
}

struct CompiledBody : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{UInt(16), 2, "input"};
    Halide::Func source{"source"}, rows{"rows"}, out{"out"};
    std::optional<BuiltGraph> built;
    StageId o;
    Trace trace;
    int copies = 0;

    // Products of neighbours, summed over three rows, of which some are unrolled.
    void make(bool from_input, int rows_unrolled = 4) {
        copies = rows_unrolled;
        source(x, y) = input(x, y) + cast<uint16_t>(1);
        const auto at = [&](Expr column) -> Expr {
            return from_input ? Expr(input(column, y)) : Expr(source(column, y));
        };
        rows(x, y) = at(x) * at(x + 1);
        out(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
        estimate(out, {side, side});
        built.emplace(build({out}));
        o = func(*built, out).stages[0];
        trace = {
            action::ComputeRoot{func(*built, out).id},
            action::Tile{o, 1, {strip, copies}},
            action::Tile{o, 0, {strip}},
            action::Vectorize{o, 0, lanes},
            action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 1, 1}, {o, 0, 1}, {o, 1, 2}, {o, 0, 2}}},
            action::Unroll{{o, 1, 2}}};
        if (!from_input) trace.push_back(action::Inline{func(*built, rows).id});
    }

    // Whole rows, not tiles of them: the loops over groups of rows are the outermost.
    void go_by_rows() {
        trace[4] =
            action::Reorder{o, {{o, 1, 0}, {o, 1, 1}, {o, 0, 0}, {o, 0, 1}, {o, 1, 2}, {o, 0, 2}}};
    }

    void vectorize(const Halide::Func &f, bool unroll_rows) {
        const StageId s = func(*built, f).stages[0];
        trace.push_back(action::Vectorize{s, 0, lanes});
        trace.push_back(action::Reorder{s, {{s, 0, 0}, {s, 1, 0}, {s, 0, 1}}});
        if (unroll_rows) trace.push_back(action::Unroll{{s, 1, 0}});
    }

    Body by_model(const LoopNest &nest, const std::vector<FuncId> &members) {
        const auto all = [&](double load, double multiplication) {
            const Machine machine = machine_that_counts(load, multiplication);
            StageExpander expander(built->graph);
            const KernelCode code(built->graph, expander, nest, members);
            const KernelStorage storage(code, machine);
            double cycles = 0;
            for (const StageCode &s : code.stages()) {
                const bool own = s.stage->id == o;
                if (!own && !storage.in_registers.contains(s.stage->func))
                    continue;  // another block
                const StageCycles c = stage_cycles(nest, machine, s, storage);
                cycles += (load > 0 ? c.memory_operations() : c.arithmetic) /
                          (own ? side * side / lanes / copies : 1);
            }
            return cycles;
        };
        return {all(1, 0), all(0, 1)};
    }

    void expect_agreement(std::vector<FuncId> members, Body expected) {
        expect_agreement(std::move(members), expected, expected);
    }
    void expect_agreement(std::vector<FuncId> members, Body expected, Body really) {
        members.insert(members.begin(), func(*built, out).id);
        const LoopNest nest = test::scheduled(built->graph, trace);
        const Body model = by_model(nest, members);
        EXPECT_DOUBLE_EQ(model.loads, expected.loads);
        EXPECT_DOUBLE_EQ(model.multiplications, expected.multiplications);
        ASSERT_TRUE(emit(*built, nest).ok());
        const Body compiled = by_llvm(out, input);
        EXPECT_EQ(compiled.loads, really.loads);
        EXPECT_EQ(compiled.multiplications, really.multiplications);
    }
};

// The rows that four rows of the output need are six.
constexpr Body shared{12, 6}, anew{24, 12};

TEST_F(CompiledBody, LoadsRowsOfAnInputAnew) {
    make(true);
    expect_agreement({}, anew);
}

TEST_F(CompiledBody, LoadsRowsOfAFuncAtRootAnew) {
    make(false);
    trace.push_back(action::ComputeRoot{func(*built, source).id});
    vectorize(source, false);
    expect_agreement({}, anew);
}

TEST_F(CompiledBody, SharesRowsOfAConstantLength) {
    make(false);
    trace.push_back(action::ComputeAt{func(*built, source).id, {o, 0, 0}});
    vectorize(source, false);
    expect_agreement({func(*built, source).id}, shared);
}

// Most of them: LLVM does not see that stride + 2 * stride is 2 * stride + stride.
TEST_F(CompiledBody, SharesRowsAtConstantPlaces) {
    make(false);
    go_by_rows();
    trace.push_back(action::ComputeAt{func(*built, source).id, {o, 1, 1}});
    vectorize(source, false);
    expect_agreement({func(*built, source).id}, shared, {16, 8});
}

TEST_F(CompiledBody, SharesRowsOfAFoldedWindow) {
    make(false, 2);
    go_by_rows();
    trace.push_back(action::ComputeAt{func(*built, source).id, {o, 1, 1}});
    trace.push_back(action::StoreAt{func(*built, source).id, LoopName{o, 1, 0}});
    vectorize(source, false);
    expect_agreement({func(*built, source).id}, {8, 4});
}

TEST_F(CompiledBody, LoadsRowsOfAWholeTileOfUnknownWidthAnew) {
    make(false);
    go_by_rows();
    trace.push_back(action::ComputeAt{func(*built, source).id, {o, 1, 0}});
    vectorize(source, false);
    expect_agreement({func(*built, source).id}, anew);
}

// Six rows of products, which are nowhere stored, of two loads each.
TEST_F(CompiledBody, KeepsWhatIsMadeInTheBodyInRegisters) {
    make(true);
    trace.push_back(action::ComputeAt{func(*built, rows).id, {o, 0, 1}});
    vectorize(rows, true);
    expect_agreement({func(*built, rows).id}, shared);
}

// Vectors that are read shifted by one are not those that were made.
TEST_F(CompiledBody, KeepsNothingInRegistersThatIsReadShifted) {
    source(x, y) = input(x, y) + cast<uint16_t>(1);
    for (const int shift : {0, 1, lanes}) {
        Halide::Func reader("reader");
        reader(x, y) = source(x, y) * source(x + shift, y) * source(x + lanes, y);
        estimate(reader, {side, side});
        const BuiltGraph graph = build({reader});
        const StageId r = func(graph, reader).stages[0], s = func(graph, source).stages[0];
        const FuncId f = func(graph, source).id;
        const LoopNest nest = test::scheduled(
            graph.graph,
            {action::ComputeRoot{func(graph, reader).id}, action::Tile{r, 0, {2 * lanes}},
             action::Vectorize{r, 0, lanes}, action::Unroll{{r, 0, 1}},
             action::ComputeAt{f, {r, 0, 0}}, action::Tile{s, 0, {3 * lanes}},
             action::Vectorize{s, 0, lanes}, action::Unroll{{s, 0, 1}}});
        const Machine machine = machine_that_counts(1, 1);
        StageExpander expander(graph.graph);
        const KernelCode code(graph.graph, expander, nest, std::vector{func(graph, reader).id, f});
        EXPECT_EQ(values_in_registers(code, machine).contains(f), shift != 1);
    }
}

}  // namespace
}  // namespace cryolite
