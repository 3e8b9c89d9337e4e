#include "tests/semantics/random_trace.h"
#include "code/legality/apply.h"
#include "code/legality/companions.h"
#include "code/legality/legal_sites.h"
#include "schedule/func_nest.h"

#include <algorithm>
#include <array>

namespace cryolite {

namespace {

class TraceDrawer {
public:
    TraceDrawer(const StageGraph &graph, Random random, const RandomTraceLimits &limits)
        : graph_(graph),
          random_(random),
          limits_(limits),
          nest_(graph),
          inlined_copies_(graph.funcs().size(), 1) {}

    RandomTrace draw() {
        // Characters of schedules: mostly inlined, mostly fused, mostly root, anything.
        static constexpr std::array<double, 4> inline_chances = {0.6, 0.2, 0.1, 0.35};
        static constexpr std::array<double, 4> root_chances = {0.2, 0.1, 0.8, 0.3};
        const size_t character = random_.below(4);
        inline_chance_ = inline_chances[character];
        root_chance_ = root_chances[character];
        for (size_t i = 0; i < graph_.num_scheduled(); i++) {
            const FuncId f(i);
            place(f);
            if (nest_.at(f).stages.empty()) continue;
            for (StageId stage : graph_.func(f).stages) shape(stage);
            points_ += work_of(nest_, f);
        }
        return {std::move(trace_), nest_};
    }

private:
    bool attempt(const Action &action) {
        Result<LoopNest, Reason> changed = cryolite::apply(nest_, action);
        if (!changed) return false;
        nest_ = std::move(changed).value();
        trace_.push_back(action);
        return true;
    }

    // Points that all realisations of `f` compute, over all stages.
    double work_of(const LoopNest &nest, FuncId f) const {
        const FuncNest &placed = nest.at(f);
        double realisations = 1;
        if (placed.compute_at) {
            for (LoopName loop : nest.enclosing(*placed.compute_at)) {
                const StageNest &around = nest.stage_nest(loop.stage);
                realisations *= static_cast<double>(
                    around.loops[static_cast<size_t>(nest.position(loop))].extent);
            }
        }
        double work = 0;
        for (const StageNest &stage : placed.stages) work += points(stage.range);
        return work * realisations * inlined_copies_[f.index()];
    }

    // How many copies of f's expression its readers would hold.
    double copies_if_inlined(FuncId f) const {
        double copies = 0;
        for (EdgeId e : graph_.func(f).outgoing) {
            const Edge &edge = graph_.edge(e);
            double calls = 0;
            for (const Access &access : edge.accesses) calls += access.count;
            const FuncId reader = graph_.stage(edge.consumer).func;
            copies += std::max(1.0, calls) * inlined_copies_[reader.index()];
        }
        return copies;
    }

    void place(FuncId f) {
        const Func &func = graph_.func(f);
        if (func.can_inline && random_.chance(inline_chance_)) {
            const double copies = copies_if_inlined(f);
            if (copies <= limits_.most_inlined_copies && attempt(action::Inline{f})) {
                inlined_copies_[f.index()] = copies;
                return;
            }
        }
        if (!random_.chance(root_chance_)) {
            for (int tries = 0; tries < 4; tries++) {
                if (place_inside(f)) return;
            }
        }
        if (accompany(f)) return;
        // Not at root where the device would read a buffer that may be empty.
        if (!attempt(action::ComputeRoot{f})) attempt(action::Inline{f});
    }

    // Half of the Funcs at root that could share loops with an earlier one do.
    bool accompany(FuncId f) {
        Random random = random_.fork("company", f.index());
        std::vector<LoopName> shared;
        for (const Func &leader : graph_.funcs()) {
            if (leader.id >= f || leader.is_input() || !nest_.decided(leader.id)) continue;
            for (const StageNest &stage : nest_.at(leader.id).stages)
                for (const LoopLevel &l : stage.loops)
                    if (may_accompany(nest_, f, l.name)) shared.push_back(l.name);
        }
        return !shared.empty() && random.chance(0.5) &&
               attempt(action::ComputeWith{f, shared[random.below(shared.size())]});
    }

