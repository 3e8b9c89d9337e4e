// Blocks and threads: what is legal, what a kernel takes, and the way there and back.
#include <gtest/gtest.h>

#include <map>

#include "code/kernel/uncut_loops.h"
#include "code/legality/apply.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/legal_sites.h"
#include "code/legality/validate.h"
#include "code/stage/split_tails.h"
#include "emit/schedule_call.h"
#include "refusals.h"
#include "schedule/func_nest.h"
#include "schedule/trace_text.h"

namespace cryolite::testing {
namespace {

// The fixture's blur with its loads as affine accesses: what bounds of storage are judged by. Its
// extents are not divided by what they are tiled by.
struct MappedBlur {
    StageGraph graph = with_accesses(blur_graph(637, 479));
    FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    StageId s = graph.func(out).stages[0], bx = graph.func(blur_x).stages[0];

    LoopName loop(int dim, int level) const { return at(s, dim, level); }
    static LoopName at(StageId stage, int dim, int level) {
        return {stage, static_cast<int16_t>(dim), static_cast<int16_t>(level)};
    }
    Trace tiled() const {
        return {action::ComputeRoot{out}, action::Tile{s, 1, {8}}, action::Tile{s, 0, {32}},
                action::Reorder{s, {loop(1, 0), loop(0, 0), loop(1, 1), loop(0, 1)}}};
    }
    Trace mapped() const {
        Trace trace = tiled();
        trace.push_back(action::MapToBlocks{s, {loop(1, 0), loop(0, 0)}});
        trace.push_back(action::MapToThreads{s, {loop(1, 1), loop(0, 1)}});
        return trace;
    }
    // blur_x in shared memory, by threads of its own.
    Trace shared() const {
        Trace trace = mapped();
        trace.push_back(action::ComputeAt{blur_x, loop(0, 0)});
        trace.push_back(action::Tile{bx, 1, {10}});
        trace.push_back(action::Tile{bx, 0, {32}});
        trace.push_back(
            action::Reorder{bx, {at(bx, 1, 0), at(bx, 0, 0), at(bx, 1, 1), at(bx, 0, 1)}});
        trace.push_back(action::MapToThreads{bx, {at(bx, 1, 1), at(bx, 0, 1)}});
        return trace;
    }

