// What a stage computes and loads per point with others inlined into it, counted by hand.
#include "code/stage/expanded_stage.h"

#include <algorithm>

#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

const LoadGroup &load_of(const ExpandedStage &body, FuncId producer) {
    const LoadGroup *found = nullptr;
    for (const LoadGroup &load : body.loads) {
        if (load.producer != producer) continue;
        if (found) throw std::runtime_error("its loads are in several groups");
        found = &load;
    }
    if (!found) throw std::runtime_error("it does not load that");
    return *found;
}

struct Expansion : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};
    Halide::Func row{"row"}, out{"out"};

    // A 3 x 3 stencil as two of three taps.
    BuiltGraph stencil() {
        row(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
        out(x, y) = row(x, y) + row(x, y + 1) + row(x, y + 2);
        estimate(out, {64, 32});
        return build({out});
    }
};

TEST_F(Expansion, TwoStencilsOfThreeTapsInlinedLoadNine) {
    const BuiltGraph built = stencil();
    const FuncId o = func(built, out).id, in = func(built, "input").id;
    StageExpander expander(built.graph);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{o}});
    const ExpandedStage &body = expander.expand(nest, func(built, out).stages[0]);
    EXPECT_EQ(load_of(body, in).count, 9);
    EXPECT_FALSE(load_of(body, in).gather);
    EXPECT_EQ(body.ops.at(OpKind::Add, TypeClass::Float32), 2 + 3 * 2);
    // Unrolled along one loop, the three taps in its direction are the neighbour's.
    const Stage &stage = test::stage(built, out);
    for (int d : {0, 1}) {
        const auto loop = static_cast<size_t>(test::loop_over(stage, d));
        EXPECT_EQ(load_of(body, in).along[loop].lines, 3);
        EXPECT_TRUE(load_of(body, in).depends_on[loop]);
    }
    EXPECT_FALSE(body.too_large);
}

// Copies that are unrolled along the rows meet each other's taps only as far as the taps lie apart.
TEST_F(Expansion, CopiesShareTapsThatLieAsFarApartAsTheyDo) {
    out(x, y) = input(x, y) + input(x, y + 1) + input(x, y + 5) + input(x + 1, 2 * y) +
                input(x + 1, 2 * y + 3) + input(x + 1, 2 * y + 4);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    StageExpander expander(built.graph);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
    const ExpandedStage &body = expander.expand(nest, func(built, out).stages[0]);
    const auto rows = static_cast<size_t>(test::loop_over(test::stage(built, out), 1));
    const auto loads = [&](double copies) {
        std::vector<double> n;
        for (const LoadGroup &load : body.loads)
            n.push_back(load.along[rows].reached(load.count, copies));
        std::ranges::sort(n);
        return n;
    };
    using Loads = std::vector<double>;
    EXPECT_EQ(loads(1), (Loads{3, 3}));
    EXPECT_EQ(loads(2), (Loads{5, 6}));  // y to y + 2, y + 5 and y + 6; 2 y and 2 y + 4 do not meet
    EXPECT_EQ(loads(3), (Loads{7, 8}));  // y to y + 3, y + 5 to y + 7; 2 y + 4 meets
    EXPECT_EQ(loads(8), (Loads{13, 18}));  // all of y to y + 12
}

// Two chains of two adds: one after the other where the first is inlined.
TEST_F(Expansion, WhatIsInlinedIsWaitedFor) {
    const BuiltGraph built = stencil();
    const FuncId o = func(built, out).id, r = func(built, row).id;
    const StageId s = func(built, out).stages[0];
    StageExpander expander(built.graph);
    const LoopNest inlined = scheduled(built.graph, {action::ComputeRoot{o}}),
                   apart = scheduled(built.graph, {action::ComputeRoot{o}, action::ComputeRoot{r}});
    EXPECT_EQ(expander.expand(apart, s).longest_chain, test::stage(built, out).longest_chain);
    EXPECT_EQ(expander.expand(inlined, s).longest_chain,
              test::stage(built, out).longest_chain + test::stage(built, row).longest_chain);
}

