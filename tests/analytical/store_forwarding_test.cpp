// Which loads of what was stored just before wait for the cache.
#include "analytical/cycles/store_forwarding.h"

#include <functional>

#include <gtest/gtest.h>

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

class StoreForwarding : public ::testing::Test {
protected:
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};

    // Cycles of waiting for `rows`, which is computed for so many points of each row of its reader, in vectors of 16.
    double waiting(const std::function<Expr(const Halide::Func &)> &value, int points = 64,
                   bool has_another_between = false) {
        Halide::Func rows("rows"), other("other"), out("out");
        rows(x, y) = input(x, y) + 1.0f;
        other(x, y) = input(x, y) * 3.0f;
        out(x, y) = has_another_between ? value(rows) + other(x, y) : value(rows);
        estimate(out, {points * 10, 480});
        const BuiltGraph built = build({out});
        const FuncId r = func(built, rows).id;
        const StageId o = func(built, out).stages[0], s = func(built, rows).stages[0];
        Trace trace{action::ComputeRoot{func(built, out).id}, action::Tile{o, 0, {points}},
                    action::Vectorize{o, 0, 8},
                    action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 0, 1}, {o, 0, 2}}}};
        if (has_another_between) {
            EXPECT_LT(func(built, other).id, r);  // computed after it
            trace.push_back(action::ComputeAt{func(built, other).id, {o, 0, 0}});
        }
        trace.push_back(action::ComputeAt{r, {o, 0, 0}});
        trace.push_back(action::Vectorize{s, 0, 16});
        return test::cycles_of(scheduled(built.graph, trace), some_machine(), s).dependence;
    }
    const double wait = some_machine().core.masked_store_forward_cycles;
};

TEST_F(StoreForwarding, VectorsThatAreLoadedAsTheyWereStoredDoNotWait) {
    EXPECT_LT(waiting([&](const Halide::Func &f) { return f(x, y) * 2.0f; }), wait);
    EXPECT_LT(waiting([&](const Halide::Func &f) { return f(x, y) + f(x + 16, y); }), wait);
    EXPECT_LT(waiting([&](const Halide::Func &f) { return f(x, y) + f(x, y + 1); }), wait);
}

TEST_F(StoreForwarding, LoadsFromBetweenVectorsWait) {
    EXPECT_GE(waiting([&](const Halide::Func &f) { return f(x, y) + f(x + 1, y); }), wait);
    EXPECT_GE(waiting([&](const Halide::Func &f) { return f(x - 3, y) * f(x + 1, y); }), wait);
}

TEST_F(StoreForwarding, MaskedEndsOfRowsWait) {
    EXPECT_GE(waiting([&](const Halide::Func &f) { return f(x, y) * f(x + 16, y); }, 72), wait);
}

TEST_F(StoreForwarding, WhatIsComputedMeanwhileHidesTheWait) {
    EXPECT_LT(waiting([&](const Halide::Func &f) { return f(x, y) + f(x + 1, y); }, 64, true),
              wait);
}

}  // namespace
}  // namespace cryolite
