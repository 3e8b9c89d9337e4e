// How the dimensions of Funcs lie in memory.
#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

TEST(StorageOrder, leaves_a_single_point_out_of_addresses) {
    const Halide::Var n{"n"}, u{"u"};
    Halide::RDom r(0, 32, "r");
    Halide::ImageParam in(Halide::Float(32), 2, "in");
    Halide::Func parts("parts"), all("all");
    parts(n, u) = in(u, n) * 2;
    all(n) += parts(n, r);
    all.set_estimates({{0, 64}});
    in.set_estimates({{0, 32}, {0, 64}});
    const BuiltGraph built = test::build({all});
    const FuncId inner = test::func(built, parts).id, out = test::func(built, all).id;
    const StageId update = built.graph.func(out).stages[1];
    Trace trace{action::ComputeRoot{out}, action::ComputeAt{inner, {update, 1, 0}}};
    // One row of parts at a time.
    EXPECT_EQ(replay(built.graph, trace)->at(inner).storage_bound[0], 1);
    EXPECT_EQ(replay(built.graph, trace)->storage_order(inner), (std::vector<int>{1, 0}));
    EXPECT_EQ(validate(*replay(built.graph, trace)), "");
    // All rows.
    trace.back() = action::ComputeRoot{inner};
    EXPECT_EQ(replay(built.graph, trace)->storage_order(inner), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace cryolite
