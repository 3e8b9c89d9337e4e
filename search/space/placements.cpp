#include "search/space/placements.h"

#include <algorithm>
#include <set>
#include <vector>

#include "code/legality/apply.h"
#include "code/legality/companions.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/legal_sites.h"
#include "code/legality/tile_kernels.h"
#include "code/regions/storage_bounds.h"
#include "graph/facts/assumed_inlining.h"
#include "schedule/func_nest.h"
#include "search/gpu/staged_reads.h"
#include "search/reads/gathered_rows.h"
#include "search/reads/packed_reads.h"
#include "search/reads/padded_reads.h"
#include "search/reads/scanned_rows.h"
#include "search/reads/transposed_reads.h"
#include "search/reads/whole_reads.h"

namespace cryolite {
namespace {

// If there are more sites, only the outermost and the innermost are kept: the sites between differ little.
constexpr size_t max_sites = 12;

const LoopLevel &level_of(const LoopNest &nest, LoopName loop) {
    return nest.stage_nest(loop.stage).loops[static_cast<size_t>(nest.position(loop))];
}

// The storage order of `func` with `dim` moved to the innermost place.
std::vector<int> with_innermost(const Func &func, int dim) {
    std::vector<int> order{dim};
    for (int d : func.storage_order)
        if (d != dim) order.push_back(d);
    return order;
}

// Whether a reduction has as many iterations as a size says.
bool is_sized_reduction(const StageGraph &graph, LoopName loop) {
    const StageLoop &l = graph.stage(loop.stage).loops[static_cast<size_t>(loop.dim)];
    return l.is_reduction && !l.constant_range;
}

// Erases sites whose loop has a single iteration: the next loop outwards is the same place. Such a site stays if
// the bounds of the storage differ between the two. sites: innermost first.
void erase_equal_sites(const LoopNest &nest, FuncId id, std::vector<LoopName> &sites) {
    std::vector<LoopName> kept;
    for (size_t i = 0; i < sites.size(); i++) {
        const bool is_split = nest.position({sites[i].stage, sites[i].dim, 1}) >= 0;
        // At other sizes than the estimates it may have more iterations.
        const bool may_repeat = is_split || is_sized_reduction(nest.graph(), sites[i]);
        if (level_of(nest, sites[i]).extent > 1 ||
            (may_repeat && sites[i].level == 0 && i + 1 < sites.size() &&
             storage_bounds(nest, id, sites[i]) != storage_bounds(nest, id, sites[i + 1])))
            kept.push_back(sites[i]);
    }
    sites = std::move(kept);
}

// Whether both read some Func or input, directly or through others.
bool read_the_same(const StageGraph &graph, FuncId a, FuncId b) {
    return std::ranges::any_of(
        graph.funcs(), [&](const Func &f) { return graph.reads(a, f.id) && graph.reads(b, f.id); });
}

// Adds places inside the user's loops. Root is added if `out` stays empty: Halide then places the Func.
std::vector<PlacementActions> add_enclosed(const LoopNest &nest, const Func &func,
                                           std::vector<PlacementActions> out) {
    for (LoopName site : legal_sites(nest, func.id)) {
        const action::ComputeAt at{func.id, site};
        if (cryolite::apply(nest, at).ok()) out.push_back({at});
    }
    if (out.empty()) out.push_back({action::ComputeRoot{func.id}});
    return out;
}

// The dimension across the rows along which the Func's own vectors may be better: they gather along the rows, or wait
// for a scan.
std::optional<int> dim_across_rows(const StageGraph &graph, const Func &func) {
    if (const auto dim = dim_without_gathers(graph, func)) return dim;
    return dim_across_scans(graph, func);
}

// Whether the Func copies what may better be stored across its rows. The copy turns it back.
bool turns_back(const StageGraph &graph, const Func &func) {
    return source_row_dim(graph, func) &&
           dim_across_rows(
               graph, graph.func(graph.edge(graph.stage(func.stages[0]).incoming[0]).producer));
}

// Whether the Func copies what another sums up, and is read as a whole. Sums in the tiles of the copy stay in registers
// until they are written, as those of a Func that is read as a whole do not.
bool copies_sums(const StageGraph &graph, const Func &func) {
    return is_read_as_a_whole(graph, func) && std::ranges::any_of(func.stages, [&](StageId s) {
               return std::ranges::any_of(graph.stage(s).incoming, [&](EdgeId e) {
                   return graph.func(graph.edge(e).producer).stages.size() > 1;
               });
           });
}

// Whether a Func that gathers or scans along its rows reads `func`, directly or through copies.
bool feeds_vectors_across(const StageGraph &graph, const Func &func) {
    return std::ranges::any_of(func.outgoing, [&](EdgeId e) {
        const Func &reader = graph.func(graph.stage(graph.edge(e).consumer).func);
        return reader.id != func.id && (dim_across_rows(graph, reader) ||
                                        (reader.is_trivial && feeds_vectors_across(graph, reader)));
    });
}

// Another dimension than that of the rows in which the Func may be better stored: its own vectors may be
// better across them, or its readers' vectors walk across them.
std::optional<int> other_innermost(const LoopNest &nest, const Func &func) {
    if (func.is_extern || func.storage_order.empty()) return std::nullopt;
    if (const auto dim = dim_across_rows(nest.graph(), func)) return dim;
    return feeds_vectors_across(nest.graph(), func) ? dim_read_across_rows(nest, func)
                                                    : std::nullopt;
}

// Whether a stage that is on a GPU reads the Func, directly or through Funcs that are inlined.
bool is_read_in_kernel(const LoopNest &nest, const Func &func) {
    const StageGraph &graph = nest.graph();
    std::set<FuncId> seen{func.id};  // inlined Funcs may meet again on many ways
    std::vector<FuncId> read{func.id};
    while (!read.empty()) {
        const Func &next = graph.func(read.back());
        read.pop_back();
        for (EdgeId e : next.outgoing) {
            const StageId reader = graph.edge(e).consumer;
            const FuncId f = graph.stage(reader).func;
            if (nest.at(f).placement != Placement::Inline) {
                if (is_on_gpu(nest.stage_nest(reader))) return true;
            } else if (seen.insert(f).second) {
                read.push_back(f);
            }
        }
    }
    return false;
}

// Adds the loops of outputs that read what this output reads.
void add_companions(const LoopNest &nest, FuncId id, std::vector<PlacementActions> &out) {
    const StageGraph &graph = nest.graph();
    if (!graph.func(id).is_output()) return;
    for (size_t leader = 0; leader < id.index(); leader++) {
        const Func &other = graph.func(FuncId(leader));
        if (!other.is_output() || !nest.decided(other.id) || other.stages.size() != 1 ||
            !read_the_same(graph, id, other.id))
            continue;
        for (const LoopLevel &l : nest.at(other.id).stages[0].loops)
            if (l.extent > 1 && may_accompany(nest, id, l.name))
                out.push_back({action::ComputeWith{id, l.name}});
    }
}

}  // namespace

std::vector<PlacementActions> placements(const LoopNest &nest, FuncId id, bool exhaustive) {
    const Func &func = nest.graph().func(id);
    if (const std::optional<Action> only = placement_in_tile_kernel(nest, id)) return {{*only}};
    std::vector<PlacementActions> out;
    if (func.can_inline && !func.root_only) {
        out.push_back({action::Inline{id}});
        if (func.inline_only) return out;
    }
    if (func.enclosed) return add_enclosed(nest, func, std::move(out));
    std::optional<int> across = transposed_dim(nest, id);
    const bool is_free = !exhaustive && !func.root_only && is_free_to_inline(nest.graph(), func) &&
                         !copies_sums(nest.graph(), func) && !turns_back(nest.graph(), func) &&
                         !is_worth_padding(nest.graph(), func) && !is_repacked(nest.graph(), func);
    const bool packs = is_free && is_worth_packing(nest.graph(), func);
    const bool in_kernel = is_free && is_read_in_kernel(nest, func);
    if (is_free && !across && !packs && !in_kernel) return out;
    if (!exhaustive && !is_free && !across && is_pointwise_link(nest.graph(), func) &&
        !other_innermost(nest, func))
        return out;
    if (!is_free) out.push_back({action::ComputeRoot{id}});
    if (!is_free) add_companions(nest, id, out);
    if (func.root_only) return out;
    if (!is_free && !across) across = other_innermost(nest, func);

    std::vector<LoopName> sites = legal_sites(nest, id);
    if (!exhaustive) {
        erase_equal_sites(nest, id, sites);
        if (sites.size() > max_sites)
            sites.erase(sites.begin() + max_sites / 2, sites.end() - max_sites / 2);
    }
    for (size_t i = 0; i < sites.size(); i++) {
        // With the storage order of its source, the copy would be read across its rows as the source was.
        // In a kernel no vector walks along the rows of a copy, and the threads of a block share it.
        if (!is_free || (in_kernel ? is_worth_staging(nest, id, sites[i]) : packs))
            out.push_back({action::ComputeAt{id, sites[i]}});
        if (across)
            out.push_back({action::ComputeAt{id, sites[i]},
                           action::ReorderStorage{id, with_innermost(func, *across)}});
        if (is_free) continue;
        // Sliding windows: stored in one of the two next loops outwards, up to a parallel one.
        if (level_of(nest, sites[i]).kind == LoopKind::Parallel) continue;
        size_t tried = 0;
        for (size_t j = i + 1; j < sites.size() && (exhaustive || tried < 2); j++, tried++) {
            out.push_back({action::ComputeAt{id, sites[i]}, action::StoreAt{id, sites[j]}});
            if (level_of(nest, sites[j]).kind == LoopKind::Parallel) break;
        }
    }
    return out;
}

}  // namespace cryolite
