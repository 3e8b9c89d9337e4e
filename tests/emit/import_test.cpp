// Directive by directive: what a hand schedule becomes, and what is named because it has no place.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <regex>

#include <Halide.h>

#include "code/legality/validate.h"
#include "emit/import/clear_schedule.h"
#include "emit/import/import_schedule.h"
#include "graph/builder/build.h"
#include "schedule/trace_text.h"

namespace cryolite {
namespace {

// A schedule is written in Halide's language. Its Func is not ours.
using Halide::Buffer;
using Halide::Float;
using Halide::Func;
using Halide::ImageParam;
using Halide::MemoryType;
using Halide::RDom;
using Halide::RVar;
using Halide::TailStrategy;
using Halide::UInt;
using Halide::Var;

std::string unnumbered(const std::string &text) {
    return std::regex_replace(text, std::regex("\\$[0-9]+"), "");
}

// A blur in two passes, and what its tests schedule.
struct Blur {
    Var x{"x"}, y{"y"}, xo{"xo"}, xi{"xi"}, yo{"yo"}, yi{"yi"};
    ImageParam input{UInt(16), 2, "input"};
    Func rows{"rows"}, output{"output"};

    Blur() {
        rows(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
        output(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
        output.set_estimates({{0, 1536}, {0, 2560}});
        input.set_estimates({{0, 1538}, {0, 2562}});
    }
};

// A product of matrices, with an update.
struct Product {
    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"}, xo{"xo"};
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    RDom k{0, 64, "k"};
    RVar ko{"ko"}, ki{"ki"};
    Func product{"product"}, output{"output"};

    Product() {
        product(x, y) += a(k, y) * b(x, k);
        output(x, y) = 2.0f * product(x, y);
        output.set_estimates({{0, 96}, {0, 80}});
        a.set_estimates({{0, 64}, {0, 80}});
        b.set_estimates({{0, 96}, {0, 64}});
    }
};

struct Imported {
    std::string trace, differences;
    friend std::ostream &operator<<(std::ostream &out, const Imported &i) {
        return out << i.trace << "---\n" << i.differences;
    }
};

Imported import(const Func &output) {
    const std::vector<Halide::Internal::Function> outputs{output.function()};
    const PipelineView by_hand = view_pipeline(outputs);
    clear_schedules(outputs);
    const auto built = build_graph(outputs, Halide::get_host_target());
    if (!built.ok()) throw std::runtime_error(built.error().message);
    const auto imported = import_schedule(*built, by_hand);
    if (!imported.ok()) throw std::runtime_error(imported.error().message);
    EXPECT_TRUE(imported->nest.complete());
    EXPECT_EQ(validate(imported->nest), "");
    Imported out;
    const std::string trace = to_text(built->graph, trace_of(imported->nest));
    const size_t end_of_head = trace.find('\n', trace.find('\n') + 1) + 1;
    out.trace = unnumbered(trace.substr(end_of_head));
    for (const ScheduleDifference &d : imported->differences)
        out.differences += unnumbered(to_text(d)) + "\n";
    return out;
}

void expect(const Imported &imported, const std::string &trace, const std::string &differences) {
    EXPECT_EQ(imported.trace, trace);
    EXPECT_EQ(imported.differences, differences);
}

TEST(Import, SplitsReordersAndKindsOfLoops) {
    Blur b;
    b.output.split(b.y, b.yo, b.yi, 32)
        .split(b.yi, b.yi, b.xi, 4)
        .reorder(b.xi, b.x, b.yi, b.yo)
        .unroll(b.xi)
        .vectorize(b.x, 16)
        .parallel(b.yo);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 32 4\n"
           "vectorize output.s0 x 16\n"
           "reorder output.s0 y.0 y.1 x.0 y.2 x.1\n"
           "unroll output.s0 y.2\n"
           "parallel output.s0 1\n"
           "inline rows\n"
           "inline input_im\n",
           "");
}

TEST(Import, FusedLoopsAreParallelTogether) {
    Blur b;
    b.output.tile(b.x, b.y, b.xo, b.yo, b.xi, b.yi, 256, 32)
        .fuse(b.xo, b.yo, b.xo)
        .parallel(b.xo)
        .vectorize(b.xi, 16);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 32\n"
           "tile output.s0 x 256\n"
           "vectorize output.s0 x 16\n"
           "reorder output.s0 y.0 x.0 y.1 x.1 x.2\n"
           "parallel output.s0 2\n"
           "inline rows\n"
           "inline input_im\n",
           "");
}

TEST(Import, ComputeAndStoreLevels) {
    Blur b;
    b.output.split(b.y, b.yo, b.yi, 32, TailStrategy::GuardWithIf).parallel(b.yo);
    b.rows.store_at(b.output, b.yo)
        .compute_at(b.output, b.yi)
        .fold_storage(b.y, 4)
        .vectorize(b.x, 16);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 32\n"
           "parallel output.s0 1\n"
           "compute_at rows output.s0 y.1\n"
           "store_at rows output.s0 y.0\n"
           "vectorize rows.s0 x 16\n"
           "inline input_im\n",
           "output.s0: tails of splits: y by 32 GuardWithIf, here ShiftInwards\n"
           "rows.s0: tails of splits: x by 16 ShiftInwards, here GuardWithIf\n");
}

TEST(Import, APlaceInAVectorIsTheNextOneOutside) {
    Blur b;
    b.output.split(b.x, b.x, b.xi, 16).vectorize(b.xi);
    b.rows.compute_at(b.output, b.xi).vectorize(b.x, 8, TailStrategy::GuardWithIf);
    expect(import(b.output),
           "compute_root output\n"
           "vectorize output.s0 x 16\n"
           "compute_at rows output.s0 x.0\n"
           "vectorize rows.s0 x 8\n"
           "inline input_im\n",
           "rows: compute_at(output, xi): inside_vector_or_unroll; computed at "
           "output.s0 x.0 instead\n");
}

TEST(Import, ParallelLoopsInsideOfSerialOnes) {
    Blur b;
    b.output.split(b.y, b.yo, b.yi, 32).parallel(b.yi);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 32\n"
           "inline rows\n"
           "inline input_im\n",
           "output.s0: parallel(yi): inside a serial loop; serial instead\n");
}

