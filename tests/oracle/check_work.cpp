#include <algorithm>
#include <cmath>
#include <set>

#include "featurize/counts/kernel_work.h"
#include "machine/presets.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/findings.h"

namespace cryolite::oracle {

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, a, b}); }

class WorkCheck {
public:
    explicit WorkCheck(const Subject &subject)
        : subject_(subject),
          graph_(subject.graph()),
          nest_(subject.nest),
          machine_(machine_presets().front().machine) {}

    std::string findings() {
        StageExpander expander(graph_);
        FootprintWalker walker(graph_);
        for (const Func &f : graph_.funcs()) {
            if (f.is_input() || nest_.at(f.id).placement != Placement::Root) continue;
            const KernelWork work(graph_, machine_, expander, walker, nest_, members_of(f.id));
            if (work.too_large()) continue;
            work_ = &work;
            for (const StageWork &w : work.stages()) check_stage(w);
            for (const auto &[g, member] : work.members()) check_member(g, member);
            check_kernel(work);
        }
        check_peak();
        return findings_.text();
    }

private:
    FuncId root_of(FuncId f) const {
        while (nest_.at(f).compute_at) f = graph_.stage(nest_.at(f).compute_at->stage).func;
        return f;
    }
    std::vector<FuncId> members_of(FuncId root) const {
        std::vector<FuncId> members;
        for (const Func &f : graph_.funcs())
            if (!f.is_input() && nest_.at(f.id).placement != Placement::Inline &&
                root_of(f.id) == root)
                members.push_back(f.id);
        return members;
    }

    const StageCount &counted(const StageWork &w) const {
        return subject_.exact.stages[w.code->stage->id.index()];
    }
    std::string name(const StageWork &w, const std::string &what) const {
        return describe(graph_, w.code->stage->id) + " " + what;
    }

    void check_stage(const StageWork &w) {
        const StageCount &run = counted(w);
        if (run.scopes.empty()) return;  // nobody has asked for it
        findings_.expect(w.code->stack.size() == run.loops.size(), name(w, "loops"),
                         w.code->stack.size(), run.loops.size());
        if (w.code->stack.size() != run.loops.size()) return;
        for (size_t p = 0; p < w.code->stack.size(); p++)
            findings_.expect(w.code->stack[p].kind == run.kinds[p], name(w, "kind of loop"),
                             static_cast<int>(w.code->stack[p].kind),
                             static_cast<int>(run.kinds[p]));
        check_runs(w, run);
        for (size_t p = 0; p < run.scopes.size(); p++) check_boxes(w, run, p);
    }

    // --- how often loops run ---
    void check_runs(const StageWork &w, const StageCount &run) {
        // A part is never less than whole where it is the only one: of a vector that is longer than
        // its row all lanes count.
        double in_range = 1, as_emitted = 1;
        for (size_t l = 0; l < w.code->nest->range.size(); l++) {
            const Interval &range = w.code->nest->range[l];
            in_range *= static_cast<double>(range.extent());
            int64_t computed = emitted_extent(nest_, *w.code->nest, l, w.code->nest->range);
            for (const LoopLevel &level : w.code->nest->loops)
                if (static_cast<size_t>(level.name.dim) == l && level.name.level == 0)
                    computed = std::max(computed, level.span);
            as_emitted *= static_cast<double>(computed);
        }
        const double fill = work_->members().at(w.code->stage->func).fill;
        const double own = w.code->runs.back() / w.code->runs[w.code->enclosing];
        findings_.expect(near(own, as_emitted * fill), name(w, "points per production"), own,
                         as_emitted * fill);
        if (w.code->enclosing == 0) {
            // At root there is no mid-range: exact, wherever the room's region is.
            const auto points = static_cast<double>(run.scopes.back().points.sum);
            if (subject_.drawn.tight && in_range == as_emitted)
                findings_.expect(near(own, points), name(w, "points"), own, points);
            return;
        }
        const FuncId f = w.code->stage->func;
        const FuncCount &emitted = subject_.emitted.funcs[f.index()];
        if (!subject_.uniform_around(f)) return;
        findings_.expect(
            near(w.code->runs[w.code->enclosing], static_cast<double>(emitted.produced.instances)),
            name(w, "productions"), w.code->runs[w.code->enclosing], emitted.produced.instances);
    }