    static StageGraph with_accesses(const StageGraph &g) {
        std::vector<Edge> edges(g.edges().begin(), g.edges().end());
        for (Edge &e : edges) {
            const size_t loops = g.stage(e.consumer).loops.size();
            for (const int64_t by : {-1, 0, 1}) {
                Access a;
                for (size_t d = 0; d < g.func(e.producer).dims.size(); d++) {
                    IndexMap index;
                    index.coefficient.assign(loops, {});
                    index.coefficient[d] = {1, 1};
                    index.offset = {by, 1};
                    index.depends_on.assign(loops, false);
                    a.index.push_back(index);
                }
                e.accesses.push_back(a);
            }
        }
        return StageGraph({g.funcs().begin(), g.funcs().end()},
                          {g.stages().begin(), g.stages().end()}, edges, g.algorithm_hash());
    }
};

TEST(GpuLevels, BlocksAreSerialLoopsOfAFuncAtRoot) {
    const MappedBlur b;
    const Trace tiled = b.tiled();
    const auto blocks = [&](std::vector<LoopName> loops) {
        return refusal(b.graph, tiled, action::MapToBlocks{b.s, std::move(loops)});
    };
    EXPECT_EQ(blocks({b.loop(1, 0), b.loop(0, 0)}), "accepted");
    EXPECT_EQ(blocks({b.loop(0, 0)}), "accepted");  // y.0 runs on the host
    EXPECT_EQ(blocks({}), "not_mappable");
    EXPECT_EQ(blocks({b.loop(0, 0), b.loop(1, 0)}), "not_mappable");  // not in that order
    EXPECT_EQ(blocks({b.loop(1, 0), b.loop(1, 1)}), "not_mappable");  // something between
    EXPECT_EQ(blocks({b.loop(1, 0), b.loop(0, 0), b.loop(1, 1), b.loop(0, 1)}), "not_mappable");
    EXPECT_EQ(blocks({b.loop(1, 2)}), "no_such_loop");
    EXPECT_EQ(blocks({MappedBlur::at(b.bx, 1, 0)}), "not_mappable");  // of another stage
    EXPECT_EQ(refusal(b.graph, b.mapped(), action::MapToBlocks{b.s, {b.loop(1, 0)}}),
              "inside_kernel");
    EXPECT_EQ(refusal(b.graph, {action::ComputeRoot{b.out}, action::Parallel{b.s, 1}},
                      action::MapToBlocks{b.s, {b.loop(0, 0)}}),
              "inside_kernel");
    Trace inside{action::ComputeRoot{b.out}, action::ComputeAt{b.blur_x, b.loop(1, 0)}};
    EXPECT_EQ(refusal(b.graph, inside, action::MapToBlocks{b.bx, {MappedBlur::at(b.bx, 0, 0)}}),
              "not_mappable");
}

TEST(GpuLevels, NoGuardStandsBetweenBlocks) {
    const MappedBlur b;
    const auto blocks = [&](std::vector<LoopName> order, std::vector<LoopName> mapped) {
        return refusal(b.graph,
                       {action::ComputeRoot{b.out}, action::Tile{b.s, 0, {32}},
                        action::Reorder{b.s, std::move(order)}},
                       action::MapToBlocks{b.s, std::move(mapped)});
    };
    const LoopName y = b.loop(1, 0), xo = b.loop(0, 0), xi = b.loop(0, 1);
    EXPECT_EQ(blocks({y, xo, xi}, {y, xo, xi}), "accepted");
    EXPECT_EQ(blocks({xo, xi, y}, {xo, xi}), "accepted");
    EXPECT_EQ(blocks({xo, xi, y}, {xo, xi, y}), "not_mappable");
    EXPECT_EQ(blocks({xo, xi, y}, {xi, y}), "not_mappable");
    EXPECT_EQ(blocks({xo, xi, y}, {y}), "accepted");  // the guard is around the kernel
}

TEST(GpuLevels, ThreadsAreConstantLoopsInsideBlocks) {
    const MappedBlur b;
    Trace blocks = b.tiled();
    EXPECT_EQ(refusal(b.graph, blocks, action::MapToThreads{b.s, {b.loop(0, 1)}}), "not_mappable");
    blocks.push_back(action::MapToBlocks{b.s, {b.loop(0, 0)}});
    EXPECT_EQ(refusal(b.graph, blocks, action::MapToThreads{b.s, {b.loop(1, 0)}}), "not_mappable");
    EXPECT_EQ(refusal(b.graph, blocks, action::MapToThreads{b.s, {b.loop(0, 1)}}), "accepted");
    // A whole loop has as many points as the image.
    const Trace whole{action::ComputeRoot{b.out}, action::MapToBlocks{b.s, {b.loop(1, 0)}}};
    EXPECT_EQ(refusal(b.graph, whole, action::MapToThreads{b.s, {b.loop(0, 0)}}), "not_mappable");
}

TEST(GpuLevels, WhatRunsInOrderIsNotMapped) {
    const StageGraph graph = histogram_graph();
    const FuncId histogram = graph.find("histogram"), out = graph.find("out");
    const StageId count = graph.func(histogram).stages[1];
    EXPECT_EQ(refusal(graph, {action::ComputeRoot{out}, action::ComputeRoot{histogram}},
                      action::MapToBlocks{count, {{count, 1, 0}}}),
              "not_mappable");
}

TEST(GpuLevels, NothingOfACpuIsInAKernel) {
    const MappedBlur b;
    EXPECT_EQ(refusal(b.graph, b.mapped(), action::Vectorize{b.s, 0, 4}), "inside_kernel");
    EXPECT_EQ(refusal(b.graph, b.mapped(), action::Parallel{b.s, 1}), "inside_kernel");
    EXPECT_EQ(refusal(b.graph, b.shared(), action::Vectorize{b.bx, 0, 4}), "inside_kernel");
    EXPECT_EQ(refusal(b.graph, b.shared(), action::Parallel{b.bx, 1}), "inside_kernel");
    EXPECT_EQ(
        refusal(b.graph, b.shared(), action::MapToThreads{b.bx, {MappedBlur::at(b.bx, 1, 0)}}),
        "not_mappable");
    Trace window = b.mapped();
    window.push_back(action::ComputeAt{b.blur_x, b.loop(0, 1)});
    EXPECT_EQ(refusal(b.graph, window, action::StoreAt{b.blur_x, b.loop(0, 0)}), "inside_kernel");
    EXPECT_EQ(refusal(b.graph, b.shared(), action::ReorderStorage{b.blur_x, {1, 0}}),
              "storage_kept");
    EXPECT_EQ(refusal(b.graph, window, action::MapToThreads{b.bx, {MappedBlur::at(b.bx, 0, 0)}}),
              "inside_kernel");
}

TEST(GpuLevels, ProducersStandAtTheInnermostBlockOrThread) {
    const MappedBlur b;
    const auto computed_at = [&](int dim, int level) {
        return refusal(b.graph, b.mapped(), action::ComputeAt{b.blur_x, b.loop(dim, level)});
    };
    EXPECT_EQ(computed_at(1, 0), "between_mapped");
    EXPECT_EQ(computed_at(0, 0), "accepted");
    EXPECT_EQ(computed_at(1, 1), "between_mapped");
    EXPECT_EQ(computed_at(0, 1), "accepted");
    const LoopNest nest = *replay(b.graph, b.mapped());
    EXPECT_EQ(legal_sites(nest, b.blur_x), (std::vector<LoopName>{b.loop(0, 1), b.loop(0, 0)}));
    EXPECT_EQ(level_of(nest, std::nullopt), KernelLevel::Host);
    EXPECT_EQ(level_of(nest, b.loop(0, 0)), KernelLevel::Block);
    EXPECT_EQ(level_of(nest, b.loop(0, 1)), KernelLevel::Thread);
}

TEST(GpuLevels, StorageInAKernelDoesNotGrowWithTheImage) {
    const MappedBlur b;
    // y is a serial loop in the kernel: all of a column would be in shared memory.
    const Trace column{action::ComputeRoot{b.out}, action::Tile{b.s, 0, {32}},
                       action::Reorder{b.s, {b.loop(0, 0), b.loop(1, 0), b.loop(0, 1)}},
                       action::MapToBlocks{b.s, {b.loop(0, 0)}}};
    EXPECT_EQ(refusal(b.graph, column, action::ComputeAt{b.blur_x, b.loop(0, 0)}),
              "unbounded_in_kernel");
    EXPECT_EQ(refusal(b.graph, column, action::ComputeAt{b.blur_x, b.loop(1, 0)}), "accepted");
    // Nothing is known of the accesses.
    const MappedBlur unknown{.graph = blur_graph(637, 479)};
    EXPECT_EQ(refusal(unknown.graph, unknown.mapped(),
                      action::ComputeAt{unknown.blur_x, unknown.loop(0, 0)}),
              "unbounded_in_kernel");
}

TEST(GpuLevels, AKernelTakesTheMostThreadsOfItsStages) {
    const MappedBlur b;
    const LoopNest nest = *replay(b.graph, b.shared());
    const std::vector<GpuKernel> kernels = gpu_kernels_of(nest);
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].blocks, (std::array<int64_t, 3>{20, 60, 1}));
    EXPECT_EQ(kernels[0].threads, (std::array<int64_t, 3>{32, 10, 1}));
    EXPECT_EQ(kernels[0].shared_bytes, 32 * 10 * 4);
    LaunchLimits limits;
    EXPECT_FALSE(find_kernel_fault(nest, limits));
    limits.threads_per_block = 319;
    EXPECT_EQ(find_kernel_fault(nest, limits)->text, "320 threads a block, and there may be 319");
    limits = {};
    limits.shared_bytes = 1279;
    EXPECT_TRUE(find_kernel_fault(nest, limits));
    limits = {};
    limits.blocks[1] = 59;
    EXPECT_TRUE(find_kernel_fault(nest, limits));
    Trace idle = b.mapped();
    idle.push_back(action::ComputeAt{b.blur_x, b.loop(0, 0)});
    EXPECT_EQ(find_kernel_fault(*replay(b.graph, idle), {})->text,
              "no threads for blur_x at the block level");
}

