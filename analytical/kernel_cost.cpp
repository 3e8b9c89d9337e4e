#include "analytical/kernel_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analytical/stage_cycles.h"

namespace cryolite {
namespace {

// Share of a cache that a working set can fill before conflicts and other data evict it.
constexpr double usable_share = 0.8;
// Share of the lesser of two overlapping costs that is not hidden by out-of-order execution.
constexpr double exposed_share = 0.5;
// Constant-sized allocations up to this go to the stack (Halide's limit) and cost nothing.
constexpr double stack_bytes = 16 * 1024;
// Unrolled code beyond this many operations no longer fits a CPU's instruction cache, and takes LLVM
// minutes to compile.
constexpr double max_unrolled_operations = 2048;

// One loop around a stage, its own or of a Func that it is computed in.
struct StackLoop {
    int id = 0;  // dense over the kernel
    double extent = 1;
    LoopKind kind = LoopKind::Serial;
};

// What a stage touches of one Func. [p]: by one run of stack loop p; [n]: by one iteration of the
// innermost loop.
struct Touched {
    FuncId producer;
    std::vector<double> bytes;
    std::vector<double> occupied;  // of an L1 cache, with the sets that rows compete for
    std::vector<double> streams;   // runs of consecutive memory
};

struct Bytes {
    double lines = 0;
    double occupied = 0;  // see Touched
};

struct StageWork {
    const Stage *stage = nullptr;
    const StageNest *nest = nullptr;
    const ExpandedStage *body = nullptr;
    std::vector<StackLoop> stack;
    size_t enclosing = 0;  // loops of other Funcs
    std::vector<double>
        runs;  // [p]: how often loop p is run in all; [n]: iterations of the innermost
    std::vector<Touched> reads;
    Touched stores;  // its own Func
};

struct Member {
    const FuncNest *nest = nullptr;
    int compute_loop = -1;  // id; -1: root
    int store_loop = -1;
    std::vector<StackLoop> chain;  // loops around it, outermost first
    std::vector<Box>
        chain_boxes;  // [p]: its region over one run of chain loop p; back(): compute region
    double allocated_bytes = 0;
};

double box_bytes(const Func &func, const Box &box) { return points(box) * func.bytes_per_point(); }

int64_t next_power_of_two(int64_t v) {
    int64_t p = 1;
    while (p < v) p *= 2;
    return p;
}

// What is kept of the Func at once: its store region, folded along the sliding dimension.
double allocation(const Func &func, const FuncNest &nest) {
    Box box = nest.placement == Placement::At ? nest.store_region : func.root_region;
    if (nest.placement == Placement::At && nest.slide_dim >= 0) {
        Interval &i = box[static_cast<size_t>(nest.slide_dim)];
        const int64_t window = nest.compute_region[static_cast<size_t>(nest.slide_dim)].extent();
        i.max = i.min + std::min(i.extent(), next_power_of_two(window)) - 1;
    }
    return box_bytes(func, box);
}

class Evaluation {
public:
    Evaluation(const StageGraph &graph, const Machine &machine, StageExpander &expander,
               FootprintWalker &walker, const LoopNest &nest)
        : graph_(graph), machine_(machine), expander_(expander), walker_(walker), nest_(nest) {}

    KernelTime run(const std::vector<FuncId> &members) {
        for (FuncId f : members) add_member(f);
        for (FuncId f : members)
            for (const StageNest &s : members_[f].nest->stages) add_stage(f, s);
        KernelTime out;
        if (too_large_) {
            out.too_large = true;
            return out;
        }
        collect_working_sets();
        root_bytes_ = bytes_of_roots();
        for (const auto &[f, m] : members_)
            if (m.store_loop >= 0) allocated_in_loops_ += m.allocated_bytes;
        for (const StageWork &w : work_) {
            out.stages.push_back(time_of(w));
            out.too_large |= out.stages.back().too_large;
            out.seconds += out.stages.back().seconds;
        }
        for (const auto &[f, m] : members_) out.peak_bytes += m.allocated_bytes;
        return out;
    }

private:
    int loop_id(LoopName name) {
        auto [it, fresh] = loop_ids_.try_emplace(name, static_cast<int>(loop_ids_.size()));
        if (fresh) iteration_bytes_.emplace_back();
        return it->second;
    }

