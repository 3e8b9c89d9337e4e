#include "code/legality/tile_kernels.h"

#include <algorithm>

#include "code/legality/gpu_kernels.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

const StageNest *find_stage_nest(const LoopNest &nest, StageId s) {
    const FuncId f = nest.graph().stage(s).func;
    if (!nest.decided(f) || nest.at(f).stages.empty()) return nullptr;
    return &nest.stage_nest(s);
}

bool is_conversion(const TensorProduct &product, FuncId f) {
    return std::ranges::find(product.conversions, f) != product.conversions.end();
}

// The only placement of `f` if the product is led by leads[lead].
std::optional<Action> placement_under(const LoopNest &nest, const TensorProduct &product,
                                      size_t lead, FuncId f) {
    const StageGraph &graph = nest.graph();
    if (is_conversion(product, f)) return action::Inline{f};
    if (lead == 0) return std::nullopt;
    for (size_t i = 1; i < lead; i++)
        if (graph.stage(product.leads[i].stage).func == f) return action::Inline{f};
    if (graph.stage(product.stage).func != f) return std::nullopt;
    const StageNest &around = nest.stage_nest(product.leads[lead].stage);
    return action::ComputeAt{f, around.loops.back().name};
}

std::optional<size_t> lead_index(const LoopNest &nest, const TensorProduct &product) {
    for (size_t i = 0; i < product.leads.size(); i++) {
        const StageNest *stage = find_stage_nest(nest, product.leads[i].stage);
        if (stage && stage->tile_kernel && stage->tile_kernel->product == product.stage) return i;
    }
    return std::nullopt;
}

bool obeys(const LoopNest &nest, FuncId f, const Action &placement) {
    const FuncNest &placed = nest.at(f);
    if (std::holds_alternative<action::Inline>(placement))
        return placed.placement == Placement::Inline;
    const auto &at = std::get<action::ComputeAt>(placement);
    return placed.compute_at == at.at && placed.store_at == placed.compute_at;
}

}  // namespace

std::optional<StageId> lead_of_product(const LoopNest &nest, const TensorProduct &product) {
    const std::optional<size_t> lead = lead_index(nest, product);
    if (!lead) return std::nullopt;
    return product.leads[*lead].stage;
}

std::optional<Action> placement_in_tile_kernel(const LoopNest &nest, FuncId f) {
    for (const TensorProduct &product : nest.graph().products()) {
        const std::optional<size_t> lead = lead_index(nest, product);
        if (!lead) continue;
        if (auto placement = placement_under(nest, product, *lead, f)) return placement;
    }
    return std::nullopt;
}

bool is_in_tile_kernel(const LoopNest &nest, StageId stage) {
    if (nest.graph().products().empty()) return false;
    for (std::optional<StageId> s = stage; s;) {
        if (nest.stage_nest(*s).tile_kernel) return true;
        const FuncNest &placed = nest.at(nest.graph().stage(*s).func);
        s = placed.compute_at ? std::optional(placed.compute_at->stage) : std::nullopt;
    }
    return false;
}

bool obeys_tile_kernels(const LoopNest &nest, FuncId f) {
    const std::optional<Action> placement = placement_in_tile_kernel(nest, f);
    return !placement || obeys(nest, f, *placement);
}

std::optional<Reason> refuse_tile_kernel(const LoopNest &nest, const action::TensorTile &a) {
    const StageGraph &graph = nest.graph();
    if (!a.product.valid() || a.product.index() >= graph.stages().size())
        return Reason::NotATileKernel;
    const TensorProduct *product = graph.product_at(a.product);
    if (product == nullptr) return Reason::NotATileKernel;
    const auto lead = std::ranges::find(product->leads, a.stage, &ProductLead::stage);
    if (lead == product->leads.end()) return Reason::NotATileKernel;
    const int capability = tensorcore::least_capability(product->types);
    if (!tensorcore::problem_with_tile(product->types, a.tile, capability).empty())
        return Reason::BadTile;
    const FuncId of_product = graph.stage(product->stage).func;
    if (nest.at(graph.stage(a.stage).func).placement != Placement::Root) return Reason::NotMappable;
    if (stays_on_host(graph, graph.stage(a.stage).func) || stays_on_host(graph, of_product))
        return Reason::EmptyOnDevice;
    if (lead_index(nest, *product)) return Reason::NotMappable;
    // What is decided already must be where the kernel wants it.
    const auto index = static_cast<size_t>(lead - product->leads.begin());
    for (const Func &func : graph.funcs()) {
        if (func.is_input() || !nest.decided(func.id)) continue;
        const auto placement = placement_under(nest, *product, index, func.id);
        if (placement && !obeys(nest, func.id, *placement)) return Reason::NotATileKernel;
    }
    return std::nullopt;
}

}  // namespace cryolite