TEST(GpuLevels, SharedMemoryHoldsWholePartsOfSplitLoops) {
    const MappedBlur b;
    Trace uneven = b.shared();
    for (Action &a : uneven)
        if (auto *tile = std::get_if<action::Tile>(&a);
            tile && tile->stage == b.bx && tile->dim == 1)
            tile->spans = {7};
    EXPECT_EQ(gpu_kernels_of(*replay(b.graph, uneven))[0].shared_bytes, 32 * 14 * 4);
}

TEST(GpuLevels, TracesComeBackAsTheyWere) {
    const MappedBlur b;
    Trace in_threads = b.mapped();
    in_threads.push_back(action::ComputeAt{b.blur_x, b.loop(0, 1)});
    for (const Trace &trace : {b.mapped(), b.shared(), in_threads}) {
        const LoopNest nest = *replay(b.graph, trace);
        EXPECT_EQ(validate(nest), "");
        const std::string text = to_text(b.graph, trace);
        EXPECT_EQ(parse_trace(b.graph, text).value(), trace) << text;
        const LoopNest again = *replay(b.graph, trace_of(nest));
        EXPECT_EQ(again.hash(), nest.hash());
        EXPECT_EQ(trace_of(again), trace_of(nest));
    }
    EXPECT_NE(replay(b.graph, b.tiled())->hash(), replay(b.graph, b.mapped())->hash());
    EXPECT_NE(hash(action::MapToBlocks{b.s, {b.loop(0, 0)}}),
              hash(action::MapToThreads{b.s, {b.loop(0, 0)}}));
}

