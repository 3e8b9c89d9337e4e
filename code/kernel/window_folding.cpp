#include "code/kernel/window_folding.h"

#include <algorithm>
#include <cmath>

#include "code/stage/split_tails.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// A window over one run of the loop that it slides along, in points of its dimension.
struct WindowRun {
    double steps = 1;  // iterations of the loops that it slides along
    double fill = 0;   // points that are computed before the first step
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

// Rows that the stages of a window compute together: they are rounded up to a whole number of these.
double part_of(const StageGraph &graph, const LoopNest &nest, const Member &m) {
    int64_t part = 1;
    for (const StageNest &s : m.nest->stages) {
        const std::vector<StageLoop> &loops = graph.stage(s.stage).loops;
        for (size_t l = 0; l < loops.size(); l++)
            if (loops[l].func_dim == m.nest->slide_dim)
                part = std::max(part, rounding_span(graph, s, l, holds_others(nest, s.stage)));
    }
    return static_cast<double>(part);
}

struct Window {
    FuncId func;
    const Member *member = nullptr;
    WindowRun run = {};
    double part = 1;  // rows that its stages are rounded up to
    // Windows of its loop that read it, directly or by a Func that is computed inside of them.
    std::vector<size_t> readers = {};
    bool read_by_owner = false;  // by a stage of the Func whose loop it slides along
    bool read_by_others =
        false;  // by such a stage or a Func in the loop that is no window, and by an irregular one
    bool read_beside = false;   // by a Func in the loop that is no window
    bool reads_itself = false;  // in an update
    bool shared = false, late = false, within_step = false;
};

class Windows {
public:
    Windows(const StageGraph &graph, StageExpander &expander, const LoopNest &nest,
            const Members &members)
        : graph_(graph), expander_(expander), nest_(nest), members_(members) {
        for (const auto &[f, m] : members)
            if (m.nest->slide_dim >= 0)
                windows_.push_back({.func = f,
                                    .member = &m,
                                    .run = window_run(m),
                                    .part = part_of(graph, nest, m)});
        if (windows_.empty()) return;
        for (const auto &[g, reader] : members) find_reads(g, reader);
        for (Window &w : windows_) {
            const auto is_irregular = [&](size_t r) {
                const WindowRun &run = windows_[r].run;
                return run.fill != 0 && run.fill != run.step;
            };
            w.read_by_others &= std::ranges::any_of(w.readers, is_irregular);
            w.shared = w.read_by_owner && w.read_by_others;
        }
        for (size_t w = 0; w < windows_.size(); w++) windows_[w].late = starts_late(w);
        const auto is_filled = [&](size_t r) { return windows_[r].run.fill != 0; };
        for (Window &w : windows_)
            w.shared |= w.read_by_owner && w.late && std::ranges::any_of(w.readers, is_filled);
        for (Window &w : windows_) w.within_step = w.late && std::fmod(w.run.fill, w.run.step) != 0;
    }

    std::vector<FoldedWindow> result() const {
        std::vector<FoldedWindow> out;
        for (const Window &w : windows_) out.push_back({w.func, w.shared, is_folded(w)});
        return out;
    }

private:
    // -1: not a window.
    int window_of(FuncId f) const {
        const auto w = std::ranges::find(windows_, f, &Window::func);
        return w == windows_.end() ? -1 : static_cast<int>(w - windows_.begin());
    }

    // The Func itself or the Func around it that is computed at the loop; invalid: there is none.
    FuncId in_loop(FuncId f, int loop) const {
        for (const Member *m = &members_.at(f); m->compute_loop >= 0; m = &members_.at(f)) {
            if (m->compute_loop == loop) return f;
            f = graph_.stage(m->nest->compute_at->stage).func;
        }
        return {};
    }

