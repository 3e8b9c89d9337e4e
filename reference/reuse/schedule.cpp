// Chapter 5: carries out the segments of a reuse::Plan. Every stored Func of a segment has its
// place in the loops of the segment's output; loops are shaped before anything is placed inside.
#include <algorithm>

#include "reference/builder.h"
#include "reference/reuse/plan.h"
#include "reference/strategies.h"

namespace cryolite::strategies {
namespace {

using reuse::MemberPlan;
using reuse::SegmentPlan;
using reuse::StageLoops;
using reuse::TiledLoop;
using reuse::TiledNest;

// Kernels of up to this many points are copied out whole; more would crowd the instruction cache.
constexpr int64_t most_copies = 32;

// Loops of the nest, innermost first, as far as they are short reductions of known length.
std::vector<int> kernel_loops(const Stage &stage, const std::vector<int> &innermost_first,
                              int64_t few_iterations) {
    std::vector<int> kernel;
    int64_t copies = 1;
    for (int l : innermost_first) {
        const StageLoop &loop = stage.loops[static_cast<size_t>(l)];
        if (!loop.is_reduction || !loop.constant_range || loop.in_predicate) break;
        if (loop.range.extent() > few_iterations) break;
        copies *= std::max<int64_t>(1, loop.range.extent());
        if (copies > most_copies) break;
        kernel.push_back(l);
    }
    return kernel;
}

StageShape shape_of(const Stage &stage, const StageLoops &loops, int64_t few_iterations) {
    StageShape shape;
    for (size_t i = loops.order.size(); i-- > 0;) shape.levels.push_back({loops.order[i], 1});
    if (loops.vector_loop >= 0) shape.vector_loop = loops.vector_loop;
    shape.vector_width = loops.vector_width;
    shape.unrolled = kernel_loops(stage, loops.order, few_iterations);
    if (loops.parallel_loop >= 0 && loops.parallel_loop == loops.order.back())
        shape.parallel_levels = 1;
    return shape;
}

// The driver's loops, and where each level of the plan went.
struct Driver {
    StageShape shape;
    std::vector<int> entry_of_level;             // index into shape.levels; -1: a single iteration
    std::vector<std::optional<LoopName>> loops;  // per entry, once shaped
};

// fused: something is stored inside its loops.
Driver driver_of(const Stage &stage, const TiledNest &nest, bool fused, int64_t few_iterations) {
    Driver driver;
    if (nest.vector_level >= 0) {
        driver.shape.vector_loop = nest.order[static_cast<size_t>(nest.vector_level)].loop;
        driver.shape.vector_width = nest.vector_width;
    }
    driver.entry_of_level.assign(nest.order.size(), -1);
    for (size_t p = nest.order.size(); p-- > 0;) {
        const TiledLoop &at = nest.order[p];
        const auto l = static_cast<size_t>(at.loop);
        const int64_t extent = nest.ranges[l].extent(), tile = nest.tile[l];
        // As many points as one iteration covers; lanes are split off later.
        const bool iterates = at.between_tiles ? tile < extent : tile > 1 || extent == 1;
        if (!iterates) continue;
        // Of a nest that is one tile the outermost loop runs in parallel, if nothing else is in it.
        if (driver.shape.levels.empty() && stage.loops[l].parallelizable &&
            (at.between_tiles || (!fused && driver.shape.vector_loop != at.loop))) {
            driver.shape.parallel_levels = 1;
        }
        driver.entry_of_level[p] = static_cast<int>(driver.shape.levels.size());
        driver.shape.levels.push_back({at.loop, at.between_tiles ? tile : 1});
    }
    std::vector<int> inside;  // the loop that walks the vectors, innermost first
    for (int p = 0; p < nest.innermost_level(); p++)
        inside.push_back(nest.order[static_cast<size_t>(p)].loop);
    driver.shape.unrolled = kernel_loops(stage, inside, few_iterations);
    return driver;
}

class Segments {
public:
    Segments(const StageGraph &graph, const Machine &machine)
        : graph_(graph),
          builder_(graph, machine),
          plan_(plan_by_reuse(graph, reuse::cache_budget(machine, machine.cores), options_)),
          outputs_(graph.num_scheduled()),
          members_(graph.num_scheduled()) {
        for (const SegmentPlan &s : plan_.segments) {
            outputs_[s.tiled.segment.output.index()] = &s;
            for (const MemberPlan &m : s.members) members_[m.func.index()] = {&s, &m};
        }
    }