    void add_member(FuncId f) {
        Member &m = members_[f];
        m.nest = &nest_.at(f);
        const Func &func = graph_.func(f);
        if (m.nest->placement == Placement::At) {
            m.compute_loop = loop_id(*m.nest->compute_at);
            if (m.nest->store_at) m.store_loop = loop_id(*m.nest->store_at);
            const std::vector<LoopName> around = nest_.enclosing(*m.nest->compute_at);
            m.chain_boxes.push_back(func.root_region);
            for (size_t i = 0; i < around.size(); i++) {
                const StageNest &owner = nest_.stage_nest(around[i].stage);
                const LoopLevel &level =
                    owner.loops[static_cast<size_t>(nest_.position(around[i]))];
                // Whole iterations: what is computed in the last one does not shrink with it.
                m.chain.push_back(
                    {loop_id(around[i]), static_cast<double>(level.extent), level.kind});
                m.chain_boxes.push_back(i + 1 == around.size()
                                            ? m.nest->compute_region
                                            : nest_.required_region(f, around[i]));
            }
        } else {
            m.chain_boxes.push_back(func.root_region);
        }
        m.allocated_bytes = allocation(func, *m.nest);
    }

    // The first loop of a dimension does not run past the end: its last iteration is a part of one.
    static double exact_extent(const StageNest &nest, const LoopLevel &level) {
        if (level.name.level > 0) return static_cast<double>(level.extent);
        const Interval &range = nest.range[static_cast<size_t>(level.name.dim)];
        return std::max(1.0, static_cast<double>(range.extent()) / static_cast<double>(level.span));
    }

    void add_stage(FuncId f, const StageNest &s) {
        const Member &m = members_[f];
        const Func &func = graph_.func(f);
        StageWork w;
        w.stage = &graph_.stage(s.stage);
        w.nest = &s;
        w.body = &expander_.expand(nest_, s.stage);
        if (w.body->too_large) {
            too_large_ = true;
            return;
        }
        w.stack = m.chain;
        w.enclosing = m.chain.size();
        for (const LoopLevel &l : s.loops) {
            w.stack.push_back({loop_id(l.name), exact_extent(s, l), l.kind});
        }
        w.runs.push_back(1);
        for (const StackLoop &l : w.stack) w.runs.push_back(w.runs.back() * l.extent);

        w.stores.producer = f;
        for (FuncId g : w.body->reads) w.reads.push_back({g, {}, {}, {}});
        std::vector<Interval> ranges = s.range;
        for (size_t p = 0; p <= w.stack.size(); p++) {
            Box stored;
            if (p <= w.enclosing) {
                graph_.loop_ranges(*w.stage, m.chain_boxes[p], ranges);
                stored = m.chain_boxes[p];
            } else {
                const LoopLevel &l = s.loops[p - w.enclosing - 1];
                Interval &r = ranges[static_cast<size_t>(l.name.dim)];
                const int64_t iterations = (r.extent() + l.span - 1) / l.span;
                r.min += l.span * ((iterations - 1) / 2);
                r.max = std::min(r.max, r.min + l.span - 1);
                stored = m.nest->compute_region;
                if (m.nest->placement == Placement::Root) stored = func.root_region;
                for (size_t d = 0; d < ranges.size(); d++)
                    if (w.stage->loops[d].func_dim >= 0)
                        stored[static_cast<size_t>(w.stage->loops[d].func_dim)] = ranges[d];
            }
            walker_.walk(*w.body, ranges, boxes_);
            double iterations = 1;
            for (const Interval &r : ranges) iterations *= static_cast<double>(r.extent());
            for (size_t i = 0; i < w.reads.size(); i++)
                note_box(w.reads[i], boxes_[i],
                         iterations * loads_of(*w.body, w.reads[i].producer));
            // An update writes where its own indices say: its edge to itself knows.
            if (w.stage->index > 0)
                for (size_t i = 0; i < w.reads.size(); i++)
                    if (w.reads[i].producer == f) stored = boxes_[i];
            note_box(w.stores, stored, std::numeric_limits<double>::infinity());
        }
        work_.push_back(std::move(w));
    }