    bool place_inside(FuncId f) {
        const std::vector<LoopName> sites = legal_sites(nest_, f);
        if (sites.empty()) return false;
        const action::ComputeAt compute{f, sites[random_.below(sites.size())]};
        const Result<LoopNest, Reason> placed = cryolite::apply(nest_, compute);
        if (!placed || points_ + work_of(*placed, f) > limits_.most_points) return false;
        const LoopNest before = nest_;
        nest_ = *placed;
        if (limits_.gpu && is_beyond_limits()) {
            nest_ = before;
            return false;
        }
        trace_.push_back(compute);
        if (random_.chance(0.4)) {
            const std::vector<LoopName> around = nest_.enclosing(compute.at);
            const size_t where = random_.below(around.size() + 1);
            attempt(action::StoreAt{
                f, where == around.size() ? std::nullopt : std::optional(around[where])});
        }
        reorder_storage(f);
        return true;
    }

    // Of a sum of products: a reduction loop is split, so that a part may become a dot product.
    void split_for_dot(StageId stage, Random &random) {
        const Stage &s = graph_.stage(stage);
        for (size_t d = 0; d < s.loops.size(); d++)
            if (s.dot && s.loops[d].is_reduction && random.chance(0.6))
                attempt(action::Tile{
                    stage, static_cast<int16_t>(d), {int64_t{1} << random.between(1, 3)}});
    }

    // A short reduction loop of a sum of products moves beside the vector and becomes a dot product.
    void add_up(StageId stage) {
        const LoopLevels loops = loops_of(stage).loops;
        const Stage &s = graph_.stage(stage);
        if (!s.dot || loops.size() < 2 || loops.back().kind != LoopKind::Vectorized) return;
        const auto is_short = [&](const LoopLevel &l) {
            return s.loops[static_cast<size_t>(l.name.dim)].is_reduction &&
                   l.kind == LoopKind::Serial && l.extent > 1 && l.extent <= 16 &&
                   has_constant_extent(s, l);
        };
        const auto last = std::find_if(loops.rbegin(), loops.rend(), is_short);
        if (last == loops.rend()) return;
        action::Reorder beside{stage, {}};
        for (const LoopLevel &l : loops)
            if (l.name != last->name) beside.order.push_back(l.name);
        beside.order.insert(beside.order.end() - 1, last->name);
        attempt(beside);
        attempt(action::Join{last->name});
    }

    // A short inner loop over points moves beside the vector and is joined with it.
    void join_rows(StageId stage) {
        const LoopLevels loops = loops_of(stage).loops;
        const Stage &s = graph_.stage(stage);
        if (loops.size() < 2 || loops.back().kind != LoopKind::Vectorized) return;
        const auto is_short = [&](const LoopLevel &l) {
            return !s.loops[static_cast<size_t>(l.name.dim)].is_reduction && l.span == 1 &&
                   l.kind == LoopKind::Serial && l.extent > 1 && l.extent <= 16 &&
                   has_constant_extent(s, l);
        };
        const auto last = std::find_if(loops.rbegin(), loops.rend(), is_short);
        if (last == loops.rend() || !random_.fork("join", stage.index()).chance(0.5)) return;
        action::Reorder beside{stage, {}};
        for (const LoopLevel &l : loops)
            if (l.name != last->name) beside.order.push_back(l.name);
        beside.order.insert(beside.order.end() - 1, last->name);
        attempt(beside);
        attempt(action::Join{last->name});
    }

    void reorder_storage(FuncId f) {
        Random random = random_.fork("storage", f.index());
        std::vector<int> order = graph_.func(f).storage_order;
        if (order.size() < 2 || !random.chance(0.3)) return;
        for (size_t i = order.size(); i > 1; i--) std::swap(order[i - 1], order[random.below(i)]);
        if (order != graph_.func(f).storage_order) attempt(action::ReorderStorage{f, order});
    }

