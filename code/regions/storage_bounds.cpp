#include "code/regions/storage_bounds.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "code/stage/woven_vectors.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// `points` of dimension d, rounded up as the Func's own loops do.
int64_t rounded(const StageGraph &graph, const FuncNest &nest, size_t d, int64_t points) {
    points = aligned_points(points, aligned_to(graph, nest, d));
    int64_t most = points;
    for (const StageNest &stage : nest.stages)
        for (const LoopLevel &level : stage.loops) {
            const StageLoop &loop =
                graph.stage(stage.stage).loops[static_cast<size_t>(level.name.dim)];
            if (loop.func_dim != static_cast<int>(d) || level.name.level > 0) continue;
            most = std::max(most, (points + level.span - 1) / level.span * level.span);
        }
    return most;
}

// A side of a box. It moves by `moves` points per step of the site's loops. It reaches from offset.min to offset.max,
// relative to the place where these loops stand.
struct MovingSide {
    SmallVector<int64_t, 8> moves;  // per loop of the site's stage
    Interval offset;
};
using MovingSides = std::vector<std::optional<MovingSide>>;  // per dimension; nullopt: not known

// Follows each reader to the site's own stage, through inlined Funcs and through Funcs computed at the site.
class MovingBoxes {
public:
    MovingBoxes(const LoopNest &nest, LoopName site)
        : nest_(nest),
          graph_(nest.graph()),
          site_(site),
          site_stage_(nest.graph().stage(site.stage)),
          follows_(!may_begin_later()) {}

    std::optional<MovingSide> side(const Func &func, size_t d) {
        std::optional<MovingSide> needed;
        for (EdgeId e : func.outgoing) {
            const Edge &edge = graph_.edge(e);
            for (const Access &a : edge.accesses) {
                const std::optional<MovingSide> here =
                    of_index(graph_.stage(edge.consumer), a, a.index[d]);
                // Windows that move at different speeds drift apart.
                if (!here || (needed && here->moves != needed->moves)) return std::nullopt;
                if (needed)
                    needed->offset = hull(needed->offset, here->offset);
                else
                    needed = here;
            }
        }
        for (StageId s : func.stages)
            if (graph_.stage(s).index > 0 && !stays_in_place(graph_, graph_.stage(s), d))
                return std::nullopt;
        return needed;
    }

private:
    // nullopt: the index does not walk an interval of constant length.
    std::optional<MovingSide> of_index(const Stage &reader, const Access &access,
                                       const IndexMap &index) {
        if (!index.affine || !index.exact || index.clamp != Clamp::None ||
            index.offset.denominator != 1)
            return std::nullopt;
        MovingSide out{SmallVector<int64_t, 8>(site_stage_.loops.size(), 0),
                       {index.offset.numerator, index.offset.numerator}};
        const bool in_site = reader.id == site_.stage;
        if (!in_site && !is_followed(reader)) return std::nullopt;
        for (size_t l = 0; l < index.coefficient.size(); l++) {
            const Rational c = index.coefficient[l];
            if (c.is_zero()) continue;
            if (c.denominator != 1 || (!access.equated.empty() && access.equated[l]))
                return std::nullopt;
            const std::optional<MovingSide> walked =
                in_site ? of_site(l) : of_reader(reader, reader.loops[l]);
            if (!walked) return std::nullopt;
            for (size_t i = 0; i < out.moves.size(); i++)
                out.moves[i] += c.numerator * walked->moves[i];
            const bool up = c.numerator > 0;
            out.offset.min += c.numerator * (up ? walked->offset.min : walked->offset.max);
            out.offset.max += c.numerator * (up ? walked->offset.max : walked->offset.min);
        }
        return out;
    }

    // If a predicate narrows the box, the box may begin later. A predicate of loops that stand at one point in the site
    // leaves all of the box or nothing.
    bool may_begin_later() const {
        if (!site_stage_.has_predicate) return false;
        if (!is_around_threads()) return true;
        std::vector<bool> stands(site_stage_.loops.size(), false);
        const StageNest &loops = nest_.stage_nest(site_.stage);
        for (int i = 0; i <= nest_.position(site_); i++) {
            const LoopLevel &level = loops.loops[static_cast<size_t>(i)];
            if (level.span == 1) stands[static_cast<size_t>(level.name.dim)] = true;
        }
        for (size_t l = 0; l < stands.size(); l++)
            if (site_stage_.loops[l].in_predicate && !stands[l]) return true;
        return false;
    }

    bool is_followed(const Stage &reader) const {
        if (!follows_ || reader.has_predicate || !nest_.decided(reader.func)) return false;
        const Func &func = graph_.func(reader.func);
        if (func.locked || func.is_extern) return false;
        const FuncNest &placed = nest_.at(reader.func);
        return placed.placement == Placement::Inline ||
               ((placed.compute_at == site_ || is_deeper_in_site(placed)) &&
                placed.store_at == placed.compute_at);
    }

    // Whether what is stored at the site is in the shared memory of a block. Shared memory is given out before the
    // launch. Where no bound is known, the host finds the most in a loop over all blocks and all iterations around the
    // storage.
    bool is_around_threads() const {
        return last_of(nest_.stage_nest(site_.stage), LoopKind::GpuThread) > nest_.position(site_);
    }

