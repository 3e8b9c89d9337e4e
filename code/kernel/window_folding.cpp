#include "code/kernel/window_folding.h"

#include <algorithm>
#include <cmath>

#include "code/stage/split_tails.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

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

}  // namespace

double warm_up(const Member &m) {
    if (m.nest->slide_dim < 0) return 1;
    const WindowRun run = window_run(m);
    return 1 + run.fill / (run.steps * run.step);
}

bool WindowFolding::reads(const Member &reader, FuncId f) const {
    return std::ranges::any_of(reader.nest->stages, [&](const StageNest &s) {
        return std::ranges::count(expander_.expand(nest_, s.stage).reads, f) > 0;
    });
}

const Member *WindowFolding::in_loop(const Member &inner, int loop) const {
    const Member *m = &inner;
    while (m->compute_loop >= 0 && m->compute_loop != loop)
        m = &members_.at(graph_.stage(m->nest->compute_at->stage).func);
    return m->compute_loop == loop ? m : nullptr;
}

bool WindowFolding::reads_within(const Member &window, FuncId f) const {
    return std::ranges::any_of(members_.all(), [&](const auto &entry) {
        return in_loop(entry.second, window.compute_loop) == &window && reads(entry.second, f);
    });
}

bool WindowFolding::is_folded(FuncId f, const Member &m) const {
    if (m.nest->slide_dim < 0 || m.nest->slide_is_clamped || m.shared) return false;
    const WindowRun run = window_run(m);
    bool rounds_up = false;
    for (const StageNest &s : m.nest->stages) {
        const std::vector<StageLoop> &loops = graph_.stage(s.stage).loops;
        for (size_t l = 0; l < loops.size(); l++)
            if (loops[l].func_dim == m.nest->slide_dim) {
                const int64_t span = rounding_span(graph_, s, l, holds_others(nest_, s.stage));
                rounds_up |= std::fmod(run.fill, static_cast<double>(span)) != 0;
            }
    }
    if (!rounds_up) return true;
    return std::ranges::none_of(members_.all(), [&](const auto &entry) {
        const auto &[g, other] = entry;
        if (g == f || other.nest->slide_dim < 0 || other.compute_loop != m.compute_loop)
            return false;
        const double later = window_run(other).lead() - run.lead();
        if (later != 0) return later > 0;
        return other.shared || (!reads_within(m, g) && !reads_within(other, f));
    });
}

bool WindowFolding::is_shared(FuncId f, const Member &m) const {
    bool by_late_window = false, by_others = false;
    for (const auto &[g, other] : members_.all()) {
        if (g == f || !reads(other, f)) continue;
        const Member *const reader = in_loop(other, m.compute_loop);
        if (reader && reader->nest->slide_dim >= 0) {
            const WindowRun run = window_run(*reader);
            by_late_window |= std::fmod(run.fill, run.step) != 0;
        } else {
            by_others = true;
        }
    }
    return by_late_window && by_others;
}

}  // namespace cryolite
