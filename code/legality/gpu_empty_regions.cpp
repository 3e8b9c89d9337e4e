// Which Funcs must not have a buffer on a GPU, since the buffer may be empty.
#include <algorithm>

#include "code/legality/gpu_kernels.h"
#include "graph/facts/assumed_inlining.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

// Whether the stage's predicate may exclude all of its points. If the predicate depends on pure loops, the rest depends
// on where these loops stand, and it may be empty. (A predicate of reduction loops alone leaves some points at every
// size; otherwise the update would do nothing.)
bool may_exclude_all(const Stage &reader) {
    return std::ranges::any_of(reader.loops, [](const StageLoop &loop) {
        return loop.in_predicate && !loop.is_reduction;
    });
}

// By FuncId: whether the buffer of the Func may be empty. In id order readers come first.
std::vector<bool> may_be_empty(const StageGraph &graph) {
    std::vector<bool> empty(graph.funcs().size(), false);
    for (const Func &func : graph.funcs()) {
        if (func.is_input() || func.is_output()) continue;
        empty[func.id.index()] = std::ranges::all_of(func.outgoing, [&](EdgeId e) {
            const Edge &edge = graph.edge(e);
            const Stage &reader = graph.stage(edge.consumer);
            return edge.is_self || may_exclude_all(reader) || empty[reader.func.index()];
        });
    }
    return empty;
}

// Whether a stage on the device reads `f`, directly or through Funcs that are inlined.
bool is_read_on_device(const LoopNest &nest, FuncId f) {
    const StageGraph &graph = nest.graph();
    SmallVector<FuncId, 8> found{f};  // f, and what is inlined on the way to its readers
    for (size_t i = 0; i < found.size(); i++) {
        for (EdgeId e : graph.func(found[i]).outgoing) {
            const Stage &reader = graph.stage(graph.edge(e).consumer);
            if (reader.func == found[i] || !nest.decided(reader.func)) continue;
            if (nest.at(reader.func).placement != Placement::Inline) {
                if (is_on_gpu(nest.stage_nest(reader.id))) return true;
            } else if (std::ranges::find(found, reader.func) == found.end()) {
                found.push_back(reader.func);
            }
        }
    }
    return false;
}

}  // namespace

std::vector<bool> funcs_kept_on_host(const StageGraph &graph) {
    const std::vector<bool> empty = may_be_empty(graph);
    std::vector<bool> kept = empty, reads_empty(empty.size(), false);
    for (size_t i = graph.num_scheduled(); i-- > 0;) {
        for (StageId s : graph.func(FuncId(i)).stages) {
            for (EdgeId e : graph.stage(s).incoming) {
                const size_t producer = graph.edge(e).producer.index();
                if (producer == i) continue;
                // What costs nothing to inline needs no buffer.
                const Func &read = graph.func(FuncId(producer));
                const bool has_buffer = empty[producer] && !is_free_to_inline(graph, read);
                // Reads through Funcs that may be inlined count too.
                if (has_buffer || (reads_empty[producer] && read.can_inline)) reads_empty[i] = true;
            }
        }
        if (reads_empty[i]) kept[i] = true;
    }
    return kept;
}

bool brings_empty_buffer(const LoopNest &nest, FuncId f) {
    const Func &func = nest.graph().func(f);
    if (func.is_input() || !nest.decided(f) || nest.at(f).placement == Placement::Inline)
        return false;
    return is_read_on_device(nest, f) && may_be_empty(nest.graph())[f.index()];
}

}  // namespace cryolite
