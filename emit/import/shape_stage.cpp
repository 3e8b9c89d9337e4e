#include "emit/import/shape_stage.h"

#include <algorithm>

#include "code/legality/apply.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// A refusal makes the wish plainer. A stage has at most some dozens of loops, each of which can become plainer a few
// times.
constexpr int most_rounds = 200;

class Shaper {
public:
    Shaper(const LoopNest &placed, StageId stage, WantedLoops wanted, DifferenceNotes &notes)
        : placed_(placed),
          stage_(placed.graph().stage(stage)),
          wanted_(std::move(wanted)),
          notes_(notes) {}

    // Each round that ends with a refusal makes the wish a plainer one.
    LoopNest shaped() {
        drop_loops_without_iterations();
        for (int round = 0; round < most_rounds; round++) {
            LoopNest nest = placed_;
            if (apply_all(nest)) return nest;
        }
        notes_.approximated("loops", "refused in all forms; the default loops instead");
        wanted_.loops.clear();
        for (const LoopLevel &l : placed_.stage_nest(stage_.id).loops)
            wanted_.loops.push_back({l.name.dim, 0, LoopKind::Serial});
        return placed_;
    }

    LoopsByVariable sites() const {
        LoopsByVariable sites;
        for (const std::string &v : wanted_.around) sites[v] = std::nullopt;
        const std::vector<LoopName> names = loop_names();
        for (size_t i = 0; i < names.size(); i++)
            for (const std::string &v : wanted_.loops[i].variables) sites[v] = names[i];
        return sites;
    }

private:
    int64_t extent(int dim) const {
        return placed_.stage_nest(stage_.id).range[static_cast<size_t>(dim)].extent();
    }
    const std::string &dim_name(int dim) const {
        return stage_.loops[static_cast<size_t>(dim)].name;
    }
    bool ends_in_vector(int dim) const {
        return !wanted_.loops.empty() && wanted_.loops.back().dim == dim &&
               wanted_.loops.back().kind == LoopKind::Vectorized;
    }
    std::string directive(const char *method, int dim) const {
        return std::string(method) + "(" + dim_name(dim) + ")";
    }

    // Positions of a dimension's loops, outermost first.
    std::vector<size_t> levels(int dim) const {
        std::vector<size_t> positions;
        for (size_t i = 0; i < wanted_.loops.size(); i++)
            if (wanted_.loops[i].dim == dim) positions.push_back(i);
        return positions;
    }

    // Points that one iteration of each level covers.
    std::vector<int64_t> spans(const std::vector<size_t> &levels) const {
        std::vector<int64_t> spans(levels.size(), 1);
        for (size_t l = levels.size(); l-- > 1;)
            spans[l - 1] = spans[l] * wanted_.loops[levels[l]].count;
        return spans;
    }

    // The spans of a Tile: Vectorize makes the innermost split, but of a reduction that is a single vector.
    std::vector<int64_t> tile_spans(int dim) const {
        std::vector<int64_t> all = spans(levels(dim));
        if (!all.empty()) all.pop_back();
        const StageLoop &loop = stage_.loops[static_cast<size_t>(dim)];
        const bool is_one_vector =
            loop.is_reduction && loop.constant_range && all.size() == 1 && all[0] == extent(dim);
        if (ends_in_vector(dim) && !all.empty() && !is_one_vector) all.pop_back();
        return all;
    }

    std::vector<LoopName> loop_names() const {
        std::vector<int16_t> next(stage_.loops.size(), 0);
        std::vector<LoopName> names;
        for (const WantedLoop &l : wanted_.loops)
            names.push_back(
                {stage_.id, static_cast<int16_t>(l.dim), next[static_cast<size_t>(l.dim)]++});
        return names;
    }

    void drop_loops_without_iterations() {
        for (size_t i = wanted_.loops.size(); i-- > 0;)
            if (wanted_.loops[i].count == 1) remove_loop(wanted_, i);
        for (int dim = 0; dim < static_cast<int>(stage_.loops.size()); dim++) {
            make_whole_vector_a_part(dim);
            fit_to_extent(dim);
        }
    }

