#include "featurize/rows/algorithm_features.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cryolite {
namespace {

enum class LoopClass : uint8_t { Inner, Outer, Reduction };
enum class StrideClass : uint8_t { Still, Fraction, Unit, Long, Row, Unknown };
constexpr size_t num_stride_classes = 6;

// The table and the row have the features in this order.
static_assert(index(Feature::strides_unknown_along_inner) ==
              index(Feature::strides_still_along_inner) + num_stride_classes - 1);
static_assert(index(Feature::strides_still_along_reduction) ==
              index(Feature::strides_still_along_inner) + 2 * num_stride_classes);
static_assert(index(Feature::ops_bit_count_bool) + 1 ==
              static_cast<size_t>(OpKind::Count) * static_cast<size_t>(TypeClass::Count));

// How an access maps loops to storage.
struct AccessShape {
    bool gather = false;
    bool selects =
        true;  // every index is a constant, or a loop plus a constant; no loop is in two indices
    bool in_order = true;  // the loops have the same order in memory as in the reader
    bool broadcast = false;
    bool slice = false;
};

// The position of a dimension in memory. 0: innermost.
size_t storage_position(const Func &func, int dim) {
    const auto it = std::find(func.storage_order.begin(), func.storage_order.end(), dim);
    return static_cast<size_t>(it - func.storage_order.begin());
}

// Whether loop a is nearer to the reader's innermost storage dimension than loop b. Reduction loops come after all
// dimensions, in their own order.
bool is_before(const Func &reader, const Stage &stage, size_t a, size_t b) {
    const auto rank = [&](size_t l) {
        const StageLoop &loop = stage.loops[l];
        return loop.is_reduction ? reader.storage_order.size() + l
                                 : storage_position(reader, loop.func_dim);
    };
    return rank(a) < rank(b);
}

AccessShape shape_of(const StageGraph &graph, const Stage &stage, const Func &of,
                     const Access &access) {
    AccessShape shape;
    const Func &reader = graph.func(stage.func);
    std::vector<char> moved(stage.loops.size());
    std::optional<size_t> last;
    for (int d : of.storage_order) {
        const IndexMap &map = access.index[static_cast<size_t>(d)];
        if (!map.affine || map.data_dependent) {
            shape.gather = true;
            continue;
        }
        std::optional<size_t> loop;
        bool any = false;
        for (size_t l = 0; l < map.coefficient.size(); l++) {
            if (map.coefficient[l].is_zero()) continue;
            shape.selects &= !any && !moved[l] && map.coefficient[l] == Rational{1, 1};
            any = true;
            moved[l] = true;
            loop = l;
        }
        shape.slice |= !any;
        if (!loop) continue;
        if (last && is_before(reader, stage, *loop, *last)) shape.in_order = false;
        last = loop;
    }
    for (size_t l = 0; l < moved.size(); l++) {
        bool known = moved[l];
        for (const IndexMap &map : access.index)
            known |= l < map.depends_on.size() && map.depends_on[l];
        shape.broadcast |= !known;
    }
    return shape;
}

StrideClass stride_class(const Func &of, const Access &access, size_t loop) {
    StrideClass found = StrideClass::Still;
    for (int d : of.storage_order) {
        const IndexMap &map = access.index[static_cast<size_t>(d)];
        if (!map.affine || map.data_dependent) {
            // The address is unknown, even where all other indices are known.
            if (loop < map.depends_on.size() && map.depends_on[loop]) return StrideClass::Unknown;
            continue;
        }
        if (loop >= map.coefficient.size() || map.coefficient[loop].is_zero()) continue;
        const double stride = std::abs(map.coefficient[loop].value());
        if (d != of.storage_order[0])
            found = StrideClass::Row;
        else
            found = stride == 1  ? StrideClass::Unit
                    : stride < 1 ? StrideClass::Fraction
                                 : StrideClass::Long;
    }
    return found;
}

LoopClass class_of(const Func &reader, const StageLoop &loop) {
    if (loop.is_reduction) return LoopClass::Reduction;
    return !reader.storage_order.empty() && loop.func_dim == reader.storage_order[0]
               ? LoopClass::Inner
               : LoopClass::Outer;
}

class Filler {
public:
    Filler(const StageGraph &graph, const Stage &stage, std::span<double> row)
        : graph_(graph), stage_(stage), func_(graph.func(stage.func)), row_(row) {}

