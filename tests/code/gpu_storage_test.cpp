// What is kept in a kernel: how long it may be, and that Halide lets it be.
#include <gtest/gtest.h>

#include <map>

#include "code/legality/apply.h"
#include "code/legality/gpu_kernels.h"
#include "emit/schedule_call.h"
#include "refusals.h"
#include "schedule/func_nest.h"

namespace cryolite::testing {
namespace {

// out reads f and g at the same point, and the scalars a and b.
struct NarrowValues {
    StageGraph graph;
    FuncId out, f, g, a, b;
    StageId s;

    NarrowValues() : graph(make()), s(graph.func(graph.find("out")).stages[0]) {
        out = graph.find("out"), f = graph.find("f"), g = graph.find("g");
        a = graph.find("a"), b = graph.find("b");
    }
    static StageGraph make() {
        GraphMaker make;
        const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 636}});
        for (const char *name : {"f", "g"}) {
            const FuncId func = make.func(name, {"x"});
            make.reads(out, func, {{0}});
            make.give_last_edge_an_access(name[0] == 'f' ? Clamp::None : Clamp::Likely);
        }
        for (const char *name : {"a", "b"}) {
            const FuncId func = make.func(name, {});
            make.reads(out, func, {});
            make.edit(func).values = {ScalarType{ScalarType::Kind::UInt, 16}};
        }
        const ScalarType byte{ScalarType::Kind::UInt, 8}, word{ScalarType::Kind::Int, 32};
        make.edit(FuncId(1)).values = {byte};
        make.edit(FuncId(2)).values = {ScalarType{ScalarType::Kind::UInt, 16}, word};
        return make.finish();
    }
    Trace kernel(int64_t threads) const {
        return {action::ComputeRoot{out}, action::Tile{s, 0, {threads}},
                action::MapToBlocks{s, {{s, 0, 0}}}, action::MapToThreads{s, {{s, 0, 1}}}};
    }
    LoopNest with(Trace trace, const Trace &more) const {
        trace.insert(trace.end(), more.begin(), more.end());
        LoopNest nest = replay(graph, trace).value();
        for (FuncId func : {f, g, a, b}) {
            if (!nest.decided(func))
                nest = cryolite::apply(nest, action::ComputeRoot{func}).value();
        }
        return nest;
    }
};

std::vector<std::string> storage_calls(const LoopNest &nest) {
    std::vector<std::string> found;
    for (const ScheduleCall &call : schedule_calls(nest)) {
        const bool bound = call.method == ScheduleCall::Method::BoundStorage;
        if (!bound && call.method != ScheduleCall::Method::AlignStorage) continue;
        found.push_back(nest.graph().func_of(call.stage).name + (bound ? " bound " : " align ") +
                        std::to_string(call.factor));
    }
    return found;
}

TEST(GpuStorage, NarrowFuncsFillWholeElementsOfTheWidest) {
    const NarrowValues n;
    const LoopName block{n.s, 0, 0}, thread{n.s, 0, 1};
    using Calls = std::vector<std::string>;
    // Of 7 bytes and of 7 pairs of 2 and 4 bytes: g has no bound that is known.
    const LoopNest both =
        n.with(n.kernel(7), {action::ComputeAt{n.f, block}, action::ComputeAt{n.g, block}});
    EXPECT_EQ(storage_calls(both), (Calls{"f bound 8", "g align 2"}));
    EXPECT_EQ(gpu_kernels_of(both)[0].widest, 4);
    EXPECT_EQ(gpu_kernels_of(both)[0].shared_bytes, 8 * 1 + 8 * 6);
    // Nothing wider is kept: what root Funcs hold does not count.
    EXPECT_EQ(storage_calls(n.with(n.kernel(7), {action::ComputeAt{n.f, block}})),
              (Calls{"f bound 7"}));
    // In registers there is no such allocation, but one of a length unknown is none of theirs.
    EXPECT_EQ(storage_calls(n.with(
                  n.kernel(7), {action::ComputeAt{n.f, thread}, action::ComputeAt{n.g, block}})),
              (Calls{"f bound 1", "g align 2"}));
    // Nor is anything padded on the host.
    EXPECT_EQ(storage_calls(n.with({action::ComputeRoot{n.out}, action::Tile{n.s, 0, {7}}},
                                   {action::ComputeAt{n.f, block}, action::ComputeAt{n.g, block}})),
              (Calls{"f bound 7"}));
}

TEST(GpuStorage, OneNarrowScalarIsTheMost) {
    const NarrowValues n;
    const LoopName block{n.s, 0, 0}, thread{n.s, 0, 1};
    const auto after = [&](Trace more, const Action &last) {
        Trace trace = n.kernel(8);
        trace.insert(trace.end(), more.begin(), more.end());
        return refusal(n.graph, trace, last);
    };
    const action::ComputeAt a{n.a, block}, b{n.b, block}, g{n.g, block}, f{n.f, block};
    EXPECT_EQ(after({a, f}, b), "accepted");  // all two bytes or less
    EXPECT_EQ(after({g}, a), "accepted");
    EXPECT_EQ(after({g, a}, b), "unpadded_in_kernel");
    EXPECT_EQ(after({a, b}, g), "unpadded_in_kernel");  // in whatever order
    EXPECT_EQ(after({g, a}, action::ComputeAt{n.b, thread}), "accepted");
}

