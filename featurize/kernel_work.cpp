#include "featurize/kernel_work.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "code/stage/split_tails.h"
#include "featurize/stage_lines.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// The iteration that many quarters into a loop over `range`.
Interval iteration_at(const Interval &range, int64_t span, int64_t quarters) {
    const int64_t iterations = (range.extent() + span - 1) / span;
    const int64_t min = range.min + span * ((iterations - 1) * quarters / 4);
    return {min, std::min(range.max, min + span - 1)};
}

// The loads of a Func if one of them has an unknown base; else none.
SmallVector<const LoadGroup *, 4> loads_anywhere(const ExpandedStage &body, FuncId f) {
    SmallVector<const LoadGroup *, 4> loads;
    bool any = false;
    for (const LoadGroup &load : body.loads) {
        if (load.producer != f) continue;
        loads.push_back(&load);
        any |= load.gather;
    }
    if (!any) loads.clear();
    return loads;
}

}  // namespace

KernelWork::KernelWork(const StageGraph &graph, const Machine &machine, StageExpander &expander,
                       FootprintWalker &walker, const LoopNest &nest,
                       std::span<const FuncId> members, Counts counts)
    : graph_(graph),
      machine_(machine),
      walker_(walker),
      counts_(counts),
      code_(graph, expander, nest, members) {
    if (code_.too_large()) return;
    work_.reserve(code_.stages().size());
    for (const StageCode &c : code_.stages())
        add_touched(code_.members().at(c.stage->func), work_.emplace_back(StageWork{&c, {}, {}}));
    collect_working_sets();
    collect_roots();
}

// An iteration of a reduction loop that stands for all: the one in mid-range, or at one or three quarters if the stage
// reads more there. A condition may exclude the middle. Example: a sum over k <= y, in rows y that end above the middle,
// has no middle k.
Interval KernelWork::least_excluded(const StageWork &w, const LoopLevel &loop, Intervals ranges) {
    const auto d = static_cast<size_t>(loop.name.dim);
    const Interval whole = ranges[d];
    Interval best;
    double most = -1;
    for (int64_t quarter : {2, 1, 3}) {
        ranges[d] = iteration_at(whole, loop.span, quarter);
        walker_.walk(*w.code->body, ranges, boxes_);
        double read = 0;
        for (const Box &box : boxes_) read += points(box);
        if (read <= most) continue;
        most = read;
        best = ranges[d];
    }
    return best;
}