    static double loads_of(const ExpandedStage &body, FuncId producer) {
        double loads = 0;
        for (const LoadGroup &l : body.loads)
            if (l.producer == producer) loads += l.count;
        return std::max(1.0, loads);
    }

    // `points`: at most so many of the box are touched. A strided read leaves most of it out.
    void note_box(Touched &touched, const Box &box, double points) const {
        const Func &func = graph_.func(touched.producer);
        const Box &stored = storage(func);
        const double whole = line_bytes(func, box, stored, line());
        const double bytes = std::min(whole, points * line());
        const double occupied =
            machine_.caches.empty() ? whole : occupied_bytes(func, box, stored, machine_.caches[0]);
        touched.bytes.push_back(bytes);
        touched.occupied.push_back(occupied * bytes / whole);
        touched.streams.push_back(contiguous_runs(func, box, stored));
    }

    const Box &storage(const Func &func) const {
        const auto it = members_.find(func.id);
        return it != members_.end() && it->second.nest->placement == Placement::At
                   ? it->second.nest->store_region
                   : func.root_region;
    }

    double bytes_of_roots() const {
        std::set<FuncId> roots;
        for (const auto &[f, m] : members_)
            if (m.compute_loop < 0) roots.insert(f);
        for (const StageWork &w : work_)
            for (const Touched &r : w.reads)
                if (!members_.contains(r.producer)) roots.insert(r.producer);
        double sum = 0;
        for (FuncId f : roots) sum += box_bytes(graph_.func(f), graph_.func(f).root_region);
        return sum;
    }

    int line() const { return machine_.caches.empty() ? 64 : machine_.caches[0].line_bytes; }

    // Bytes of Func g that matter inside loop `id` when a stage there touches `bytes` of it: what is
    // stored inside the loop occupies its allocation only, however often it is rewritten.
    double capped(FuncId g, int id, double bytes) const {
        auto it = members_.find(g);
        if (it == members_.end()) return bytes;
        const Member &m = it->second;
        for (const StackLoop &l : m.chain) {
            if (l.id == id) return std::min(bytes, m.allocated_bytes);
            if (l.id == m.store_loop) break;
        }
        return bytes;
    }

    void collect_working_sets() {
        for (const StageWork &w : work_) {
            for (size_t p = 0; p < w.stack.size(); p++) {
                auto &touched = iteration_bytes_[static_cast<size_t>(w.stack[p].id)];
                auto note = [&](const Touched &t) {
                    Bytes &b = touched[t.producer];
                    const int id = w.stack[p].id;
                    b.lines = std::max(b.lines, capped(t.producer, id, t.bytes[p + 1]));
                    b.occupied = std::max(b.occupied, capped(t.producer, id, t.occupied[p + 1]));
                };
                for (const Touched &r : w.reads) note(r);
                note(w.stores);
            }
        }
        for (const auto &touched : iteration_bytes_) {
            Bytes sum;
            for (const auto &[g, b] : touched) {
                sum.lines += b.lines;
                sum.occupied += b.occupied;
            }
            working_set_.push_back(sum);
        }
    }

    // What one iteration of a loop needs of cache c.
    double working_set(int loop, size_t c) const {
        const Bytes &b = working_set_[static_cast<size_t>(loop)];
        return c == 0 ? b.occupied : b.lines;
    }