// Each row is made from the row before, all of its points at once.
TEST(Import, ParallelLoopsInsideOfSteps) {
    Var x{"x"}, t{"t"};
    Halide::Func steps{"steps"}, out{"out"};
    RDom r{1, 62, 1, 7, "r"};
    steps(x, t) = x;
    steps(r.x, r.y) += steps(r.x - 1, r.y - 1) + steps(r.x + 1, r.y - 1);
    out(x) = steps(x, 7);
    out.set_estimate(x, 0, 64);
    steps.compute_root();
    steps.update().allow_race_conditions().parallel(r.x);
    expect(import(out),
           "compute_root out\n"
           "compute_root steps\n"
           "parallel steps.s1 1 1\n",
           "");
}

TEST(Import, NestedParallelLoopsAreFused) {
    Blur b;
    b.output.parallel(b.y).parallel(b.x);
    expect(import(b.output),
           "compute_root output\n"
           "parallel output.s0 2\n"
           "inline rows\n"
           "inline input_im\n",
           "output.s0: parallel(x): inside the parallel loop y; fused with it instead\n");
}

TEST(Import, AVectorInAVectorIsJoined) {
    Blur b;
    b.output.vectorize(b.x, 8).split(b.y, b.yo, b.yi, 4).reorder(b.yi, b.x, b.yo).vectorize(b.yi);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 x 8\n"
           "vectorize output.s0 y 4\n"
           "join output.s0 x.1\n"
           "inline rows\n"
           "inline input_im\n",
           "");
    Var u("u"), x("x"), y("y");
    ImageParam in(UInt(8), 2, "in");
    RDom r(0, 8, "r");
    Func columns("columns"), out("out");
    columns(u, x, y) = in(8 * x + u, y) / 2;
    out(x, y) += columns(r, x, y);
    out.set_estimates({{0, 64}, {0, 32}});
    in.set_estimates({{0, 512}, {0, 32}});
    columns.compute_root().vectorize(u).vectorize(x, 4, TailStrategy::GuardWithIf);
    const Imported found = import(out);
    EXPECT_NE(found.trace.find("join columns.s0 u.1\n"), std::string::npos) << found;
    EXPECT_EQ(found.differences, "");
}

