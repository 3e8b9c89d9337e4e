#include "graph/facts/growing_regions.h"

#include <algorithm>

namespace cryolite {
namespace {

class Probe {
public:
    Probe(const StageGraph &graph, const Edge &edge) : graph_(graph), edge_(edge) {
        const Stage &reader = graph.stage(edge.consumer);
        ranges_.resize(reader.loops.size());
        graph.loop_ranges(reader, graph.func(reader.func).root_region, ranges_);
    }

    std::vector<bool> growing() {
        std::vector<bool> grows(graph_.func(edge_.producer).dims.size(), false);
        for (size_t l = 0; l < ranges_.size(); l++) {
            const Interval whole = ranges_[l];
            for (int64_t size = 1; size <= whole.extent() / 2; size *= 2) {
                const auto needed_at = [&](int64_t min) {
                    ranges_[l] = {min, min + size - 1};
                    return needed();
                };
                const Box middle = needed_at(whole.min + (whole.extent() - size) / 2),
                          first = needed_at(whole.min), last = needed_at(whole.max - size + 1);
                for (size_t d = 0; d < grows.size(); d++)
                    if (std::max(first[d].extent(), last[d].extent()) > 2 * middle[d].extent() + 1)
                        grows[d] = true;
            }
            ranges_[l] = whole;
        }
        return grows;
    }

private:
    Box needed() const {
        const Box &whole = graph_.func(edge_.producer).root_region;
        Box box(whole.size());
        edge_.region.evaluate(ranges_, box);
        for (size_t d = 0; d < box.size(); d++) {
            if (RegionExpression::is_unbounded(box[d].min)) box[d].min = whole[d].min;
            if (RegionExpression::is_unbounded(box[d].max)) box[d].max = whole[d].max;
        }
        return box;
    }

    const StageGraph &graph_;
    const Edge &edge_;
    Intervals ranges_;
};

}  // namespace

std::vector<bool> grows_at_ends(const StageGraph &graph, const Edge &edge) {
    if (edge.is_self) return std::vector<bool>(graph.func(edge.producer).dims.size(), false);
    return Probe(graph, edge).growing();
}

}  // namespace cryolite