    // Bytes of a read that cross into cache c over the whole pipeline, and the lines' time that is
    // lost where streams start, as bytes.
    double traffic(const StageWork &w, const Touched &r, size_t c, double size) const {
        const double room = size * usable_share;
        auto it = members_.find(r.producer);
        if (it != members_.end() && it->second.compute_loop >= 0) {
            if (working_set(it->second.compute_loop, c) <= room) return 0;
        } else if (r.producer == w.stage->func) {
            // An update of a Func at root: its own values, counted with the stores.
            return 0;
        } else if (!graph_.func(r.producer).is_input() && root_bytes_ <= room) {
            return 0;  // what was stored at root for this kernel is still there
        }
        return crossing(w, r, c, room);
    }

    double store_traffic(const StageWork &w, size_t c, double size) const {
        const Member &m = members_.at(w.stage->func);
        const double room = size * usable_share;
        if (m.compute_loop >= 0 && working_set(m.compute_loop, c) <= room) return 0;
        if (!graph_.func(w.stage->func).is_output() && m.compute_loop < 0 &&
            m.allocated_bytes <= room / 2)
            return 0;
        // The line is read for ownership, then written back.
        return 2 * crossing(w, w.stores, c, room);
    }

    double crossing(const StageWork &w, const Touched &t, size_t c, double room) const {
        // The outermost loop one iteration of which fits: within one run of it, what consecutive
        // iterations share is still there, so a run brings in what it touches once.
        size_t p = w.stack.size();
        while (p > 0 && working_set(w.stack[p - 1].id, c) <= room) p--;
        // Data that no further loop changes is touched again and again and stays, if it is small
        // beside what streams past it.
        const std::vector<double> &held = c == 0 ? t.occupied : t.bytes;
        while (p > 0 && t.bytes[p - 1] <= t.bytes[p] * 1.01 && held[p - 1] <= room / 2) p--;
        const double starts = stream_starts(w, t, p);
        return (t.bytes[p] + starts * start_lines(c, t.bytes[p] / starts) * line()) * w.runs[p];
    }

    // How often one run of loop p starts to walk along consecutive memory anew.
    double stream_starts(const StageWork &w, const Touched &t, size_t p) const {
        double starts = t.streams.back();
        for (size_t q = w.stack.size(); q-- > p;) {
            // The prefetchers carry a few streams over to the next iteration; more start again.
            const bool followed = starts <= machine_.followed_streams;
            starts *= std::max(
                1.0, followed ? t.streams[q] / t.streams[q + 1] : t.bytes[q] / t.bytes[q + 1]);
        }
        return starts;
    }

    // What one start costs on the way into cache c, in lines' time.
    double start_lines(size_t c, double run_bytes) const {
        if (c + 1 < machine_.caches.size()) return c == 0 ? 0.5 : machine_.cache_stream_start_lines;
        return std::clamp(2 * run_bytes / line(), machine_.memory_stream_start_lines,
                          machine_.memory_stream_start_lines_max);
    }

    // A sliding window is filled before it slides: how much more is computed than the steps alone.
    static double warm_up(const Member &m) {
        if (m.nest->slide_dim < 0) return 1;
        double steps = 1;
        for (auto loop = m.chain.rbegin(); loop != m.chain.rend() && loop->id != m.store_loop;
             ++loop)
            steps *= loop->extent;
        const size_t d = static_cast<size_t>(m.nest->slide_dim);
        const double whole = static_cast<double>(m.nest->store_region[d].extent());
        return std::max(1.0, whole / (steps * static_cast<double>(m.nest->slide_step)));
    }

