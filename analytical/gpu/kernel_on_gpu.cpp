#include "analytical/gpu/kernel_on_gpu.h"

#include <algorithm>

#include "analytical/gpu/stage_terms.h"
#include "analytical/gpu/tile_kernel_terms.h"
#include "code/legality/tile_kernels.h"
#include "schedule/func_nest.h"

namespace cryolite::gpu {

KernelOnGpu::KernelOnGpu(const LoopNest &nest, std::span<const FuncId> members,
                         const GpuDevice &device, const Machine &host, StageExpander &expander)
    : nest_(nest),
      graph_(nest.graph()),
      device_(device),
      host_(host),
      expander_(expander),
      members_(members) {
    for (FuncId f : members) {
        const bool inside = level_of(nest, nest.at(f).compute_at) != KernelLevel::Host;
        for (const StageNest &stage : nest.at(f).stages) {
            if (graph_.stage(stage.stage).is_undefined) {
                nowhere_.push_back(stage.stage);
                continue;
            }
            const bool on_device = inside || has_kind(stage, LoopKind::GpuBlock);
            (on_device ? on_device_ : on_host_).push_back(stage.stage);
        }
    }
}

KernelTerms KernelOnGpu::terms(const KernelTerms &host) && {
    out_.too_large = host.too_large;
    for (const auto *stages : {&on_device_, &on_host_})
        for (StageId s : *stages) out_.too_large |= expander_.expand(nest_, s).too_large;
    if (out_.too_large) return std::move(out_);
    out_.too_large = find_kernel_fault(nest_, members_[0], launch_limits(device_)).has_value();
    const std::vector<GpuKernel> kernels = gpu_kernels_of(nest_, members_[0]);
    for (StageId s : on_device_) add_on_device(s, kernels, host);
    for (StageId s : on_host_) add_on_host(s, host);
    for (StageId s : nowhere_) add_without_terms(s, host);
    const Func &root = graph_.func(members_[0]);
    out_.peak_bytes = points(root.root_region) * root.bytes_per_point();
    out_.touched =
        std::make_shared<TouchedFuncs>(TouchedFuncs{touched_by(on_host_), touched_by(on_device_)});
    out_.compiling = compile_cost(code_size(nest_, host_, expander_, members_));
    return std::move(out_);
}

void KernelOnGpu::add_on_device(StageId stage, std::span<const GpuKernel> kernels,
                                const KernelTerms &host) {
    std::span<const double> row;
    for (size_t i = 0; i < host.rows.size(); i++)
        if (host.stages[i].stage == stage) row = host.rows[i];
    if (is_in_tile_kernel(nest_, stage)) return add_tile_kernel(stage, row);
    const auto work = stage_in_kernel(nest_, device_, expander_, stage, kernels, row);
    if (!work) return;
    out_.stages.push_back(stage_terms(*work, device_));
    out_.too_large |=
        work->copies > 1 && work->code_operations > host_.core.max_unrolled_operations;
    if (work->row) out_.rows.push_back(*work->row);
}

// The lead has all terms of the kernel. What was learned of ordinary stages says nothing of it.
void KernelOnGpu::add_tile_kernel(StageId stage, std::span<const double> row) {
    StageTerms &t = out_.stages.emplace_back();
    t.stage = stage;
    t.target = TermTarget::Gpu;
    if (nest_.stage_nest(stage).tile_kernel) {
        const TileKernelWork work = tile_kernel_work(nest_, stage, device_, expander_);
        t = tile_kernel_terms(stage, work, device_);
        out_.too_large |= t.too_large;
    }
    if (!row.empty()) out_.rows.emplace_back();
}

StageTerms &KernelOnGpu::add_without_terms(StageId stage, const KernelTerms &host) {
    StageTerms &t = out_.stages.emplace_back();
    t.stage = stage;
    t.target = TermTarget::Gpu;
    const auto on_cpu = std::ranges::find(host.stages, stage, &StageTerms::stage);
    if (!host.rows.empty())
        out_.rows.push_back(host.rows[static_cast<size_t>(on_cpu - host.stages.begin())]);
    return t;
}

void KernelOnGpu::add_on_host(StageId stage, const KernelTerms &host) {
    const auto on_cpu = std::ranges::find(host.stages, stage, &StageTerms::stage);
    if (on_cpu == host.stages.end()) return;
    StageTerms &t = add_without_terms(stage, host);
    t.realisations = on_cpu->realisations;
    t.raw[index(Term::HostStages)] = overlapped(on_cpu->raw, TermTarget::Cpu, overlap_rule(host_));
}

std::vector<FuncId> KernelOnGpu::touched_by(std::span<const StageId> stages) {
    std::vector<FuncId> touched;
    const auto add = [&](FuncId f) {
        if (graph_.func(f).is_input()) return;
        if (!nest_.decided(f) || nest_.at(f).placement == Placement::Root) touched.push_back(f);
    };
    for (StageId s : stages) {
        add(graph_.stage(s).func);
        for (FuncId f : expander_.expand(nest_, s).reads) add(f);
    }
    std::ranges::sort(touched);
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    return touched;
}

}  // namespace cryolite::gpu