// Four products of bytes are added up in each lane.
TEST(Import, AReductionInsideAVectorIsADotProduct) {
    for (bool in_parallel : {false, true}) {
        Var x("x"), y("y");
        ImageParam a(UInt(8), 2, "a"), b(Halide::Int(8), 3, "b");
        RDom k(0, 4, 0, 16, "k");
        Func sums("sums"), output("output");
        sums(x, y) = 0;
        sums(x, y) += Halide::cast<int>(a(k.x + 4 * k.y, y)) * Halide::cast<int>(b(k.x, x, k.y));
        output(x, y) = sums(x, y) / 16;
        output.set_estimates({{0, 96}, {0, 80}});
        sums.compute_root();
        sums.update()
            .reorder(k.x, x, k.y, y)
            .atomic()
            .vectorize(k.x)
            .vectorize(x, 16, TailStrategy::GuardWithIf);
        if (in_parallel) sums.update().parallel(y);
        expect(import(output),
               std::string("compute_root output\n"
                           "compute_root sums\n"
                           "vectorize sums.s1 x 16\n"
                           "reorder sums.s1 y.0 k$y.0 x.0 k$x.0 x.1\n") +
                   (in_parallel ? "unroll sums.s1 k$x.0\nparallel sums.s1 1\n"
                                : "dot sums.s1 k$x.0\n") +
                   "inline b_im\ninline a_im\n",
               in_parallel ? "sums.s1: vectorize(k$x): a second vector loop; unrolled instead\n"
                             "sums.s1: atomic(): iterations that race stay in order\n"
                           : "");
    }
}

TEST(Import, VectorsOfEverySecondPointAreWoven) {
    Blur b;
    b.output.split(b.x, b.xo, b.xi, 2).vectorize(b.xo, 16).unroll(b.xi);
    expect(import(b.output),
           "compute_root output\n"
           "vectorize output.s0 x 32 2\n"
           "inline rows\n"
           "inline input_im\n",
           "output.s0: tails of splits: x by 2 ShiftInwards, here none, as parts divide\n");
}

TEST(Import, AVectorOfEverySecondPointIsOneOfNeighbours) {
    Blur b;
    b.output.split(b.x, b.xo, b.xi, 2).vectorize(b.xo, 16);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 x 32\n"
           "vectorize output.s0 x 16\n"
           "inline rows\n"
           "inline input_im\n",
           "output.s0: vectorize(x): a vector of points that lie 2 apart; a vector of "
           "neighbours instead\n");
}

TEST(Import, ASplitThatDoesNotDivide) {
    Blur b;
    b.output.split(b.y, b.yo, b.yi, 30, TailStrategy::GuardWithIf)
        .split(b.yi, b.yi, b.xi, 4, TailStrategy::GuardWithIf);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 32 4\n"
           "inline rows\n"
           "inline input_im\n",
           "output.s0: split(yi, 4), which does not divide 30: the nearest split that "
           "our space has instead\n"
           "output.s0: tails of splits: y by 4 GuardWithIf, here none, as parts divide\n");
}

