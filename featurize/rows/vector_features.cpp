// Vectors: the lanes that work, how they load and store, and the copies of the body.
#include <algorithm>
#include <cmath>

#include "code/stage/split_tails.h"
#include "featurize/rows/cpu_features.h"

namespace cryolite {
namespace {

enum class VectorLoad : uint8_t { Splat, Dense, Strided, Gathered };

VectorLoad kind_of(const StageContext &c, const LoadGroup &load) {
    if (c.inner.vector_dim < 0) return VectorLoad::Splat;
    const auto v = static_cast<size_t>(c.inner.vector_dim);
    if (!load.depends_on[v]) return VectorLoad::Splat;
    if (load.gather) return VectorLoad::Gathered;
    const std::vector<int> &order = c.kernel.nest().storage_order(load.producer);
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        const double stride = std::abs(load.coefficient[d][v]) * c.inner.lane_step;
        const bool innermost = static_cast<size_t>(order[0]) == d;
        if (stride > (innermost ? 1 : 0)) return VectorLoad::Strided;
    }
    return VectorLoad::Dense;
}

bool stores_densely(const StageContext &c, const Access *store) {
    if (c.inner.vector_dim < 0) return true;
    if (c.inner.lane_step > 1) return false;
    const auto v = static_cast<size_t>(c.inner.vector_dim);
    const std::vector<int> &order = c.kernel.nest().storage_order(c.func.id);
    for (size_t d = 0; d < c.func.dims.size(); d++) {
        const bool innermost = static_cast<size_t>(order[0]) == d;
        Rational step{c.work.code->stage->loops[v].func_dim == static_cast<int>(d) ? 1 : 0, 1};
        if (store) {
            const IndexMap &m = store->index[d];
            if (!m.affine || m.data_dependent) return false;
            step = v < m.coefficient.size() ? m.coefficient[v] : Rational{};
        }
        if (step != Rational{innermost ? 1 : 0, 1}) return false;
    }
    return !c.func.dims.empty();
}

double registers_per_vector(const StageContext &c, int bits) {
    return std::ceil(c.inner.lanes * bits / 8.0 / std::max(1, c.machine.vector_bytes));
}

void lane_features(const StageContext &c) {
    const StageNest &nest = *c.work.code->nest;
    double wanted = 1;
    for (const Interval &r : nest.range) wanted *= static_cast<double>(r.extent());
    const double computed = c.at(Feature::points_per_production);
    c.at(Feature::wasted_share) = 1 - wanted / std::max(1.0, computed);

    int widest = 1;
    for (const ScalarType &t : c.func.values) widest = std::max(widest, t.bytes());
    c.at(Feature::vector_lanes) = c.inner.lanes;
    c.at(Feature::natural_vectors) =
        static_cast<double>(c.inner.lanes) * widest / std::max(1, c.machine.vector_bytes);
    c.at(Feature::scalar_share) = 1;
    c.at(Feature::vectors_per_production) = computed;
    if (c.inner.vector_dim < 0) return;
    const auto v = static_cast<size_t>(c.inner.vector_dim);
    const int64_t along = computed_extent(c.graph, nest, v, c.work.code->holds_others);
    const int64_t vectors = along / c.inner.lanes;
    c.at(Feature::scalar_share) = static_cast<double>(along - vectors * c.inner.lanes) /
                                  static_cast<double>(std::max<int64_t>(1, along));
    c.at(Feature::vectors_per_production) =
        computed / static_cast<double>(std::max<int64_t>(1, along)) * static_cast<double>(vectors);
}

void access_features(const StageContext &c) {
    for (const LoadGroup &load : c.work.code->body->loads) {
        switch (kind_of(c, load)) {
            case VectorLoad::Splat: c.at(Feature::loads_splat) += load.count; break;
            case VectorLoad::Dense: c.at(Feature::loads_dense) += load.count; break;
            case VectorLoad::Strided: c.at(Feature::loads_strided) += load.count; break;
            case VectorLoad::Gathered: c.at(Feature::loads_gathered) += load.count; break;
        }
        c.at(Feature::loads_per_register_block) += repeats_per_body(load, c.inner);
    }
    const std::vector<Access> &stores = c.work.code->stage->stores;
    for (size_t k = 0; k < c.func.values.size(); k++) {
        const bool dense = stores_densely(c, k < stores.size() ? &stores[k] : nullptr);
        c.at(dense ? Feature::stores_dense : Feature::stores_spread)++;
    }
}

void body_features(const StageContext &c) {
    double accumulators = 0;
    for (const ScalarType &t : c.func.values) accumulators += registers_per_vector(c, t.bits);
    for (const UnrolledLoop &u : c.inner.unrolled)
        if (!c.work.code->stage->loops[u.dim].is_reduction) accumulators *= u.factor;
    c.at(Feature::accumulators) = accumulators;
    c.at(Feature::unrolled_copies) = c.inner.code_copies();
    c.at(Feature::code_operations) =
        c.work.code->body->operations_and_loads * c.inner.code_copies();
}

}  // namespace

void vector_features(const StageContext &c) {
    lane_features(c);
    access_features(c);
    body_features(c);
    c.at(Feature::aligned_share) = aligned_share(c);
}

}  // namespace cryolite
