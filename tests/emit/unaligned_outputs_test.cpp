// Outputs that updates read, in buffers that start anywhere: Halide takes them for aligned allocations of its
// own, so that a vector may be loaded as if it were aligned. Such a program dies.
#include "code/legality/apply.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;

// Where a buffer starts `offset` elements behind a line of the cache; memory: 32 elements more than its own.
int *behind_a_line(std::vector<int> &memory, int offset) {
    constexpr uintptr_t line = 64 / sizeof(int);
    const auto address = reinterpret_cast<uintptr_t>(memory.data()) / sizeof(int);
    return memory.data() + (line - address % line) % line + offset;
}

LoopNest with_others_inlined(const StageGraph &graph, LoopNest nest) {
    for (const Func &f : graph.funcs())
        if (!f.is_input() && !nest.decided(f.id)) nest = *apply(nest, action::Inline{f.id});
    return nest;
}

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
        ASSERT_TRUE(emit(built, with_others_inlined(built.graph, *nest)).ok());
    }

    // Into a buffer that starts `offset` elements behind a line.
    std::vector<int> at(int size, int offset) {
        Buffer<int> image(size + 6);
        for (int i = 0; i < size + 6; i++) image(i) = i * 3 + 1;
        in.set(image);
        std::vector<int> memory(static_cast<size_t>(size) + 32);
        Buffer<int> result(behind_a_line(memory, offset), size);
        out.realize(result);
        return {result.begin(), result.end()};
    }
};

// Found by random traces (seed 61183): the part of an odd length is a split, too, and its loop was fused around those
// over whole dimensions, of which Halide then no longer knew the range.
TEST(UnalignedOutputs, AreUpdatedInParallelLoopsOverWholeDimensions) {
    Var x{"x"}, y{"y"}, z{"z"};
    Halide::Func out{"out"};
    out(x, y, z) = x + y;
    out(x, y, z) += x % 16;
    constexpr int plane = 13;
    out.bound(z, plane, 1);
    out.output_buffer().set_estimates({{0, 64}, {0, 47}, {plane, 1}});
    const BuiltGraph built = test::build({out});
    const StageId u = test::stage(built, out, 1).id;
    const Trace trace{action::ComputeRoot{test::func(built, out).id}, action::Vectorize{u, 0, 4},
                      action::Parallel{u, 3}};
    const Result<LoopNest, ReplayFailure> nest = replay(built.graph, trace);
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    ASSERT_TRUE(emit(built, *nest).ok());
    for (const int width : {3, 21, 64}) {
        Buffer<int> result(width, 5, 1);
        result.set_min(0, 0, plane);
        out.realize(result);
        result.for_each_element([&](int a, int b, int c) {
            ASSERT_EQ(result(a, b, c), a + b + a % 16) << a << ", " << b;
        });
    }
}

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

// One output that another part of the pipeline reads. Its own loads are as in the updates above.
struct ReadOutput {
    enum class By { Output, Update, Reduction, Internal, Inlined };

    Var x{"x"}, y{"y"};
    Halide::Func read{"read"}, between{"between"}, out{"out"};
    RDom r{0, 7, "r"}, whole{0, 64, "whole"};

    // dimensions: 1 or 2; the rows of two start at constant places, too.
    ReadOutput(By by, int dimensions) {
        std::vector<Var> args{x};
        if (dimensions == 2) args.push_back(y);
        std::vector<Expr> at(args.begin(), args.end());
        read(args) = dimensions == 2 ? x * 3 + y : x * 3;
        const auto row = [&](const Expr &i) { return dimensions == 2 ? read(i, 0) : read(i); };
        between(x) = row(x) + 1;
        if (by == By::Output) out(x) = row(x) * 2;
        if (by != By::Output) out(x) = 1;
        if (by == By::Update) out(x) += row(x) * r;
        if (by == By::Reduction) out(whole) += row(whole);
        if (by == By::Internal || by == By::Inlined) out(x) += between(x) * r;
        for (Halide::Func f : {read, out})
            for (int d = 0; d < f.dimensions(); d++) f.output_buffer().dim(d).set_min(0);
        test::estimate(read, std::vector<int>(args.size(), 64));
        test::estimate(out, {64});
    }

    // As many vectors as are allowed.
    void schedule(By by) {
        const BuiltGraph built = test::build({read, out});
        LoopNest nest(built.graph);
        const auto attempt = [&](const Action &a) {
            if (Result<LoopNest, Reason> next = cryolite::apply(nest, a); next.ok())
                nest = std::move(next).value();
        };
        for (const Func &f : built.graph.funcs()) {
            if (f.is_input()) continue;
            if (by == By::Inlined) attempt(action::Inline{f.id});
            if (!nest.decided(f.id)) attempt(action::ComputeRoot{f.id});
            if (nest.at(f.id).placement == Placement::Inline) continue;
            for (StageId s : f.stages)
                for (size_t l = built.graph.stage(s).loops.size(); l-- > 0;)
                    attempt(action::Vectorize{s, static_cast<int16_t>(l), 16});
        }
        ASSERT_TRUE(emit(built, nest).ok());
    }