TEST(Import, ASplitByAnExpressionHasItsValueAtTheEstimates) {
    Blur b;
    b.output.split(b.y, b.yo, b.yi, b.output.output_buffer().dim(1).extent() / 8).parallel(b.yo);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 320\n"
           "parallel output.s0 1\n"
           "inline rows\n"
           "inline input_im\n",
           "");
}

TEST(Import, AWholeDimensionOfKnownLengthIsOneUnrolledPart) {
    Blur b;
    b.output.bound(b.y, 0, 4).reorder(b.y, b.x).unroll(b.y).vectorize(b.x, 8);
    b.output.set_estimate(b.y, 0, 4);
    b.input.dim(1).set_estimate(0, 6);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 4\n"
           "vectorize output.s0 x 8\n"
           "reorder output.s0 y.0 x.0 y.1 x.1\n"
           "unroll output.s0 y.1\n"
           "inline rows\n"
           "inline input_im\n",
           "");
}

TEST(Import, UpdatesAndTheirReductions) {
    Product p;
    p.output.tile(p.x, p.y, p.xi, p.yi, 16, 4).vectorize(p.xi).unroll(p.yi);
    p.product.compute_at(p.output, p.x).vectorize(p.x, 16).unroll(p.y);
    p.product.update()
        .split(p.k, p.ko, p.ki, 4)
        .reorder(p.x, p.ki, p.y, p.ko)
        .vectorize(p.x, 16)
        .unroll(p.ki);
    expect(import(p.output),
           "compute_root output\n"
           "tile output.s0 y 4\n"
           "vectorize output.s0 x 16\n"
           "reorder output.s0 y.0 x.0 y.1 x.1\n"
           "unroll output.s0 y.1\n"
           "compute_at product output.s0 x.0\n"
           "vectorize product.s0 x 16\n"
           "unroll product.s0 y.0\n"
           "tile product.s1 k$x 4\n"
           "vectorize product.s1 x 16\n"
           "reorder product.s1 k$x.0 y.0 k$x.1 x.0 x.1\n"
           "unroll product.s1 k$x.1\n"
           "inline b_im\n"
           "inline a_im\n",
           "product.s0: tails of splits: x by 16 ShiftInwards, here GuardWithIf\n"
           "product.s1: tails of splits: x by 16 RoundUp, here GuardWithIf\n");
}

TEST(Import, AFuncInsideAnUpdate) {
    Product p;
    Func scaled("scaled");
    scaled(p.x, p.y) = p.b(p.x, p.y) * 3.0f;
    Func sums("sums");
    sums(p.x, p.y) += p.a(p.k, p.y) * scaled(p.x, p.k);
    sums.set_estimates({{0, 96}, {0, 80}});
    sums.update().reorder(p.x, p.y, p.k);
    scaled.compute_at(sums, p.k).vectorize(p.x, 8);
    expect(import(sums),
           "compute_root sums\n"
           "reorder sums.s1 k$x.0 y.0 x.0\n"
           "compute_at scaled sums.s1 k$x.0\n"
           "vectorize scaled.s0 x 8\n"
           "inline b_im\n"
           "inline a_im\n",
           "scaled.s0: tails of splits: x by 8 ShiftInwards, here GuardWithIf\n");
}

TEST(Import, AReductionWithoutAPlaceIsComputedWhereItIsUsed) {
    Product p;
    p.output.vectorize(p.x, 8);
    expect(import(p.output),
           "compute_root output\n"
           "vectorize output.s0 x 8\n"
           "compute_at product output.s0 x.0\n"
           "inline b_im\n"
           "inline a_im\n",
           "product: no compute level: not_inlinable; computed at output.s0 x.0 instead\n");
}

TEST(Import, AVectorAlongASumIsLeftOut) {
    Product p;
    p.product.compute_root();
    p.product.update().atomic().vectorize(p.k, 8);
    expect(import(p.output),
           "compute_root output\n"
           "compute_root product\n"
           "inline b_im\n"
           "inline a_im\n",
           "product.s1: vectorize(k$x): not_vectorizable; no vectors instead\n"
           "product.s1: atomic(): iterations that race stay in order\n");
}

