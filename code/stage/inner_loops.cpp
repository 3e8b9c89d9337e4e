#include "code/stage/inner_loops.h"

#include <algorithm>
#include <cmath>

namespace cryolite {

InnerLoops inner_loops(const Stage &stage, const StageNest &nest) {
    InnerLoops in;
    for (auto it = nest.loops.rbegin(); it != nest.loops.rend(); ++it) {
        const size_t dim = static_cast<size_t>(it->name.dim);
        const bool is_constant = it->name.level > 0 || stage.loops[dim].constant_range;
        if (it->kind == LoopKind::Vectorized) {
            in.vector_dim = it->name.dim;
            in.lanes = static_cast<int>(it->extent) / it->woven;
            in.lane_step = it->woven;
            if (it->woven == 1) continue;
            in.unrolled.push_back({dim, static_cast<double>(it->woven), false, true});
            in.unroll_product *= it->woven;
        } else if (it->kind == LoopKind::Unrolled) {
            if (it->is_joined) {
                in.joined = static_cast<int>(it->extent);
                in.joined_dim = it->name.dim;
            }
            const bool is_whole = it->name.level == 0 && it->span == 1;
            const UnrolledLoop loop{dim, static_cast<double>(it->extent),
                                    is_whole && stage.loops[dim].is_reduction};
            if (in.serial.empty()) {
                in.unrolled.push_back(loop);
                in.unroll_product *= loop.factor;
            } else {
                in.copied.push_back(loop);
                in.copied_product *= loop.factor;
                in.serial.push_back({dim, loop.factor, is_constant});
            }
        } else if (it->extent > 1) {
            in.serial.push_back({dim, static_cast<double>(it->extent), is_constant});
        }
    }
    return in;
}

double runs_in_registers(const Stage &stage, const LoadGroup &load, const InnerLoops &in) {
    double runs = 1;
    for (const SerialLoop &l : in.serial) {
        if (!stage.loops[l.dim].is_reduction || load.depends_on[l.dim] || load.gather) break;
        runs *= l.extent;
        if (!l.is_constant) break;
    }
    return runs;
}

bool joins_points(const Stage &stage, const InnerLoops &in) {
    return in.joined > 1 && !stage.loops[static_cast<size_t>(in.joined_dim)].is_reduction;
}

BorderLoop border_loop(const Stage &stage, const Func &func, const StageNest &nest) {
    BorderLoop border;
    if (nest.loops.empty() || nest.loops.back().kind != LoopKind::Vectorized) return border;
    const int16_t dim = nest.loops.back().name.dim;
    const StageLoop &loop = stage.loops[static_cast<size_t>(dim)];
    const Interval &range = nest.range[static_cast<size_t>(dim)];
    border.iteration = static_cast<double>(range.extent());
    for (const LoopLevel &l : nest.loops)
        if (l.name.dim == dim && l.extent > 1 && l.kind != LoopKind::Vectorized &&
            l.kind != LoopKind::Unrolled)
            border.iteration = static_cast<double>(l.span);
    const Interval &whole =
        loop.func_dim >= 0 ? func.root_region[static_cast<size_t>(loop.func_dim)] : range;
    border.row = std::max(1.0, static_cast<double>(whole.extent()));
    return border;
}

double border_share(const StageGraph &graph, const LoadGroup &load, size_t vector_dim,
                    const BorderLoop &loop) {
    if (loop.iteration == 0) return 0;
    const Func &producer = graph.func(load.producer);
    double outside = 0;
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        const double moved = std::abs(load.coefficient[d][vector_dim]) * loop.row;
        const auto there = static_cast<double>(producer.root_region[d].extent());
        if (moved > there) outside = std::max(outside, (moved - there) / moved);
    }
    const double at_border = std::min(1.0, outside + 2 * loop.iteration / loop.row);
    if (loop.cuts_shared_clamps || load.shared_clamps.empty()) return at_border;
    return at_border + (1 - at_border) * load.shared_clamps[vector_dim];
}

namespace {

// Copies along the vector dimension are whole vectors apart.
bool is_of_vectors(const UnrolledLoop &u, const InnerLoops &in) {
    return static_cast<int>(u.dim) == in.vector_dim && !u.woven;
}

// At how many places of `what` the copies of a loop are. Two woven vectors of x / 2 are at one.
double places(const Repeated &what, const UnrolledLoop &u) {
    if (!u.woven) return u.factor;
    double fastest = 0;
    for (const std::vector<float> &index : what.coefficient)
        fastest = std::max(fastest, std::abs(static_cast<double>(index[u.dim])));
    return fastest > 0 && fastest < 1 ? std::max(1.0, std::round(u.factor * fastest)) : u.factor;
}

// After how many copies an index that each moves by `step` has moved by a whole number: 2 for x / 2. All copies: after
// none of them. The indices of fewer copies cannot be compared: y * 2 / 3 + r is no r of the next y, as far as the
// compiler knows. They can if the copies know their place.
double copies_of_a_round(double step, const UnrolledLoop &u) {
    if (u.is_known) return 1;
    constexpr double rounding = 1e-4;
    double copies = 1;
    while (copies < u.factor && std::abs(step * copies - std::round(step * copies)) > rounding)
        copies++;
    return copies;
}

// The share of distinct points among those that the unrolled loops reach together. Rows y + r of four y and three r are
// six rows, not twelve.
double distinct_share(const Repeated &what, const InnerLoops &in) {
    double share = 1;
    for (const std::vector<float> &index : what.coefficient) {
        double points = 1, span = 0, step = 0;
        for (const UnrolledLoop &u : in.unrolled) {
            if (index[u.dim] == 0) continue;
            const double of_copy = std::abs(static_cast<double>(index[u.dim])) *
                                   (is_of_vectors(u, in) ? in.lanes * in.lane_step : 1);
            const double round = copies_of_a_round(of_copy, u);
            const double by = of_copy * round, rounds = u.factor / round;
            if (rounds <= 1) continue;
            points *= rounds;
            span += by * (rounds - 1);
            step = step == 0 ? by : std::min(step, by);
        }
        if (step > 0) share *= std::min(1.0, (span / step + 1) / points);
    }
    return share;
}

}  // namespace

double repeats_per_body(const Repeated &what, const InnerLoops &in, const UnrolledFlags &apart) {
    double count = what.count * distinct_share(what, in);
    for (size_t i = 0; i < in.unrolled.size(); i++) {
        const UnrolledLoop &u = in.unrolled[i];
        if (!what.depends_on[u.dim]) continue;
        // They share no neighbours within a vector.
        const bool of_vectors = is_of_vectors(u, in) && in.lanes > 1;
        const double copies = places(what, u);
        const bool share_none = of_vectors || (!apart.empty() && apart[i]);
        count *=
            (share_none ? what.count * copies : what.along[u.dim].reached(what.count, copies)) /
            std::max(1.0, what.count);
    }
    return count;
}

double runs_per_repeat(const Repeated &what, const InnerLoops &in) {
    double runs = 1;
    for (const SerialLoop &l : in.serial) {
        if (what.depends_on[l.dim]) break;
        runs *= l.extent;
    }
    return runs;
}

}  // namespace cryolite
