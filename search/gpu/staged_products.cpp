#include "search/gpu/staged_products.h"

#include <algorithm>
#include <optional>

#include "code/legality/apply.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/legal_sites.h"
#include "graph/facts/assumed_inlining.h"
#include "search/beam/decision_order.h"
#include "search/gpu/gpu_template.h"
#include "search/gpu/staged_reads.h"
#include "search/plain_schedule.h"
#include "search/search.h"

namespace cryolite {
namespace {

// Threads of a block, and points of each, along the product's rows and across them. Points along the rows are a vector,
// or two. Sums of 64 by 64 float32 fill a third of the shared memory that a block may have, those of 64 by 128 two
// thirds.
struct BlockShape {
    int64_t x, y, x_points, y_points;
};
constexpr BlockShape block_shapes[] = {
    {16, 16, 4, 4}, {16, 8, 4, 8}, {32, 8, 4, 4}, {16, 16, 4, 8}, {8, 8, 4, 8}};

// A product whose update adds up the sums of chunks.
struct Chunked {
    FuncId product, sums;
    StageId update;
};

std::optional<Chunked> chunked(const StageGraph &graph, const DividedReduction &division) {
    if (division.kind != DividedReduction::Kind::Blocks) return std::nullopt;
    const FuncId product = graph.find(division.func);
    if (!product.valid()) return std::nullopt;
    const Func &func = graph.func(product);
    if (static_cast<size_t>(division.stage) >= func.stages.size()) return std::nullopt;
    const StageId update = func.stages[static_cast<size_t>(division.stage)];
    for (EdgeId e : graph.stage(update).incoming) {
        const Edge &edge = graph.edge(e);
        const Func &sums = graph.func(edge.producer);
        const auto is_known = [&](EdgeId out) {
            return graph.edge(out).is_self || graph.edge(out).consumer == update;
        };
        if (!edge.is_self && sums.stages.size() > 1 && std::ranges::all_of(sums.outgoing, is_known))
            return Chunked{product, sums.id, update};
    }
    return std::nullopt;
}

class Plan {
public:
    Plan(const StageGraph &graph, const std::vector<Chunked> &chunks, BlockShape shape)
        : graph_(graph), chunks_(chunks), shape_(shape), nest_(graph) {}

    // nullopt: some product finds no place.
    std::optional<LoopNest> made(Hardware hardware) {
        const std::vector<bool> inlined = assumed_inlined(graph_);
        for (FuncId f : decision_order(graph_)) {
            const Func &func = graph_.func(f);
            if (const Chunked *of_product = chunked(&Chunked::product, f)) {
                if (!place_product(*of_product)) return std::nullopt;
            } else if (const Chunked *of_sums = chunked(&Chunked::sums, f)) {
                if (!place_sums(*of_sums)) return std::nullopt;
            } else if (!func.enclosed && !func.locked && func.can_inline && inlined[f.index()]) {
                if (!stage(func)) try_apply(nest_, action::Inline{f});
            } else if (reads_product(func)) {
                lead(func);
            }
            if (!nest_.decided(f)) decide_plainly(nest_, func, hardware);
            if (!nest_.decided(f)) return std::nullopt;
        }
        return std::move(nest_);
    }

private:
    const Chunked *chunked(FuncId Chunked::*member, FuncId f) const {
        const auto found = std::ranges::find(chunks_, f, member);
        return found == chunks_.end() ? nullptr : &*found;
    }

    // Directly, or through Funcs that are inlined: those are decided later.
    bool reads_product(const Func &func) const {
        return std::ranges::any_of(
            chunks_, [&](const Chunked &c) { return graph_.reads(func.id, c.product); });
    }

    void shape(FuncId f, KernelLevel level, const GpuTemplate &t) {
        for (const StageNest &stage : nest_.at(f).stages)
            for (const Action &a : to_actions(graph_.stage(stage.stage), stage.range, level, t))
                try_apply(nest_, a);
    }

    // The first two dimensions that are longer than a point.
    std::vector<int> sides_of(FuncId f) const {
        std::vector<int> dims;
        for (int d : nest_.storage_order(f))
            if (nest_.at(f).compute_region[static_cast<size_t>(d)].extent() > 1 && dims.size() < 2)
                dims.push_back(d);
        return dims;
    }

    GpuTemplate in_tiles(FuncId f) const {
        GpuTemplate t;
        const std::vector<int> dims = sides_of(f);
        if (!dims.empty()) t.threads.push_back({dims[0], shape_.x, shape_.x_points});
        if (dims.size() > 1) t.threads.push_back({dims[1], shape_.y, shape_.y_points});
        return t;
    }

    void lead(const Func &func) {
        if (try_apply(nest_, action::ComputeRoot{func.id}) && has_own_loops(nest_, func) &&
            !stays_on_host(graph_, func.id))
            shape(func.id, KernelLevel::Host, in_tiles(func.id));
    }

    bool place_at(FuncId f, LoopKind kind, std::optional<StageId> stage) {
        for (LoopName site : legal_sites(nest_, f)) {
            const LoopLevels &loops = nest_.stage_nest(site.stage).loops;
            if (loops[static_cast<size_t>(nest_.position(site))].kind == kind &&
                (!stage || site.stage == *stage))
                return try_apply(nest_, action::ComputeAt{f, site});
        }
        return false;
    }

    bool place_product(const Chunked &c) {
        if (!place_at(c.product, LoopKind::GpuBlock, std::nullopt)) return false;
        GpuTemplate t = in_tiles(c.product);
        t.reductions_around_threads = true;
        shape(c.product, KernelLevel::Block, t);
        return true;
    }

    bool place_sums(const Chunked &c) {
        if (!place_at(c.sums, LoopKind::GpuThread, c.update)) return false;
        GpuTemplate t;
        t.reduction_part = shape_.x_points;
        shape(c.sums, KernelLevel::Thread, t);
        return true;
    }

    // In shared memory, around the threads of a chunk.
    bool stage(const Func &func) {
        if (!is_free_to_inline(graph_, func)) return false;
        for (LoopName site : legal_sites(nest_, func.id)) {
            const bool is_chunk =
                std::ranges::find(chunks_, site.stage, &Chunked::update) != chunks_.end() &&
                graph_.stage(site.stage).loops[static_cast<size_t>(site.dim)].is_reduction;
            if (!is_chunk || !is_worth_staging(nest_, func.id, site)) continue;
            if (!try_apply(nest_, action::ComputeAt{func.id, site})) continue;
            shape(func.id, KernelLevel::Block,
                  shared_by_threads(nest_, func, most_points_in_blocks));
            return true;
        }
        return false;
    }

    const StageGraph &graph_;
    const std::vector<Chunked> &chunks_;
    const BlockShape shape_;
    LoopNest nest_;
};

}  // namespace

std::vector<LoopNest> staged_products(const StageGraph &graph, Hardware hardware) {
    std::vector<LoopNest> made;
    if (!hardware.gpu) return made;
    std::vector<Chunked> chunks;
    for (const DividedReduction &division : graph.divisions())
        if (const auto c = chunked(graph, division)) chunks.push_back(*c);
    if (chunks.empty()) return made;
    for (const BlockShape &shape : block_shapes)
        if (auto plan = Plan(graph, chunks, shape).made(hardware)) made.push_back(std::move(*plan));
    return made;
}

}  // namespace cryolite