TEST(Import, TheLikelyCaseOfASpecialisationIsTaken) {
    Blur b;
    b.output.specialize(b.output.output_buffer().dim(0).extent() < 100).parallel(b.y);
    b.output.specialize(b.output.output_buffer().dim(0).extent() >= 100).vectorize(b.x, 16);
    expect(import(b.output),
           "compute_root output\n"
           "vectorize output.s0 x 16\n"
           "inline rows\n"
           "inline input_im\n",
           "output.s0: specialize((output.extent.0 < 100)): false at the estimates; its "
           "case is left out\n"
           "output.s0: specialize((output.extent.0 >= 100)): the case for other sizes "
           "has its loops, too\n");
}

TEST(Import, DirectivesWithoutAPlaceAreNamed) {
    Blur b;
    Var a("a");
    b.output.split(b.y, b.yo, b.yi, 32, TailStrategy::ShiftInwards)
        .prefetch(b.input, b.yi, b.yi, 2);
    b.rows.compute_at(b.output, b.yi)
        .hoist_storage(b.output, b.yo)
        .store_in(MemoryType::Heap)
        .align_storage(b.x, 64)
        .align_bounds(b.x, 8)
        .async();
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 32\n"
           "compute_at rows output.s0 y.1\n"
           "inline input_im\n",
           "output.s0: prefetch(input): the hardware's prefetchers alone\n"
           "rows: async(): computed in the thread of its reader\n"
           "rows: hoist_storage(output, yo): allocated where it is stored\n"
           "rows: align_storage(x, 64): not aligned\n"
           "rows: align_bounds(x, 8): the region is not aligned\n");
}

// A blur's rows and another Func that reads its input, and what reads both.
struct Siblings : Blur {
    Func other{"other"}, both{"both"};
    explicit Siblings(int below) {
        other(x, y) = input(x, y) * 2;
        both(x, y) = rows(x, y) + other(x, y) + other(x, y + below);
        both.set_estimates({{0, 1536}, {0, 2560}});
        rows.compute_root();
        other.compute_root();
    }
};

TEST(Import, FuncsComputedWithOthersShareTheirLoops) {
    Siblings s(0);
    s.other.vectorize(s.x, 8);
    s.other.compute_with(s.rows, s.y);
    expect(import(s.both),
           "compute_root both\n"
           "compute_root other\n"
           "vectorize other.s0 x 8\n"
           "compute_with rows other.s0 y.0\n"
           "inline input_im\n",
           "other.s0: tails of splits: x by 8 ShiftInwards, here GuardWithIf\n");
}

TEST(Import, OfTheLoopsOfFuncsComputedWithOthersTheOutermostAreShared) {
    Siblings s(0);
    for (Func f : {s.rows, s.other})
        f.split(s.y, s.yo, s.yi, 32, TailStrategy::GuardWithIf).parallel(s.yo);
    s.other.vectorize(s.x, 8, TailStrategy::GuardWithIf);
    s.rows.vectorize(s.x, 16, TailStrategy::GuardWithIf);
    s.other.compute_with(s.rows, s.yi);
    expect(
        import(s.both),
        "compute_root both\n"
        "compute_root other\n"
        "tile other.s0 y 32\n"
        "vectorize other.s0 x 8\n"
        "parallel other.s0 1\n"
        "compute_with rows other.s0 y.0\n"
        "vectorize rows.s0 x 16\n"
        "inline input_im\n",
        "rows: compute_with down to other.s0 y.1: shares the loops down to other.s0 y.0 instead\n");
}

TEST(Import, FuncsOfOtherRegionsGetLoopsOfTheirOwn) {
    Siblings s(1);
    s.other.compute_with(s.rows, s.y);
    expect(import(s.both),
           "compute_root both\n"
           "compute_root other\n"
           "compute_root rows\n"
           "inline input_im\n",
           "other.s0: compute_with(rows, y): in loops of its own\n");
}

