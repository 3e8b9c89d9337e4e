// Whether a Func overwrites the shared memory of another Func in the same kernel. Halide numbers the statements of a
// kernel in the order of its text. After the last reader of a Func it gives the memory to a later Func. It does not see
// that a loop around brings the readers back (19 and 21).
#include <algorithm>
#include <set>

#include "code/legality/gpu_kernels.h"

namespace cryolite {

namespace {

// Adds all stages that read `f`, directly or through inlined Funcs. False: a reader is not decided.
bool add_readers(const LoopNest &nest, FuncId f, std::set<StageId> &readers) {
    for (EdgeId e : nest.graph().func(f).outgoing) {
        const StageId consumer = nest.graph().edge(e).consumer;
        const FuncId reader = nest.graph().stage(consumer).func;
        if (!nest.decided(reader)) return false;
        if (nest.at(reader).placement != Placement::Inline)
            readers.insert(consumer);
        else if (!add_readers(nest, reader, readers))
            return false;
    }
    return true;
}

// Adds `f` and all Funcs that depend on it.
void add_dependents(const StageGraph &graph, FuncId f, std::set<FuncId> &dependents) {
    if (!dependents.insert(f).second) return;
    for (EdgeId e : graph.func(f).outgoing)
        add_dependents(graph, graph.stage(graph.edge(e).consumer).func, dependents);
}

// Whether the stage comes after the storage of `f` in the text: it computes f, or it depends on f.
bool is_after(const StageGraph &graph, StageId s, FuncId f, const std::set<FuncId> &dependents) {
    const Stage &stage = graph.stage(s);
    if (stage.func == f) return true;
    const std::vector<StageId> &stages = graph.func(stage.func).stages;
    return std::any_of(stages.begin(), stages.begin() + stage.index + 1, [&](StageId earlier) {
        return std::ranges::any_of(graph.stage(earlier).incoming, [&](EdgeId e) {
            return !graph.edge(e).is_self && dependents.contains(graph.edge(e).producer);
        });
    });
}

bool is_inside(const LoopNest &nest, StageId s, LoopName loop) {
    if (s == loop.stage) return true;
    const std::optional<LoopName> site = nest.at(nest.graph().stage(s).func).compute_at;
    if (!site) return false;
    const std::vector<LoopName> around = nest.enclosing(*site);
    return std::ranges::find(around, loop) != around.end();
}

// The outermost loop inside `outer` that is `inner` or around it; nullopt: there is none.
std::optional<LoopName> loop_between(const LoopNest &nest, LoopName outer, LoopName inner) {
    const std::vector<LoopName> around = nest.enclosing(inner);
    const auto found = std::ranges::find(around, outer);
    if (found == around.end() || found + 1 == around.end()) return std::nullopt;
    return *(found + 1);
}

bool is_in_shared_memory(const LoopNest &nest, const Func &func) {
    return !func.is_input() && nest.decided(func.id) &&
           level_of(nest, nest.at(func.id).compute_at) == KernelLevel::Block;
}

bool overwrites(const LoopNest &nest, FuncId writer, const Func &kept) {
    const std::optional<LoopName> loop =
        loop_between(nest, *nest.at(kept.id).compute_at, *nest.at(writer).compute_at);
    if (!loop) return false;
    std::set<StageId> readers;
    // Hill climbing decides a Func anew while others that it reads stay. Wherever it comes to stand, it must be right.
    if (!add_readers(nest, kept.id, readers)) return true;
    if (std::ranges::none_of(readers, [&](StageId s) { return is_inside(nest, s, *loop); }))
        return false;
    std::set<FuncId> dependents;
    add_dependents(nest.graph(), writer, dependents);
    const auto after = [&](StageId s) { return is_after(nest.graph(), s, writer, dependents); };
    // Each element of a tuple has memory of its own, and its own last reader.
    return kept.values.size() > 1 ? !std::ranges::all_of(readers, after)
                                  : std::ranges::none_of(readers, after);
}

}  // namespace

bool is_overwritten_in_loop(const LoopNest &nest, FuncId f) {
    const Func &func = nest.graph().func(f);
    if (!is_in_shared_memory(nest, func)) return false;
    return std::ranges::any_of(nest.graph().funcs(), [&](const Func &other) {
        return other.id != f && is_in_shared_memory(nest, other) &&
               (overwrites(nest, f, other) || overwrites(nest, other.id, func));
    });
}

}  // namespace cryolite
