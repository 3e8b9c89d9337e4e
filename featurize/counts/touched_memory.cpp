#include "featurize/counts/touched_memory.h"

#include <algorithm>
#include <cmath>

namespace cryolite {
namespace {

// Sums over the loads of a target with unknown bases.
struct Parts {
    double lines = 0, runs = 0;
};

Parts parts_anywhere(const Target &target, const Intervals &ranges, const Box &box, int line) {
    Parts sum;
    const int element = target.layout.bytes_per_point;
    for (uint32_t i : target.loads->groups) {
        const LoadGroup &load = target.body->loads[i];
        double places = 1;
        for (size_t l = 0; l < ranges.size(); l++)
            if (load.scattered[l]) places *= static_cast<double>(ranges[l].extent());
        const Box part = box_of_group(load, ranges, box);
        sum.lines +=
            places * touched_lines(target.layout, part, *target.stored, line, element, load.gather);
        sum.runs += places * contiguous_runs(target.layout, part, *target.stored);
    }
    return sum;
}

// Loads such as f(x, y) and f(x, y + 19), with no load of the rows between them.
const LoadGroup *skipping(const Target &target) {
    if (target.loads->groups.size() != 1) return nullptr;  // the others may load the rows between
    const LoadGroup *only = &target.body->loads[target.loads->groups[0]];
    for (size_t d = 0; d < only->gaps.size(); d++)
        if (static_cast<int>(d) != target.layout.order[0] && !only->gaps[d].empty()) return only;
    return nullptr;
}

// Bytes of one access: a vector along the rows if all elements of it are consecutive.
int access_bytes(const StageCode &code, const Target &target) {
    const int element = target.layout.bytes_per_point;
    if (target.layout.order.empty() || code.nest->loops.empty() ||
        code.nest->loops.back().kind != LoopKind::Vectorized)
        return element;
    const LoopLevel &vector = code.nest->loops.back();
    const auto loop = static_cast<size_t>(vector.name.dim);
    const auto row = static_cast<size_t>(target.layout.order[0]);
    bool consecutive = true;
    if (!target.loads) {
        consecutive = code.stage->loops[loop].func_dim == target.layout.order[0];
    } else {
        for (uint32_t i : target.loads->groups) {
            const LoadGroup &g = code.body->loads[i];
            consecutive =
                consecutive && !g.gather && g.coefficient[row][loop] == 1 && vector.woven == 1;
        }
    }
    return consecutive ? element * static_cast<int>(vector.extent) : element;
}

}  // namespace

double Target::share_of_rows(const Box &box) const {
    if (!skipping) return 1;
    double share = 1;
    for (size_t d = 0; d < box.size(); d++) {
        if (static_cast<int>(d) == layout.order[0]) continue;
        const auto extent = static_cast<double>(box[d].extent());
        const double of_one = std::max(1.0, extent - skipping->offset_span[d]);
        double touched = extent;
        for (double gap : skipping->gaps[d]) touched -= std::max(0.0, gap - of_one);
        share *= std::clamp(touched, 1.0, extent) / extent;
    }
    return share;
}

double Target::share_of_loads(const Intervals &ranges, const Box &box, double runs) const {
    if (!loads || loads->groups.empty() || lies_anywhere()) return 1;
    // Graphs that are made by hand need not say how many loads there are.
    const auto count = [&](uint32_t i) { return std::max(1.0, double{body->loads[i].count}); };
    double distinct = 0;
    for (uint32_t i : loads->groups) distinct += count(i);
    if (runs <= distinct) return 1;
    double apart = 0;
    for (uint32_t i : loads->groups) {
        const LoadGroup &load = body->loads[i];
        Box one = box_of_group(load, ranges, box);
        for (size_t d = 0; d < one.size(); d++) {
            const auto span = static_cast<int64_t>(load.offset_span[d]);
            one[d].max = std::max(one[d].min, one[d].max - span);
        }
        apart += count(i) * contiguous_runs(layout, one, *stored);
    }
    return std::min(1.0, apart / runs);
}

Target read_target(const StageCode &code, size_t read, const Layout &layout, const Box &stored) {
    Target t{layout, &stored};
    t.loads = &code.body->loads_of_reads[read];
    t.body = code.body;
    t.access_bytes = access_bytes(code, t);
    t.skipping = skipping(t);
    return t;
}

Target written_target(const StageCode &code, const Layout &layout, const Box &stored) {
    Target t{layout, &stored};
    t.access_bytes = access_bytes(code, t);
    return t;
}

TouchedMemory::TouchedMemory(const Machine &machine) : line_(machine.line_bytes()) {
    const size_t hashed =
        machine.caches.size() > 1 ? machine.caches.size() - 1 : machine.caches.size();
    for (size_t c = 0; c < hashed; c++) {
        const CacheLevel &cache = machine.caches[c];
        fewest_placed_ = c == 0 ? cache.ways / 2 : std::min<double>(fewest_placed_, cache.ways / 2);
        most_placed_ =
            std::max(most_placed_, 1.5 * static_cast<double>(cache.size_bytes) / cache.line_bytes);
    }
}

// The lines of a target whose places are known.
double TouchedMemory::known_lines(const Target &target, const Intervals &ranges, const Box &box,
                                  Touched &t, std::vector<PlacedRows> &rows) const {
    const auto lines_of = [&](const Box &b) {
        return touched_lines(target.layout, b, *target.stored, line_, target.access_bytes);
    };
    const auto place = [&](const Box &b, double lines) {
        rows.push_back({rows_of(target.layout, b, *target.stored, line_), lines});
        return !rows.back().rows.steps.empty();
    };
    const auto matter = [&](double lines) {
        return lines > fewest_placed_ && lines <= most_placed_;
    };
    t.first_rows = static_cast<uint32_t>(rows.size());
    const double hull = lines_of(box);
    if (target.loads && target.loads->move_apart && hull > 1) {
        double apart = 0;
        bool several_rows = false;
        for (uint32_t i : target.loads->groups) {
            const LoadGroup &load = target.body->loads[i];
            if (load.value > 0) continue;
            const Box part = box_of_group(load, ranges, box);
            const double lines = lines_of(part);
            several_rows |= place(part, lines);
            apart += lines;
        }
        if (apart < hull && rows.size() > t.first_rows + 1) {
            if (!several_rows || !matter(apart)) rows.resize(t.first_rows);
            t.num_rows = static_cast<uint32_t>(rows.size()) - t.first_rows;
            return apart;
        }
        rows.resize(t.first_rows);
    }
    if (matter(hull)) {
        t.num_rows = place(box, hull) ? 1 : 0;
        if (t.num_rows == 0) rows.pop_back();
    }
    return hull;
}

double TouchedMemory::count(const Target &target, const Intervals &ranges, const Box &box,
                            double points, std::vector<PlacedRows> &rows, Touched &t) const {
    t = {};
    const BoxInMemory memory = box_in_memory(target.layout, box, *target.stored, line_);
    const double whole = memory.line_bytes;
    if (points == 0 || whole == 0) return 0;
    const double share = std::min(target.share_of_rows(box),
                                  target.share_of_loads(ranges, box, memory.contiguous_runs));
    double lines = points, runs = memory.contiguous_runs;
    if (target.lies_anywhere()) {
        const Parts apart = parts_anywhere(target, ranges, box, line_);
        lines = std::min(lines, apart.lines);
        runs = std::min(runs, apart.runs);
        t.lines = std::min(
            lines, touched_lines(target.layout, box, *target.stored, line_, target.access_bytes));
    } else {
        t.lines = known_lines(target, ranges, box, t, rows);
        if (t.lines > points) {  // strided: the places are unknown
            t.lines = points;
            t.num_rows = 0;
        }
    }
    t.span_bytes = std::min(whole, lines * line_);
    t.bytes = std::min(whole * share, lines * line_);
    t.unique_bytes = std::min(memory.points * share, points) * target.layout.bytes_per_point;
    t.streams = std::max(1.0, runs * share);
    return t.bytes / whole;
}

}  // namespace cryolite
