#include "featurize/stage_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cryolite {
namespace {

// The bytes of one access of the stage along the producer's rows: a vector if all its loads have consecutive elements
// in one, else an element.
double access_bytes(const StageWork &w, FuncId producer, const Layout &layout, bool stores) {
    const double element = layout.bytes_per_point;
    if (layout.order.empty() || w.code->nest->loops.empty() ||
        w.code->nest->loops.back().kind != LoopKind::Vectorized)
        return element;
    const LoopLevel &vector = w.code->nest->loops.back();
    const auto loop = static_cast<size_t>(vector.name.dim);
    const auto row = static_cast<size_t>(layout.order[0]);
    bool consecutive = true;
    if (stores) {
        consecutive = w.code->stage->loops[loop].func_dim == layout.order[0];
    } else {
        for (const LoadGroup &g : w.code->body->loads)
            if (g.producer == producer)
                consecutive = consecutive && !g.gather && g.coefficient[row][loop] == 1;
    }
    return consecutive ? element * static_cast<double>(vector.extent) : element;
}

}  // namespace

double loads_of(const ExpandedStage &body, FuncId producer) {
    double loads = 0;
    for (const LoadGroup &l : body.loads)
        if (l.producer == producer) loads += l.count;
    return std::max(1.0, loads);
}

TouchedLines stage_lines(const Machine &machine, const StageWork &work, FuncId producer,
                         const Layout &layout, bool stores, const Intervals &ranges, const Box &box,
                         const Box &stored) {
    TouchedLines out;
    if (stores && work.code->stage->is_undefined) {
        out.set_loads.resize(machine.caches.size());
        return out;
    }
    const double bytes = access_bytes(work, producer, layout, stores);
    const auto lines_of = [&](const Box &b) {
        return touched_lines(layout, b, stored, machine.line_bytes(), bytes);
    };
    // Loads such as a(k, x) and a(k, y) move apart. Their hull has lines that none of them reads.
    std::vector<Box> boxes{box};
    double lines = lines_of(box);
    double accesses = std::numeric_limits<double>::infinity();
    if (!stores) {
        accesses = loads_of(*work.code->body, producer);
        for (const Interval &r : ranges) accesses *= static_cast<double>(r.extent());
        std::vector<Box> apart;
        double lines_apart = 0;
        for (const LoadGroup &g : work.code->body->loads) {
            if (g.producer != producer || g.value > 0) continue;
            apart.push_back(g.gather ? box : box_of_group(g, ranges, box));
            lines_apart += lines_of(apart.back());
        }
        if (apart.size() > 1 && lines_apart < lines) {
            boxes = std::move(apart);
            lines = lines_apart;
        }
    }
    out.lines = std::min(lines, accesses);
    for (const CacheLevel &c : machine.caches) {
        if (lines > accesses || box.empty()) {  // strided: the places are unknown
            out.set_loads.push_back(even_loads(out.lines, c));
            continue;
        }
        SetLoads mean(static_cast<size_t>(c.ways) + 2, 0);
        for (const Box &part : boxes) {
            const SetLoads loads = set_loads(layout, part, stored, c);
            const double weight = lines_of(part) / lines;
            for (size_t n = 0; n < mean.size(); n++) mean[n] += weight * loads[n];
        }
        out.set_loads.push_back(std::move(mean));
    }
    return out;
}

}  // namespace cryolite
