// Outputs that updates read, in buffers that start anywhere: Halide takes them for aligned allocations of its
// own, so that a vector may be loaded as if it were aligned. Such a program dies.
#include "schedule/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;

enum class Kind { Plain, Parallel, Bounded, Predicated };

struct SumOfRows {
    Var x{"x"};
    ImageParam in{Int(32), 1, "in"};
    Halide::Func out{"out"};
    RDom r{0, 7, "r"};

    SumOfRows(Kind kind, int size) {
        if (kind == Kind::Predicated) r.where(r <= x);
        out(x) = 7;
        out(x) += in(x + r);
        if (kind == Kind::Bounded) out.bound(x, 0, size);
        test::estimate(out, {size});
    }

    void schedule(Kind kind) {
        const BuiltGraph built = test::build({out});
        const StageId u = test::stage(built, out, 1).id;
        Trace trace{action::ComputeRoot{test::func(built, out).id}};
        if (kind == Kind::Parallel) {
            trace.push_back(action::Tile{u, 1, {64}});
            trace.push_back(action::Reorder{u, {{u, 1, 0}, {u, 0, 0}, {u, 1, 1}}});
            trace.push_back(action::Parallel{u, 1});
        }
        trace.push_back(action::Vectorize{u, 1, 16});
        const Result<LoopNest, ReplayFailure> nest = replay(built.graph, trace);
        ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
        LoopNest all = *nest;
        for (const Func &f : built.graph.funcs())
            if (!f.is_input() && !all.decided(f.id)) all = *apply(all, action::Inline{f.id});
        ASSERT_TRUE(emit(built, all).ok());
    }

    // Into a buffer that starts `offset` elements behind a line.
    std::vector<int> at(int size, int offset) {
        Buffer<int> image(size + 6);
        for (int i = 0; i < size + 6; i++) image(i) = i * 3 + 1;
        in.set(image);
        constexpr int line = 64 / sizeof(int);
        std::vector<int> memory(static_cast<size_t>(size) + 2 * line);
        const auto address = reinterpret_cast<uintptr_t>(memory.data()) / sizeof(int);
        int *start = memory.data() + (line - address % line) % line + offset;
        Buffer<int> result(start, size);
        out.realize(result);
        return {result.begin(), result.end()};
    }
};

TEST(UnalignedOutputs, AreUpdatedByVectors) {
    for (const Kind kind : {Kind::Plain, Kind::Parallel, Kind::Bounded, Kind::Predicated})
        for (const int size : {1, 3, 15, 16, 17, 32, 100, 1024, 4001}) {
            if (kind == Kind::Parallel && size < 64) continue;
            if (size < 16 && kind == Kind::Bounded) continue;
            SumOfRows plain(kind, size), scheduled(kind, kind == Kind::Bounded ? size : 4000);
            scheduled.schedule(kind);
            for (const int offset : {0, 1, 5})
                EXPECT_EQ(scheduled.at(size, offset), plain.at(size, offset))
                    << size << " behind " << offset << ", case " << static_cast<int>(kind);
        }
}

}  // namespace
}  // namespace cryolite
