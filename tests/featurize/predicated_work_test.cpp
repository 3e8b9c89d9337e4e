// What a stage touches whose predicate excludes the iteration in the middle of a loop.
#include <gtest/gtest.h>

#include <cmath>

#include "code/legality/apply.h"
#include "featurize/counts/kernel_work.h"
#include "machine/presets.h"
#include "tests/featurize/scheduled.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using Halide::Func, Halide::ImageParam, Halide::RDom, Halide::Var;

// The product of a triangular and a square matrix: k <= y.
testing::SmallPipeline triangular_product(int n) {
    Var x("x"), y("y");
    ImageParam a(Halide::Float(32), 2, "a"), b(Halide::Float(32), 2, "b");
    Func product("product"), out("out");
    RDom k(0, a.width(), "k");
    k.where(k <= y);
    product(x, y) = 0.0f;
    product(x, y) += a(k, y) * b(x, k);
    out(x, y) = 2 * product(x, y);
    a.set_estimates({{0, n}, {0, n}});
    b.set_estimates({{0, n}, {0, n}});
    out.set_estimates({{0, n}, {0, n}});
    return {{out}};
}

// In tiles of the output the middle of all k lies beyond the rows of the tile in the middle: an iteration
// there reads nothing. It was counted so, and its cost was no number, which no search survives.
TEST(PredicatedWork, AnIterationTouchesAtLeastOnePoint) {
    const BuiltGraph built = triangular_product(2048).build();
    const StageGraph &graph = built.graph;
    const FuncId out(0), product(1);
    const StageId o = graph.func(out).stages[0];
    LoopNest nest(graph);
    for (const Action &a :
         Trace{action::ComputeRoot{out}, action::Tile{o, 1, {64}}, action::Tile{o, 0, {32}},
               action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 1, 1}, {o, 0, 1}}},
               action::ComputeAt{product, {o, 0, 0}}}) {
        auto next = cryolite::apply(nest, a);
        ASSERT_TRUE(next.ok()) << name(next.error());
        nest = *next;
    }
    const Machine &machine = machine_presets().front().machine;
    StageExpander expander(graph);
    FootprintWalker walker(graph);
    const KernelWork work(graph, machine, expander, walker, nest, std::vector{out, product});
    for (const StageWork &w : work.stages())
        for (const Accesses &read : w.reads)
            for (size_t p = 0; p < read.touched.size(); p++) {
                const Touched &t = read.touched[p];
                const std::string where = graph.func(read.producer).name + std::to_string(p);
                EXPECT_GT(t.bytes, 0) << where;
                EXPECT_GT(t.unique_bytes, 0) << where;
                EXPECT_GT(t.streams, 0) << where;
                EXPECT_GT(t.lines, 0) << where;
                if (p > 0) {
                    EXPECT_LE(t.bytes, read.touched[p - 1].bytes) << where;
                }
            }
}

// Of the middle k, which is the last row of the tile in the middle, one row of that is left. So an iteration
// of k was taken to store one row, and the misses of all others were not seen.
TEST(PredicatedWork, AnIterationStandsForThoseThatExcludeLittle) {
    const BuiltGraph built = triangular_product(2048).build();
    const StageGraph &graph = built.graph;
    const FuncId out(0), product(1);
    const StageId o = graph.func(out).stages[0], update = graph.func(product).stages[1];
    const int16_t k = test::loop_over(graph.stage(update), -1),
                  x = test::loop_over(graph.stage(update), 0),
                  y = test::loop_over(graph.stage(update), 1);
    const Result<LoopNest, ReplayFailure> nest = replay(
        graph, Trace{action::ComputeRoot{out}, action::Tile{o, 1, {64}}, action::Tile{o, 0, {32}},
                     action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 1, 1}, {o, 0, 1}}},
                     action::ComputeAt{product, {o, 0, 0}},
                     action::Reorder{update, {{update, k, 0}, {update, y, 0}, {update, x, 0}}}});
    ASSERT_TRUE(nest.ok());
    StageExpander expander(graph);
    FootprintWalker walker(graph);
    const KernelWork work(graph, machine_presets().front().machine, expander, walker, *nest,
                          std::vector{out, product});
    for (const StageWork &w : work.stages())
        if (w.code->stage->id == update) {
            EXPECT_DOUBLE_EQ(w.stores.touched[w.code->enclosing + 1].unique_bytes, 64 * 32 * 4);
        }
}

}  // namespace
}  // namespace cryolite
