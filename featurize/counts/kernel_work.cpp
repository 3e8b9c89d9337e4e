#include "featurize/counts/kernel_work.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "code/kernel/heap_extent.h"
#include "code/stage/split_tails.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// The iteration that many quarters into a loop over `range`.
Interval iteration_at(const Interval &range, int64_t span, int64_t quarters) {
    const int64_t iterations = (range.extent() + span - 1) / span;
    const int64_t min = range.min + span * ((iterations - 1) * quarters / 4);
    return {min, std::min(range.max, min + span - 1)};
}

}  // namespace

KernelWork::KernelWork(const StageGraph &graph, const Machine &machine, StageExpander &expander,
                       FootprintWalker &walker, const LoopNest &nest,
                       std::span<const FuncId> members)
    : graph_(graph),
      machine_(machine),
      walker_(walker),
      touched_memory_(machine),
      code_(graph, expander, nest, members) {
    if (code_.too_large()) return;
    collect_read_together();
    work_.reserve(code_.stages().size());
    for (const StageCode &c : code_.stages())
        add_touched(code_.members().at(c.stage->func), work_.emplace_back(StageWork{&c, {}, {}}));
    collect_working_sets();
    collect_roots();
}

void KernelWork::collect_read_together() {
    SmallVector<FuncId, 16> reads;
    for (const StageCode &c : code_.stages())
        for (FuncId f : c.body->reads)
            if (!members().contains(f)) reads.push_back(f);
    std::ranges::sort(reads);
    for (size_t i = 1; i < reads.size(); i++)
        if (reads[i] == reads[i - 1] &&
            (read_together_.empty() || read_together_.back() != reads[i]))
            read_together_.push_back(reads[i]);
}

bool KernelWork::read_together(FuncId f) const {
    return std::ranges::find(read_together_, f) != read_together_.end();
}

// An iteration of a reduction loop that stands for all: the one in mid-range, or at one or three quarters if the stage
// reads more there. A condition may exclude the middle. Example: a sum over k <= y, in rows y that end above the
// middle, has no middle k.
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
        const Func &read = graph_.func(w.code->body->reads[i]);
        w.reads[i].producer = read.id;
        w.reads[i].touched.resize(levels);
        if (read_together(read.id)) w.reads[i].reach.resize(levels);
        targets_.push_back(read_target(*w.code, i, Layout(nest(), read.id), stored_region(read)));
    }
    w.stores.producer = func.id;
    w.stores.touched.resize(levels);
    const bool is_scattered = std::ranges::any_of(w.code->stage->stores, [](const Access &a) {
        return !std::ranges::all_of(a.index, &IndexMap::affine);
    });
    const Target writes = written_target(*w.code, Layout(nest(), func.id), stored_region(func));
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
            for (Accesses &a : w.reads) {
                a.touched[p] = a.touched[p - 1];
                if (!a.reach.empty()) a.reach[p] = a.reach[p - 1];
            }
            w.stores.touched[p] = w.stores.touched[p - 1];
            continue;
        }
        ranges_before = ranges;
        stored_before = stored;
        walker_.walk(*w.code->body, ranges, boxes_);
        double iterations = 1;
        for (const Interval &r : ranges) iterations *= static_cast<double>(r.extent());
        for (size_t i = 0; i < w.reads.size(); i++) {
            const double density = touched_memory_.count(targets_[i], ranges, boxes_[i],
                                                         iterations * targets_[i].loads->count,
                                                         rows_, w.reads[i].touched[p]);
            if (!w.reads[i].reach.empty()) w.reads[i].reach[p] = {boxes_[i], density};
        }
        // The indices of an update say where it writes. Its edge to itself has that box. Of a box that it writes
        // into here and there (votes, histograms) it reaches no more points than it has iterations.
        const Box *written = &stored;
        double points = std::numeric_limits<double>::infinity();
        if (w.code->stage->index > 0) {
            if (is_scattered) points = iterations;
            for (size_t i = 0; i < w.reads.size(); i++)
                if (w.reads[i].producer == func.id) written = &boxes_[i];
        }
        touched_memory_.count(writes, ranges, *written, w.code->stage->is_undefined ? 0 : points,
                              rows_, w.stores.touched[p]);
    }
}

const Box &KernelWork::stored_region(const Func &func) const {
    const auto it = members().find(func.id);
    const bool inside = it != members().end() && it->second.nest->placement == Placement::At;
    return inside ? it->second.nest->store_region : func.root_region;
}

void KernelWork::collect_roots() {
    SmallVector<FuncId, 16> roots;
    for (const auto &[f, m] : members())
        if (m.is_written_once()) roots.push_back(f);
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

bool KernelWork::is_stored_inside(const StageWork &w, const Member &m, size_t p) {
    return p < m.storage_depth && m.chain[p].id == w.code->stack[p].id;
}

// Bytes that a stage accesses of a Func inside stack loop p. A Func stored inside the loop occupies its allocation
// alone, however often it is rewritten. m: the Func's part in the kernel; null if it has none.
KernelWork::Bytes KernelWork::bytes_inside(const StageWork &w, const Accesses &a, const Member *m,
                                           size_t p) const {
    const Touched &t = a.touched[p + 1];
    Bytes b{t.span_bytes, t.lines};
    if (m && is_stored_inside(w, *m, p)) {
        b.bytes = std::min(b.bytes, m->allocated_bytes);
        b.lines = std::min(b.lines * line(), m->allocated_bytes) / line();
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
                const bool reused = m && is_stored_inside(w, *m, p);
                auto it = std::ranges::lower_bound(funcs, a.producer, {}, &FuncBytes::func);
                if (it == funcs.end() || it->func != a.producer) {
                    const FuncBytes first{a.producer, here, reused};
                    funcs.insert(it, &first, &first + 1);
                    continue;
                }
                Bytes &most = it->bytes;
                most.bytes = std::max(most.bytes, here.bytes);
                most.lines = std::max(most.lines, here.lines);
            }
        };
        for (const Accesses &r : w.reads) add(r);
        add(w.stores);
    }
    working_set_.reserve(code_.num_loops());
    const FlatMap<FuncId, Lifetime> alive = lifetimes(code_);
    for (const auto &funcs : by_loop) {
        Bytes sum;
        for (const FuncBytes &f : funcs)
            if (!f.stored_inside) sum += f.bytes;
        sum += bytes_in_turns(funcs, alive);
        working_set_.push_back(sum);
    }
}

// Of the Funcs that are stored inside of a loop: the memory of one is given back after its last reader, and holds a
// later one.
KernelWork::Bytes KernelWork::bytes_in_turns(std::span<const FuncBytes> funcs,
                                             const FlatMap<FuncId, Lifetime> &alive) {
    Bytes sum;
    SmallVector<HeapBlock, 16> blocks;
    for (const FuncBytes &f : funcs) {
        if (!f.stored_inside) continue;
        sum += f.bytes;
        const auto life = alive.find(f.func);
        if (life == alive.end()) continue;
        blocks.push_back({f.bytes.bytes, life->second.begin, life->second.end});
    }
    if (blocks.size() < 2 || sum.bytes <= 0) return sum;
    std::ranges::stable_sort(blocks, {}, &HeapBlock::begin);
    double apart = 0;
    for (const HeapBlock &b : blocks) apart += b.bytes;
    const double share =
        (sum.bytes - apart + heap_extent({blocks.begin(), blocks.end()})) / sum.bytes;
    return {sum.bytes * share, sum.lines * share};
}

}  // namespace cryolite
