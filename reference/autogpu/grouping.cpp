#include "reference/autogpu/grouping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "reference/autogpu/nested_fusion.h"

namespace cryolite::gpu {
namespace {

struct TiledGroup {
    std::vector<int64_t> tile;
    GroupCost cost;
};

// The less wasteful first; where there are too few blocks, more of them; then the cheaper.
bool better(const GroupCost &a, const GroupCost &b) {
    if (a.can_launch != b.can_launch) return a.can_launch;
    if (a.waste != b.waste) return a.waste < b.waste;
    if (a.waste > 1 && a.active_sms != b.active_sms) return a.active_sms > b.active_sms;
    return a.cost < b.cost;
}

// A group with all that does not depend on tile or sites.
class Group {
public:
    Group(const StageGraph &graph, reuse::Segment segment, const GpuDevice &device,
          const AutoGpuOptions &options)
        : regions(graph, std::move(segment)),
          overlaps(reuse::member_overlaps(regions)),
          shape(shape_of(graph, regions.segment().driver, options)),
          device_(device),
          model_(regions, overlaps, shape, device, options) {}

    TiledGroup best_tile(const std::vector<MemberSite> &sites, CostPhase phase) {
        std::optional<TiledGroup> best;
        std::vector<int64_t> tile;
        visit_tiles(tile, 1, phase, [&] {
            TiledGroup here{tile, model_.evaluate(tile, sites, phase)};
            if (!best || better(here.cost, best->cost)) best = std::move(here);
        });
        return *std::move(best);
    }

    const reuse::SegmentRegions regions;
    const std::vector<reuse::MemberOverlaps> overlaps;
    const GroupShape shape;

private:
    template <typename Visit>
    void visit_tiles(std::vector<int64_t> &tile, int64_t threads, CostPhase phase, Visit visit) {
        if (tile.size() == shape.thread_loops.size()) return visit();
        const auto l = static_cast<size_t>(shape.thread_loops[tile.size()]);
        const TileBounds bounds =
            tile_bounds(shape.nest.ranges[l].extent(), shape.thread_loops.size());
        int64_t t = bounds.least;
        bool any = false;
        while (t <= bounds.most) {
            if (any && threads * t > device_.limits.threads_per_block) break;
            any = true;
            tile.push_back(t);
            visit_tiles(tile, threads * t, phase, visit);
            tile.pop_back();
            t = phase == CostPhase::Grouping ? 2 * t : t + 2;
        }
    }

    const GpuDevice &device_;
    GroupModel model_;
};

class Planner {
public:
    Planner(const StageGraph &graph, const GpuDevice &device, const AutoGpuOptions &options)
        : graph_(graph), device_(device), options_(options), inlined_(graph.num_scheduled()) {}

    GpuPlan run(NestedFusion nested) {
        inline_trivial();
        merge_groups();
        GpuPlan plan;
        for (const reuse::Segment &segment : groups()) {
            plan.groups.push_back(finish(segment, nested));
            plan.total += plan.groups.back().cost.cost;
        }
        plan.groups_evaluated = costs_.size();
        return plan;
    }

private:
    void inline_trivial() {
        for (size_t i = 0; i < inlined_.size(); i++) {
            const FuncId f(i);
            if (reuse::is_always_inlined(graph_, f)) {
                inlined_[i] = true;
            } else if (!graph_.func(f).can_inline || reuse::must_be_stored(graph_, f) ||
                       !is_read_pointwise_once(f)) {
                cut_.insert(f);
            } else {
                inlined_[i] = true;
            }
        }
    }

    bool is_read_pointwise_once(FuncId f) const {
        std::set<FuncId> readers;
        for (EdgeId e : graph_.func(f).outgoing) {
            readers.insert(graph_.stage(graph_.edge(e).consumer).func);
            if (!reuse::overlaps(graph_, graph_.edge(e)).empty()) return false;
        }
        return readers.size() == 1;
    }

    std::vector<reuse::Segment> groups() const { return groups_cut_at(cut_); }
    std::vector<reuse::Segment> groups_cut_at(const std::set<FuncId> &cut) const {
        const std::vector<FuncId> list(cut.begin(), cut.end());
        return reuse::segments_between(graph_, list);
    }

    std::vector<MemberSite> sites_of(const reuse::Segment &segment) const {
        std::vector<MemberSite> sites;
        for (FuncId f : segment.members) {
            sites.push_back({inlined_[f.index()] ? Site::Inline : Site::Shared, {}, -1});
        }
        return sites;
    }

    const GroupCost &cost_of(const reuse::Segment &segment) {
        std::vector<int32_t> key{segment.output.value};
        for (FuncId f : segment.members) {
            key.push_back(f.value);
            key.push_back(inlined_[f.index()]);
        }
        auto it = costs_.find(key);
        if (it == costs_.end()) {
            Group group(graph_, segment, device_, options_);
            const GroupCost cost = group.best_tile(sites_of(segment), CostPhase::Grouping).cost;
            it = costs_.emplace(std::move(key), cost).first;
        }
        return it->second;
    }

