// Chapter 4 of the thesis, for any stage in any schedule: misses under prefetching, loop distance, the tile against
// algorithm 1's, and the cost of spatial locality.
//
// The thesis has perfect nests with one level of tiles. Here a cache's tile is what one iteration of its reuse loop
// touches (StageContext::reuse). The thesis chooses tiles that fit. For them the reuse loop of L1 is the outermost loop
// in a tile, and the reuse loop of L2 is the innermost loop between tiles. A Func stored inside of the reuse loop stays
// in the cache, so it misses nothing.
#include <algorithm>
#include <cmath>

#include "featurize/rows/cpu_features.h"
#include "featurize/thesis/equations.h"

namespace cryolite {
namespace {

class Locality {
public:
    explicit Locality(const StageContext &c)
        : c_(c), code_(*c.work.code), line_(c.machine.line_bytes()) {
        for (const Accesses &a : c.work.reads)
            if (a.producer != c.func.id) touched_.push_back(touched_of(a));
        touched_.push_back(touched_of(c.work.stores));
        const size_t own_row = row_loop();
        for (const LoadGroup &load : code_.body->loads) {
            // The stage's own Func is the last one: how its update loads from it does not matter.
            for (size_t i = 0; i + 1 < touched_.size(); i++) {
                TouchedFunc &t = touched_[i];
                if (t.accesses->producer != load.producer) continue;
                t.gathered |= load.gather;
                t.transposed |= !load.gather && is_transposed(load, own_row);
            }
        }
    }

    void run() {
        c_.at(Feature::loop_distance) = loop_distance();
        const size_t caches = std::min<size_t>(2, c_.machine.caches.size());
        for (size_t level = 0; level < caches; level++) {
            const bool streams =
                (level == 0 ? c_.machine.l1_prefetch_lines : c_.machine.l2_prefetch_lines) > 0;
            const size_t p = tile(level);
            const Misses m = misses(p, streams);
            put(Feature::misses_l1, level) = m.expected;
            put(Feature::misses_unstreamed_l1, level) = m.unstreamed;
            put(Feature::interference_l1, level) = interference(p, level);
            const double cycles = thesis::miss_cycles(c_.machine, level);
            // A machine without bandwidths has no such cycles.
            if (std::isfinite(cycles)) c_.at(Feature::miss_cycles) += cycles * m.expected;
        }
        if (caches == 2) add_spatial_costs(tile(1));
    }

private:
    struct Misses {
        double expected = 0, unstreamed = 0;
    };
    // A Func that the stage touches. The stores of an update have the box of its edge to its own Func, so that this
    // edge is left out.
    struct TouchedFunc {
        const Accesses *accesses = nullptr;
        const Member *member = nullptr;  // null: it is stored at root
        int64_t pitch_bytes = 0;         // from one of its rows to the next; 0: it has no dimension
        int bytes_per_point = 1;
        // One of the loads is at an index that is loaded or not affine; one walks across the Func's rows.
        bool gathered = false, transposed = false;
    };

    TouchedFunc touched_of(const Accesses &a) const {
        const Func &func = c_.graph.func(a.producer);
        TouchedFunc t{&a, nullptr, 0, func.bytes_per_point()};
        const auto it = c_.kernel.members().find(a.producer);
        if (it != c_.kernel.members().end() && it->second.nest->placement == Placement::At)
            t.member = &it->second;
        const std::vector<int> &order = c_.kernel.nest().storage_order(a.producer);
        if (order.empty()) return t;
        const Box &stored = t.member ? t.member->nest->store_region : func.root_region;
        t.pitch_bytes = stored[static_cast<size_t>(order[0])].extent() * t.bytes_per_point;
        return t;
    }

    // In the table the feature of L2 follows that of L1.
    double &put(Feature l1, size_t level) const { return c_.row[index(l1) + level]; }

    // The position of one iteration of the cache's reuse loop. If no loop fits it is the innermost one.
    size_t tile(size_t level) const { return std::min(c_.reuse[level], code_.stack.size()); }

    // Whether every iteration at position p allocates the Func.
    bool is_stored_inside(const TouchedFunc &t, size_t p) const {
        if (!t.member || t.member->store_loop < 0) return false;
        return p == 0 ||
               (t.member->storage_depth >= p && t.member->chain[p - 1].id == code_.stack[p - 1].id);
    }

    // The share of an iteration's misses that the next iteration has again, at position p. Without streaming it is the
    // share of its lines that are new. With streaming it is the share of its runs that are new. Where runs only grow
    // longer, each grown run misses once a new line, but no more than once.
    double renewed(const Accesses &a, size_t p, double iterations, bool streaming) const {
        const Touched &one = a.touched[p], &all = a.touched[p - 1];
        const double new_bytes = std::max(0.0, all.bytes - one.bytes) / (iterations - 1);
        if (!streaming) return std::min(1.0, new_bytes / one.bytes);
        const double new_runs = std::max(0.0, all.streams - one.streams) / (iterations - 1);
        return std::min(1.0, (new_runs > 0 ? new_runs : new_bytes / line_) / one.streams);
    }

