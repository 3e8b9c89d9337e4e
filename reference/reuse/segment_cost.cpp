#include "reference/reuse/segment_cost.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "featurize/thesis/equations.h"

namespace cryolite::reuse {
namespace {

double points_of(std::span<const Interval> ranges) {
    double n = 1;
    for (const Interval &i : ranges) n *= static_cast<double>(i.extent());
    return n;
}

double operations_per_point(const Stage &stage) { return std::max(1.0, stage.ops.total()); }

double calls_per_point(const Edge &edge) {
    double calls = 0;
    for (const Access &a : edge.accesses) calls += a.count;
    return std::max(1.0, calls);
}

// The dimension along which a member's box moves from one iteration to the next, -1 if it does not
// overlap with itself there, and how far.
struct Window {
    int dim = -1;
    int64_t step = 0;
};

Window window_between(const Box &before, const Box &after, int64_t iterations) {
    Window w;
    for (size_t d = 0; d < before.size(); d++) {
        if (before[d] == after[d]) continue;
        if (w.dim >= 0 || after[d].max <= before[d].max || after[d].min < before[d].min) return {};
        w.dim = static_cast<int>(d);
        w.step = (after[d].max - before[d].max + iterations - 1) / iterations;
    }
    if (w.dim < 0) return {};
    const auto d = static_cast<size_t>(w.dim);
    return w.step < std::min(before[d].extent(), after[d].extent()) ? w : Window{};
}

class Evaluation {
public:
    Evaluation(const SegmentRegions &regions, const TiledNest &nest,
               const std::vector<StageLevels> &levels, const CacheBudget &machine,
               const Options &options)
        : regions_(regions),
          graph_(regions.graph()),
          nest_(nest),
          levels_(levels),
          machine_(machine),
          options_(options),
          n_(regions.num_members()),
          windows_(n_),
          once_at_(n_),
          in_runs_(n_),
          walk_(regions),
          reads_(regions),
          runs_(graph_.stages().size()) {}

    SegmentCost run() {
        out_.members.resize(n_);
        measure_buffers();
        count_work_and_loads();
        count_inlined();
        sum_up();
        return std::move(out_);
    }

private:
    bool fused(size_t i) const { return !levels_[i].inlined; }

    // What a member computes in one iteration at `level`: in a window that slides there, the new
    // points only.
    Box computed(size_t i, int level, Box box) const {
        if (windows_[i].dim >= 0 && levels_[i].compute == level) {
            Interval &side = box[static_cast<size_t>(windows_[i].dim)];
            side.min = std::max(side.min, side.max - windows_[i].step + 1);
        }
        return box;
    }

    // Boxes of all that runs inside `level`, for given loops of the driver; windows that slide at
    // that level pass on new points only, unless `whole_windows`.
    void walk(int level, std::span<const Interval> loops, bool whole_windows = false) {
        walk_.clear();
        walk_.stage_runs(nest_.stage, loops);
        for (size_t i = 0; i < n_; i++) {
            if (!walk_.needed(i) || (fused(i) && levels_[i].compute > level)) continue;
            const Box &box = walk_.finish(i);
            walk_.member_computes(i, whole_windows ? box : computed(i, level, box));
        }
    }

    // Two iterations of a level side by side, readers first: what a window passes on decides what
    // its producers' windows are. Two apart where there are as many, so that a box that moves at
    // every other one (upsampling) is seen to move.
    void find_windows(int level) {
        const int64_t count = nest_.extent(level);
        const int64_t from = count >= 4 ? count / 2 - 1 : 0;
        const int64_t to = std::min(from + 2, count - 1);
        if (to <= from) return;
        SegmentRegions::Walk &later = reads_;
        walk_.clear();
        walk_.stage_runs(nest_.stage, nest_.iteration(level, from));
        later.clear();
        later.stage_runs(nest_.stage, nest_.iteration(level, to));
        for (size_t i = 0; i < n_; i++) {
            if (!walk_.needed(i) || (fused(i) && levels_[i].compute > level)) continue;
            const Box &before = walk_.finish(i), &after = later.finish(i);
            if (fused(i) && levels_[i].compute == level) {
                if (levels_[i].store > level) {
                    windows_[i] = window_between(before, after, to - from);
                }
                const bool follows = feeds_window(i, level) && is_apart(before, after, to - from);
                if (windows_[i].dim >= 0 || follows) once_at_[i] = level + 1;
            }
            walk_.member_computes(i, computed(i, level, before));
            later.member_computes(i, computed(i, level, after));
        }
    }

    // A Func that feeds windows of its own loop, and no point to two iterations, computes each
    // point once as they do: the loop also runs for it while it fills the windows.
    bool feeds_window(size_t i, int level) const {
        for (EdgeId e : regions_.func(i).outgoing) {
            const int local = regions_.local(graph_.stage(graph_.edge(e).consumer).func);
            if (local < 0 || static_cast<size_t>(local) >= n_) continue;
            const auto reader = static_cast<size_t>(local);
            const bool is_window = levels_[reader].compute == level && once_at_[reader] > level;
            if (fused(reader) ? is_window : feeds_window(reader, level)) return true;
        }
        return false;
    }