TEST(GpuLevels, ValidateTrustsNothing) {
    const MappedBlur b;
    const LoopNest nest = *replay(b.graph, b.shared());
    const auto broken = [&](FuncId f, int loop, LoopKind kind) {
        FuncNest changed = nest.at(f);
        changed.stages[0].loops[static_cast<size_t>(loop)].kind = kind;
        changed.hash = hash_of(changed);
        return validate(nest.with(std::make_shared<const FuncNest>(changed)));
    };
    EXPECT_NE(broken(b.out, 0, LoopKind::GpuThread), "");  // threads around blocks
    EXPECT_NE(broken(b.out, 2, LoopKind::GpuBlock), "");   // a third block, then one thread
    EXPECT_NE(broken(b.out, 3, LoopKind::Vectorized), "");
    EXPECT_NE(broken(b.blur_x, 0, LoopKind::GpuBlock), "");   // blocks in a kernel
    EXPECT_NE(broken(b.blur_x, 0, LoopKind::GpuThread), "");  // of no constant extent
    EXPECT_NE(broken(b.blur_x, 0, LoopKind::Parallel), "");
    FuncNest unaware = nest.at(b.blur_x);
    unaware.stages[0].in_kernel = false;
    EXPECT_NE(validate(nest.with(std::make_shared<const FuncNest>(unaware))), "");
}