void KernelWork::add_touched(const Member &m, StageWork &w) {
    const Func &func = graph_.func(w.code->stage->func);
    const size_t levels = w.code->stack.size() + 1;
    targets_.clear();
    w.reads.resize(w.code->body->reads.size());
    for (size_t i = 0; i < w.reads.size(); i++) {
        w.reads[i].producer = w.code->body->reads[i];
        w.reads[i].touched.reserve(levels);
        targets_.push_back(
            target(w.code->body->reads[i], loads_of(*w.code->body, w.code->body->reads[i])));
        targets_.back().anywhere = loads_anywhere(*w.code->body, w.code->body->reads[i]);
        targets_.back().skipping = skipping(w, w.code->body->reads[i], targets_.back().layout);
    }
    w.stores.producer = func.id;
    w.stores.touched.reserve(levels);
    targets_.push_back(target(func.id, 0));

    const auto note = [&](Accesses &a, const Target &to, const Intervals &ranges, const Box &box,
                          double points) {
        a.touched.push_back(touched(to, ranges, box, points));
        if (counts_ == Counts::BytesAndLines)
            a.lines.push_back(stage_lines(machine_, w, to.func->id, to.layout, &a == &w.stores,
                                          ranges, box, *to.stored));
    };
    const auto note_again = [&](Accesses &a) {
        a.touched.push_back(a.touched.back());
        if (counts_ == Counts::BytesAndLines) a.lines.push_back(a.lines.back());
    };
    Intervals ranges = w.code->nest->range, ranges_before;
    Box stored, stored_before;
    for (size_t p = 0; p < levels; p++) {
        if (p <= w.code->enclosing) {
            // A production computes only the new part of a window.
            stored = p == w.code->enclosing ? newly_computed(*m.nest, m.chain_boxes[p])
                                            : m.chain_boxes[p];
            graph_.loop_ranges(*w.code->stage, stored, ranges);
        } else {
            const LoopLevel &l = w.code->nest->loops[p - w.code->enclosing - 1];
            Interval &r = ranges[static_cast<size_t>(l.name.dim)];
            const StageLoop &loop = w.code->stage->loops[static_cast<size_t>(l.name.dim)];
            r = w.code->stage->predicate_is_plain && loop.is_reduction
                    ? least_excluded(w, l, ranges)
                    : iteration_at(r, l.span, 2);
            stored =
                m.nest->placement == Placement::Root ? func.root_region : m.nest->compute_region;
            for (size_t d = 0; d < ranges.size(); d++)
                if (w.code->stage->loops[d].func_dim >= 0)
                    stored[static_cast<size_t>(w.code->stage->loops[d].func_dim)] = ranges[d];
        }
        // A loop with one iteration changes nothing.
        if (p > 0 && ranges == ranges_before && stored == stored_before) {
            for (Accesses &a : w.reads) note_again(a);
            note_again(w.stores);
            continue;
        }
        ranges_before = ranges;
        stored_before = stored;
        walker_.walk(*w.code->body, ranges, boxes_);
        double iterations = 1;
        for (const Interval &r : ranges) iterations *= static_cast<double>(r.extent());
        for (size_t i = 0; i < w.reads.size(); i++)
            note(w.reads[i], targets_[i], ranges, boxes_[i], iterations * targets_[i].loads);
        // The indices of an update say where it writes. Its edge to itself has that box.
        const Box *written = &stored;
        if (w.code->stage->index > 0)
            for (size_t i = 0; i < w.reads.size(); i++)
                if (w.reads[i].producer == func.id) written = &boxes_[i];
        note(w.stores, targets_.back(), ranges, *written,
             w.code->stage->is_undefined ? 0 : std::numeric_limits<double>::infinity());
    }
}

KernelWork::Target KernelWork::target(FuncId f, double loads) const {
    const Func &func = graph_.func(f);
    const auto it = members().find(f);
    const bool inside = it != members().end() && it->second.nest->placement == Placement::At;
    return {&func, Layout(nest(), f), inside ? &it->second.nest->store_region : &func.root_region,
            loads};
}

KernelWork::Parts KernelWork::parts(const Target &target, const Intervals &ranges,
                                    const Box &box) const {
    Parts sum;
    const int element = target.layout.bytes_per_point;
    for (const LoadGroup *load : target.anywhere) {
        double places = 1;
        for (size_t l = 0; l < ranges.size(); l++)
            if (load->scattered[l]) places *= static_cast<double>(ranges[l].extent());
        const Box part = box_of_group(*load, ranges, box);
        sum.lines += places * touched_lines(target.layout, part, *target.stored, line(), element,
                                            load->gather);
        sum.runs += places * contiguous_runs(target.layout, part, *target.stored);
    }
    return sum;
}

// Loads such as f(x, y) and f(x, y + 19), with no load of the rows between them.
const LoadGroup *KernelWork::skipping(const StageWork &w, FuncId f, const Layout &layout) const {
    const LoadGroup *only = nullptr;
    for (const LoadGroup &load : w.code->body->loads) {
        if (load.producer != f) continue;
        if (only) return nullptr;  // the others may load the rows between
        only = &load;
    }
    for (size_t d = 0; only && d < only->gaps.size(); d++)
        if (static_cast<int>(d) != layout.order[0] && !only->gaps[d].empty()) return only;
    return nullptr;
}