    std::vector<int> at(int size, int offset) {
        std::vector<int> first(static_cast<size_t>(size) * size + 32), second(first.size());
        std::vector<halide_dimension_t> shape{{0, size, 1}, {0, size, size}};
        shape.resize(static_cast<size_t>(read.dimensions()));
        Buffer<int> a(behind_a_line(first, offset), static_cast<int>(shape.size()), shape.data());
        Buffer<int> b(behind_a_line(second, offset), size);
        Pipeline({read, out}).realize({a, b});
        std::vector<int> values(b.begin(), b.end());
        for (int v : a) values.push_back(v);
        return values;
    }
};

TEST(UnalignedOutputs, AreReadByOtherStages) {
    using By = ReadOutput::By;
    for (const By by : {By::Output, By::Update, By::Reduction, By::Internal, By::Inlined})
        for (const int dimensions : {1, 2}) {
            ReadOutput plain(by, dimensions), scheduled(by, dimensions);
            scheduled.schedule(by);
            for (const int size : {64, 101})
                for (const int offset : {0, 1, 5})
                    EXPECT_EQ(scheduled.at(size, offset), plain.at(size, offset))
                        << size << " behind " << offset << ", case " << static_cast<int>(by);
        }
}

// Eight rows at once: their starts are multiples of eight, whatever the stride.
void update_unrolled_rows(int parallel) {
    const auto define = [](Halide::Func out) {
        Var x("x"), y("y");
        RDom r(0, 7, "r");
        out(x, y) = x + y;
        out(x, y) += r;
        out.output_buffer().dim(0).set_min(0);
        test::estimate(out, {64, 64});
    };
    Halide::Func plain("plain"), scheduled("scheduled");
    define(plain);
    define(scheduled);
    const BuiltGraph built = test::build({scheduled});
    const StageId u = test::stage(built, scheduled, 1).id;
    Trace trace{action::ComputeRoot{test::func(built, scheduled).id}, action::Tile{u, 1, {32}},
                action::Tile{u, 2, {8}},
                action::Reorder{u, {{u, 1, 0}, {u, 2, 0}, {u, 0, 0}, {u, 2, 1}, {u, 1, 1}}},
                action::Unroll{{u, 2, 1}}};
    if (parallel > 0) trace.push_back(action::Parallel{u, parallel});
    trace.push_back(action::Vectorize{u, 1, 8});
    const Result<LoopNest, ReplayFailure> nest = replay(built.graph, trace);
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    ASSERT_TRUE(emit(built, *nest).ok());
    for (const int size : {16, 101})
        for (const int offset : {0, 1, 5}) {
            const auto realize = [&](Halide::Func f) {
                std::vector<int> memory(static_cast<size_t>(size) * size + 32);
                Buffer<int> result(behind_a_line(memory, offset), size, size);
                f.realize(result);
                return std::vector<int>(result.begin(), result.end());
            };
            EXPECT_EQ(realize(scheduled), realize(plain)) << size << " behind " << offset;
        }
}

// Of an output whose size is fixed all is known but the stride of its rows.
struct FixedOutput {
    Var x{"x"}, y{"y"};
    ImageParam in{Int(32), 2, "in"};
    Halide::Func out{"out"};

    // Read twice: a load of its own, which no addition takes in.
    FixedOutput(int width, int height) {
        out(x, y) = 7;
        out(x, y) = out(x, y) * (out(x, y) ^ 3) + in(x, y);
        out.output_buffer().dim(0).set_bounds(0, width);
        out.output_buffer().dim(1).set_bounds(0, height);
        test::estimate(out, {width, height});
    }

    std::vector<int> at(int width, int height, int offset, int row) {
        Buffer<int> image(width, height);
        image.fill([](int i, int j) { return i * 3 + j * 5 + 1; });
        in.set(image);
        std::vector<int> memory(static_cast<size_t>(row) * height + 64);
        const halide_dimension_t shape[] = {{0, width, 1}, {0, height, row}};
        Buffer<int> result(behind_a_line(memory, offset), 2, shape);
        out.realize(result);
        return {result.begin(), result.end()};
    }
};

TEST(UnalignedOutputs, OfFixedSizesAreUpdatedByVectors) {
    for (const int width : {16, 17, 64, 128, 1000})
        for (const bool parallel : {false, true}) {
            constexpr int height = 16;
            FixedOutput plain(width, height), scheduled(width, height);
            const BuiltGraph built = test::build({scheduled.out});
            const StageId u = test::stage(built, scheduled.out, 1).id;
            ASSERT_GE(built.graph.stage(u).loops[0].hidden_by_stride_of, 0);
            Trace trace{action::ComputeRoot{test::func(built, scheduled.out).id},
                        action::Tile{u, 1, {8}}, action::Unroll{{u, 1, 1}}};
            if (parallel) trace.push_back(action::Parallel{u, 1});
            trace.push_back(action::Vectorize{u, 0, 8});
            const Result<LoopNest, ReplayFailure> nest = replay(built.graph, trace);
            ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
            ASSERT_TRUE(emit(built, with_others_inlined(built.graph, *nest)).ok());
            for (const int offset : {0, 1, 5})
                for (const int row : {width, width + 8, width + 3})
                    EXPECT_EQ(scheduled.at(width, height, offset, row),
                              plain.at(width, height, offset, row))
                        << width << " behind " << offset << ", rows of " << row;
        }
}

TEST(UnalignedOutputs, AreUpdatedInUnrolledRows) {
    for (const int parallel : {0, 1, 2}) update_unrolled_rows(parallel);
}

}  // namespace
}  // namespace cryolite