    static bool is_apart(const Box &before, const Box &after, int64_t iterations) {
        for (size_t d = 0; d < before.size(); d++) {
            if (before[d].extent() * iterations <= after[d].max - before[d].max) return true;
        }
        return false;
    }

    void measure_buffers() {
        std::set<int> compute, store;
        for (size_t i = 0; i < n_; i++) {
            once_at_[i] = levels_[i].compute;
            in_runs_[i].assign(regions_.num_funcs(), options_.prefetcher);
            if (!fused(i)) continue;
            compute.insert(levels_[i].compute);
            store.insert(levels_[i].store);
        }
        for (int level : compute) {
            if (level < nest_.root_level()) find_windows(level);
        }
        for (int level : store) {
            walk(level, pieces(nest_, level)[0].ranges);
            for (size_t i = 0; i < n_; i++) {
                if (!fused(i) || levels_[i].store != level) continue;
                StageCost &cost = out_.members[i];
                cost.stored_bytes = points(walk_.box(i)) * regions_.func(i).bytes_per_point();
                cost.input_bytes = bytes_read(i, walk_.box(i));
            }
        }
        for (int level : compute) {
            const Intervals one = nest_.iteration(level);
            walk(level, one, true);
            for (size_t i = 0; i < n_; i++) {
                if (!fused(i) || levels_[i].compute != level) continue;
                out_.members[i].folded_input_bytes = bytes_read(i, walk_.box(i));
            }
            walk(level, one);
            for (size_t i = 0; i < n_; i++) {
                if (!fused(i) || levels_[i].compute != level) continue;
                fold(i, walk_.box(i));
                note_runs_of(i, computed(i, level, walk_.box(i)));
            }
        }
        read_from(nest_.stage, pieces(nest_, nest_.tile_level())[0].ranges);
        out_.output.input_bytes = out_.output.folded_input_bytes = bytes_outside();
    }

    void fold(size_t i, const Box &kept) {
        StageCost &cost = out_.members[i];
        cost.slides = windows_[i].dim >= 0;
        cost.folded_bytes = cost.stored_bytes;
        if (!cost.slides) return;
        double bytes = points(kept) * regions_.func(i).bytes_per_point();
        if (options_.folds_to_powers_of_two) {
            const auto rows =
                static_cast<uint64_t>(kept[static_cast<size_t>(windows_[i].dim)].extent());
            bytes *= static_cast<double>(std::bit_ceil(rows)) / static_cast<double>(rows);
        }
        cost.folded_bytes = std::min(cost.stored_bytes, bytes);
    }

    void count_work_and_loads() {
        std::map<int, std::vector<size_t>> at_level;
        for (size_t i = 0; i < n_; i++) {
            if (fused(i)) at_level[once_at_[i]].push_back(i);
        }
        for (const auto &[level, members] : at_level) {
            for (const Piece &piece : pieces(nest_, level)) {
                walk(level, piece.ranges);
                for (size_t i : members) {
                    if (!walk_.needed(i)) continue;
                    const Box box = computed(i, level, walk_.box(i));
                    StageCost &cost = out_.members[i];
                    cost.computed_points += piece.count * points(box);
                    for (StageId s : regions_.func(i).stages) {
                        const Intervals loops = loops_for(s, box);
                        runs_[s.index()] += piece.count * points_of(loops);
                        read_from(s, loops);
                        cost.loads += piece.count * loads_outside(in_runs_[i]);
                    }
                }
            }
        }
        count_output();
    }

    // The output: its driving stage tile by tile, the others once, over everything.
    void count_output() {
        const Func &func = graph_.func(regions_.segment().output);
        StageCost &cost = out_.output;
        cost.computed_points = cost.root_points = points(func.root_region);
        std::vector<char> in_runs(regions_.num_funcs(), options_.prefetcher);
        for (StageId s : func.stages) {
            if (s == nest_.stage) continue;
            const Intervals loops = loops_for(s, func.root_region);
            runs_[s.index()] = points_of(loops);
            read_from(s, loops);
            cost.loads += loads_outside(in_runs);
        }
        runs_[nest_.stage.index()] = points_of(nest_.ranges);
        const int one_run = std::min(nest_.innermost_level() + 1, nest_.root_level());
        read_from(nest_.stage, pieces(nest_, one_run)[0].ranges);
        note_runs(in_runs);
        for (const Piece &piece : pieces(nest_, nest_.tile_level())) {
            read_from(nest_.stage, piece.ranges);
            cost.loads += piece.count * loads_outside(in_runs);
        }
        for (StageId s : func.stages) {
            cost.operations += runs_[s.index()] * operations_per_point(graph_.stage(s));
        }
        cost.root_operations = cost.operations;
    }