TEST(Import, TheOrderOfStorage) {
    Blur b;
    b.output.split(b.y, b.yo, b.yi, 32, TailStrategy::GuardWithIf);
    b.rows.compute_at(b.output, b.yo).reorder_storage(b.y, b.x);
    expect(import(b.output),
           "compute_root output\n"
           "tile output.s0 y 32\n"
           "compute_at rows output.s0 y.0\n"
           "reorder_storage rows y x\n"
           "inline input_im\n",
           "output.s0: tails of splits: y by 32 GuardWithIf, here ShiftInwards\n");
    Blur c;
    c.rows.compute_root().reorder_storage(c.y, c.x);
    expect(import(c.output),
           "compute_root output\n"
           "compute_root rows\n"
           "inline input_im\n",
           "rows: reorder_storage: storage_kept; in the default order\n");
}

TEST(Import, WrappersAreFuncs) {
    Blur b;
    Func copy = b.rows.in(b.output);
    b.rows.compute_root();
    copy.compute_at(b.output, b.y).vectorize(b.x, 8);
    expect(import(b.output),
           "compute_root output\n"
           "compute_at rows_in_output output.s0 y.0\n"
           "vectorize rows_in_output.s0 x 8\n"
           "compute_root rows\n"
           "inline input_im\n",
           "rows_in_output.s0: tails of splits: x by 8 ShiftInwards, here GuardWithIf\n");
}

TEST(ClearSchedules, LeavesAPipelineAsIfNothingHadBeenScheduled) {
    const auto printed = [](const Func &f) {
        std::string text;
        for (const auto &[name, g] : Halide::Internal::build_environment({f.function()})) {
            text += name + ": ";
            for (const Halide::Internal::Dim &d : g.definition().schedule().dims())
                text += d.var + " " + std::to_string(static_cast<int>(d.for_type)) + " " +
                        std::to_string(static_cast<int>(d.dim_type)) + ", ";
            for (const Halide::Internal::Definition &u : g.updates())
                for (const Halide::Internal::Dim &d : u.schedule().dims())
                    text += d.var + " " + std::to_string(static_cast<int>(d.for_type)) + " " +
                            std::to_string(static_cast<int>(d.dim_type)) + ", ";
        }
        return unnumbered(text);
    };
    Product plain, scheduled;
    scheduled.output.tile(scheduled.x, scheduled.y, scheduled.xi, scheduled.yi, 16, 4)
        .vectorize(scheduled.xi)
        .bound(scheduled.x, 0, 96);
    scheduled.product.compute_at(scheduled.output, scheduled.x)
        .bound_extent(scheduled.x, 16)
        .store_in(MemoryType::Stack);
    scheduled.product.update().atomic().vectorize(scheduled.k, 8);
    clear_schedules({scheduled.output.function()});
    EXPECT_EQ(printed(plain.output), printed(scheduled.output));
    EXPECT_TRUE(scheduled.product.function().schedule().bounds().empty());
    EXPECT_EQ(scheduled.output.function().schedule().bounds().size(), 1u);
    Buffer<float> a(64, 80), b(96, 64);
    a.for_each_element([&](int i, int j) { a(i, j) = static_cast<float>(i % 7 - j % 5); });
    b.for_each_element([&](int i, int j) { b(i, j) = static_cast<float>(j % 3 + i % 4); });
    plain.a.set(a), plain.b.set(b), scheduled.a.set(a), scheduled.b.set(b);
    Buffer<float> expected = plain.output.realize({96, 80}),
                  found = scheduled.output.realize({96, 80});
    expected.for_each_element([&](int i, int j) { EXPECT_EQ(expected(i, j), found(i, j)); });
}

}  // namespace
}  // namespace cryolite