double KernelWork::Target::share_of_rows(const Box &box) const {
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

// points: the most points of the box that are touched. A strided read leaves most of the box out.
Touched KernelWork::touched(const Target &target, const Intervals &ranges, const Box &box,
                            double points) const {
    const Box &stored = *target.stored;
    const Layout &layout = target.layout;
    const BoxInMemory memory = box_in_memory(layout, box, stored, line());
    const double whole = memory.line_bytes;
    if (points == 0 || whole == 0) return {};
    const double share = target.share_of_rows(box);
    double lines = points, runs = memory.contiguous_runs;
    if (!target.anywhere.empty()) {
        const Parts apart = parts(target, ranges, box);
        lines = std::min(lines, apart.lines);
        runs = std::min(runs, apart.runs);
    }
    Touched t;
    t.span_bytes = std::min(whole, lines * line());
    t.bytes = std::min(whole * share, lines * line());
    t.unique_bytes = std::min(memory.points * share, points) * layout.bytes_per_point;
    t.occupied = machine_.caches.empty()
                     ? whole
                     : occupied_bytes(layout, box, stored, whole, machine_.caches[0]);
    t.occupied *= t.span_bytes / whole;
    t.streams = std::max(1.0, runs * share);
    return t;
}

void KernelWork::collect_roots() {
    SmallVector<FuncId, 16> roots;
    for (const auto &[f, m] : members())
        if (m.compute_loop < 0) roots.push_back(f);
    for (const StageWork &w : work_)
        for (const Accesses &r : w.reads)
            if (!members().contains(r.producer)) roots.push_back(r.producer);
    std::ranges::sort(roots);
    roots.resize(static_cast<size_t>(std::ranges::unique(roots).begin() - roots.begin()));
    for (FuncId f : roots) root_bytes_ += box_bytes(graph_.func(f), graph_.func(f).root_region);
    bytes_between_runs_ = root_bytes_;
    for (FuncId f : graph_.inputs_and_outputs())
        if (!std::ranges::binary_search(roots, f))
            bytes_between_runs_ += box_bytes(graph_.func(f), graph_.func(f).root_region);
}

double KernelWork::allocated_in_loops() const {
    double sum = 0;
    for (const auto &[f, m] : members())
        if (m.store_loop >= 0) sum += m.allocated_bytes;
    return sum;
}

// Bytes that a stage accesses of a Func inside stack loop p. A Func stored inside the loop occupies its allocation
// alone, however often it is rewritten. m: the Func's part in the kernel; null if it has none.
KernelWork::Bytes KernelWork::bytes_inside(const StageWork &w, const Accesses &a, const Member *m,
                                           size_t p) const {
    const Touched &t = a.touched[p + 1];
    Bytes b{t.span_bytes, t.occupied, 0};
    if (!a.lines.empty()) b.whole_lines = a.lines[p + 1].lines;
    if (m && p < m->storage_depth && m->chain[p].id == w.code->stack[p].id) {
        b.lines = std::min(b.lines, m->allocated_bytes);
        b.occupied = std::min(b.occupied, m->allocated_bytes);
        b.whole_lines = std::min(b.whole_lines * line(), m->allocated_bytes) / line();
    }
    return b;
}

void KernelWork::collect_working_sets() {
    // [loop]: for each Func, in order, the most that any stage touches.
    std::vector<SmallVector<FuncBytes, 8>> by_loop(code_.num_loops());
    for (const StageWork &w : work_) {
        const auto add = [&](const Accesses &a) {
            const auto member = members().find(a.producer);
            const Member *const m = member == members().end() ? nullptr : &member->second;
            for (size_t p = 0; p < w.code->stack.size(); p++) {
                auto &funcs = by_loop[static_cast<size_t>(w.code->stack[p].id)];
                const Bytes here = bytes_inside(w, a, m, p);
                auto it = std::ranges::lower_bound(funcs, a.producer, {}, &FuncBytes::func);
                if (it == funcs.end() || it->func != a.producer) {
                    const FuncBytes first{a.producer, here};
                    funcs.insert(it, &first, &first + 1);
                    continue;
                }
                Bytes &most = it->bytes;
                most.lines = std::max(most.lines, here.lines);
                most.occupied = std::max(most.occupied, here.occupied);
                most.whole_lines = std::max(most.whole_lines, here.whole_lines);
            }
        };
        for (const Accesses &r : w.reads) add(r);
        add(w.stores);
    }
    working_set_.reserve(code_.num_loops());
    for (const auto &funcs : by_loop) {
        Bytes sum;
        for (const FuncBytes &f : funcs) {
            sum.lines += f.bytes.lines;
            sum.occupied += f.bytes.occupied;
            sum.whole_lines += f.bytes.whole_lines;
        }
        working_set_.push_back(sum);
    }
}

}  // namespace cryolite