TEST(GpuLevels, AreCalledInnermostFirstAndGuardedUnlessTheSizeIsLarge) {
    const MappedBlur b;
    int mapped = 0;
    for (const ScheduleCall &call : schedule_calls(*replay(b.graph, b.shared()))) {
        if (call.method == ScheduleCall::Method::Split && !call.specialized) {
            EXPECT_EQ(call.tail, ScheduleCall::Tail::GuardWithIf);
        }
        if (call.method == ScheduleCall::Method::Split && call.specialized) {
            EXPECT_NE(call.tail, ScheduleCall::Tail::GuardWithIf);
        }
        if (call.method == ScheduleCall::Method::GpuBlocks) {
            EXPECT_EQ(call.variables[0].name, "x_0");
        }
        if (call.method == ScheduleCall::Method::GpuThreads) {
            mapped++;
            EXPECT_EQ(call.variables[0].name, "x_1");
            EXPECT_EQ(call.variables[1].name, "y_1");
        }
    }
    EXPECT_EQ(mapped, 3);  // the output's two cases, and blur_x
}

// out reads f, f reads g at a clamped index; all but the output may overcompute.
StageGraph clamped_chain() {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 636}});
    const FuncId f = make.func("f", {"x"}), g = make.func("g", {"x"});
    make.reads(out, f, {{0}});
    make.give_last_edge_an_access(Clamp::None);
    make.reads(f, g, {{0}});
    make.give_last_edge_an_access(Clamp::Likely);
    make.edit(f).may_overcompute = make.edit(g).may_overcompute = {true};
    return make.finish();
}

// Of a Func in another's kernel: what the features ask, and what is emitted.
void expect_guarded(const LoopNest &nest, StageId stage) {
    for (const bool holds : {false, true}) {
        EXPECT_EQ(rounding_span(nest.graph(), nest.stage_nest(stage), 0, holds), 1);
        EXPECT_NE(tail_of(nest.graph(), nest.stage_nest(stage), 0, holds), Tail::RoundsUp);
        EXPECT_NE(tail_of(nest.graph(), nest.stage_nest(stage), 0, holds), Tail::ShiftsInwards);
    }
    for (const ScheduleCall &call : schedule_calls(nest)) {
        if (call.method == ScheduleCall::Method::Split && call.stage == stage) {
            EXPECT_EQ(call.tail, ScheduleCall::Tail::GuardWithIf);
        }
        EXPECT_FALSE(call.method == ScheduleCall::Method::NeverPartition && call.stage == stage);
    }
}

TEST(GpuLevels, NothingInAnothersKernelRoundsUpAndNothingIsKeptWhole) {
    const StageGraph graph = clamped_chain();
    const FuncId out = graph.find("out"), f = graph.find("f"), g = graph.find("g");
    const auto kernel = [&](FuncId func) {
        const StageId s = graph.func(func).stages[0];
        return Trace{action::ComputeRoot{func}, action::Tile{s, 0, {64}},
                     action::MapToBlocks{s, {{s, 0, 0}}}, action::MapToThreads{s, {{s, 0, 1}}}};
    };
    const StageId o = graph.func(out).stages[0], s = graph.func(f).stages[0];
    const auto with = [&](Trace trace, const Trace &more) {
        trace.insert(trace.end(), more.begin(), more.end());
        trace.push_back(action::ComputeRoot{g});
        return *replay(graph, trace);
    };
    // Kernels of their own have the tails that loops on the host have.
    const LoopNest two = with(kernel(out), kernel(f));
    EXPECT_EQ(rounding_span(graph, two.stage_nest(s), 0, true), 64);
    EXPECT_EQ(tail_of(graph, two.stage_nest(o), 0, false), Tail::ShiftsInwards);
    for (const ScheduleCall &call : schedule_calls(two)) {
        // The general case of an output is kept whole, too, as on the host.
        const bool in_kernel = call.stage == s || call.stage == o;
        EXPECT_FALSE(call.method == ScheduleCall::Method::NeverPartition && in_kernel &&
                     !call.variables.empty());
    }
    expect_guarded(with(kernel(out), {action::ComputeAt{f, {o, 0, 0}}, action::Tile{s, 0, {48}},
                                      action::MapToThreads{s, {{s, 0, 1}}}}),
                   s);
    // In a thread it has no blocks or threads of its own to be known by.
    const Trace strips{action::ComputeRoot{out}, action::Tile{o, 0, {160, 8}},
                       action::MapToBlocks{o, {{o, 0, 0}}}, action::MapToThreads{o, {{o, 0, 1}}}};
    expect_guarded(with(strips, {action::ComputeAt{f, {o, 0, 1}}, action::Tile{s, 0, {3}},
                                 action::Unroll{{s, 0, 1}}}),
                   s);
    // On the host the same one rounds up.
    const LoopNest host =
        with({strips[0], strips[1]},
             {action::ComputeAt{f, {o, 0, 1}}, action::Tile{s, 0, {3}}, action::Unroll{{s, 0, 1}}});
    EXPECT_EQ(rounding_span(graph, host.stage_nest(s), 0, false), 3);
}