// Halide would put g, whose length is not known, into global memory.
TEST(GpuStorage, ThreadsKeepOnlyWhatHasABound) {
    const NarrowValues n;
    const LoopName block{n.s, 0, 0}, thread{n.s, 0, 1};
    EXPECT_EQ(refusal(n.graph, n.kernel(8), action::ComputeAt{n.g, thread}), "unbounded_in_kernel");
    EXPECT_EQ(refusal(n.graph, n.kernel(8), action::ComputeAt{n.g, block}), "accepted");
    EXPECT_EQ(refusal(n.graph, n.kernel(8), action::ComputeAt{n.f, thread}), "accepted");
}

// out reads p, p reads h and g, and h reads f: f may be kept around p's loop over y, h and g in it.
struct LoopInABlock {
    enum class Besides { Nothing, GReadsF, GReadsH, PReadsF, OutReadsF, OtherStageReadsF, Tuple };
    StageGraph graph;
    FuncId out, p, h, g, f;
    StageId s;

    explicit LoopInABlock(Besides besides)
        : graph(make(besides)), s(graph.func(graph.find("out")).stages[0]) {
        out = graph.find("out"), p = graph.find("p"), h = graph.find("h");
        g = graph.find("g"), f = graph.find("f");
    }
    static StageGraph make(Besides besides) {
        GraphMaker make;
        const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 636}, {0, 636}});
        std::vector<FuncId> ids;
        for (const char *name : {"p", "g", "h", "f"}) ids.push_back(make.func(name, {"x", "y"}));
        const FuncId p = ids[0], g = ids[1], h = ids[2], f = ids[3];
        const auto reads = [&](StageId reader, FuncId producer) {
            make.reads(reader, producer, {{0}, {1}});
            make.give_last_edge_an_access(Clamp::None);
        };
        const auto of = [&](FuncId func) { return make.pure_stage(func); };
        const bool staged = besides == Besides::OtherStageReadsF;
        const StageId last =
            staged ? make.stage(p, {GraphMaker::pure("x", 0), GraphMaker::pure("y", 1)}) : of(p);
        reads(of(out), p);
        reads(last, h);
        reads(last, g);
        reads(of(h), f);
        if (besides == Besides::GReadsF) reads(of(g), f);
        if (besides == Besides::GReadsH) reads(of(g), h);
        if (besides == Besides::PReadsF || besides == Besides::Tuple || staged) reads(of(p), f);
        if (besides == Besides::OutReadsF) reads(of(out), f);
        if (besides == Besides::Tuple) {
            const ScalarType value = make.edit(f).values[0];
            make.edit(f).values = {value, value};
        }
        return make.finish();
    }
    Trace with_g_and_h_in_the_loop() const {
        const LoopName block{s, 0, 0}, loop{graph.func(p).stages.back(), 1, 0};
        return {action::ComputeRoot{out},
                action::Tile{s, 0, {32}},
                action::Tile{s, 1, {8}},
                action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}},
                action::MapToBlocks{s, {{s, 1, 0}, {s, 0, 0}}},
                action::ComputeAt{p, block},
                action::ComputeAt{g, loop},
                action::ComputeAt{h, loop}};
    }
    // What becomes of f at the block, beside g and h in the loop.
    std::string refused() const {
        return refusal(graph, with_g_and_h_in_the_loop(), action::ComputeAt{f, {s, 0, 0}});
    }
};

TEST(GpuStorage, NothingIsGivenAwayInALoopBeforeItsLastUse) {
    using Besides = LoopInABlock::Besides;
    const auto refused = [](Besides besides) { return LoopInABlock(besides).refused(); };
    // h may be computed first, and then g in the memory of f, which the next h needs.
    EXPECT_EQ(refused(Besides::Nothing), "overwritten_in_kernel");
    EXPECT_EQ(refused(Besides::GReadsH), "overwritten_in_kernel");
    EXPECT_EQ(refused(Besides::OtherStageReadsF), "overwritten_in_kernel");
    EXPECT_EQ(refused(Besides::Tuple), "overwritten_in_kernel");
    EXPECT_EQ(refused(Besides::GReadsF), "accepted");
    EXPECT_EQ(refused(Besides::PReadsF), "accepted");
    EXPECT_EQ(refused(Besides::OutReadsF), "accepted");
}

// Hill climbing takes h out and decides g anew, while f, which h reads, stays. Once it crashed here.
TEST(GpuStorage, NothingIsDecidedOverAReaderThatIsNotDecided) {
    const LoopInABlock n(LoopInABlock::Besides::GReadsF);
    Trace trace = n.with_g_and_h_in_the_loop();
    trace.push_back(action::ComputeAt{n.f, {n.s, 0, 0}});
    const LoopNest nest = replay(n.graph, trace).value().without(n.h).without(n.g);
    const LoopName loop{n.graph.func(n.p).stages.back(), 1, 0};
    const auto moved = cryolite::apply(nest, action::ComputeAt{n.g, loop});
    ASSERT_FALSE(moved.ok());
    EXPECT_EQ(moved.error(), Reason::OverwrittenInKernel);
}

}  // namespace
}  // namespace cryolite::testing
