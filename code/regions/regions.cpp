#include "code/regions/regions.h"

#include <array>

#include "schedule/func_nest.h"

namespace cryolite {

int64_t narrow_to_iteration(const StageNest &nest, int position, std::span<Interval> ranges,
                            std::optional<int64_t> iteration) {
    int64_t count = 1;
    for (int i = 0; i <= position; i++) {
        const LoopLevel &loop = nest.loops[static_cast<size_t>(i)];
        Interval &range = ranges[static_cast<size_t>(loop.name.dim)];
        count = (range.extent() + loop.span - 1) / loop.span;
        const int64_t step = i == position && iteration ? *iteration : (count - 1) / 2;
        range.min += loop.span * step;
        range.max = std::min(range.min + loop.span - 1, range.max);
    }
    return count;
}

IterationRegions::IterationRegions(const LoopNest &nest, LoopName loop,
                                   std::optional<int64_t> iteration)
    : nest_(nest),
      graph_(nest.graph()),
      loop_(loop),
      position_(nest.position(loop)),
      owner_(graph_.stage(loop.stage).func) {
    const StageNest &stage_nest = nest.stage_nest(loop.stage);
    own_ranges_ = stage_nest.range;
    narrow_to_iteration(stage_nest, position_, own_ranges_, iteration);
}

IterationRegions::IterationRegions(const LoopNest &nest, LoopName loop, Intervals ranges)
    : nest_(nest),
      graph_(nest.graph()),
      loop_(loop),
      position_(nest.position(loop)),
      owner_(graph_.stage(loop.stage).func),
      own_ranges_(ranges) {}

size_t IterationRegions::demand(FuncId f) {
    // A Func with an id before the owner's runs outside of the owner's loops. No reader inside needs it.
    const size_t place = f < owner_ ? 0 : f.index() - owner_.index();
    if (place >= answer_of_.size()) answer_of_.resize(place + 1, -1);
    if (f > owner_ && answer_of_[place] >= 0) return static_cast<size_t>(answer_of_[place]);
    const Func &func = graph_.func(f);
    Box box(func.root_region.size());
    bool asked_for = false;
    Intervals ranges;
    Box needed(box.size());
    for (EdgeId id : func.outgoing) {
        const Edge &edge = graph_.edge(id);
        const std::span<const Interval> loops = ranges_of(edge.consumer, ranges);
        if (loops.data() == nullptr) continue;
        asked_for = true;
        edge.region.evaluate(loops, needed);
        for (size_t d = 0; d < box.size(); d++) {
            Interval &side = needed[d];
            if (RegionExpression::is_unbounded(side.min)) side.min = func.root_region[d].min;
            if (RegionExpression::is_unbounded(side.max)) side.max = func.root_region[d].max;
            box[d] = hull(box[d], side);
        }
    }
    if (nest_.decided(f) && nest_.at(f).is_companion && runs_inside(nest_.at(f)) &&
        nest_.at(f).compute_at->stage == loop_.stage) {
        asked_for = true;
        box = part_of_companion(nest_.at(f));
    }
    if (asked_for && func.stages.size() > 1) graph_.include_self_accesses(func, box);
    answers_.push_back({asked_for, std::move(box)});
    if (f > owner_) answer_of_[place] = static_cast<int32_t>(answers_.size() - 1);
    return answers_.size() - 1;
}

Box IterationRegions::part_of_companion(const FuncNest &companion) const {
    Box part(graph_.func(companion.func).root_region);
    const Stage &leader = graph_.stage(loop_.stage);
    for (size_t l = 0; l < leader.loops.size(); l++)
        for (size_t d = 0; d < part.size(); d++)
            if (companion.leader_dims[d] == leader.loops[l].func_dim) part[d] = own_ranges_[l];
    return part;
}

// The ranges of a reader's loops over one iteration of the loop. Null data: the reader does not run inside the loop, or
// not at all.
std::span<const Interval> IterationRegions::ranges_of(StageId s, Intervals &storage) {
    static constexpr std::array<Interval, 1> scalar{};
    const std::span<const Interval> no_loops(scalar.data(), size_t{0});
    if (s == loop_.stage) {
        return own_ranges_.empty() ? no_loops : std::span<const Interval>(own_ranges_);
    }
    const Stage &stage = graph_.stage(s);
    // Readers of the owner run outside of its loops.
    if (stage.func <= owner_ || !nest_.decided(stage.func)) return {};
    const FuncNest &reader = nest_.at(stage.func);
    // Halide computes an enclosed Func that is left alone at its uses.
    const bool at_uses = reader.placement == Placement::Inline ||
                         (graph_.func_of(s).enclosed && is_left_alone(graph_.func_of(s), reader));
    if (!at_uses && !runs_inside(reader)) return {};
    const Answer &answer = answers_[demand(stage.func)];
    if (!answer.asked_for) return {};
    storage.resize(stage.loops.size());
    if (reader.slide_dim >= 0 && reader.compute_at == loop_) {
        graph_.loop_ranges(stage, newly_computed(reader, answer.box), storage);
    } else {
        graph_.loop_ranges(stage, answer.box, storage);
    }
    for (const Interval &range : storage) {
        if (range.empty()) return {};
    }
    return storage.empty() ? no_loops : std::span<const Interval>(storage);
}

bool IterationRegions::runs_inside(const FuncNest &func) const {
    const FuncNest *inner = &func;
    while (inner->compute_at) {
        const LoopName site = *inner->compute_at;
        if (site.stage == loop_.stage) return nest_.position(site) >= position_;
        inner = &nest_.at(graph_.stage(site.stage).func);
    }
    return false;
}

Box region_of_iteration(const LoopNest &nest, FuncId f, LoopName loop,
                        std::optional<int64_t> iteration) {
    return IterationRegions(nest, loop, iteration).of(f);
}

Box required_region(const LoopNest &nest, FuncId f, std::optional<LoopName> loop) {
    if (!loop) return nest.graph().func(f).root_region;
    return region_of_iteration(nest, f, *loop);
}

}  // namespace cryolite