    StageTime time_of(const StageWork &w) const {
        const Func &func = graph_.func(w.stage->func);
        const Member &m = members_.at(w.stage->func);
        StageTime t;
        t.stage = w.stage->id;
        t.realisations = w.runs[w.enclosing];
        // Parallelism: the loops of the stack that run in parallel.
        double tasks = 1, loop_runs = 0;
        for (size_t p = 0; p < w.stack.size(); p++) {
            if (w.stack[p].kind != LoopKind::Parallel) continue;
            if (tasks == 1)
                loop_runs = p >= w.enclosing ? w.runs[p] : 0;  // the owner pays for starting it
            tasks *= std::ceil(w.stack[p].extent);
        }
        const double cores = std::min<double>(machine_.cores, tasks);
        t.speedup = tasks <= 1 ? 1 : tasks / std::ceil(tasks / machine_.cores);

        const StageCycles cycles = stage_cycles(graph_, machine_, *w.nest, *w.body, *m.nest);
        t.too_large = cycles.copies > 1 && cycles.code_operations > max_unrolled_operations;
        t.core_seconds =
            machine_.cycles_to_seconds(cycles.per_realisation * t.realisations) * warm_up(m);

        std::vector<double> level_seconds;
        double bounded = t.core_seconds / t.speedup, sum = bounded;
        for (size_t c = 0; c < machine_.caches.size(); c++) {
            const CacheLevel &cache = machine_.caches[c];
            const double sharing = std::min<double>(cache.cores_sharing, cores);
            const double size = static_cast<double>(cache.size_bytes) / std::max(1.0, sharing);
            const bool last = c + 1 == machine_.caches.size();
            double bytes = store_traffic(w, c, size);
            for (const Touched &r : w.reads) bytes += traffic(w, r, c, size);
            const double one = last ? machine_.memory_core_bytes_per_cycle
                                    : machine_.caches[c + 1].core_bytes_per_cycle;
            const double all = last ? machine_.memory_total_bytes_per_cycle
                               : machine_.caches[c + 1].cores_sharing > 1
                                   ? machine_.caches[c + 1].total_bytes_per_cycle
                                   : one * machine_.cores;
            const double bandwidth = std::min(one * t.speedup, all);
            const double seconds = machine_.cycles_to_seconds(bytes / bandwidth);
            level_seconds.push_back(seconds);
            bounded = std::max(bounded, seconds);
            sum += seconds;
        }
        if (!level_seconds.empty()) t.memory_seconds = level_seconds.back();
        if (level_seconds.size() > 1) t.l2_seconds = level_seconds.front();
        if (level_seconds.size() > 2)
            t.last_level_seconds = level_seconds[level_seconds.size() - 2];

        if (loop_runs > 0)
            t.overhead_seconds +=
                loop_runs * (machine_.parallel_loop_seconds +
                             tasks * machine_.parallel_task_seconds / std::max(1.0, cores));
        if (w.stage->index == 0 && !func.is_output() && m.allocated_bytes > stack_bytes) {
            double allocations = 1;
            for (const StackLoop &l : m.chain) {
                allocations *= l.extent;
                if (l.id == m.store_loop) break;
            }
            if (m.store_loop < 0) allocations = 1;
            t.overhead_seconds += allocations * machine_.allocation_seconds / t.speedup;
            const bool fresh =
                m.store_loop < 0
                    ? m.allocated_bytes >= static_cast<double>(machine_.large_allocation_bytes)
                    : allocated_in_loops_ > static_cast<double>(machine_.arena_kept_bytes);
            if (fresh)
                t.overhead_seconds += allocations * m.allocated_bytes /
                                      static_cast<double>(machine_.page_bytes) *
                                      machine_.page_fault_seconds / t.speedup;
        }
        t.seconds = bounded + exposed_share * (sum - bounded) + t.overhead_seconds;
        return t;
    }

    const StageGraph &graph_;
    const Machine &machine_;
    StageExpander &expander_;
    FootprintWalker &walker_;
    const LoopNest &nest_;
    std::map<FuncId, Member> members_;
    std::vector<StageWork> work_;
    std::map<LoopName, int> loop_ids_;
    std::vector<std::map<FuncId, Bytes>> iteration_bytes_;  // by loop id: touched by one iteration
    std::vector<Bytes> working_set_;                        // their sums
    std::vector<Box> boxes_;
    double root_bytes_ = 0;  // of all that is stored at root and read or written by the kernel
    double allocated_in_loops_ = 0;
    bool too_large_ = false;
};

}  // namespace

KernelTime KernelCost::evaluate(const LoopNest &nest, const std::vector<FuncId> &members) {
    return Evaluation(graph_, machine_, expander_, walker_, nest).run(members);
}

}  // namespace cryolite
