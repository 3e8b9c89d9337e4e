// Values that the elements of a tuple share.
#include "analytical/cycles/repeated_values.h"

#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

TEST(RepeatedValues, AreFewWhereLlvmLooksAtAllLoads) {
    EXPECT_EQ(repeats_of_values(1, 1e4), 1);
    EXPECT_EQ(repeats_of_values(4, 104), 1);
    EXPECT_GT(repeats_of_values(4, 208), 2);
    // Each element does no more than all of it.
    for (double loads : {130, 200, 500, 5000}) EXPECT_LE(repeats_of_values(4, loads), 4);
}

// Of a pure stage whose elements all need so many neighbours, per point.
double cycles_per_point(int elements, int neighbours, int lanes, double StageCycles::*of) {
    constexpr int width = 640, height = 64;
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};
    Halide::Func f{"f"}, out{"out"};
    Expr sum = 0.0f;
    for (int i = 0; i < neighbours; i++) sum += input(x + i, y);
    std::vector<Expr> values;
    for (int i = 0; i < elements; i++) values.push_back(sum * static_cast<float>(i + 1));
    f(x, y) = Tuple(values);
    Expr all = f(x, y)[0];
    for (int i = 1; i < elements; i++) all += f(x, y)[i];
    out(x, y) = all;
    input.set_estimates({{0, width + neighbours}, {0, height}});
    estimate(out, {width, height});
    const BuiltGraph built = build({out});
    const FuncId id = func(built, f).id;
    const StageId s = built.graph.func(id).stages[0];
    const Trace trace{action::ComputeRoot{func(built, out).id}, action::ComputeRoot{id},
                      action::Vectorize{s, 0, static_cast<int16_t>(lanes)}};
    const StageCycles cycles =
        test::cycles_of(scheduled(built.graph, trace), *machine_preset("x86-avx512"), s);
    return cycles.*of / width / height;
}

TEST(RepeatedValues, CostMoreInLongerVectors) {
    for (auto of : {&StageCycles::loads, &StageCycles::arithmetic}) {
        const auto cycles = [&](int elements, int neighbours, int lanes) {
            return cycles_per_point(elements, neighbours, lanes, of);
        };
        EXPECT_GT(cycles(4, 104, 32), 1.8 * cycles(4, 104, 16));
        EXPECT_NEAR(cycles(4, 24, 32), cycles(4, 24, 16), 0.2 * cycles(4, 24, 16));
    }
}

}  // namespace
}  // namespace cryolite
