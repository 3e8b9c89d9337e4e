#include "analytical/gpu/schedule_time.h"

#include <algorithm>
#include <set>

namespace cryolite::gpu {
namespace {

class Predictor {
public:
    Predictor(const LoopNest &nest, const GpuDevice &device, const Machine &host,
              const Correction &correction)
        : nest_(nest),
          graph_(nest.graph()),
          device_(device),
          host_(host),
          correction_(correction),
          expander_(graph_) {}

    GpuScheduleTime run() {
        out_.on_host = Featurizer(graph_, host_, 0).features(nest_);
        out_.too_large = out_.on_host.too_large();
        out_.in_kernels = stages_in_kernels(nest_, device_, out_.on_host, expander_);
        for (const StageInKernel &work : out_.in_kernels) {
            out_.stages.push_back({stage_terms(work, device_), {}, 1, {}});
            on_device_.insert(work.stage);
        }
        add_host_stages();
        add_copies();
        for (StageTime &t : out_.stages) {
            t.corrected = t.raw;
            correction_.correct(row_of(t.stage), t.corrected);
            t.trust = correction_.trust(row_of(t.stage));
            t.overlap =
                explained_overlap(t.corrected, TermTarget::Gpu, overlap_rule(device_.speeds));
            out_.seconds += t.overlap.seconds;
        }
        return std::move(out_);
    }

private:
    void add_host_stages() {
        for (const StageTime &t : CostModel(graph_, host_).explain(nest_).stages) {
            if (on_device_.contains(t.stage)) continue;
            out_.too_large |= t.too_large;
            StageTime on_host;
            on_host.stage = t.stage;
            on_host.target = TermTarget::Gpu;
            on_host.realisations = t.realisations;
            on_host.raw[index(Term::HostStages)] = t.seconds();
            out_.stages.push_back(on_host);
        }
    }

    // Adds the copies of Funcs at root that both host and device touch, themselves or through inlined Funcs.
    void add_copies() {
        std::set<FuncId> by_host, by_device;
        for (const StageTime &t : out_.stages) {
            std::set<FuncId> &touched = on_device_.contains(t.stage) ? by_device : by_host;
            touched.insert(graph_.stage(t.stage).func);
            for (FuncId f : expander_.expand(nest_, t.stage).reads) touched.insert(f);
        }
        for (size_t i = 0; i < graph_.num_scheduled(); i++) {
            const Func &f = graph_.func(FuncId(i));
            if (!nest_.decided(f.id) || nest_.at(f.id).placement != Placement::Root) continue;
            const double bytes = points(f.root_region) * f.bytes_per_point();
            out_.peak_bytes += bytes;
            if (!by_host.contains(f.id) || !by_device.contains(f.id)) continue;
            const auto first = std::ranges::find_if(
                out_.stages, [&](const StageTime &t) { return t.stage == f.stages[0]; });
            if (first == out_.stages.end()) continue;
            const double seconds = bytes / device_.speeds.host_bytes_per_second;
            first->raw[index(Term::Copies)] += seconds;
        }
    }

    std::span<const double> row_of(StageId stage) const {
        const auto work = std::ranges::find(out_.in_kernels, stage, &StageInKernel::stage);
        return work == out_.in_kernels.end() ? out_.on_host.row(stage)
                                             : std::span<const double>(work->row);
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const GpuDevice &device_;
    const Machine &host_;
    const Correction &correction_;
    StageExpander expander_;
    std::set<StageId> on_device_;
    GpuScheduleTime out_;
};

}  // namespace

GpuScheduleTime predict(const LoopNest &nest, const GpuDevice &device, const Machine &host,
                        const Correction &correction) {
    return Predictor(nest, device, host, correction).run();
}

}  // namespace cryolite::gpu
