#include "code/kernel/uncut_loops.h"

#include <map>

#include "code/legality/tile_kernels.h"
#include "code/stage/inner_loops.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// So many statements in three parts are 768 instructions of 16 bytes. They fill the innermost instruction cache of an
// NVIDIA GPU since Volta: 12 KiB (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking").
constexpr double most_statements = 256;

bool has_body(const LoopLevel &l) {
    return l.kind != LoopKind::Vectorized && l.kind != LoopKind::Unrolled;
}

// Of all blocks or threads most are in a middle, where no guard is left. In a loop over a reduction most iterations
// are.
bool may_stay_uncut(const StageGraph &graph, const LoopLevel &l) {
    const Stage &stage = graph.stage(l.name.stage);
    return l.kind == LoopKind::Serial && !stage.loops[static_cast<size_t>(l.name.dim)].is_reduction;
}

}  // namespace

std::vector<LoopName> uncut_kernel_loops(const LoopNest &nest) {
    const StageGraph &graph = nest.graph();
    StageExpander expander(graph);
    std::map<LoopName, double> statements;  // inside each serial loop of a kernel, unrolled
    for (const Func &func : graph.funcs()) {
        if (func.is_input() || func.locked || !nest.decided(func.id)) continue;
        const FuncNest &placed = nest.at(func.id);
        for (const StageNest &stage : placed.stages) {
            if (!is_on_gpu(stage) || is_in_tile_kernel(nest, stage.stage)) continue;
            const ExpandedStage &code = expander.expand(nest, stage.stage);
            double copies = inner_loops(graph.stage(stage.stage), stage).code_copies() *
                            (code.operations_and_loads + static_cast<double>(func.values.size()));
            for (const LoopLevel &l : stage.loops)
                if (may_stay_uncut(graph, l)) statements[l.name] += copies;
            if (!placed.compute_at) continue;
            const std::vector<LoopName> around = nest.enclosing(*placed.compute_at);
            for (size_t i = around.size(); i-- > 0;) {
                const LoopLevel &l = nest.stage_nest(around[i].stage)
                                         .loops[static_cast<size_t>(nest.position(around[i]))];
                if (may_stay_uncut(graph, l)) statements[l.name] += copies;
                if (!has_body(l)) copies *= static_cast<double>(l.extent);
            }
        }
    }
    std::vector<LoopName> loops;
    for (const auto &[loop, inside] : statements)
        if (inside > most_statements) loops.push_back(loop);
    return loops;
}

}  // namespace cryolite