    Misses misses(size_t p, bool streams) const {
        Misses sum;
        for (const TouchedFunc &t : touched_) {
            const Accesses &a = *t.accesses;
            const Touched &one = a.touched[p];
            if (one.bytes == 0 || is_stored_inside(t, p)) continue;
            const auto of = [&](bool streaming) {
                const double cold =
                    thesis::cold_misses(one.streams, one.bytes / one.streams, line_, streaming);
                if (p == 0) return cold;
                const double iterations = code_.stack[p - 1].iterations();
                const double times =
                    iterations <= 1
                        ? 1
                        : thesis::fetches(iterations, renewed(a, p, iterations, streaming));
                return code_.runs[p - 1] * times * cold;
            };
            const double unstreamed = of(false);
            sum.unstreamed += unstreamed;
            sum.expected += streams ? of(true) : unstreamed;
        }
        return sum;
    }

    // An own loop walks one dimension. A loop around walks the dimensions in which it makes the stage's box larger.
    double loop_distance() const {
        SmallVector<thesis::OrderedLoop, 12> loops;
        constexpr size_t first_reduction = 32;
        for (size_t p = 0; p < code_.stack.size(); p++) {
            uint64_t dimensions = 0;
            if (p < code_.enclosing) {
                const Box &run = c_.member.chain_boxes[p], &one = c_.member.chain_boxes[p + 1];
                for (size_t d = 0; d < run.size(); d++)
                    if (run[d].extent() != one[d].extent()) dimensions |= uint64_t{1} << d;
            } else {
                const LoopLevel &level = code_.nest->loops[p - code_.enclosing];
                const auto dim = static_cast<size_t>(level.name.dim);
                const int of_func = code_.stage->loops[dim].func_dim;
                dimensions = uint64_t{1} << (of_func >= 0 ? static_cast<size_t>(of_func)
                                                          : first_reduction + dim);
            }
            if (code_.stack[p].extent > 1) loops.push_back({dimensions, code_.stack[p].extent});
        }
        return thesis::loop_distance({loops.data(), loops.size()});
    }

    // The rows of the tile over the rows that algorithm 1 allows. The largest ratio of all Funcs touched counts.
    double interference(size_t p, size_t level) const {
        double most = 0;
        for (const TouchedFunc &f : touched_) {
            const Touched &t = f.accesses->touched[p];
            if (t.unique_bytes == 0 || f.gathered || f.pitch_bytes == 0) continue;
            const bool has_rows = t.streams > 1 && f.pitch_bytes >= line_;
            const double rows = has_rows ? t.streams : 1;
            const double row_bytes = std::ceil(t.unique_bytes / rows);
            const double allowed = most_rows(level, row_bytes, has_rows ? f.pitch_bytes : line_);
            // If not even one row stays: all lines over the lines that the cache has.
            most = std::max(most, allowed >= 1
                                      ? rows / allowed
                                      : rows * row_bytes / line_ / c_.row_limits.lines(level));
        }
        return most;
    }

    double most_rows(size_t level, double row_bytes, int64_t pitch) const {
        if (row_bytes / line_ > c_.row_limits.lines(level)) return 0;
        return c_.row_limits.most_rows(level, static_cast<int64_t>(row_bytes), pitch);
    }

    // Points along the rows of the stage's own Func that one iteration at position p computes.
    double width(size_t p) const {
        const std::vector<int> &order = c_.kernel.nest().storage_order(c_.func.id);
        if (order.empty()) return 1;
        const auto row = static_cast<size_t>(order[0]);
        if (p <= code_.enclosing)
            return static_cast<double>(c_.member.chain_boxes[p][row].extent());
        double width = 1;
        for (size_t d = 0; d < code_.nest->range.size(); d++)
            if (code_.stage->loops[d].func_dim == order[0])
                width = static_cast<double>(code_.nest->range[d].extent());
        for (size_t i = 0; i < p - code_.enclosing; i++) {
            const LoopLevel &l = code_.nest->loops[i];
            if (code_.stage->loops[static_cast<size_t>(l.name.dim)].func_dim == order[0])
                width = std::min(width, static_cast<double>(l.span));
        }
        return width;
    }

    // The stage's loop along the rows of its own Func; beyond all loops if there is none.
    size_t row_loop() const {
        const std::vector<int> &order = c_.kernel.nest().storage_order(c_.func.id);
        size_t l = order.empty() ? code_.stage->loops.size() : 0;
        while (l < code_.stage->loops.size() && code_.stage->loops[l].func_dim != order[0]) l++;
        return l;
    }

    // Whether that loop walks the Func across the Func's rows.
    bool is_transposed(const LoadGroup &load, size_t row_loop) const {
        const std::vector<int> &order = c_.kernel.nest().storage_order(load.producer);
        if (row_loop == code_.stage->loops.size() || order.empty() ||
            load.coefficient[static_cast<size_t>(order[0])][row_loop] != 0)
            return false;
        return std::ranges::any_of(load.coefficient,
                                   [&](const auto &by) { return by[row_loop] != 0; });
    }

    void add_spatial_costs(size_t p) {
        const double tiles = code_.runs[p], wide = width(p);
        for (const TouchedFunc &f : touched_) {
            const Touched &t = f.accesses->touched[p];
            if (f.accesses == &c_.work.stores || t.bytes == 0) continue;
            c_.at(f.transposed ? Feature::spatial_cost_transposed
                               : Feature::spatial_cost_straight) +=
                thesis::spatial_cost(tiles * t.streams, wide,
                                     std::max(1.0, static_cast<double>(line_) / f.bytes_per_point));
        }
    }

    const StageContext &c_;
    const StageCode &code_;
    const int line_;
    SmallVector<TouchedFunc, 8> touched_;  // what is read, then the stage's own Func
};

}  // namespace

void locality_features(const StageContext &c) { Locality(c).run(); }

}  // namespace cryolite