    struct Merge {
        FuncId func;
        bool inlined = false;
        double saved = 0;
    };

    void merge_groups() {
        for (;;) {
            std::optional<Merge> best;
            const std::vector<reuse::Segment> now = groups();
            for (FuncId f : cut_) {
                if (reuse::must_be_stored(graph_, f)) continue;
                for (const bool inlined : {false, true}) {
                    if (inlined && !graph_.func(f).can_inline) continue;
                    const std::optional<double> saved = saving(f, inlined, now);
                    if (saved && *saved > (best ? best->saved : 0)) best = {f, inlined, *saved};
                }
            }
            if (!best) return;
            cut_.erase(best->func);
            inlined_[best->func.index()] = best->inlined;
        }
    }

    // What merging the group of `f` into its reader's saves; nothing if that is no kernel.
    std::optional<double> saving(FuncId f, bool inlined, const std::vector<reuse::Segment> &now) {
        std::set<FuncId> without = cut_;
        without.erase(f);
        const std::vector<reuse::Segment> then = groups_cut_at(without);
        if (then.size() != now.size() - 1) return {};  // cut there anyway
        const auto merged = std::find_if(then.begin(), then.end(), [&](const reuse::Segment &s) {
            return std::find(s.members.begin(), s.members.end(), f) != s.members.end();
        });
        if (merged == then.end()) return {};
        double before = 0;
        int waste = 0;
        for (const reuse::Segment &s : now) {
            if (s.output != f && s.output != merged->output) continue;
            const GroupCost &cost = cost_of(s);
            if (!cost.can_launch) return {};
            before += cost.cost;
            waste |= cost.waste;
        }
        inlined_[f.index()] = inlined;
        const GroupCost after = cost_of(*merged);
        inlined_[f.index()] = false;
        if (!after.can_launch || (after.waste & ~waste) != 0) return {};
        return before - after.cost;
    }

    GroupPlan finish(const reuse::Segment &segment, NestedFusion nested) {
        Group group(graph_, segment, device_, options_);
        std::vector<MemberSite> sites = sites_of(segment);
        TiledGroup chosen = group.best_tile(sites, CostPhase::FinalTiling);
        if (nested == NestedFusion::Always || (nested == NestedFusion::WhereSevere &&
                                               has_severe_requirements(chosen.cost, device_))) {
            const std::vector<MemberSite> inside =
                nest_stages(group.regions, group.shape, chosen.cost, sites, options_);
            if (inside != sites) {
                sites = inside;
                chosen = group.best_tile(sites, CostPhase::FinalTiling);
            }
        }
        const Func &output = graph_.func(segment.output);
        GroupPlan plan{segment, group.shape, std::move(sites), std::move(chosen.cost),
                       output.locked || output.enclosed || output.is_extern};
        for (size_t j = 0; j < chosen.tile.size(); j++) {
            plan.shape.nest.tile[static_cast<size_t>(plan.shape.thread_loops[j])] = chosen.tile[j];
        }
        return plan;
    }

    const StageGraph &graph_;
    const GpuDevice &device_;
    const AutoGpuOptions &options_;
    std::vector<char> inlined_;
    std::set<FuncId> cut_;
    std::map<std::vector<int32_t>, GroupCost> costs_;
};

}  // namespace

GpuPlan plan_for_gpu(const StageGraph &graph, const GpuDevice &device,
                     const AutoGpuOptions &options, NestedFusion nested) {
    return Planner(graph, device, options).run(nested);
}

std::string to_text(const StageGraph &graph, const GpuPlan &plan) {
    std::ostringstream out;
    for (const GroupPlan &g : plan.groups) {
        const Stage &driver = graph.stage(g.segment.driver);
        out << graph.func(g.segment.output).name << ": tile";
        for (int l : g.shape.thread_loops) {
            const auto loop = static_cast<size_t>(l);
            out << " " << driver.loops[loop].name << "(" << g.shape.nest.tile[loop] << ")";
        }
        out << ", " << g.cost.blocks << " blocks of " << g.cost.block[0] << "x" << g.cost.block[1]
            << "x" << g.cost.block[2] << " threads, " << g.cost.shared_bytes << " bytes shared\n";
        for (size_t i = 0; i < g.sites.size(); i++) {
            out << "  " << graph.func(g.segment.members[i]).name;
            const MemberSite &at = g.sites[i];
            if (at.site == Site::Inline) out << " inlined\n";
            if (at.site == Site::Shared) out << " in shared memory\n";
            if (at.site == Site::Nested) {
                const Stage &inside = graph.stage(at.inside);
                out << " in registers of " << graph.func(inside.func).name << " at "
                    << inside.loops[static_cast<size_t>(at.loop)].name << "\n";
            }
        }
    }
    return out.str();
}

}  // namespace cryolite::gpu
