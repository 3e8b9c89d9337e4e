#include "search/space/tilings.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>

#include "code/stage/whole_loops.h"
#include "graph/facts/scatters.h"
#include "schedule/func_nest.h"
#include "search/gpu/gpu_tilings.h"
#include "search/space/choices.h"
#include "search/space/dots.h"
#include "search/space/strided_sums.h"
#include "search/space/templates.h"
#include "search/space/tiling_space.h"

namespace cryolite {
namespace {

// Rows that are read transposed lie on different pages. Address translation and prefetchers follow about this
// many pages at once (the first-level tables of pages have 64 to 96 entries). The cost model does not know it.
constexpr int64_t pages_in_sight = 64;
// A visit of a page should read at least this much of it: a quarter of the usual 4 KB.
constexpr int64_t short_visit_bytes = 1024;
// As many rows are written during the visit. Their pages should stay in the second-level table.
constexpr int64_t most_rows_written = 512;

// Whether a template stays for a while on a few of the rows that it reads transposed. It applies to a Func at root that
// passes over its data once; other Funcs have no short visits.
class LongVisits {
public:
    explicit LongVisits(const TilingSpace &s) : space_(s) {
        if (!s.transposed_read || s.transposed_read->row_dim < 0 || s.order.empty() ||
            s.has_reduction || s.nest.placement != Placement::Root)
            return;
        matters_ = true;
        along_ = static_cast<size_t>(s.transposed_read->row_dim);
        across_ = static_cast<size_t>(s.order[0]);
        const int64_t task = (s.extent(along_) + s.machine.cores - 1) / s.machine.cores;
        least_ = std::min(task, short_visit_bytes / std::max(1, s.func.bytes_per_point()));
    }
    bool has(const TilingTemplate &t) const {
        return !matters_ || (span(t, across_) <= pages_in_sight && span(t, along_) >= least_ &&
                             span(t, along_) <= std::max(least_, most_rows_written));
    }

private:
    int64_t span(const TilingTemplate &t, size_t dim) const {
        return t.tile[dim] > 0 ? t.tile[dim] : space_.extent(dim);
    }
    const TilingSpace &space_;
    bool matters_ = false;
    size_t along_ = 0, across_ = 0;
    int64_t least_ = 0;
};

// The first `wanted` of `count` numbers in a random order that begins with 0; all of them in their own order if there
// are no more.
std::vector<size_t> drawn_places(size_t count, size_t wanted, Random &random) {
    std::vector<size_t> places(std::min(count, wanted));
    std::iota(places.begin(), places.end(), size_t{0});
    if (count <= wanted) return places;
    std::unordered_map<size_t, size_t> moved;  // what stands at the places from `wanted` on
    for (size_t i = 1; i < wanted; i++) {
        const size_t other = i + random.below(count - i);
        if (other < wanted)
            std::swap(places[i], places[other]);
        else
            std::swap(places[i], moved.try_emplace(other, other).first->second);
    }
    return places;
}

// At most `wanted` templates. There are up to some hundred thousand, so that they are counted, and only the drawn ones
// are kept. If none has long visits, all count.
std::vector<TilingTemplate> drawn_templates(const TilingSpace &s, bool drops_short_visits,
                                            size_t wanted, Random &random) {
    const LongVisits visits(s);
    size_t all = 0, with_long_visits = 0;
    each_template(s, [&](const TilingTemplate &t) {
        all++;
        with_long_visits += visits.has(t);
    });
    const bool drops = drops_short_visits && with_long_visits > 0;
    const std::vector<size_t> places = drawn_places(drops ? with_long_visits : all, wanted, random);
    std::vector<std::pair<size_t, size_t>> by_place;  // and where they go
    for (size_t i = 0; i < places.size(); i++) by_place.emplace_back(places[i], i);
    std::ranges::sort(by_place);
    std::vector<TilingTemplate> drawn(places.size());
    size_t place = 0;
    auto next = by_place.begin();
    each_template(s, [&](const TilingTemplate &t) {
        if (drops && !visits.has(t)) return;
        if (next != by_place.end() && next->first == place) drawn[(next++)->second] = t;
        place++;
    });
    return drawn;
}

// Every second template takes one way at the Func's choices, or every fourth if they are made further inside. The first
// of them has plain loops.
void take_choices(const TilingSpace &s, std::vector<TilingTemplate> &drawn) {
    const Choices made = choices_of(s);
    if (made == Choices::None) return;
    for (size_t i = 1; i < drawn.size(); i += made == Choices::Own ? 2 : 4)
        drawn[i] = with_choices_taken(s, drawn[i == 1 ? 0 : i]);
}

// The template with vectors of as many times the lanes as the part has points, in as many fewer copies.
TilingTemplate with_wider_vectors(TilingTemplate shape) {
    shape.width *= static_cast<int>(shape.part.points);
    int64_t &copies = shape.unroll[static_cast<size_t>(shape.vector_dim)];
    copies = std::max<int64_t>(1, copies / shape.part.points);
    return shape;
}

bool may_have_wider_vectors(const TilingSpace &s, const TilingTemplate &t) {
    int bits = 0;  // of a sum
    for (const ScalarType &type : s.func.values) bits = std::max(bits, type.bits);
    return t.width * bits <= s.machine.vector_bytes * 8 && t.vector_dim >= 0 && t.width > 1 &&
           interleaves_neighbours(s, t.part, t.vector_dim) &&
           t.width * t.part.points <= s.extent(static_cast<size_t>(t.vector_dim));
}

// Every second template has a part of a reduction loop beside its vectors, where one is worth it, by turns if there
// are several such parts; of all templates, each in all ways. Of the parts that interleave, half have wider vectors.
void take_parts(const TilingSpace &s, bool exhaustive, std::vector<TilingTemplate> &drawn) {
    std::vector<TilingTemplate::Part> parts;
    for (const auto &part : {dot_of(s), strided_sum(s), strided_dot_of(s)})
        if (part) parts.push_back(*part);
    if (parts.empty()) return;
    const size_t n = drawn.size();
    if (!exhaustive) {
        for (size_t i = 1; i < n; i += 2) {
            const size_t turn = i / 2;
            drawn[i].part = parts[turn % parts.size()];
            if (turn / parts.size() % 2 == 1 && may_have_wider_vectors(s, drawn[i]))
                drawn[i] = with_wider_vectors(drawn[i]);
        }
        return;
    }
    for (const TilingTemplate::Part &part : parts)
        for (size_t i = 0; i < n; i++) {
            TilingTemplate with_part = drawn[i];
            with_part.part = part;
            if (may_have_wider_vectors(s, with_part))
                drawn.push_back(with_wider_vectors(with_part));
            drawn.push_back(std::move(with_part));
        }
}

// Whether the steps of the loop may stand inside of all other loops.
bool steps_are_innermost(const Stage &stage, size_t loop) {
    return std::all_of(stage.loops.begin(), stage.loops.begin() + static_cast<std::ptrdiff_t>(loop),
                       [](const StageLoop &l) { return l.reorderable; });
}

// The loop of the stage of which some steps may be unrolled inside of all others; -1: there is none. Of what scatters
// it is the innermost one, which LLVM does not unroll, since a step may write what the next one reads.
int loop_of_steps(const Stage &stage) {
    std::optional<size_t> loop;
    if (stage.recurrence)
        loop = stage.recurrence->loop;
    else if (!stage.loops.empty() && stage.loops[0].is_reduction && scatters_along(stage, 0))
        loop = 0;
    return loop && !stage.loops[*loop].in_predicate && steps_are_innermost(stage, *loop)
               ? static_cast<int>(*loop)
               : -1;
}

// Every second template unrolls some steps of the Func's recurrences and of what it scatters: half of those with parts,
// and half of the others.
void take_steps(const TilingSpace &s, bool exhaustive, std::vector<TilingTemplate> &drawn) {
    SmallVector<int, 4> loops;
    for (const StageNest &nest : s.nest.stages)
        loops.push_back(loop_of_steps(s.graph.stage(nest.stage)));
    if (std::ranges::all_of(loops, [](int loop) { return loop < 0; })) return;
    constexpr int64_t steps[] = {4, 8};
    const size_t n = drawn.size();
    const auto take = [&](TilingTemplate &shape, int64_t times) {
        shape.step_loops = loops;
        shape.steps = times;
    };
    for (size_t i = 0; i < n; i++) {
        if (!exhaustive) {
            if (i % 4 == 1 || i % 4 == 2) take(drawn[i], steps[i / 4 % 2]);
            continue;
        }
        for (int64_t times : steps) {
            drawn.push_back(drawn[i]);
            take(drawn.back(), times);
        }
    }
}

}  // namespace

std::vector<std::vector<Action>> tilings(const LoopNest &nest, FuncId id, Hardware hardware,
                                         const TilingLimits &limits, Random random) {
    const StageGraph &graph = nest.graph();
    const Func &func = graph.func(id);
    const FuncNest &placed = nest.at(id);
    if (is_left_alone(func, placed) || func.is_extern || placed.stages.empty()) return {{}};
    if (hardware.gpu) return gpu_tilings(nest, id, hardware, limits, random);
    const Machine &machine = *hardware.cpu;
    const TilingSpace space(nest, id, machine);
    // Draw before spelling out: there are many templates, and their actions take time to make.
    std::vector<TilingTemplate> all = drawn_templates(
        space, !limits.exhaustive,
        limits.exhaustive ? std::numeric_limits<size_t>::max() : 4 * limits.count, random);
    if (!limits.exhaustive) take_choices(space, all);
    take_parts(space, limits.exhaustive, all);
    take_steps(space, limits.exhaustive, all);
    // Per stage and loop. Only loops that may not be split need the answer.
    std::vector<std::vector<bool>> whole_of_tile;
    for (const StageNest &s : placed.stages) {
        whole_of_tile.emplace_back();
        for (size_t l = 0; l < s.range.size(); l++)
            whole_of_tile.back().push_back(
                graph.stage(s.stage).loops[l].in_predicate &&
                is_whole_of_tile(nest, {s.stage, static_cast<int16_t>(l), 0}));
    }
    std::vector<std::vector<Action>> out;
    std::set<uint64_t> seen;
    for (const TilingTemplate &t : all) {
        std::vector<Action> actions;
        uint64_t h = 0;
        for (size_t i = 0; i < placed.stages.size(); i++) {
            const StageNest &s = placed.stages[i];
            if (graph.stage(s.stage).is_undefined) continue;
            for (Action &a : to_actions(graph.stage(s.stage), s.range, t, whole_of_tile[i])) {
                h = mix_bits(h ^ hash(a));
                actions.push_back(std::move(a));
            }
        }
        if (seen.insert(h).second) out.push_back(std::move(actions));
        if (!limits.exhaustive && out.size() >= limits.count) break;
    }
    return out;
}

}  // namespace cryolite