    int64_t draw_span(int64_t extent) {
        static constexpr std::array<int64_t, 12> spans = {2, 3, 4, 5, 8, 8, 16, 16, 32, 64, 7, 12};
        if (random_.chance(0.1)) return extent;
        return spans[random_.below(spans.size())];
    }

    const StageNest &loops_of(StageId stage) const { return nest_.stage_nest(stage); }

    void shape(StageId stage) {
        if (random_.chance(0.15)) return;
        const size_t dims = graph_.stage(stage).loops.size();
        Random dot = random_.fork("dot", stage.index());
        const bool wants_dot = graph_.stage(stage).dot && !limits_.gpu && dot.chance(0.7);
        if (wants_dot) split_for_dot(stage, dot);
        for (size_t d = 0; d < dims; d++) {
            if (random_.chance(0.5)) continue;
            const int64_t outer = draw_span(points_along(stage, d));
            const int64_t factor = int64_t{1} << random_.between(1, 3);
            action::Tile tile{stage, static_cast<int16_t>(d), {outer}};
            if (random_.chance(0.3)) tile.spans = {outer * factor, outer};
            if (!attempt(tile) && random_.chance(0.5)) {
                tile.spans = {2};
                attempt(tile);
            }
        }
        if (random_.chance(0.6)) reorder(stage);
        if (limits_.gpu && random_.chance(0.8)) map_to_gpu(stage);
        if (dims > 0 && random_.chance(0.6)) {
            // The storage-innermost dimension twice as often as the others.
            const size_t d = random_.chance(0.5) ? 0 : random_.below(dims);
            static constexpr std::array<int32_t, 7> widths = {2, 4, 8, 8, 16, 16, 32};
            action::Vectorize vector{stage, static_cast<int16_t>(d),
                                     widths[random_.below(widths.size())]};
            if (limits_.woven && !limits_.gpu && random_.chance(0.25)) {
                vector.woven = static_cast<int32_t>(random_.between(2, 4));
                vector.width = vector.woven * std::max(2, vector.width / 4);
            }
            if (!attempt(vector) && vector.woven > 1) {
                vector.woven = 1;
                attempt(vector);
            }
        }
        if (wants_dot)
            add_up(stage);
        else
            join_rows(stage);
        const uint64_t unrolls = random_.chance(0.4) ? random_.between(1, 2) : 0;
        for (uint64_t i = 0; i < unrolls; i++) {
            const LoopLevels &loops = loops_of(stage).loops;
            if (loops.empty()) break;
            const LoopLevel &loop = loops[random_.below(loops.size())];
            if (loop.extent <= 16) attempt(action::Unroll{loop.name});
        }
        if (random_.chance(0.4)) {
            const auto count = static_cast<int32_t>(random_.between(1, 3));
            // Drawn apart, so that the other actions of a seed stay what they are.
            Random apart = random_.fork("inside", stage.index());
            const auto inside = static_cast<int32_t>(apart.chance(0.3) ? apart.between(1, 2) : 0);
            if (inside == 0 || !attempt(action::Parallel{stage, 1, inside}))
                attempt(action::Parallel{stage, count});
        }
    }

