#include "reference/stage_shape.h"

#include <algorithm>
#include <bit>

namespace cryolite::strategies {
namespace {

// Every span a multiple of the one inside it, and shorter than what is around it.
std::vector<int64_t> exact(const std::vector<int64_t> &spans, int64_t extent, int64_t innermost) {
    std::vector<int64_t> from_inside;
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
        const int64_t inside = from_inside.empty() ? innermost : from_inside.back();
        const int64_t rounded = *span / inside * inside;
        const bool iterates = from_inside.empty() ? rounded > 1 : rounded > inside;
        if (iterates && rounded < extent) from_inside.push_back(rounded);
    }
    return {from_inside.rbegin(), from_inside.rend()};
}

}  // namespace

StageSplits splits_of(const Stage &stage, const Intervals &range, const StageShape &shape) {
    StageSplits out;
    out.spans.resize(stage.loops.size());
    for (const ShapeLevel &level : shape.levels) {
        const auto l = static_cast<size_t>(level.loop);
        if (level.span > 1 && level.span < range[l].extent()) out.spans[l].push_back(level.span);
    }
    for (size_t l = 0; l < out.spans.size(); l++) {
        const std::vector<int64_t> wanted = out.spans[l];
        const int64_t extent = range[l].extent();
        int64_t innermost = 1;
        if (shape.vector_loop == static_cast<int>(l)) {
            const int64_t points = wanted.empty() ? extent : wanted.back();
            const int64_t width = std::max<int64_t>(1, std::min(shape.vector_width, points));
            innermost = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(width)));
            out.vector_width = static_cast<int>(innermost);
        }
        out.spans[l] =
            stage.loops[l].in_predicate ? std::vector<int64_t>{} : exact(wanted, extent, innermost);
        out.adapted |= out.spans[l] != wanted;
    }
    return out;
}

}  // namespace cryolite::strategies