    // Readers first: every call computes the Func once more.
    void count_inlined() {
        for (size_t i = 0; i < n_; i++) {
            const Func &func = regions_.func(i);
            StageCost &cost = out_.members[i];
            if (!fused(i)) {
                for (EdgeId e : func.outgoing) {
                    const Edge &edge = graph_.edge(e);
                    cost.computed_points += runs_[edge.consumer.index()] * calls_per_point(edge);
                }
                runs_[func.stages[0].index()] = cost.computed_points;
            }
            cost.root_points = points(func.root_region);
            for (StageId s : func.stages) {
                const double per_point = operations_per_point(graph_.stage(s));
                cost.operations += runs_[s.index()] * per_point;
                cost.root_operations += points_of(loops_for(s, func.root_region)) * per_point;
            }
        }
    }

    void sum_up() {
        const auto add = [&](const StageCost &c) {
            out_.total += options_.load_weight * c.loads + c.operations - c.root_operations;
        };
        add(out_.output);
        for (size_t i = 0; i < n_; i++) {
            const StageCost &c = out_.members[i];
            add(c);
            (c.slides ? out_.folded_bytes : out_.unfolded_bytes) += c.folded_bytes;
        }
    }

    // --- what one stage reads from outside of the segment, through what is inlined into it ---

    Intervals loops_for(StageId s, const Box &box) const {
        Intervals loops(graph_.stage(s).loops.size());
        graph_.loop_ranges(graph_.stage(s), box, loops);
        return loops;
    }

    void read_from(StageId s, std::span<const Interval> loops) {
        reads_.clear();
        reads_.stage_runs(s, loops);
        for (size_t i = 0; i < n_; i++) {
            if (!fused(i) && reads_.needed(i)) reads_.member_computes(i, reads_.box(i));
        }
    }

    double bytes_outside() const {
        double bytes = 0;
        for (size_t p = n_; p < regions_.num_funcs(); p++) {
            if (reads_.needed(p))
                bytes += points(reads_.box(p)) * regions_.func(p).bytes_per_point();
        }
        return bytes;
    }

    double bytes_read(size_t i, const Box &box) {
        double bytes = 0;
        for (StageId s : regions_.func(i).stages) {
            read_from(s, loops_for(s, box));
            bytes += bytes_outside();
        }
        return bytes;
    }

    // Whether the box's rows are long enough for a prefetcher to run ahead of: a line at least, or
    // all that there is. Shorter ones are the column-wise accesses of eq. 5.13, which keep every
    // load.
    bool is_run(size_t p) const {
        const Func &f = regions_.func(p);
        if (f.storage_order.empty()) return true;
        const auto d = static_cast<size_t>(f.storage_order[0]);
        const int64_t row = reads_.box(p)[d].extent();
        const auto bytes = [&](int64_t points) {
            return static_cast<double>(points * f.bytes_per_point());
        };
        return thesis::is_streamed(bytes(row), bytes(f.root_region[d].extent()),
                                   machine_.line_bytes);
    }
    // By what read_from() has found, on top of what is in `runs`.
    void note_runs(std::vector<char> &runs) const {
        for (size_t p = n_; p < regions_.num_funcs(); p++) {
            if (reads_.needed(p) && !is_run(p)) runs[p] = false;
        }
    }
    void note_runs_of(size_t i, const Box &box) {
        for (StageId s : regions_.func(i).stages) {
            read_from(s, loops_for(s, box));
            note_runs(in_runs_[i]);
        }
    }

    double loads_outside(const std::vector<char> &in_runs) const {
        double loads = 0;
        for (size_t p = n_; p < regions_.num_funcs(); p++) {
            if (!reads_.needed(p)) continue;
            const Func &f = regions_.func(p);
            double n = points(reads_.box(p));
            if (in_runs[p] && !f.storage_order.empty()) {
                const auto d = static_cast<size_t>(f.storage_order[0]);
                n /= static_cast<double>(std::max<int64_t>(1, reads_.box(p)[d].extent()));
            }
            loads += n;
        }
        return loads;
    }

    const SegmentRegions &regions_;
    const StageGraph &graph_;
    const TiledNest &nest_;
    const std::vector<StageLevels> &levels_;
    const CacheBudget &machine_;
    const Options &options_;
    const size_t n_;
    std::vector<Window> windows_;
    // The level inside one iteration of which no point is computed twice: a window's store level.
    std::vector<int> once_at_;
    std::vector<std::vector<char>> in_runs_;  // per member and Func read: prefetchers follow
    SegmentRegions::Walk walk_, reads_;
    std::vector<double> runs_;  // per stage of the graph: points of its loops, over the whole run
    SegmentCost out_;
};

}  // namespace

SegmentCost segment_cost(const SegmentRegions &regions, const TiledNest &nest,
                         const std::vector<StageLevels> &levels, const CacheBudget &machine,
                         const Options &options) {
    return Evaluation(regions, nest, levels, machine, options).run();
}

bool fits(const SegmentCost &cost, const CacheBudget &machine) {
    return cost.unfolded_bytes <= machine.l2_bytes && cost.folded_bytes <= machine.last_level_bytes;
}

}  // namespace cryolite::reuse
