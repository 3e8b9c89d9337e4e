#include "analytical/gpu/schedule_time.h"

#include "code/legality/tile_kernels.h"

namespace cryolite::gpu {

GpuScheduleTime predict(const LoopNest &nest, const GpuDevice &device, const Machine &host,
                        std::shared_ptr<const Correction> correction) {
    const StageGraph &graph = nest.graph();
    CostModel model(graph, Hardware(host, &device));
    model.correct_by(std::move(correction));
    GpuScheduleTime out{model.explain(nest), {}, Featurizer(graph, host, 0).features(nest)};
    out.too_large |= out.on_host.too_large();
    const std::vector<GpuKernel> kernels = gpu_kernels_of(nest);
    StageExpander expander(graph);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        if (!nest.decided(FuncId(i))) continue;
        for (const StageNest &s : nest.at(FuncId(i)).stages) {
            const std::span<const double> row = out.on_host.row(s.stage);
            if (row.empty() || is_in_tile_kernel(nest, s.stage)) continue;
            if (auto work = stage_in_kernel(nest, device, expander, s.stage, kernels, row))
                out.in_kernels.push_back(std::move(*work));
        }
    }
    return out;
}

}  // namespace cryolite::gpu