    // Whether the Func is computed piece by piece, in loops of the site's stage that are inside the site.
    bool is_deeper_in_site(const FuncNest &placed) const {
        return placed.compute_at && is_around_threads() &&
               placed.compute_at->stage == site_.stage &&
               nest_.position(*placed.compute_at) > nest_.position(site_);
    }

    // The part of loop l of the site's own stage that one iteration of the site walks.
    std::optional<MovingSide> of_site(size_t l) const {
        const StageLoop &loop = site_stage_.loops[l];
        const StageNest &loops = nest_.stage_nest(site_stage_.id);
        const int fused = static_cast<int>(count_parallel(loops));
        int64_t points = 0;  // 0: depends on a size
        bool is_fused = false;
        for (int i = 0; i <= nest_.position(site_); i++) {
            const LoopLevel &level = loops.loops[static_cast<size_t>(i)];
            if (static_cast<size_t>(level.name.dim) != l) continue;
            points = level.span;
            is_fused = fused > 1 && i < fused;
        }
        // Halide does not see through fused loops. Of a part that no loop inside of them walks, it takes all for needed
        // (seen with 21).
        if (is_fused) return std::nullopt;
        if (points == 0 && loop.is_reduction)
            points = loop.constant_range ? loop.range.extent() : 0;
        else if (points == 0)
            points =
                rounded_storage_bounds(nest_, site_stage_.func)[static_cast<size_t>(loop.func_dim)];
        if (points == 0) return std::nullopt;
        MovingSide out{SmallVector<int64_t, 8>(site_stage_.loops.size(), 0), {0, points - 1}};
        out.moves[l] = 1;
        return out;
    }

    // A loop of a stage that is inlined, or that is computed as a whole at the site.
    std::optional<MovingSide> of_reader(const Stage &reader, const StageLoop &loop) {
        if (loop.is_reduction) {
            if (!loop.constant_range) return std::nullopt;
            return MovingSide{SmallVector<int64_t, 8>(site_stage_.loops.size(), 0), loop.range};
        }
        const auto d = static_cast<size_t>(loop.func_dim);
        std::optional<MovingSide> out = of_func(graph_.func(reader.func))[d];
        const FuncNest &placed = nest_.at(reader.func);
        if (!out || placed.placement != Placement::At) return out;
        // It may begin earlier and end later to be aligned.
        const int64_t beyond = aligned_to(graph_, placed, d) - 1;
        out->offset.min -= beyond;
        out->offset.max += beyond;
        // Each piece is rounded up for itself.
        int64_t piece = out->offset.extent();
        if (is_deeper_in_site(placed))
            piece = storage_bounds(nest_, reader.func, *placed.compute_at)[d];
        if (piece == 0) return std::nullopt;
        out->offset.max += rounded(graph_, placed, d, piece) - piece;
        return out;
    }

    const MovingSides &of_func(const Func &func) {
        for (const auto &[f, sides] : known_)
            if (f == func.id) return sides;
        MovingSides sides;
        for (size_t d = 0; d < func.root_region.size(); d++) sides.push_back(side(func, d));
        return known_.emplace_back(func.id, std::move(sides)).second;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const LoopName site_;
    const Stage &site_stage_;
    const bool follows_;
    std::deque<std::pair<FuncId, MovingSides>> known_;  // references into it hold
};

}  // namespace

bool stays_in_place(const StageGraph &graph, const Stage &stage, size_t dim) {
    const auto in_place = [&](const IndexMap &index) {
        if (!index.affine || !index.exact || index.clamp != Clamp::None || !index.offset.is_zero())
            return false;
        bool is_walked = false;  // otherwise the index is the constant 0, wherever the box is
        for (size_t l = 0; l < index.coefficient.size(); l++) {
            const bool own = stage.loops[l].func_dim == static_cast<int>(dim);
            is_walked |= own;
            if (!(index.coefficient[l] == Rational{own ? 1 : 0, 1})) return false;
        }
        return is_walked;
    };
    for (const Access &a : stage.stores)
        if (!in_place(a.index[dim])) return false;
    for (EdgeId e : stage.incoming)
        if (graph.edge(e).is_self)
            for (const Access &a : graph.edge(e).accesses)
                if (!in_place(a.index[dim])) return false;
    return true;
}

SideBounds storage_bounds(const LoopNest &nest, FuncId f, LoopName site) {
    const Func &func = nest.graph().func(f);
    MovingBoxes boxes(nest, site);
    SideBounds bounds(func.root_region.size(), 0);
    // A user's loops may need more, through their tails or through the user's own bounds.
    if (nest.graph().func_of(site.stage).locked) return bounds;
    for (size_t d = 0; d < bounds.size(); d++)
        if (const std::optional<MovingSide> side = boxes.side(func, d))
            bounds[d] = side->offset.extent();
    return bounds;
}

SideBounds rounded_storage_bounds(const LoopNest &nest, FuncId f) {
    const FuncNest &placed = nest.at(f);
    if (!placed.compute_at) return SideBounds(nest.graph().func(f).root_region.size(), 0);
    SideBounds bounds = storage_bounds(nest, f, *placed.compute_at);
    for (size_t d = 0; d < bounds.size(); d++)
        if (bounds[d] > 0) bounds[d] = rounded(nest.graph(), placed, d, bounds[d]);
    return bounds;
}

}  // namespace cryolite