    // A vector over a whole dimension becomes a part of the dimension's length.
    void make_whole_vector_a_part(int dim) {
        const std::vector<size_t> at = levels(dim);
        if (at.size() != 1 || !ends_in_vector(dim)) return;
        WantedLoop &vector = wanted_.loops[at[0]];
        const StageLoop &loop = stage_.loops[static_cast<size_t>(dim)];
        if (extent(dim) < 2) {
            vector.kind = LoopKind::Serial;
            return;
        }
        if (loop.is_reduction && loop.constant_range) return;
        vector.count = extent(dim);
        insert_whole(dim, at[0]);
    }

    // A loop over the one part of a dimension, around the loop at `position`. By hand it is not there: it goes as far
    // out as it can, so that it does not stand between loops whose bodies share registers. It stays inside of parallel
    // loops and of those that hold other Funcs.
    void insert_whole(int dim, size_t position) {
        while (position > 0 && wanted_.loops[position - 1].kind != LoopKind::Parallel &&
               !wanted_.loops[position - 1].is_site)
            position--;
        wanted_.loops.insert(wanted_.loops.begin() + static_cast<std::ptrdiff_t>(position),
                             WantedLoop{dim, 0, LoopKind::Serial});
    }

    // A split into parts that are longer than the dimension goes.
    void fit_to_extent(int dim) {
        for (std::vector<int64_t> s = tile_spans(dim); !s.empty() && s[0] > extent(dim);
             s = tile_spans(dim)) {
            notes_.approximated("split of " + dim_name(dim) + " by " + std::to_string(s[0]),
                                "only " + std::to_string(extent(dim)) +
                                    " points are needed at the estimates; not split");
            remove_loop(wanted_, levels(dim)[0]);
        }
    }

    bool apply_all(LoopNest &nest) {
        for (int dim = 0; dim < static_cast<int>(stage_.loops.size()); dim++)
            if (!tile(nest, dim)) return false;
        return vectorize(nest) && reorder(nest) && unroll(nest) && parallel(nest);
    }

    bool tile(LoopNest &nest, int dim) {
        const std::vector<int64_t> wanted = tile_spans(dim);
        if (wanted.empty()) return true;
        auto next =
            cryolite::apply(nest, action::Tile{stage_.id, static_cast<int16_t>(dim), wanted});
        if (next.ok()) {
            nest = std::move(*next);
            return true;
        }
        notes_.approximated(directive("split", dim),
                            std::string(name(next.error())) + "; fewer parts instead");
        const std::vector<size_t> at = levels(dim);
        remove_loop(wanted_, at[ends_in_vector(dim) ? at.size() - 2 : at.size() - 1]);
        return false;
    }

    bool vectorize(LoopNest &nest) {
        if (wanted_.loops.empty() || wanted_.loops.back().kind != LoopKind::Vectorized) return true;
        const WantedLoop &vector = wanted_.loops.back();
        const int64_t width = vector.count > 0 ? vector.count : extent(vector.dim);
        auto next =
            cryolite::apply(nest, action::Vectorize{stage_.id, static_cast<int16_t>(vector.dim),
                                                    static_cast<int32_t>(width), vector.woven});
        if (next.ok()) {
            nest = std::move(*next);
            return true;
        }
        if (vector.woven > 1) {
            notes_.approximated(directive("vectorize", vector.dim),
                                "a vector of points that lie " + std::to_string(vector.woven) +
                                    " apart; a vector of neighbours instead");
            wanted_.loops.back().woven = 1;
            return false;
        }
        notes_.approximated(directive("vectorize", vector.dim),
                            std::string(name(next.error())) + "; no vectors instead");
        if (vector.count > 0)
            remove_loop(wanted_, wanted_.loops.size() - 1);
        else
            wanted_.loops.back().kind = LoopKind::Serial;
        return false;
    }

    bool reorder(LoopNest &nest) {
        const std::vector<LoopName> order = loop_names();
        const LoopLevels &now = nest.stage_nest(stage_.id).loops;
        if (std::ranges::equal(order, now, {}, {}, &LoopLevel::name)) return true;
        auto next = cryolite::apply(nest, action::Reorder{stage_.id, order});
        if (next.ok()) {
            nest = std::move(*next);
            return true;
        }
        notes_.approximated(
            "reorder", std::string(name(next.error())) + "; as near to it as the reductions allow");
        keep_reductions_in_order(now);
        return false;
    }

