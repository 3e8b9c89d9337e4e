#include "tensorcore/schedule_pipeline.h"

#include <set>

#include "tensorcore/choose_tile.h"
#include "tensorcore/matrix_product.h"
#include "tensorcore/schedule_product.h"

namespace cryolite::tensorcore {

namespace {

// At the estimates.
double extent_of(const StageGraph &graph, const Stage &stage, const std::vector<int> &loops) {
    double extent = 1;
    for (int l : loops) {
        const StageLoop &loop = stage.loops[static_cast<size_t>(l)];
        const Interval range =
            loop.is_reduction ? loop.range : graph.func(stage.func).root_region[loop.func_dim];
        extent *= static_cast<double>(range.extent());
    }
    return extent;
}

// Threads along the first dimension; the others are blocks as one.
void schedule_initial(Halide::Func sums) {
    const std::vector<Halide::Var> args = sums.args();
    Halide::Var block("block"), thread("thread"), rest("rest");
    sums.compute_root()
        .split(args[0], block, thread, 64, Halide::TailStrategy::GuardWithIf)
        .gpu_threads(thread);
    if (args.size() == 1) {
        sums.gpu_blocks(block);
        return;
    }
    rest = args[1];
    for (size_t d = 2; d < args.size(); d++) {
        const Halide::Var fused("rest_" + std::to_string(d));
        sums.fuse(rest, args[d], fused);
        rest = fused;
    }
    // More blocks fit along the first dimension of the launch.
    sums.reorder(thread, rest, block).gpu_blocks(rest, block);
}

std::string text_of(const Tile &tile) {
    return std::to_string(tile.block_rows) + "x" + std::to_string(tile.block_columns) + " by " +
           std::to_string(tile.threads() / 32) + " warps, " + std::to_string(tile.stages) +
           " stages of " + std::to_string(tile.chunk_bytes) + " bytes";
}

class Scheduler {
public:
    Scheduler(const BuiltGraph &built, const Halide::Target &target, int multiprocessors)
        : built_(built), target_(target), multiprocessors_(multiprocessors) {}

    ScheduledProducts run() {
        for (const Stage &stage : built_.graph.stages()) {
            if (stage.index == 0) continue;
            ProductDecision decision{built_.graph.func(stage.func).name, false, ""};
            const MatchedStage match = match_product(built_, stage.id);
            if (match.ok()) {
                decide(stage, *match, decision);
            } else {
                decision.why = explanation_of(match.error());
            }
            result_.decisions.push_back(std::move(decision));
        }
        return std::move(result_);
    }

private:
    void decide(const Stage &stage, const MatrixProduct &product, ProductDecision &decision) {
        const StageGraph &graph = built_.graph;
        const Func &func = graph.func(stage.func);
        if (func.stages.size() != 2) {
            decision.why = "its Func has other updates";
            return;
        }
        if (product.reads_conversions) {
            decision.why =
                "its factors are converted in other Funcs, which a search may store; convert them "
                "in the update";
            return;
        }
        if (used_.contains(func.id)) {
            decision.why = "it finishes the sums of another product";
            return;
        }
        const int capability = capability_of(target_);
        if (capability < least_capability(product.types)) {
            decision.why = "the target has no tensor cores for its types";
            return;
        }
        ProductSize size{extent_of(graph, stage, product.left_loops),
                         extent_of(graph, stage, product.right_loops),
                         extent_of(graph, stage, product.depth_loops),
                         extent_of(graph, stage, product.batch_loops)};
        if (size.rows < kInstructionRows || size.columns < kInstructionColumns ||
            size.depth * bytes_of(product.types.rows) < kStepBytes) {
            decision.why = "it is smaller than one instruction";
            return;
        }
        // The next reader.
        FuncId epilogue =
            product.inlined.empty() ? product.epilogue.value_or(FuncId{}) : product.inlined.front();
        if (epilogue.valid() && used_.contains(epilogue)) epilogue = FuncId{};

        ProductToSchedule request{.product = Halide::Func(built_.functions[func.id.index()])};
        request.tile = choose_tile(product.types, size, capability, multiprocessors_);
        if (epilogue.valid()) request.epilogue = Halide::Func(built_.functions[epilogue.index()]);
        const Result<LoweredProduct> scheduled = schedule_product(request, target_);
        if (!scheduled.ok()) {
            decision.why = scheduled.error().message;
            return;
        }
        if (!epilogue.valid()) schedule_initial(request.product);
        used_.insert(func.id);
        if (epilogue.valid()) used_.insert(epilogue);
        result_.products.push_back(*scheduled);
        decision.is_taken = true;
        decision.why = text_of(request.tile);
        if (epilogue.valid()) decision.why += ", finished in " + graph.func(epilogue).name;
    }

    const BuiltGraph &built_;
    const Halide::Target &target_;
    int multiprocessors_;
    std::set<FuncId> used_;
    ScheduledProducts result_;
};

}  // namespace

ScheduledProducts schedule_products(const BuiltGraph &built, const Halide::Target &target,
                                    int multiprocessors) {
    return Scheduler(built, target, multiprocessors).run();
}

}  // namespace cryolite::tensorcore
