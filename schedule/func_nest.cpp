#include "schedule/func_nest.h"

#include <algorithm>
#include <functional>

#include "base/hash.h"

namespace cryolite {

namespace {

LoopKind kind_of(UserLoop::Kind kind) {
    switch (kind) {
        case UserLoop::Kind::Parallel: return LoopKind::Parallel;
        case UserLoop::Kind::Vectorized: return LoopKind::Vectorized;
        case UserLoop::Kind::Unrolled: return LoopKind::Unrolled;
        case UserLoop::Kind::Serial: break;
    }
    return LoopKind::Serial;
}

void add_user_loops(const Stage &stage, const Intervals &range, LoopLevels &loops) {
    std::vector<int16_t> levels(stage.loops.size(), 0);
    std::vector<int64_t> points(
        stage.loops.size());  // per dimension: points that its next level walks
    for (size_t d = 0; d < points.size(); d++) points[d] = range[d].extent();
    for (const UserLoop &of_user : stage.user_loops) {
        const auto d = static_cast<size_t>(of_user.dim);
        LoopLevel loop;
        loop.name = {stage.id, static_cast<int16_t>(d), levels[d]++};
        loop.kind = kind_of(of_user.kind);
        loop.span = of_user.span;
        loop.extent = (points[d] + loop.span - 1) / loop.span;
        points[d] = loop.span;
        loops.push_back(loop);
    }
}

}  // namespace

StageNest default_stage_nest(const Stage &stage, Intervals range) {
    StageNest nest;
    nest.stage = stage.id;
    nest.loops.reserve(stage.loops.size() + 2);
    if (!stage.user_loops.empty()) add_user_loops(stage, range, nest.loops);
    for (size_t d = stage.user_loops.empty() ? stage.loops.size() : 0; d-- > 0;) {
        LoopLevel loop;
        loop.name = {stage.id, static_cast<int16_t>(d), 0};
        loop.extent = range[d].extent();
        nest.loops.push_back(loop);
    }
    nest.range = std::move(range);
    return nest;
}

namespace {

void add(Hasher &hasher, const std::optional<LoopName> &loop) {
    hasher.add(loop.has_value());
    if (loop) {
        hasher.add(static_cast<uint64_t>(loop->stage.value));
        hasher.add(static_cast<uint64_t>(loop->dim) << 16 | static_cast<uint64_t>(loop->level));
    }
}

}  // namespace

uint64_t hash_of(const FuncNest &nest) {
    Hasher hasher;
    hasher.add(static_cast<uint64_t>(nest.func.value)).add(static_cast<uint64_t>(nest.placement));
    add(hasher, nest.compute_at);
    add(hasher, nest.store_at);
    if (nest.is_companion) hasher.add("companion");
    if (!nest.storage_order.empty()) {
        hasher.add("storage");
        for (int dim : nest.storage_order) hasher.add(static_cast<uint64_t>(dim));
    }
    for (const StageNest &stage : nest.stages) {
        hasher.add(stage.loops.size());
        if (stage.has_company) hasher.add("company");
        for (const LoopLevel &loop : stage.loops) {
            hasher.add(static_cast<uint64_t>(loop.name.dim) << 32 |
                       static_cast<uint64_t>(loop.name.level) << 8 |
                       static_cast<uint64_t>(loop.kind));
            hasher.add(static_cast<uint64_t>(loop.span));
            if (loop.is_joined) hasher.add("joined");
            if (loop.woven > 1) hasher.add("woven").add(static_cast<uint64_t>(loop.woven));
        }
        if (!stage.tile_kernel) continue;
        hasher.add("tile").add(static_cast<uint64_t>(stage.tile_kernel->product.value));
        for (int number : tensorcore::numbers_of(stage.tile_kernel->tile))
            hasher.add(static_cast<uint64_t>(number));
    }
    return hasher.value();
}

Box newly_computed(const FuncNest &nest, Box region) {
    if (nest.slide_dim >= 0) {
        Interval &moving = region[static_cast<size_t>(nest.slide_dim)];
        moving.min = std::max(moving.min, moving.max - nest.slide_step + 1);
    }
    return region;
}

bool has_constant_extent(const Stage &stage, const LoopLevel &loop) {
    if (loop.name.level > 0) return true;
    const StageLoop &of_stage = stage.loops[static_cast<size_t>(loop.name.dim)];
    return of_stage.is_reduction && of_stage.constant_range;
}

int64_t joined_points(const StageNest &nest) {
    const size_t n = nest.loops.size();
    return n > 1 && nest.loops[n - 2].is_joined ? nest.loops[n - 2].extent : 1;
}

size_t count_parallel(const StageNest &nest) {
    return static_cast<size_t>(
        std::ranges::count(nest.loops, LoopKind::Parallel, &LoopLevel::kind));
}

size_t first_parallel(const StageNest &nest) {
    return static_cast<size_t>(std::ranges::find(nest.loops, LoopKind::Parallel, &LoopLevel::kind) -
                               nest.loops.begin());
}

bool may_run_in_parallel(const Stage &stage, const LoopLevels &loops, size_t position) {
    const auto dim = static_cast<size_t>(loops[position].name.dim);
    if (stage.loops[dim].parallelizable) return true;
    if (!stage.loops[dim].race_free_in_order) return false;
    for (size_t i = position + 1; i < loops.size(); i++) {
        const auto inside = static_cast<size_t>(loops[i].name.dim);
        if (inside > dim && stage.loops[inside].is_reduction) return false;
    }
    return true;
}

int last_of(const StageNest &nest, LoopKind kind) {
    for (size_t i = nest.loops.size(); i-- > 0;) {
        if (nest.loops[i].kind == kind) return static_cast<int>(i);
    }
    return -1;
}

bool takes_producers(const StageNest &nest, size_t position) {
    const LoopKind kind = nest.loops[position].kind;
    // Halide would copy the other Func with the loop's body.
    if (kind == LoopKind::Vectorized || kind == LoopKind::Unrolled) return false;
    if (position + 1 < count_parallel(nest)) return false;
    if (last_of(nest, LoopKind::GpuBlock) > static_cast<int>(position)) return false;
    return kind != LoopKind::GpuThread || position + 1 == nest.loops.size() ||
           nest.loops[position + 1].kind != LoopKind::GpuThread;
}

bool keeps_order(const Stage &stage, const LoopLevels &loops) {
    std::vector<int16_t> next_level(stage.loops.size(), 0);
    int16_t ordered_dim = -1;  // dimension of the last loop seen that is not reorderable
    for (const LoopLevel &loop : loops) {
        const auto dim = static_cast<size_t>(loop.name.dim);
        if (loop.name.level != next_level[dim]++) return false;
        if (stage.loops[dim].reorderable) continue;
        if (ordered_dim >= 0 && loop.name.dim > ordered_dim) return false;
        ordered_dim = loop.name.dim;
    }
    return true;
}

bool holds_others(const LoopNest &nest, StageId stage) {
    return std::ranges::any_of(nest.computed_in(nest.graph().stage(stage).func),
                               [&](FuncId f) { return nest.at(f).compute_at->stage == stage; });
}

std::vector<FuncId> computed_inside(const LoopNest &nest, FuncId f) {
    std::vector<FuncId> found;
    const auto add = [&](FuncId around) {
        for (FuncId g : nest.computed_in(around)) found.push_back(g);
    };
    add(f);
    for (size_t i = 0; i < found.size(); i++) add(found[i]);
    return found;
}

bool is_default(const Stage &stage, const StageNest &nest) {
    const LoopLevels made = default_stage_nest(stage, nest.range).loops;
    return std::ranges::equal(made, nest.loops, [](const LoopLevel &a, const LoopLevel &b) {
        return a.name == b.name && a.kind == b.kind && a.span == b.span;
    });
}

bool is_left_alone(const Func &func, const FuncNest &placed) {
    return func.locked || (func.enclosed && placed.placement == Placement::Root);
}

std::optional<LoopName> loop_of(const LoopNest &nest, const UserSite &site) {
    const Stage &stage = nest.graph().stage(site.stage);
    if (!nest.decided(stage.func)) return std::nullopt;
    const LoopLevels &loops = nest.stage_nest(site.stage).loops;
    if (static_cast<size_t>(site.loop) >= loops.size()) return std::nullopt;
    return loops[static_cast<size_t>(site.loop)].name;
}

std::vector<int> address_order(const StageGraph &graph, const FuncNest &placed) {
    const auto is_a_point = [&](int d) {
        if (placed.storage_bound[static_cast<size_t>(d)] != 1) return false;
        return std::ranges::all_of(placed.stages, [&](const StageNest &s) {
            const std::vector<StageLoop> &loops = graph.stage(s.stage).loops;
            return std::ranges::all_of(s.loops, [&](const LoopLevel &l) {
                return loops[static_cast<size_t>(l.name.dim)].func_dim != d || l.span == 1;
            });
        });
    };
    const std::vector<int> &stored =
        placed.storage_order.empty() ? graph.func(placed.func).storage_order : placed.storage_order;
    if (!placed.compute_at || placed.store_at != placed.compute_at ||
        placed.storage_bound.size() != stored.size() || stored.empty() || !is_a_point(stored[0]))
        return {};
    std::vector<int> order = stored;
    std::ranges::stable_partition(order, std::not_fn(is_a_point));
    return order;
}

std::vector<LoopLevel> shared_loops(const LoopNest &nest, const FuncNest &companion) {
    const LoopLevels &leader = nest.stage_nest(companion.compute_at->stage).loops;
    return {leader.begin(), leader.begin() + nest.position(*companion.compute_at) + 1};
}

int64_t shared_part(const LoopNest &nest, const FuncNest &companion, int dim) {
    const Stage &stage = nest.graph().stage(companion.compute_at->stage);
    const int of_leader = companion.leader_dims[static_cast<size_t>(dim)];
    int64_t part = 0;
    if (of_leader < 0) return part;
    for (const LoopLevel &l : shared_loops(nest, companion))
        if (stage.loops[static_cast<size_t>(l.name.dim)].func_dim == of_leader) part = l.span;
    return part;
}

}  // namespace cryolite