// Rows of a flat table that data chooses are walked along, whichever way they are reached.
TEST_F(Expansion, AGatherOfRowsIsScatteredFromRowToRowOnly) {
    ImageParam table{Float(32), 1, "table"}, square{Float(32), 2, "square"};
    ImageParam chosen{Int(32), 1, "chosen"};
    Halide::Func looked_up("looked_up");
    looked_up(x, y) = table(chosen(y) * 100 + x) + square(x, chosen(y)) + table(chosen(y) + x * x);
    out(x, y) = looked_up(x + 1, y);
    estimate(out, {100, 50});
    estimate(table, {100 * 100});
    estimate(square, {100, 100});
    estimate(chosen, {50});
    const BuiltGraph built = build({out});
    StageExpander expander(built.graph);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
    const ExpandedStage &body = expander.expand(nest, func(built, out).stages[0]);
    const Stage &stage = test::stage(built, out);
    const auto lx = static_cast<size_t>(test::loop_over(stage, 0)),
               ly = static_cast<size_t>(test::loop_over(stage, 1));
    int along_rows = 0, anywhere = 0;
    for (const LoadGroup &load : body.loads) {
        if (!load.gather) continue;
        EXPECT_TRUE(load.scattered[ly]);
        if (load.scattered[lx]) {
            anywhere++;
            continue;
        }
        along_rows++;
        EXPECT_EQ(load.coefficient[0][lx], 1);
    }
    EXPECT_EQ(along_rows, 2);
    EXPECT_EQ(anywhere, 1);
}

TEST_F(Expansion, AtRootEachLoadsThree) {
    const BuiltGraph built = stencil();
    const Func &o = func(built, out), &r = func(built, row);
    StageExpander expander(built.graph);
    const LoopNest nest =
        scheduled(built.graph, {action::ComputeRoot{o.id}, action::ComputeRoot{r.id}});
    const ExpandedStage &body = expander.expand(nest, o.stages[0]);
    EXPECT_EQ(load_of(body, r.id).count, 3);
    EXPECT_EQ(body.ops.at(OpKind::Add, TypeClass::Float32), 2);
    EXPECT_EQ(body.reads, std::vector<FuncId>{r.id});
    const Stage &stage = test::stage(built, out);
    const LoadGroup &load = load_of(body, r.id);
    EXPECT_EQ(load.along[static_cast<size_t>(test::loop_over(stage, 0))].lines, 3);
    EXPECT_EQ(load.along[static_cast<size_t>(test::loop_over(stage, 1))].lines, 1);
    EXPECT_EQ(load_of(expander.expand(nest, r.stages[0]), func(built, "input").id).count, 3);
}

// A third is no number of a computer's: two thirds are two steps of one only in exact arithmetic.
TEST_F(Expansion, LoadsAThirdApartAreNeighboursToo) {
    out(x, y) = input((x + 1) / 3, y) + input((x + 3) / 3, y);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    StageExpander expander(built.graph);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
    const LoadGroup &load =
        load_of(expander.expand(nest, func(built, out).stages[0]), func(built, "input").id);
    const Stage &stage = test::stage(built, out);
    EXPECT_EQ(load.count, 2);
    EXPECT_EQ(load.along[static_cast<size_t>(test::loop_over(stage, 0))].lines, 1);
    EXPECT_EQ(load.along[static_cast<size_t>(test::loop_over(stage, 1))].lines, 2);
}

TEST_F(Expansion, PointsThatAreReachedTwiceCountOnce) {
    Halide::Func left("left"), right("right");
    row(x, y) = input(x, y) * 2;
    left(x, y) = row(x, y) + row(x + 1, y);
    right(x, y) = row(x + 1, y) + row(x + 2, y);
    out(x, y) = left(x, y) * right(x, y);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    StageExpander expander(built.graph);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
    const ExpandedStage &body = expander.expand(nest, func(built, out).stages[0]);
    EXPECT_EQ(load_of(body, func(built, "input").id).count, 3);
    EXPECT_EQ(body.ops.at(OpKind::Multiply, TypeClass::Float32), 1 + 3);
}

