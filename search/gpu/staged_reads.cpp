#include "search/gpu/staged_reads.h"

#include <algorithm>
#include <map>

#include "code/legality/gpu_kernels.h"
#include "code/regions/regions.h"

namespace cryolite {
namespace {

// A value that is staged is loaded, stored, waited for at a barrier, and loaded again. L1 serves a few loads for as
// much.
constexpr double least_reads_per_value = 4;

// Iterations of the stage's loops, and of those around it, in one iteration of `site`.
double iterations_in(const LoopNest &nest, StageId stage, LoopName site) {
    const LoopLevels &own = nest.stage_nest(stage).loops;
    if (own.empty()) return 1;
    const std::vector<LoopName> around = nest.enclosing(own.back().name);
    double n = 1;
    for (auto l = std::ranges::find(around, site); l != around.end(); ++l)
        if (*l != site)
            n *= static_cast<double>(
                nest.stage_nest(l->stage).loops[static_cast<size_t>(nest.position(*l))].extent);
    return n;
}

// Loads of `func` in one iteration of `site`, also through Funcs that are inlined. known: answers so far.
double reads_in(const LoopNest &nest, FuncId func, LoopName site, std::map<FuncId, double> &known) {
    if (const auto found = known.find(func); found != known.end()) return found->second;
    const StageGraph &graph = nest.graph();
    double reads = 0;
    for (EdgeId e : graph.func(func).outgoing) {
        const Edge &edge = graph.edge(e);
        double loads = 0;
        for (const Access &access : edge.accesses) loads += access.count;
        const FuncId reader = graph.stage(edge.consumer).func;
        const bool is_inlined = nest.at(reader).placement == Placement::Inline;
        reads += loads * (is_inlined ? reads_in(nest, reader, site, known)
                                     : iterations_in(nest, edge.consumer, site));
    }
    return known[func] = reads;
}

}  // namespace

bool is_worth_staging(const LoopNest &nest, FuncId func, LoopName site) {
    if (level_of(nest, site) != KernelLevel::Block) return false;
    std::map<FuncId, double> known;
    return reads_in(nest, func, site, known) >=
           least_reads_per_value * points(required_region(nest, func, site));
}

}  // namespace cryolite