// Found in jacobi: Halide cut the loops around unrolled boxes in three parts each and lowered the kernel in 12 s.
TEST(GpuLevels, HalideCutsSerialLoopsOfAKernelOnlyAroundLittleCode) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 65536}});
    const StageId o = make.pure_stage(out);
    const StageGraph graph = make.finish();
    const auto kernel = [&](int64_t copies) {
        return *replay(graph, Trace{action::ComputeRoot{out},
                                    action::Tile{o, 0, {64 * copies, 4 * copies, copies}},
                                    action::Unroll{{o, 0, 3}}, action::MapToBlocks{o, {{o, 0, 0}}},
                                    action::MapToThreads{o, {{o, 0, 1}}}});
    };
    EXPECT_TRUE(uncut_kernel_loops(kernel(4)).empty());
    EXPECT_EQ(uncut_kernel_loops(kernel(1024)), (std::vector<LoopName>{{o, 0, 2}}));
    const auto said = [&](const LoopNest &nest) {
        return std::ranges::count_if(schedule_calls(nest), [](const ScheduleCall &call) {
            return call.method == ScheduleCall::Method::NeverPartition && call.specialized;
        });
    };
    EXPECT_EQ(said(kernel(4)), 0);
    EXPECT_EQ(said(kernel(1024)), 1);
}

