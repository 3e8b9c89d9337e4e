#include "featurize/features.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "featurize/rows/algorithm_features.h"
#include "featurize/rows/cpu_features.h"

namespace cryolite {

std::span<const double> Features::row(StageId stage) const {
    for (const auto &kernel : kernels_) {
        const auto it = std::find(kernel->stages.begin(), kernel->stages.end(), stage);
        if (it != kernel->stages.end())
            return kernel->rows[static_cast<size_t>(it - kernel->stages.begin())];
    }
    return {};
}

FeatureRows::FeatureRows(const StageGraph &graph, const Machine &machine)
    : graph_(graph), machine_(machine), row_limits_(machine), base_(graph.stages().size()) {
    for (const Stage &s : graph.stages()) algorithm_features(graph, s, base_[s.id.index()].row);
}

const FeatureRow &FeatureRows::base_row(const StageCode &code) {
    BaseRow &base = base_[code.stage->id.index()];
    if (!base.expanded || base.inlined != code.body->inlined) {
        base.expanded = true;
        base.inlined = code.body->inlined;
        expanded_features(graph_, *code.stage, *code.body, base.row);
    }
    return base.row;
}

std::vector<FeatureRow> FeatureRows::of(const KernelWork &work) {
    const double kernel_bytes = work.root_bytes() + work.allocated_in_loops();
    std::vector<FeatureRow> rows;
    rows.reserve(work.stages().size());
    for (const StageWork &w : work.stages()) {
        const Func &func = graph_.func(w.code->stage->func);
        const Member &member = work.members().at(func.id);
        FeatureRow &row = rows.emplace_back(base_row(*w.code));
        StageContext c{graph_,
                       machine_,
                       work,
                       w,
                       member,
                       func,
                       kernel_bytes,
                       row_limits_,
                       stage_levels(w, member),
                       w.code->inner,
                       {},
                       tasks_of(*w.code),
                       row};
        find_reuse_levels(c);
        point_features(c);
        task_features(c);
        touched_features(c);
        working_set_features(c);
        vector_features(c);
        locality_features(c);
        reuse_features(c);
        assert(std::all_of(row.begin(), row.end(),
                           [](double v) { return std::isfinite(v) && v >= 0; }));
    }
    return rows;
}

Featurizer::Featurizer(const StageGraph &graph, const Machine &machine, int64_t cache_bytes)
    : graph_(graph),
      machine_(machine),
      cache_bytes_(cache_bytes),
      expander_(graph),
      walker_(graph),
      rows_(graph, machine),
      cache_(cache_bytes) {}

Features Featurizer::features(const LoopNest &nest) {
    if (expander_.memo_bytes() > cache_bytes_) expander_.forget();
    Features out;
    for (Kernel &k : kernels_of(nest, expander_)) {
        const uint64_t hash = hash_of(k);
        std::shared_ptr<const KernelFeatures> found = cache_.find(k, hash);
        if (found) {
            kernels_remembered_++;
        } else {
            kernels_computed_++;
            found = std::make_shared<const KernelFeatures>(compute(nest, k));
            cache_.remember(std::move(k), hash, found);
        }
        out.too_large_ |= found->too_large;
        out.kernels_.push_back(std::move(found));
    }
    return out;
}

KernelFeatures Featurizer::compute(const LoopNest &nest, const Kernel &kernel) {
    const KernelWork work(graph_, machine_, expander_, walker_, nest, kernel.members);
    KernelFeatures out;
    out.too_large = work.too_large();
    if (out.too_large) return out;
    for (const StageWork &w : work.stages()) out.stages.push_back(w.code->stage->id);
    out.rows = rows_.of(work);
    return out;
}

}  // namespace cryolite