    // Readers first: a segment's output has its loops before its members need them.
    StrategyResult run() && {
        for (size_t i = 0; i < graph_.num_scheduled(); i++) {
            const FuncId f(i);
            if (outputs_[i] != nullptr)
                schedule_output(f, *outputs_[i]);
            else if (members_[i].plan != nullptr)
                schedule_member(f, members_[i]);
        }
        return std::move(builder_).finish();
    }

private:
    struct Member {
        const SegmentPlan *segment = nullptr;
        const MemberPlan *plan = nullptr;
    };

    void shape(const StageLoops &loops) {
        const Stage &stage = graph_.stage(loops.stage);
        if (stage.is_undefined) return;
        builder_.shape(loops.stage, shape_of(stage, loops, options_.few_iterations));
    }

    void schedule_output(FuncId f, const SegmentPlan &segment) {
        builder_.compute_root(f);
        if (segment.left_alone) return;
        const Stage &stage = graph_.stage(segment.tiled.segment.driver);
        const bool fused = !std::ranges::all_of(
            segment.members, [](const MemberPlan &m) { return m.levels.inlined; });
        Driver driver = driver_of(stage, segment.tiled.nest, fused, options_.few_iterations);
        if (!stage.is_undefined) driver.loops = builder_.shape(stage.id, driver.shape);
        for (const StageLoops &loops : segment.other_stages) shape(loops);
        drivers_.emplace_back(&segment, std::move(driver));
    }

    void schedule_member(FuncId f, const Member &member) {
        if (member.plan->levels.inlined) {
            if (builder_.try_inline(f)) return;
            builder_.compute_root(f);
            for (StageId s : graph_.func(f).stages) builder_.shape_plainly(s, "was to be inlined");
            return;
        }
        builder_.place(f, place_of(member));
        for (const StageLoops &loops : member.plan->stages) shape(loops);
    }

    // The loops that are really there, from the level that a Func is computed at outwards: a level
    // of a single iteration is the same place as the next one around it.
    Place place_of(const Member &member) const {
        const auto found = std::ranges::find(drivers_, member.segment,
                                             &std::pair<const SegmentPlan *, Driver>::first);
        Place place;
        if (found == drivers_.end()) return place;
        const Driver &driver = found->second;
        const reuse::StageLevels &levels = member.plan->levels;
        bool loop_between = false;
        for (size_t p = static_cast<size_t>(levels.compute); p < driver.entry_of_level.size();
             p++) {
            const int entry = driver.entry_of_level[p];
            if (entry < 0 || driver.loops.empty()) continue;
            const std::optional<LoopName> &loop = driver.loops[static_cast<size_t>(entry)];
            if (!loop) continue;
            place.sites.push_back(*loop);
            loop_between |= static_cast<int>(p) < levels.store;
        }
        place.slides = member.plan->slides && loop_between;
        return place;
    }

    const reuse::Options options_;
    const StageGraph &graph_;
    Builder builder_;
    const reuse::Plan plan_;
    std::vector<const SegmentPlan *> outputs_;  // per Func; null: a member
    std::vector<Member> members_;               // per Func; an inlined one may be in several
    std::vector<std::pair<const SegmentPlan *, Driver>> drivers_;
};

}  // namespace

StrategyResult reuse_strategy(const StageGraph &graph, const Machine &machine) {
    return Segments(graph, machine).run();
}

}  // namespace cryolite::strategies
