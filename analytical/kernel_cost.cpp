#include "analytical/kernel_cost.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analytical/stage_cycles.h"

namespace cryolite {
namespace {

// Share of a cache that a working set can fill before conflicts and other data evict it.
constexpr double usable_share = 0.7;
// Share of the lesser of two overlapping costs that is not hidden by out-of-order execution.
constexpr double exposed_share = 0.5;
// Constant-sized allocations up to this go to the stack (Halide's limit) and cost nothing.
constexpr double stack_bytes = 16 * 1024;

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
    std::vector<double> streams;  // runs of consecutive memory
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
        for (const auto &[f, m] : members_)
            if (m.store_loop >= 0) allocated_in_loops_ += m.allocated_bytes;
        for (const StageWork &w : work_) {
            out.stages.push_back(time_of(w));
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
        for (FuncId g : w.body->reads) w.reads.push_back({g, {}, {}});
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
            for (size_t i = 0; i < w.reads.size(); i++) note_box(w.reads[i], boxes_[i]);
            // An update writes where its own indices say: its edge to itself knows.
            if (w.stage->index > 0)
                for (size_t i = 0; i < w.reads.size(); i++)
                    if (w.reads[i].producer == f) stored = boxes_[i];
            note_box(w.stores, stored);
        }
        work_.push_back(std::move(w));
    }

    void note_box(Touched &touched, const Box &box) const {
        const Func &func = graph_.func(touched.producer);
        touched.bytes.push_back(line_bytes(func, box, line()));
        touched.streams.push_back(contiguous_runs(func, box));
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
                auto note = [&](FuncId g, double bytes) {
                    double &b = touched[g];
                    b = std::max(b, capped(g, w.stack[p].id, bytes));
                };
                for (const Touched &r : w.reads) note(r.producer, r.bytes[p + 1]);
                note(w.stage->func, w.stores.bytes[p + 1]);
            }
        }
        for (const auto &touched : iteration_bytes_) {
            double sum = 0;
            for (const auto &[g, b] : touched) sum += b;
            working_set_.push_back(sum);
        }
    }

    // Bytes of a read that cross into a cache of `size` over the whole pipeline.
    double traffic(const StageWork &w, const Touched &r, double size,
                   double stream_start_lines) const {
        const double room = size * usable_share;
        auto it = members_.find(r.producer);
        if (it != members_.end() && it->second.compute_loop >= 0) {
            if (working_set_[static_cast<size_t>(it->second.compute_loop)] <= room) return 0;
        } else if (r.producer == w.stage->func) {
            // An update of a Func at root: its own values, counted with the stores.
            return 0;
        } else if (const Func &g = graph_.func(r.producer);
                   !g.is_input() && box_bytes(g, g.root_region) <= room / 2) {
            return 0;  // a small Func at root is still there
        }
        return crossing(w, r, room, stream_start_lines);
    }

    double store_traffic(const StageWork &w, double size, double stream_start_lines) const {
        const Member &m = members_.at(w.stage->func);
        const double room = size * usable_share;
        if (m.compute_loop >= 0 && working_set_[static_cast<size_t>(m.compute_loop)] <= room)
            return 0;
        if (!graph_.func(w.stage->func).is_output() && m.compute_loop < 0 &&
            m.allocated_bytes <= room / 2)
            return 0;
        // The line is read for ownership, then written back.
        return 2 * crossing(w, w.stores, room, stream_start_lines);
    }

    double crossing(const StageWork &w, const Touched &t, double room,
                    double stream_start_lines) const {
        // The outermost loop one iteration of which fits.
        size_t p = w.stack.size();
        while (p > 0 && working_set_[static_cast<size_t>(w.stack[p - 1].id)] <= room) p--;
        // Data that no further loop changes is touched again and again and stays.
        while (p > 0 && t.bytes[p - 1] <= t.bytes[p] * 1.01) p--;
        const size_t run = p == 0 ? 0 : p - 1;
        // A stream that starts inside the loop starts anew at each of its iterations.
        const double streams =
            p == 0 ? t.streams[0] : std::max(t.streams[run], t.streams[p] * w.stack[run].extent);
        return (t.bytes[run] + streams * stream_start_lines * line()) * w.runs[run];
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
        t.core_seconds =
            machine_.cycles_to_seconds(cycles.per_realisation * t.realisations) * warm_up(m);

        std::vector<double> level_seconds;
        double bounded = t.core_seconds / t.speedup, sum = bounded;
        for (size_t c = 0; c < machine_.caches.size(); c++) {
            const CacheLevel &cache = machine_.caches[c];
            const double sharing = std::min<double>(cache.cores_sharing, cores);
            const double size = static_cast<double>(cache.size_bytes) / std::max(1.0, sharing);
            const bool last = c + 1 == machine_.caches.size();
            // What the prefetchers miss at the start of a stream, in lines' time.
            const double start = c == 0 ? 0.5 : last ? 8 : 4;
            double bytes = store_traffic(w, size, start);
            for (const Touched &r : w.reads) bytes += traffic(w, r, size, start);
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
    std::vector<std::map<FuncId, double>> iteration_bytes_;  // by loop id: touched by one iteration
    std::vector<double> working_set_;                        // their sums
    std::vector<Box> boxes_;
    double allocated_in_loops_ = 0;
    bool too_large_ = false;
};

}  // namespace

KernelTime KernelCost::evaluate(const LoopNest &nest, const std::vector<FuncId> &members) {
    return Evaluation(graph_, machine_, expander_, walker_, nest).run(members);
}

}  // namespace cryolite
