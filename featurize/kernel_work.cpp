#include "featurize/kernel_work.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "featurize/stage_lines.h"
#include "schedule/func_nest.h"
#include "schedule/split_tails.h"

namespace cryolite {
namespace {

double box_bytes(const Func &func, const Box &box) { return points(box) * func.bytes_per_point(); }

int64_t next_power_of_two(int64_t v) {
    int64_t p = 1;
    while (p < v) p *= 2;
    return p;
}

// What is kept of the Func at once: its store region, folded along the sliding dimension.
double allocation(const Func &func, const FuncNest &nest, bool folded) {
    Box box = nest.placement == Placement::At ? nest.store_region : func.root_region;
    if (folded) {
        Interval &i = box[static_cast<size_t>(nest.slide_dim)];
        const int64_t window = nest.compute_region[static_cast<size_t>(nest.slide_dim)].extent();
        i.max = i.min + std::min(i.extent(), next_power_of_two(window)) - 1;
    }
    return box_bytes(func, box);
}

// Iterations of a loop over one production, the last of a dimension's first as a part of one where it
// stops at the end.
double exact_extent(const StageGraph &graph, const StageWork &w, const LoopLevel &level) {
    if (level.name.level > 0) return static_cast<double>(level.extent);
    const int64_t computed =
        computed_extent(graph, *w.nest, static_cast<size_t>(level.name.dim), w.holds_others);
    return std::max(1.0, static_cast<double>(computed) / static_cast<double>(level.span));
}

// A window over one realisation, in points of its dimension.
struct WindowRun {
    double steps = 1;  // iterations of the loops that it slides along
    double fill = 0;   // points that are computed before the first of them
    double step = 1;
    // Iterations by which the loop starts earlier.
    double lead() const { return std::ceil(fill / step); }
};

WindowRun window_run(const Member &m) {
    WindowRun run;
    double mid_range_steps = 1;
    for (auto loop = m.chain.rbegin(); loop != m.chain.rend() && loop->id != m.store_loop; ++loop) {
        run.steps *= loop->iterations();
        mid_range_steps *= loop->extent;
    }
    const auto d = static_cast<size_t>(m.nest->slide_dim);
    run.step = static_cast<double>(m.nest->slide_step);
    const auto whole = static_cast<double>(m.nest->store_region[d].extent());
    run.fill = std::max(0.0, whole - mid_range_steps * run.step);
    return run;
}

// How much more is computed of a sliding window than its steps alone: it is filled before it slides.
double warm_up(const Member &m) {
    if (m.nest->slide_dim < 0) return 1;
    const WindowRun run = window_run(m);
    return 1 + run.fill / (run.steps * run.step);
}

// The loop of a stage that has more iterations where a production is more than one in mid-range.
size_t filling_loop(const Stage &stage, const FuncNest &func, const StageNest &nest) {
    if (func.slide_dim >= 0)
        for (size_t l = 0; l < nest.loops.size(); l++)
            if (stage.loops[static_cast<size_t>(nest.loops[l].name.dim)].func_dim == func.slide_dim)
                return l;
    return 0;
}

}  // namespace

KernelWork::KernelWork(const StageGraph &graph, const Machine &machine, StageExpander &expander,
                       FootprintWalker &walker, const LoopNest &nest,
                       const std::vector<FuncId> &members, Counts counts)
    : graph_(graph),
      machine_(machine),
      expander_(expander),
      walker_(walker),
      nest_(nest),
      counts_(counts) {
    for (FuncId f : members) add_member(f);
    for (auto &[f, m] : members_)  // those that read it come first
        m.shared = m.nest->slide_dim >= 0 && is_shared(f, m);
    for (auto &[f, m] : members_) {
        m.folded = is_folded(f, m);
        m.allocated_bytes = allocation(graph_.func(f), *m.nest, m.folded);
    }
    for (FuncId f : members)
        for (const StageNest &s : members_[f].nest->stages) add_stage(f, s);
    if (too_large_) return;
    collect_working_sets();
    collect_roots();
}

int KernelWork::loop_id(LoopName name) {
    auto [it, fresh] = loop_ids_.try_emplace(name, static_cast<int>(loop_ids_.size()));
    if (fresh) iteration_bytes_.emplace_back();
    return it->second;
}

void KernelWork::add_member(FuncId f) {
    Member &m = members_[f];
    m.nest = &nest_.at(f);
    const Func &func = graph_.func(f);
    m.chain_boxes.push_back(func.root_region);
    if (m.nest->placement == Placement::At) add_chain(m, func);
}

void KernelWork::add_chain(Member &m, const Func &func) {
    m.compute_loop = loop_id(*m.nest->compute_at);
    holders_.insert(m.nest->compute_at->stage);
    if (m.nest->store_at) {
        m.store_loop = loop_id(*m.nest->store_at);
        holders_.insert(m.nest->store_at->stage);
    }
    const std::vector<LoopName> around = nest_.enclosing(*m.nest->compute_at);
    for (size_t i = 0; i < around.size(); i++) {
        const StageNest &stage_nest = nest_.stage_nest(around[i].stage);
        const auto position = static_cast<size_t>(nest_.position(around[i]));
        const Stage &stage = graph_.stage(around[i].stage);
        const Member &owner = members_.at(stage.func);
        const size_t filling = filling_loop(stage, *owner.nest, stage_nest);
        const LoopLevel &level = stage_nest.loops[position];
        const bool innermost = i + 1 == around.size();
        // Whole iterations: what is computed in the last one does not shrink with it.
        m.chain.push_back({loop_id(around[i]), static_cast<double>(level.extent), level.kind,
                           position == filling ? owner.fill : 1});
        m.chain_boxes.push_back(innermost ? m.nest->compute_region
                                          : nest_.required_region(func.id, around[i]));
        // Outside of the loop that is longer there, one iteration needs more.
        if (innermost && position < filling) m.fill = owner.fill;
    }
    m.fill *= warm_up(m);
}

bool KernelWork::reads(const Member &reader, FuncId f) const {
    return std::ranges::any_of(reader.nest->stages, [&](const StageNest &s) {
        return std::ranges::count(expander_.expand(nest_, s.stage).reads, f) > 0;
    });
}

// Halide folds a window whose length it can tell (seen with 21, over grids of windows): not where an
// index is clamped; nor one that is shared; nor where the window's loop starts earlier for another one, or
// as early for one that is shared or has nothing to do with this one, and the points that fill this one
// are rounded up to whole parts.
bool KernelWork::is_folded(FuncId f, const Member &m) const {
    if (m.nest->slide_dim < 0 || m.nest->slide_is_clamped || m.shared) return false;
    const WindowRun run = window_run(m);
    bool rounds_up = false;
    for (const StageNest &s : m.nest->stages) {
        const std::vector<StageLoop> &loops = graph_.stage(s.stage).loops;
        for (size_t l = 0; l < loops.size(); l++)
            if (loops[l].func_dim == m.nest->slide_dim) {
                const int64_t span = rounding_span(graph_, s, l, holders_.contains(s.stage));
                rounds_up |= std::fmod(run.fill, static_cast<double>(span)) != 0;
            }
    }
    if (!rounds_up) return true;
    return std::ranges::none_of(members_, [&](const auto &entry) {
        const auto &[g, other] = entry;
        if (g == f || other.nest->slide_dim < 0 || other.compute_loop != m.compute_loop)
            return false;
        const double later = window_run(other).lead() - run.lead();
        const bool alone = !reads(m, g) && !reads(other, f);
        return later > 0 || (later == 0 && (alone || other.shared));
    });
}

// Whether another window of the same loop reads the Func, and something besides windows: the rows that are
// needed together then hang on when that window starts, unless that is a whole number of iterations early.
// (Of what two such windows read Halide 21 folds some, and of longer chains it folds less, than is believed.)
bool KernelWork::is_shared(FuncId f, const Member &m) const {
    bool by_late_window = false, by_others = false;
    for (const auto &[g, other] : members_) {
        if (g == f || !reads(other, f)) continue;
        if (other.nest->slide_dim >= 0 && other.compute_loop == m.compute_loop) {
            const WindowRun run = window_run(other);
            by_late_window |= std::fmod(run.fill, run.step) != 0;
        } else {
            by_others = true;
        }
    }
    return by_late_window && by_others;
}

void KernelWork::add_stage(FuncId f, const StageNest &s) {
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
    w.holds_others = holders_.contains(s.stage);
    const size_t filling = filling_loop(*w.stage, *m.nest, s);
    for (size_t l = 0; l < s.loops.size(); l++)
        w.stack.push_back({loop_id(s.loops[l].name), exact_extent(graph_, w, s.loops[l]),
                           s.loops[l].kind, l == filling ? m.fill : 1});
    w.runs.push_back(1);
    for (const StackLoop &l : w.stack) w.runs.push_back(w.runs.back() * l.iterations());

    w.stores.producer = f;
    for (FuncId g : w.body->reads) w.reads.emplace_back().producer = g;
    const auto note = [&](Accesses &a, const Intervals &ranges, const Box &box, double points) {
        const Func &accessed = graph_.func(a.producer);
        a.touched.push_back(touched(accessed, box, points));
        if (counts_ == Counts::BytesAndLines)
            a.lines.push_back(stage_lines(machine_, w, accessed.id, Layout(nest_, accessed.id),
                                          &a == &w.stores, ranges, box, storage(accessed)));
    };
    Intervals ranges = s.range;
    for (size_t p = 0; p <= w.stack.size(); p++) {
        Box stored;
        if (p <= w.enclosing) {
            // Of a window, a production computes the new part only.
            stored =
                p == w.enclosing ? newly_computed(*m.nest, m.chain_boxes[p]) : m.chain_boxes[p];
            graph_.loop_ranges(*w.stage, stored, ranges);
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
        for (size_t i = 0; i < w.reads.size(); i++) {
            const double loads = loads_of(*w.body, w.reads[i].producer);
            note(w.reads[i], ranges, boxes_[i], iterations * loads);
        }
        // An update writes where its own indices say: its edge to itself knows.
        if (w.stage->index > 0)
            for (size_t i = 0; i < w.reads.size(); i++)
                if (w.reads[i].producer == f) stored = boxes_[i];
        note(w.stores, ranges, stored,
             w.stage->is_undefined ? 0 : std::numeric_limits<double>::infinity());
    }
    work_.push_back(std::move(w));
}

// `points`: at most so many of the box are touched. A strided read leaves most of it out.
Touched KernelWork::touched(const Func &func, const Box &box, double points) const {
    const Box &stored = storage(func);
    const Layout layout(nest_, func.id);
    const double whole = line_bytes(layout, box, stored, line());
    if (points == 0 || whole == 0) return {};
    Touched t;
    t.bytes = std::min(whole, points * line());
    t.unique_bytes = std::min(cryolite::points(box), points) * func.bytes_per_point();
    t.occupied = machine_.caches.empty()
                     ? whole
                     : occupied_bytes(layout, box, stored, whole, machine_.caches[0]);
    t.occupied *= t.bytes / whole;
    t.streams = contiguous_runs(layout, box, stored);
    return t;
}

const Box &KernelWork::storage(const Func &func) const {
    const auto it = members_.find(func.id);
    return it != members_.end() && it->second.nest->placement == Placement::At
               ? it->second.nest->store_region
               : func.root_region;
}

void KernelWork::collect_roots() {
    std::set<FuncId> roots;
    for (const auto &[f, m] : members_)
        if (m.compute_loop < 0) roots.insert(f);
    for (const StageWork &w : work_)
        for (const Accesses &r : w.reads)
            if (!members_.contains(r.producer)) roots.insert(r.producer);
    for (FuncId f : roots) root_bytes_ += box_bytes(graph_.func(f), graph_.func(f).root_region);
    bytes_between_runs_ = root_bytes_;
    for (const Func &f : graph_.funcs())
        if ((f.is_input() || f.is_output()) && !roots.contains(f.id))
            bytes_between_runs_ += box_bytes(f, f.root_region);
}

double KernelWork::allocated_in_loops() const {
    double sum = 0;
    for (const auto &[f, m] : members_)
        if (m.store_loop >= 0) sum += m.allocated_bytes;
    return sum;
}

// Bytes of Func g that matter inside loop `id` when a stage there touches `bytes` of it: what is
// stored inside the loop occupies its allocation only, however often it is rewritten.
double KernelWork::capped(FuncId g, int id, double bytes) const {
    auto it = members_.find(g);
    if (it == members_.end()) return bytes;
    const Member &m = it->second;
    for (const StackLoop &l : m.chain) {
        if (l.id == id) return std::min(bytes, m.allocated_bytes);
        if (l.id == m.store_loop) break;
    }
    return bytes;
}

void KernelWork::collect_working_sets() {
    for (const StageWork &w : work_) {
        for (size_t p = 0; p < w.stack.size(); p++) {
            auto &touched = iteration_bytes_[static_cast<size_t>(w.stack[p].id)];
            auto note = [&](const Accesses &a) {
                Bytes &b = touched[a.producer];
                const int id = w.stack[p].id;
                const Touched &t = a.touched[p + 1];
                b.lines = std::max(b.lines, capped(a.producer, id, t.bytes));
                b.occupied = std::max(b.occupied, capped(a.producer, id, t.occupied));
                if (a.lines.empty()) return;
                const double whole = a.lines[p + 1].lines * line();
                b.whole_lines = std::max(b.whole_lines, capped(a.producer, id, whole) / line());
            };
            for (const Accesses &r : w.reads) note(r);
            note(w.stores);
        }
    }
    for (const auto &touched : iteration_bytes_) {
        Bytes sum;
        for (const auto &[g, b] : touched) {
            sum.lines += b.lines;
            sum.occupied += b.occupied;
            sum.whole_lines += b.whole_lines;
        }
        working_set_.push_back(sum);
    }
}

}  // namespace cryolite
