#include "search/gpu/tensor_tiles.h"

#include <algorithm>

#include "analytical/gpu/stage_terms.h"
#include "analytical/gpu/tile_kernel_terms.h"
#include "code/legality/apply.h"
#include "code/legality/tile_kernels.h"

namespace cryolite {
namespace {

int capability_of(const gpu::GpuDevice &device) {
    return 10 * device.limits.major + device.limits.minor;
}

StageId stage_of(const Action &a) {
    StageId stage;
    std::visit(
        [&](const auto &of) {
            if constexpr (requires { of.stage; })
                stage = of.stage;
            else if constexpr (requires { of.loop.stage; })
                stage = of.loop.stage;
        },
        a);
    return stage;
}

}  // namespace

std::string problem_with_product(const TensorProduct &product, const gpu::GpuDevice &device) {
    const int least = tensorcore::least_capability(product.types);
    if (capability_of(device) < least)
        return "its types need compute capability " + std::to_string(least / 10) + "." +
               std::to_string(least % 10);
    const double longer = std::max(product.left_points, product.right_points);
    const double shorter = std::min(product.left_points, product.right_points);
    if (longer < tensorcore::kInstructionRows || shorter < tensorcore::kInstructionColumns ||
        product.depth_points * tensorcore::bytes_of(product.types.rows) < tensorcore::kStepBytes)
        return "it is smaller than one instruction";
    return "";
}

size_t ordinary_products(const LoopNest &nest, Hardware hardware) {
    if (!hardware.gpu) return 0;
    return static_cast<size_t>(
        std::ranges::count_if(nest.graph().products(), [&](const TensorProduct &product) {
            return nest.decided(nest.graph().stage(product.stage).func) &&
                   !lead_of_product(nest, product) &&
                   problem_with_product(product, *hardware.gpu).empty();
        }));
}

namespace {

// A partial nest in which the product's Func is at root, as its first reader would find it.
LoopNest with_product_at_root(const StageGraph &graph, FuncId of_product) {
    LoopNest nest(graph);
    for (size_t i = 0; i <= of_product.index(); i++)
        if (!try_apply(nest, action::ComputeRoot{FuncId(i)}))
            try_apply(nest, action::Inline{FuncId(i)});
    return nest;
}

double least_seconds(const StageGraph &graph, const TensorProduct &product,
                     const gpu::GpuDevice &device) {
    const LoopNest nest = with_product_at_root(graph, graph.stage(product.stage).func);
    StageExpander expander(graph);
    double least = 0;
    for (const tensorcore::Tile &tile :
         tensorcore::tiles_for(product.types, capability_of(device))) {
        const auto tiled =
            cryolite::apply(nest, action::TensorTile{product.stage, product.stage, tile});
        if (!tiled.ok()) continue;
        const StageTerms terms = gpu::tile_kernel_terms(
            product.stage, gpu::tile_kernel_work(*tiled, product.stage, device, expander), device);
        if (terms.too_large) continue;
        const double seconds =
            overlapped(terms.raw, TermTarget::Gpu, gpu::overlap_rule(device.speeds));
        if (least == 0 || seconds < least) least = seconds;
    }
    return least;
}

}  // namespace

UndecidedProducts::UndecidedProducts(const StageGraph &graph, Hardware hardware) {
    for (const TensorProduct &product : graph.products())
        seconds_.push_back(hardware.gpu && problem_with_product(product, *hardware.gpu).empty()
                               ? least_seconds(graph, product, *hardware.gpu)
                               : 0);
}

double UndecidedProducts::seconds(const LoopNest &nest) const {
    double sum = 0;
    const auto products = nest.graph().products();
    for (size_t i = 0; i < seconds_.size(); i++)
        if (!nest.decided(nest.graph().stage(products[i].stage).func) &&
            !lead_of_product(nest, products[i]))
            sum += seconds_[i];
    return sum;
}

std::vector<std::vector<Action>> tensor_tilings(const LoopNest &nest, const Func &func,
                                                Hardware hardware,
                                                const std::vector<Action> &other_loops) {
    std::vector<std::vector<Action>> out;
    if (!hardware.gpu) return out;
    StageExpander expander(nest.graph());
    for (const TensorProduct &product : nest.graph().products()) {
        if (!problem_with_product(product, *hardware.gpu).empty()) continue;
        for (const ProductLead &lead : product.leads) {
            if (nest.graph().stage(lead.stage).func != func.id) continue;
            for (const tensorcore::Tile &tile :
                 tensorcore::tiles_for(product.types, capability_of(*hardware.gpu))) {
                const action::TensorTile action{lead.stage, product.stage, tile};
                const auto tiled = cryolite::apply(nest, action);
                if (!tiled.ok()) continue;
                if (tile_kernel_work(*tiled, lead.stage, *hardware.gpu, expander)
                        .occupancy.blocks_per_sm < 1)
                    continue;
                std::vector<Action> all{action};
                for (const Action &a : other_loops)
                    if (stage_of(a) != lead.stage) all.push_back(a);
                out.push_back(std::move(all));
            }
        }
    }
    return out;
}

}  // namespace cryolite