    void run() {
        for (size_t k = 0; k < static_cast<size_t>(OpKind::Count); k++)
            for (size_t t = 0; t < static_cast<size_t>(TypeClass::Count); t++)
                row_[index(Feature::ops_add_int8) + k * static_cast<size_t>(TypeClass::Count) + t] =
                    stage_.ops.count[k][t];
        for (EdgeId e : stage_.incoming) {
            const Edge &edge = graph_.edge(e);
            if (edge.is_self)
                at(Feature::reads_itself) = !edge.accesses.empty();
            else
                at(Feature::producers_read)++;
            if (graph_.func(edge.producer).is_input()) at(Feature::inputs_read)++;
            for (const Access &a : edge.accesses) add_load(graph_.func(edge.producer), a);
        }
        add_stores();
        add_shape();
    }

private:
    double &at(Feature f) { return row_[index(f)]; }

    void add_load(const Func &producer, const Access &access) {
        const AccessShape shape = shape_of(graph_, stage_, producer, access);
        at(Feature::loads) += access.count;
        at(shape.gather     ? Feature::loads_gather
           : !shape.selects ? Feature::loads_affine
           : shape.in_order ? Feature::loads_pointwise
                            : Feature::loads_transpose) += access.count;
        if (shape.broadcast) at(Feature::loads_broadcast) += access.count;
        if (shape.slice) at(Feature::loads_slice) += access.count;
        for (size_t l = 0; l < stage_.loops.size(); l++) {
            const auto loop = static_cast<size_t>(class_of(func_, stage_.loops[l]));
            const auto stride = static_cast<size_t>(stride_class(producer, access, l));
            row_[index(Feature::strides_still_along_inner) + loop * num_stride_classes + stride] +=
                access.count;
        }
    }

    void add_stores() {
        const double elements = static_cast<double>(func_.values.size());
        at(Feature::stores) = elements;
        if (stage_.stores.empty()) {  // a pure definition
            at(Feature::stores_pointwise) = elements;
            return;
        }
        for (const Access &a : stage_.stores) {
            const AccessShape shape = shape_of(graph_, stage_, func_, a);
            at(shape.gather                      ? Feature::stores_scatter
               : shape.selects && shape.in_order ? Feature::stores_pointwise
                                                 : Feature::stores_affine) +=
                elements / static_cast<double>(stage_.stores.size());
        }
    }

    void add_shape() {
        at(Feature::reduction_points) = 1;
        Intervals ranges(stage_.loops.size());
        graph_.loop_ranges(stage_, func_.root_region, ranges);
        at(Feature::points_required) = points(ranges);
        for (size_t l = 0; l < stage_.loops.size(); l++) {
            at(stage_.loops[l].is_reduction ? Feature::reduction_loops : Feature::pure_loops)++;
            if (stage_.loops[l].is_reduction)
                at(Feature::reduction_points) *= static_cast<double>(ranges[l].extent());
        }
        at(Feature::has_predicate) = stage_.has_predicate;
        at(Feature::tuple_size) = static_cast<double>(func_.values.size());
        at(Feature::point_bytes) = func_.bytes_per_point();
        at(Feature::update_index) = stage_.index;
        at(Feature::is_output) = func_.is_output();
        at(Feature::is_extern) = func_.is_extern;
        at(Feature::is_copy) = func_.is_trivial;
    }

    const StageGraph &graph_;
    const Stage &stage_;
    const Func &func_;
    std::span<double> row_;
};

}  // namespace

void algorithm_features(const StageGraph &graph, const Stage &stage, std::span<double> row) {
    Filler(graph, stage, row).run();
}

}  // namespace cryolite
