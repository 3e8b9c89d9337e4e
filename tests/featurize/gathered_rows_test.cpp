// What a stage touches of a table whose rows are chosen by data.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "featurize/counts/kernel_work.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

// Bytes of `table` that one row of 100 elements reads.
double bytes_of_a_row(
    const std::function<Expr(const ImageParam &, const Expr &, const Expr &)> &read, int dims) {
    Var x("x"), y("y");
    ImageParam table(Float(32), dims, "table"), chosen(Int(32), 1, "chosen");
    Halide::Func out("out");
    out(x, y) = read(table, x, chosen(y));
    estimate(out, {100, 50});
    if (dims == 1) table.set_estimates({{0, 100 * 1000}});
    if (dims == 2) table.set_estimates({{0, 100}, {0, 1000}});
    estimate(chosen, {50});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id, of = func(built, "table").id;
    const LoopNest nest = test::scheduled(built.graph, {action::ComputeRoot{o}});
    StageExpander expander(built.graph);
    FootprintWalker walker(built.graph);
    const KernelWork work(built.graph, test::some_machine(), expander, walker, nest,
                          std::vector{o});
    const StageWork &stage = work.stages()[0];
    for (const Accesses &read_of : stage.reads)
        if (read_of.producer == of) return read_of.touched[1].bytes;  // in one iteration of y
    return 0;
}

// Found in batches of indirect: each element of a row was taken to bring in a line of its own.
TEST(GatheredRows, ShareLines) {
    const double line = test::some_machine().line_bytes();
    const double row = line + 99 * 4;  // about where a row starts in a line
    EXPECT_DOUBLE_EQ(bytes_of_a_row([](const ImageParam &table, const Expr &x,
                                       const Expr &chosen) { return table(chosen * 100 + x); },
                                    1),
                     row);
    EXPECT_DOUBLE_EQ(bytes_of_a_row([](const ImageParam &table, const Expr &x,
                                       const Expr &chosen) { return table(x, chosen); },
                                    2),
                     row);
    EXPECT_DOUBLE_EQ(bytes_of_a_row([](const ImageParam &table, const Expr &x,
                                       const Expr &chosen) { return table(chosen * 100 + x * x); },
                                    1),
                     100 * line);
}

// Found in a burst of photographs whose tiles are aligned: each load of a search window was taken to bring in
// a line of its own, since where the window lies is loaded.
TEST(GatheredRows, AWindowAtALoadedPlaceIsReadOnce) {
    Var x("x"), tile("tile");
    ImageParam image(Float(32), 1, "image"), place(Int(32), 1, "place");
    const RDom r(0, 16, "r");
    Halide::Func mirrored = BoundaryConditions::mirror_interior(image, {{0, 10000}});
    Halide::Func out("out");
    out(x, tile) += mirrored(tile * 16 + r + x + clamp(place(tile), -500, 500));
    estimate(out, {8, 100});
    image.set_estimates({{0, 10000}});
    estimate(place, {100});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id;
    const LoopNest nest = test::scheduled(built.graph, {action::ComputeRoot{o}});
    StageExpander expander(built.graph);
    FootprintWalker walker(built.graph);
    const KernelWork work(built.graph, test::some_machine(), expander, walker, nest,
                          std::vector{o});
    const StageWork &update = work.stages()[1];
    size_t of_tile = 0;  // its loop, from the outermost
    for (const LoopLevel &l : update.code->nest->loops) {
        of_tile++;
        if (update.code->stage->loops[static_cast<size_t>(l.name.dim)].func_dim == 1) break;
    }
    for (const Accesses &read : update.reads)
        if (read.producer == func(built, "image").id) {
            EXPECT_DOUBLE_EQ(read.touched[of_tile].bytes,
                             test::some_machine().line_bytes() + (16 + 8 - 1 - 1) * 4);
        }
}

// Through Funcs that are inlined, too, bases are told apart.
TEST(GatheredRows, LoadsAtOneBaseAreAGroup) {
    Var x("x"), y("y");
    ImageParam image(Float(32), 1, "image"), place(Int(32), 1, "place");
    Halide::Func doubled("doubled"), out("out");
    doubled(x) = image(x) * 2;
    out(x, y) = doubled(x + place(y)) + doubled(x + place(y) + 3) + doubled(x + place(y + 1));
    estimate(out, {64, 32});
    image.set_estimates({{0, 10000}});
    estimate(place, {33});
    const BuiltGraph built = build({out});
    StageExpander expander(built.graph);
    const LoopNest nest = test::scheduled(built.graph, {action::ComputeRoot{func(built, out).id},
                                                        action::Inline{func(built, doubled).id}});
    std::map<double, double> span_by_count;
    for (const LoadGroup &load : expander.expand(nest, func(built, out).stages[0]).loads)
        if (load.producer == func(built, "image").id)
            span_by_count[load.count] = load.offset_span[0];
    EXPECT_EQ(span_by_count, (std::map<double, double>{{2, 3}, {1, 0}}));
}

}  // namespace
}  // namespace cryolite