    // Loops that must keep their order get it, in the places that they have; if they had it, all loops get `now`.
    void keep_reductions_in_order(const LoopLevels &now) {
        std::vector<size_t> places;
        for (size_t i = 0; i < wanted_.loops.size(); i++)
            if (!stage_.loops[static_cast<size_t>(wanted_.loops[i].dim)].reorderable)
                places.push_back(i);
        std::vector<WantedLoop> kept;
        for (size_t i : places) kept.push_back(wanted_.loops[i]);
        const auto outer_dims_first = [](const WantedLoop &a, const WantedLoop &b) {
            return a.dim > b.dim;
        };
        if (!std::ranges::is_sorted(kept, outer_dims_first)) {
            std::ranges::stable_sort(kept, outer_dims_first);
            for (size_t i = 0; i < places.size(); i++) wanted_.loops[places[i]] = kept[i];
            return;
        }
        std::vector<WantedLoop> sorted;
        const std::vector<LoopName> names = loop_names();
        for (const LoopLevel &l : now)
            for (size_t i = 0; i < names.size(); i++)
                if (names[i] == l.name) sorted.push_back(wanted_.loops[i]);
        wanted_.loops = std::move(sorted);
        for (size_t i = 0; i + 1 < wanted_.loops.size(); i++)
            if (wanted_.loops[i].kind == LoopKind::Vectorized)
                wanted_.loops[i].kind = LoopKind::Serial;
    }

    bool unroll(LoopNest &nest) {
        for (size_t i = 0; i < wanted_.loops.size(); i++) {
            if (wanted_.loops[i].kind != LoopKind::Unrolled) continue;
            const LoopName loop = loop_names()[i];
            auto next =
                cryolite::apply(nest, wanted_.loops[i].is_joined ? Action(action::Join{loop})
                                                                 : action::Unroll{loop});
            if (next.ok()) {
                nest = std::move(*next);
                continue;
            }
            if (wanted_.loops[i].is_joined) {
                if (unroll_as_one_part(i)) return false;
                notes_.approximated(directive("vectorize", wanted_.loops[i].dim),
                                    "a second vector loop; unrolled instead");
                wanted_.loops[i].is_joined = false;
                return false;
            }
            if (!unroll_as_one_part(i)) {
                if (extent(wanted_.loops[i].dim) > spans(levels(wanted_.loops[i].dim))[0])
                    notes_.approximated(directive("unroll", wanted_.loops[i].dim),
                                        std::string(name(next.error())) + "; serial instead");
                wanted_.loops[i].kind = LoopKind::Serial;
            }
            return false;
        }
        return true;
    }

    // The iterations of a loop over a whole dimension are no constant in our space, even where Halide knows them. The
    // dimension becomes one part of that length, in which the loop may be unrolled.
    bool unroll_as_one_part(size_t position) {
        WantedLoop &loop = wanted_.loops[position];
        const int64_t points = extent(loop.dim), inside = spans(levels(loop.dim))[0];
        if (loop.count > 0 || points % inside != 0 || points == inside ||
            stage_.loops[static_cast<size_t>(loop.dim)].in_predicate)
            return false;
        loop.count = points / inside;
        insert_whole(loop.dim, position);
        return true;
    }

    bool parallel(LoopNest &nest) {
        const auto is_parallel = [](const WantedLoop &l) { return l.kind == LoopKind::Parallel; };
        const auto first = std::ranges::find_if(wanted_.loops, is_parallel);
        const auto count = static_cast<int32_t>(std::ranges::count_if(wanted_.loops, is_parallel));
        if (count == 0) return true;
        const auto inside = static_cast<int32_t>(first - wanted_.loops.begin());
        auto next = cryolite::apply(nest, action::Parallel{stage_.id, count, inside});
        if (next.ok()) {
            nest = std::move(*next);
            return true;
        }
        WantedLoop &last = wanted_.loops[static_cast<size_t>(inside + count) - 1];
        notes_.approximated(directive("parallel", last.dim),
                            std::string(name(next.error())) + "; serial instead");
        last.kind = LoopKind::Serial;
        return false;
    }

    const LoopNest &placed_;
    const Stage &stage_;
    WantedLoops wanted_;
    DifferenceNotes &notes_;
};

}  // namespace

LoopsByVariable shape_stage(LoopNest &nest, StageId stage, WantedLoops wanted,
                            DifferenceNotes &notes) {
    const LoopNest placed = nest;
    Shaper shaper(placed, stage, std::move(wanted), notes);
    nest = shaper.shaped();
    return shaper.sites();
}

}  // namespace cryolite