    void find_reads(FuncId g, const Member &reader) {
        for (const StageNest &s : reader.nest->stages)
            for (FuncId f : expander_.expand(nest_, s.stage).reads) {
                const int read = window_of(f);
                if (read < 0) continue;
                Window &w = windows_[static_cast<size_t>(read)];
                if (f == g) {
                    w.reads_itself = true;
                    continue;
                }
                const FuncId around = in_loop(g, w.member->compute_loop);
                const int by = around.valid() && around != f ? window_of(around) : -1;
                if (by >= 0) {
                    w.readers.push_back(static_cast<size_t>(by));
                } else {
                    w.read_by_others = true;
                    w.read_by_owner |= !around.valid();
                    w.read_beside |= around.valid();
                }
            }
    }

    // Whether `reader` reads `window`, or reads windows that do.
    bool reads(size_t reader, size_t window) const {
        std::vector<bool> seen(windows_.size());
        std::vector<size_t> left{window};
        while (!left.empty()) {
            const size_t w = left.back();
            left.pop_back();
            for (size_t r : windows_[w].readers) {
                if (r == reader) return true;
                if (!seen[r]) left.push_back(r);
                seen[r] = true;
            }
        }
        return false;
    }

    bool starts_late(size_t w) const {
        for (size_t o = 0; o < windows_.size(); o++) {
            const Window &other = windows_[o];
            if (o == w || other.member->compute_loop != windows_[w].member->compute_loop) continue;
            const double later = other.run.lead() - windows_[w].run.lead();
            if (later > 0 ||
                (later == 0 && (other.read_by_others || (!reads(w, o) && !reads(o, w)))))
                return true;
        }
        return false;
    }

    // Of a window that reads itself, whose rows are needed from two places on: its own update's, and the readers' as
    // soon as they start.
    bool follows_its_readers(const Window &w) const {
        const auto in_turn = [&](double lead, double fill) {
            return w.run.lead() == lead || w.run.fill - fill == w.run.step;
        };
        if ((w.read_by_owner || w.read_beside) && !in_turn(0, 0)) return false;
        return std::ranges::all_of(w.readers, [&](size_t r) {
            const Window &reader = windows_[r];
            return in_turn(reader.run.lead(), reader.run.fill) &&
                   (!reader.within_step || w.run.lead() == reader.run.lead());
        });
    }

    bool is_folded(const Window &w) const {
        const FuncNest &nest = *w.member->nest;
        if (nest.slide_is_clamped || nest.slide_grows || w.shared) return false;
        if (w.reads_itself && !follows_its_readers(w)) return false;
        bool by_reader = false;
        for (size_t r : w.readers) {
            const Window &reader = windows_[r];
            const auto is_read_beside = [&](size_t above) { return windows_[above].read_beside; };
            if (reader.shared &&
                (reader.part > 1 || std::ranges::any_of(reader.readers, is_read_beside)))
                return false;
            if (!reader.within_step) continue;
            by_reader = true;
            const double first_rows = std::ceil(reader.run.fill / reader.part) * reader.part;
            const bool whole_steps = std::fmod(first_rows, reader.run.step) == 0;
            if (reader.part == 1 ? w.late : !whole_steps || (w.late && !w.within_step))
                return false;
        }
        return by_reader || w.part == 1 || !w.within_step;
    }

    const StageGraph &graph_;
    StageExpander &expander_;
    const LoopNest &nest_;
    const Members &members_;
    std::vector<Window> windows_;
};

}  // namespace

double warm_up(const StageGraph &graph, const LoopNest &nest, const Member &m) {
    if (m.nest->slide_dim < 0) return 1;
    const WindowRun run = window_run(m);
    if (run.fill == 0) return 1;
    const double later_steps = (run.lead() - 1) * run.step, part = part_of(graph, nest, m);
    const double rows = later_steps + std::ceil((run.fill - later_steps) / part) * part;
    return 1 + rows / (run.steps * run.step);
}

std::vector<FoldedWindow> folded_windows(const StageGraph &graph, StageExpander &expander,
                                         const LoopNest &nest, const Members &members) {
    return Windows(graph, expander, nest, members).result();
}

}  // namespace cryolite