    // A few loops in a row, as long as the kernel can be launched. Often another try with fewer.
    void map_to_gpu(StageId stage) {
        for (int tries = 0; tries < 6; tries++) {
            const LoopLevels &loops = loops_of(stage).loops;
            if (loops.empty()) return;
            const size_t first = random_.below(std::min<size_t>(3, loops.size()));
            const size_t most = std::min<size_t>(3, loops.size() - first);
            std::vector<LoopName> run;
            for (size_t i = 0; i < 1 + random_.below(most); i++)
                run.push_back(loops[first + i].name);
            const bool has_blocks = std::any_of(loops.begin(), loops.end(), [](const LoopLevel &l) {
                return l.kind == LoopKind::GpuBlock;
            });
            const bool in_block = level_of(nest_, nest_.at(graph_.stage(stage).func).compute_at) ==
                                  KernelLevel::Block;
            const LoopNest before = nest_;
            if (has_blocks || in_block) {
                const bool mapped = attempt(action::MapToThreads{stage, run});
                if (mapped && is_beyond_limits()) {
                    nest_ = before;
                    trace_.pop_back();
                }
            } else {
                attempt(action::MapToBlocks{stage, run});
            }
        }
    }

    // Not what a device grants, or (see LaunchLimits) compiles right.
    bool is_beyond_limits() const {
        for (const Func &func : graph_.funcs()) {
            if (!limits_.gpu->conditional_barriers && !func.is_input() && nest_.decided(func.id) &&
                has_conditional_barriers(nest_, func.id))
                return true;
        }
        for (const GpuKernel &k : gpu_kernels_of(nest_)) {
            if (k.threads[0] * k.threads[1] * k.threads[2] > limits_.gpu->threads_per_block ||
                k.threads[2] > limits_.gpu->threads[2] ||
                k.shared_bytes > limits_.gpu->shared_bytes) {
                return true;
            }
        }
        return false;
    }

    int64_t points_along(StageId stage, size_t dim) const {
        return std::max<int64_t>(1, loops_of(stage).range[dim].extent());
    }

    void reorder(StageId stage) {
        for (int tries = 0; tries < 4; tries++) {
            std::vector<LoopName> order;
            for (const LoopLevel &loop : loops_of(stage).loops) order.push_back(loop.name);
            if (order.size() < 2) return;
            for (size_t i = order.size() - 1; i > 0; i--) {
                std::swap(order[i], order[random_.below(i + 1)]);
            }
            // Levels of one dimension keep their order, wherever else they go.
            for (size_t i = 0; i < order.size(); i++) {
                for (size_t j = i + 1; j < order.size(); j++) {
                    if (order[i].dim == order[j].dim && order[i].level > order[j].level) {
                        std::swap(order[i], order[j]);
                    }
                }
            }
            if (attempt(action::Reorder{stage, order})) return;
        }
    }

    const StageGraph &graph_;
    Random random_;
    RandomTraceLimits limits_;
    LoopNest nest_;
    Trace trace_;
    std::vector<double> inlined_copies_;
    double points_ = 0;
    double inline_chance_ = 0;
    double root_chance_ = 0;
};

}  // namespace

RandomTrace draw_random_trace(const StageGraph &graph, Random random,
                              const RandomTraceLimits &limits) {
    return TraceDrawer(graph, random, limits).draw();
}

RandomTrace keep_actions(const StageGraph &graph, const Trace &trace,
                         const std::vector<bool> &keep) {
    RandomTrace kept{{}, LoopNest(graph)};
    auto attempt = [&](const Action &action) {
        const Result<LoopNest, Reason> changed = cryolite::apply(kept.nest, action);
        if (!changed) return;
        kept.nest = *changed;
        kept.trace.push_back(action);
    };
    for (size_t i = 0; i < trace.size(); i++) {
        std::optional<FuncId> placed;
        if (const auto *a = std::get_if<action::Inline>(&trace[i])) placed = a->func;
        if (const auto *a = std::get_if<action::ComputeRoot>(&trace[i])) placed = a->func;
        if (const auto *a = std::get_if<action::ComputeAt>(&trace[i])) placed = a->func;
        if (i >= keep.size() || keep[i]) attempt(trace[i]);
        if (placed && !kept.nest.decided(*placed)) attempt(action::ComputeRoot{*placed});
        if (placed && !kept.nest.decided(*placed)) attempt(action::Inline{*placed});
    }
    return kept;
}

}  // namespace cryolite
