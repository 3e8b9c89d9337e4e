#include "analytical/memory/line_reuse.h"

#include <algorithm>
#include <cmath>

namespace cryolite {
namespace {

// Counts of boxes are averages. A count that grows by less than this factor counts as unchanged.
constexpr double same = 1.01;

}  // namespace

double CacheRoom::kept_of_pages(double filled) const {
    constexpr double surely_kept = 0.4, surely_lost = 3;
    if (filled <= surely_kept) return 1;
    if (filled >= surely_lost) return 0;
    return 1 / (1 + std::pow(filled, 2 * std::sqrt(ways)));
}

double CacheRoom::kept_beside(double together, double others) const {
    if (scattered) return kept_of_pages((together + others / sets) / ways);
    return std::clamp(ways + 1 - together - others / sets, 0.0, 1.0);
}

LineReuse::LineReuse(const KernelWork &work, const StageWork &w, const Accesses &a, int line_bytes,
                     SetLoadsMemo &set_loads)
    : work_(work), w_(w), accesses_(a), set_loads_(set_loads) {
    const LoopStack &stack = w.code->stack;
    lines_.resize(stack.size() + 1);
    const auto member = work.members().find(a.producer);
    const bool in_loops = member != work.members().end() && member->second.compute_loop >= 0;
    const double stored = in_loops ? member->second.allocated_bytes / line_bytes + 1 : 0;
    // A loop outside of the Func's storage uses the same memory in every iteration.
    bool around = in_loops && member->second.store_loop < 0;
    inner_.resize(stack.size());
    for (size_t p = lines_.size(); p-- > 0;) {
        around |= in_loops && p < stack.size() && stack[p].id == member->second.store_loop;
        lines_[p] = around ? std::min(a.touched[p].lines, stored) : a.touched[p].lines;
        if (p < stack.size())
            inner_[p] =
                p + 1 < stack.size() && lines_[p + 1] <= same * lines_[p + 2] ? inner_[p + 1] : p;
    }
}

// The share of lines with the places of t that stays while others are touched.
double LineReuse::kept_of(const Touched &t, double others, const CacheRoom &room) const {
    const double free_ways = room.ways - others / room.sets;
    const auto without_gaps = [&] {
        for (size_t r = t.first_rows; r < t.first_rows + t.num_rows; r++)
            if (!work_.rows()[r].rows.steps.empty()) return false;
        return true;
    };
    if (room.scattered && without_gaps())
        return room.kept_of_pages((t.lines + others) / (room.sets * room.ways));
    if (free_ways <= 0) return 0;
    if (t.lines <= free_ways) return 1;  // even if all of them meet in one set
    if (room.hashed || t.num_rows == 0) {
        const double mean = std::max(1.0, t.lines / room.sets);
        if (mean <= free_ways - 1) return 1;
        if (mean >= free_ways + 1) return 0;
        // Sets hold the next less and the next greater whole number of lines.
        const auto less = static_cast<double>(static_cast<int64_t>(mean));
        const double more = mean - less;
        return (1 - more) * std::clamp(free_ways + 1 - less, 0.0, 1.0) +
               more * std::clamp(free_ways - less, 0.0, 1.0);
    }
    double share = 0, all = 0;
    for (size_t r = t.first_rows; r < t.first_rows + t.num_rows; r++) {
        const PlacedRows &rows = work_.rows()[r];
        all += rows.lines;
        const int64_t most = rows.rows.count() * (1 + rows.rows.length / room.way_bytes);
        if (static_cast<double>(most) <= free_ways) {  // even if all rows start in the same set
            share += rows.lines;
            continue;
        }
        const SetLoads &loads = set_loads_(rows.rows, room.cache);
        double of_rows = 0;
        for (size_t n = 1; n < loads.size() && static_cast<double>(n) < free_ways + 1; n++)
            of_rows += loads[n] * std::min(1.0, free_ways + 1 - static_cast<double>(n));
        share += rows.lines * of_rows;
    }
    return share / all;
}

// The share of lines that stay from one iteration of stack loop p to the next.
double LineReuse::kept(size_t p, const CacheRoom &room) const {
    const size_t q = inner_[p];
    const Touched &inner = accesses_.touched[q + 1];
    const double around = work_.working_lines(w_.code->stack[q].id);
    return kept_of(inner, std::max(0.0, around - inner.lines), room);
}

LineReuse::Weights LineReuse::brought_in(const CacheRoom &room) const {
    const size_t innermost = w_.code->stack.size();
    Weights weights(innermost + 1, 0.0);
    double share = 1;  // of the lines that stay across the iterations of all loops inside
    for (size_t p = innermost; p > 0 && share > 0; p--) {
        const double further = share * kept(p - 1, room);
        weights[p] = share - further;
        share = further;
    }
    weights[0] += share;
    return weights;
}

// Between the write and the first touch lie as many lines as the Func has: the rest of the earlier pass and the
// beginning of this one. On average, half of all other lines of this pass lie between as well.
double left_before(const KernelWork &work, const StageWork &w, const Accesses &a,
                   const CacheRoom &room) {
    const TouchedByRun &by = a.touched;
    const double all = by[0].lines;
    size_t pass = w.code->stack.size();
    while (pass > 0 && same * by[pass].lines < all) pass--;
    double around = 0;
    if (pass > 0) {
        around = work.working_lines(w.code->stack[pass - 1].id);
    } else {
        for (const Accesses &r : w.reads) around += r.touched[0].lines;
        around += w.stores.touched[0].lines;
    }
    return all * room.kept_beside(0, (all + std::max(around, all)) / 2);
}

}  // namespace cryolite