// out sums p where the RDom's points are up to x, and p reads q, r inlined or not: where all are
// excluded, nothing is needed of p and q.
TEST(GpuLevels, WhatMayBeEmptyStaysOnTheHostWithItsReaders) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 636}});
    const FuncId sum = make.func("sum", {"x"});
    const FuncId p = make.func("p", {"x"}), q = make.func("q", {"x"}),
                 beside = make.func("b", {"x"});
    make.reads(out, sum, {{0}});
    make.give_last_edge_an_access(Clamp::None);
    make.reads(out, beside, {{0}});
    const StageId update =
        make.stage(sum, {GraphMaker::pure("x", 0), GraphMaker::reduction("r", 8, true)});
    make.reads(update, p, {{1}});
    make.reads(update, beside, {{1}});
    make.reads(p, q, {{0}});
    const StageGraph narrow = make.finish();
    EXPECT_EQ(funcs_kept_on_host(narrow), std::vector<bool>(narrow.funcs().size(), false));
    for (StageLoop &loop : make.edit(update).loops) loop.in_predicate = true;
    const StageGraph graph = make.finish();
    const std::vector<bool> kept = funcs_kept_on_host(graph);
    // Not out, which reads what has been summed, nor what it reads besides.
    EXPECT_EQ(kept[out.index()], false);
    EXPECT_EQ(kept[beside.index()], false);
    for (FuncId f : {sum, p, q}) EXPECT_EQ(kept[f.index()], true) << graph.func(f).name;
    const StageId s = graph.func(sum).stages[0], o = graph.func(out).stages[0];
    const Trace root{action::ComputeRoot{out}, action::ComputeRoot{sum}};
    EXPECT_EQ(refusal(graph, root, action::MapToBlocks{s, {{s, 0, 0}}}), "empty_on_device");
    const Trace kernel{action::ComputeRoot{out}, action::Tile{o, 0, {32}},
                       action::MapToBlocks{o, {{o, 0, 0}}}, action::MapToThreads{o, {{o, 0, 1}}}};
    EXPECT_EQ(refusal(graph, kernel, action::ComputeAt{sum, {o, 0, 0}}), "empty_on_device");

    // What is free to inline keeps nobody on the host, and gets no buffer that the device reads.
    for (FuncId f : {p, q}) make.edit(f).is_trivial = true;
    const StageGraph copies = make.finish();
    const std::vector<bool> still_kept = funcs_kept_on_host(copies);
    EXPECT_FALSE(still_kept[sum.index()]);
    for (FuncId f : {p, q}) EXPECT_TRUE(still_kept[f.index()]) << copies.func(f).name;
    const StageId u = copies.func(sum).stages[1];
    const auto with = [](Trace trace, const Trace &more) {
        trace.insert(trace.end(), more.begin(), more.end());
        return trace;
    };
    const Trace on_host = with(root, {action::ComputeRoot{beside}});
    const Trace on_device = with(root, {action::MapToBlocks{u, {{u, 0, 0}}}});
    EXPECT_TRUE(replay(copies, with(on_host, {action::ComputeRoot{p}})).ok());
    EXPECT_EQ(refusal(copies, on_device, action::ComputeRoot{p}), "empty_on_device");
    const Trace inlined = with(on_device, {action::Inline{p}});
    EXPECT_EQ(refusal(copies, inlined, action::ComputeRoot{q}), "empty_on_device");
    EXPECT_TRUE(replay(copies, with(inlined, {action::Inline{q}})).ok());
    // Nor may the reader move to the device afterwards.
    EXPECT_EQ(
        refusal(copies, with(root, {action::ComputeRoot{p}}), action::MapToBlocks{u, {{u, 0, 0}}}),
        "empty_on_device");
}

TEST(GpuLevels, BarriersUnderAConditionAreKnown) {
    GraphMaker make;
    const FuncId out = make.func("out", {"y"}, FuncRole::Output, Box{{0, 636}});
    const FuncId f = make.func("f", {"y"});
    make.reads(out, f, {{0}});
    make.give_last_edge_an_access(Clamp::None);
    const StageId update = make.stage(f, {GraphMaker::pure("y", 0)});
    const StageGraph graph = make.finish();
    const StageId s = graph.func(out).stages[0], first = graph.func(f).stages[0];
    const auto with_threads = [&](int64_t threads) {
        Trace trace{action::ComputeRoot{out}, action::Tile{s, 0, {32}},
                    action::MapToBlocks{s, {{s, 0, 0}}}, action::MapToThreads{s, {{s, 0, 1}}},
                    action::ComputeAt{f, {s, 0, 0}}};
        for (StageId stage : {first, update}) {
            trace.push_back(action::Tile{stage, 0, {threads}});
            trace.push_back(action::MapToThreads{stage, {{stage, 0, 1}}});
        }
        return *replay(graph, trace);
    };
    LaunchLimits limits;
    EXPECT_FALSE(find_kernel_fault(with_threads(32), limits));
    limits.conditional_barriers = false;
    EXPECT_EQ(find_kernel_fault(with_threads(32), limits)->text, "barriers of f under a condition");
    EXPECT_FALSE(find_kernel_fault(with_threads(8), limits));
}

}  // namespace
}  // namespace cryolite::testing