TEST_F(Expansion, AGatherInlinedAtFourPointsIsFourGathers) {
    ImageParam places(UInt(8), 1, "places"), table(Float(32), 1, "table");
    Halide::Func found("found");
    found(x) = table(cast<int>(places(x)));
    out(x, y) = found(x) + found(x + 1) + found(x + 2) + found(x + 3);
    estimate(out, {64, 32});
    estimate(table, {256});
    const BuiltGraph built = build({out});
    StageExpander expander(built.graph);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
    const ExpandedStage &body = expander.expand(nest, func(built, out).stages[0]);
    double gathered = 0;
    for (const LoadGroup &load : body.loads)
        if (load.producer == func(built, "table").id) gathered += load.count;
    EXPECT_EQ(gathered, 4);
    const auto of_table = [&](const LoadGroup &load) {
        return load.producer == func(built, "table").id;
    };
    const LoadGroup &load = *std::ranges::find_if(body.loads, of_table);
    EXPECT_TRUE(load.gather);
    EXPECT_EQ(load_of(body, func(built, "places").id).count, 4);
    const Stage &stage = test::stage(built, out);
    EXPECT_TRUE(load.depends_on[static_cast<size_t>(test::loop_over(stage, 0))]);
    EXPECT_FALSE(load.depends_on[static_cast<size_t>(test::loop_over(stage, 1))]);
}

TEST_F(Expansion, AGatherThatNoLoopMovesIsNotTakenForAConstantIndex) {
    ImageParam places(UInt(8), 1, "places"), table(Float(32), 1, "table");
    out(x, y) = table(5) + table(cast<int>(places(0)));
    estimate(out, {64, 32});
    estimate(table, {256});
    const BuiltGraph built = build({out});
    StageExpander expander(built.graph);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
    double gathered = 0, constant = 0;
    for (const LoadGroup &load : expander.expand(nest, func(built, out).stages[0]).loads)
        if (load.producer == func(built, "table").id)
            (load.gather ? gathered : constant) += load.count;
    EXPECT_EQ(gathered, 1);
    EXPECT_EQ(constant, 1);
}

TEST_F(Expansion, CoefficientsMultiplyAlongTheWay) {
    row(x, y) = input(2 * x + 1, y);
    out(x, y) = row(3 * x, y / 2);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    StageExpander expander(built.graph);
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{func(built, out).id}});
    const LoadGroup &load =
        load_of(expander.expand(nest, func(built, out).stages[0]), func(built, "input").id);
    const Stage &stage = test::stage(built, out);
    EXPECT_EQ(load.coefficient[0][static_cast<size_t>(test::loop_over(stage, 0))], 6);
    EXPECT_EQ(load.coefficient[1][static_cast<size_t>(test::loop_over(stage, 1))], 0.5);
}

TEST_F(Expansion, HopelessRecomputationIsRefused) {
    std::vector<Halide::Func> chain{Halide::Func("chain0")};
    chain[0](x, y) = input(x, y);
    for (int i = 1; i <= 40; i++) {
        chain.emplace_back("chain" + std::to_string(i));
        Halide::Func before = chain[static_cast<size_t>(i) - 1];
        Halide::Func &f = chain.back();
        f(x, y) = before(x - 1, y - 1) + before(x + 1, y) + before(x, y + 1);
    }
    estimate(chain.back(), {64, 32});
    const BuiltGraph built = build({chain.back()});
    StageExpander expander(built.graph);
    const Func &last = func(built, chain.back());
    const LoopNest nest = scheduled(built.graph, {action::ComputeRoot{last.id}});
    EXPECT_TRUE(expander.expand(nest, last.stages[0]).too_large);
}

}  // namespace
}  // namespace cryolite