    // --- what they touch ---
    // One run of stack loop p in mid-range, whole pipeline for p = 0. The room's numbers must be those
    // that footprint.h makes of the boxes that were counted; what footprint.h does with a box is
    // check_memory's.
    void check_boxes(const StageWork &w, const StageCount &run, size_t p) {
        const ScopeCount &scope = run.scopes[p];
        if (scope.points.middle < 0 || !subject_.tight) return;
        const Box writes = scope.writes.middle_box;
        for (const Accesses &t : w.reads) {
            const auto read = scope.reads.find(t.producer);
            const bool self = t.producer == w.code->stage->func;
            if (read == scope.reads.end() && !self) continue;  // an edge without a load
            Box box = read == scope.reads.end() ? writes : read->second.middle_box;
            // What an update reads of its own Func and what it writes are one.
            if (self) box = joined(box, writes);
            const double rows =
                read == scope.reads.end() ? 1 : share_of_rows(t.producer, read->second.middle, box);
            check_touched(w, t, box, p, points(w, run, p) * loads(w, t.producer), rows);
            if (self) check_touched(w, w.stores, box, p, HUGE_VAL, 1);
        }
        if (w.code->stage->index == 0) check_touched(w, w.stores, writes, p, HUGE_VAL, 1);
    }

    // most: at most so many points are touched. rows: the share of the box's rows that are.
    void check_touched(const StageWork &w, const Accesses &a, const Box &box, size_t p, double most,
                       double rows) {
        const Touched &t = a.touched[p];
        const Func &func = graph_.func(a.producer);
        const Box &stored = storage(func);
        const int line = machine_.line_bytes();
        const Layout layout(nest_, func.id);
        const double whole = line_bytes(layout, box, stored, line);
        const double bytes = std::min(whole, most * line);
        const std::string where = name(w, "of " + func.name + " at " + std::to_string(p));
        // A window's production adds a part of it; the room counts all of it, from the middle of the
        // window on: not compared.
        if (p >= w.code->enclosing && nest_.at(w.code->stage->func).slide_dim >= 0) return;
        const double least = std::min(whole, most * func.bytes_per_point());
        const double streams = contiguous_runs(layout, box, stored);
        const auto is_at_most = [](double v, double most) { return v <= most * (1 + 1e-9); };
        if (is_at_unknown_places(w, a.producer)) {
            // Loads at one base meet, and share lines: how many is an estimate.
            findings_.expect(is_at_most(t.span_bytes, bytes), where + " bytes at most",
                             t.span_bytes, bytes);
            findings_.expect(is_at_most(t.bytes, t.span_bytes) && t.bytes > 0, where + " bytes",
                             t.bytes, t.span_bytes);
            findings_.expect(is_at_most(t.streams, streams) && t.streams >= 1,
                             where + " streams at most", t.streams, streams);
        } else if (may_skip_rows(w, a.producer)) {
            findings_.expect(near(t.span_bytes, bytes), where + " bytes with skipped rows",
                             t.span_bytes, bytes);
            // Offsets are taken by dimension: of f(y, z) and f(y + 9, z + 9) four corners count.
            const auto is_between = [](double v, double low, double high) {
                return v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9);
            };
            findings_.expect(is_between(t.bytes, std::min(whole * rows, least), t.span_bytes),
                             where + " bytes", t.bytes, whole * rows);
            findings_.expect(is_between(t.streams, std::max(1.0, streams * rows), streams),
                             where + " streams", t.streams, streams * rows);
        } else {
            findings_.expect(near(t.span_bytes, bytes), where + " bytes of lines", t.span_bytes,
                             bytes);
            findings_.expect(near(t.bytes, t.span_bytes), where + " bytes", t.bytes, t.span_bytes);
            findings_.expect(near(t.streams, streams), where + " streams", t.streams, streams);
        }
    }

    // Of the box's rows, along what is innermost in memory, those that an element is of.
    double share_of_rows(FuncId f, const std::vector<Element> &elements, const Box &box) const {
        if (elements.empty() || box.empty() || box.size() < 2) return 0;
        const auto inner = static_cast<size_t>(nest_.storage_order(f)[0]);
        const Box &whole = graph_.func(f).root_region;
        int64_t stride = 1;
        for (size_t d = 0; d < inner; d++) stride *= whole[d].extent();
        std::set<int64_t> rows;  // the places of their points at the inner dimension's beginning
        for (const Element &e : elements)
            rows.insert(e.place - e.place / stride % whole[inner].extent() * stride);
        return static_cast<double>(rows.size()) * static_cast<double>(box[inner].extent()) /
               static_cast<double>(cryolite::points(box));
    }

    // Its loads may leave out rows between them.
    static bool may_skip_rows(const StageWork &w, FuncId producer) {
        return std::ranges::any_of(w.code->body->loads, [&](const LoadGroup &g) {
            return g.producer == producer &&
                   std::ranges::any_of(g.gaps, [](const auto &gaps) { return !gaps.empty(); });
        });
    }

    // Points of the stage's loops that one run of loop p covers, each once.
    double points(const StageWork &w, const StageCount &run, size_t p) const {
        if (p >= w.code->enclosing) return static_cast<double>(run.scopes[p].points.middle);
        const FuncCount &func = subject_.exact.funcs[w.code->stage->func.index()];
        const Box &box = p == 0 ? graph_.func(w.code->stage->func).root_region
                                : func.needed_by.at(run.loops[p - 1]);
        double n = 1;
        for (const StageLoop &l : w.code->stage->loops)
            n *= static_cast<double>(
                (l.is_reduction ? l.range : box[static_cast<size_t>(l.func_dim)]).extent());
        return n;
    }

    static bool is_at_unknown_places(const StageWork &w, FuncId producer) {
        return std::ranges::any_of(w.code->body->loads, [&](const LoadGroup &g) {
            return g.producer == producer && g.gather;
        });
    }

    static double loads(const StageWork &w, FuncId producer) {
        double n = 0;
        for (const LoadGroup &g : w.code->body->loads)
            if (g.producer == producer) n += g.count;
        return std::max(1.0, n);
    }

    const Box &storage(const Func &func) const {
        const bool inside = !func.is_input() && nest_.at(func.id).placement == Placement::At;
        return inside ? nest_.at(func.id).store_region : func.root_region;
    }

    // --- storage ---
    void check_member(FuncId f, const Member &member) {
        const FuncCount &counted = subject_.exact.funcs[f.index()];
        if (counted.held.middle < 0 || !subject_.tight) return;
        // What Halide does not fold is kept whole: held, not folded.
        if (nest_.at(f).slide_dim >= 0 && !member.folded) return;
        const auto bytes = static_cast<double>(counted.held_bytes.middle);
        // A window that grows as its loop goes on is folded to more than it takes in mid-range.
        const int slide = nest_.at(f).slide_dim;
        const bool grows =
            slide >= 0 && member.folded &&
            counted.most_window > counted.middle_needed[static_cast<size_t>(slide)].extent();
        findings_.expect(
            grows ? member.allocated_bytes <= bytes : near(member.allocated_bytes, bytes),
            graph_.func(f).name + " allocated bytes", member.allocated_bytes, bytes);
    }

    void check_kernel(const KernelWork &work) {
        double in_loops = 0, root_bytes = 0;
        for (const auto &[f, member] : work.members()) {
            const FuncCount &counted = subject_.exact.funcs[f.index()];
            largest_ =
                largest_ && counted.held_bytes.most == static_cast<int64_t>(member.allocated_bytes);
            if (member.store_loop >= 0) in_loops += member.allocated_bytes;
        }
        findings_.expect(near(work.allocated_in_loops(), in_loops), "allocated in loops",
                         work.allocated_in_loops(), in_loops);
        most_in_loops_ = std::max(most_in_loops_, in_loops);
        for (const Func &f : graph_.funcs()) {
            bool touched = false;
            for (const auto &[g, member] : work.members())
                touched = touched || (g == f.id && member.compute_loop < 0);
            for (const StageWork &w : work.stages())
                for (const Accesses &t : w.reads)
                    touched = touched || (t.producer == f.id && !work.members().contains(f.id));
            if (touched) root_bytes += cryolite::points(f.root_region) * f.bytes_per_point();
        }
        findings_.expect(near(work.root_bytes(), root_bytes), "root bytes", work.root_bytes(),
                         root_bytes);
    }

    // A bound: what is alive at once in loops is part of all that some kernel allocates there, as far as
    // the realisations in mid-range are the largest.
    void check_peak() {
        if (!subject_.tight || !largest_) return;
        const auto peak = static_cast<double>(subject_.exact.peak_bytes_in_loops);
        findings_.expect(peak <= most_in_loops_, "alive in loops", most_in_loops_, peak);
    }

    const Subject &subject_;
    const StageGraph &graph_;
    const LoopNest &nest_;
    const Machine &machine_;
    const KernelWork *work_ = nullptr;  // the kernel at hand
    double most_in_loops_ = 0;          // of all kernels
    bool largest_ = true;
    Findings findings_;
};

}  // namespace

std::string check_work(const Subject &subject) { return WorkCheck(subject).findings(); }

}  // namespace cryolite::oracle
