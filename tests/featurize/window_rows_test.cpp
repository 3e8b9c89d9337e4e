// How many points of a chain of windows Halide computes, counted while it runs, against what the model
// says: a window that does not slide after all is computed whole in every iteration.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <mutex>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "featurize/kernel_work.h"
#include "scheduled.h"

namespace cryolite {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;

constexpr int width = 24, height = 96, strip = 32, length = 4;

// Chain of Funcs over three rows each; out.back() is the output. Bit i of `clamped`: the rows of Func i
// are clamped where they are read. Bit i of `windows`: Func i is stored outside of the loop over rows
// that it is computed in, if that is allowed.
struct Chain {
    unsigned clamped, windows;
    bool in_strips;

    std::vector<Func> make() const {
        const Var x("x"), y("y");
        std::vector<Func> funcs;
        Halide::Param<int> rows("rows");
        rows.set(height);
        rows.set_estimate(height);
        Func input("input");
        input(x, y) = 3 * x + y;
        for (int i = 0; i < length; i++) {
            Func f("f" + std::to_string(i)), before = i ? funcs.back() : input;
            const bool clamps = i > 0 && (clamped >> (i - 1) & 1);
            Expr sum = 0;
            for (int tap = -1; tap <= 1; tap++) {
                const Expr row = y + tap;
                sum += before(x, clamps ? Halide::clamp(Halide::likely(row), 0, rows - 1) : row);
            }
            f(x, y) = sum;
            funcs.push_back(f);
        }
        funcs.back().set_estimates({{0, width}, {0, height}});
        return funcs;
    }
};

std::map<std::string, double> computed_by_halide(const std::vector<Func> &funcs) {
    static std::mutex mutex;
    static std::map<std::string, double> points;
    points.clear();
    for (Func f : funcs) f.trace_stores();
    Func out = funcs.back();
    out.jit_handlers().custom_trace = [](Halide::JITUserContext *,
                                         const halide_trace_event_t *event) {
        const std::lock_guard lock(mutex);
        if (event->event == halide_trace_store) points[event->func] += event->type.lanes;
        return 0;
    };
    out.realize({width, height});
    return points;
}

void check(const Chain &chain) {
    SCOPED_TRACE("clamped " + std::to_string(chain.clamped) + ", windows " +
                 std::to_string(chain.windows) + (chain.in_strips ? ", in strips" : ""));
    const std::vector<Func> funcs = chain.make();
    const BuiltGraph built = test::build({funcs.back()});
    const FuncId out = test::func(built, funcs.back()).id;
    const StageId o = test::stage(built, funcs.back()).id;
    Trace trace{action::ComputeRoot{out}};
    LoopName rows{o, 1, 0};
    std::optional<LoopName> outside;
    if (chain.in_strips) {
        trace.push_back(action::Tile{o, 1, {strip}});
        trace.push_back(action::Reorder{o, {{o, 1, 0}, {o, 1, 1}, {o, 0, 0}}});
        outside = rows;
        rows = {o, 1, 1};
    }
    std::vector<FuncId> members{out};
    unsigned accepted = 0;
    for (int i = length - 2; i >= 0; i--) {
        const FuncId f = test::func(built, funcs[static_cast<size_t>(i)]).id;
        members.push_back(f);
        trace.push_back(action::ComputeAt{f, rows});
        trace.push_back(action::StoreAt{f, outside});
        const unsigned window = 1u << i;
        if ((chain.windows & window) && replay(built.graph, trace).ok())
            accepted |= window;
        else
            trace.pop_back();
    }
    // Without clamps all of them slide; with clamps one does at least, the uppermost.
    if (chain.clamped == 0)
        EXPECT_EQ(accepted, chain.windows);
    else
        EXPECT_GE(accepted, std::bit_floor(chain.windows));
    const LoopNest nest = test::scheduled(built.graph, trace);
    StageExpander expander(built.graph);
    FootprintWalker walker(built.graph);
    const KernelWork work(built.graph, test::some_machine(), expander, walker, nest, members);
    std::map<std::string, double> expected;
    for (const StageWork &s : work.stages())
        expected[built.graph.func(s.code->stage->func).name] = s.code->runs.back();
    ASSERT_TRUE(emit(built, nest).ok());
    const std::map<std::string, double> points = computed_by_halide(funcs);
    // Near the ends of the image clamped rows are fewer.
    for (const auto &[name, computed] : points)
        EXPECT_NEAR(expected[name] / computed, 1, 0.15)
            << name << ": " << computed / width / height << " per pixel";
}

TEST(WindowRows, AreThoseThatHalideComputes) {
    for (const bool in_strips : {false, true})
        for (unsigned clamped = 0; clamped < 8; clamped++)
            for (const unsigned windows : {5u, 6u, 7u}) check({clamped, windows, in_strips});
}

}  // namespace
}  // namespace cryolite
