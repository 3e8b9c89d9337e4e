// What a stage touches of a table whose rows are chosen by data.
#include <gtest/gtest.h>

#include <functional>

#include "featurize/kernel_work.h"
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

}  // namespace
}  // namespace cryolite
