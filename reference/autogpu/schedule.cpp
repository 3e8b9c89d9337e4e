#include "reference/autogpu/schedule.h"

#include <algorithm>
#include <map>
#include <set>

#include "code/legality/apply.h"
#include "reference/autogpu/gpu_stage.h"
#include "schedule/func_nest.h"
#include "search/search.h"

namespace cryolite {
namespace {

using gpu::GroupPlan;
using gpu::Site;
using strategies::GpuStageShape;
using strategies::ThreadLoop;

// Of one Func's expression in a kernel. The thesis's costs count the work and not the code: five steps
// of a 3x3 stencil, inlined, are 9^5 copies, with which Halide is busy for ever.
constexpr double most_inlined_copies = 100;

// A Func's part in the plan.
struct Role {
    const GroupPlan *group = nullptr;
    int member = -1;  // of the group; -1: its output
};

class Scheduler {
public:
    Scheduler(const StageGraph &graph, const Machine &host, const std::vector<Role> &roles,
              const std::set<FuncId> &unfused, const LaunchLimits &limits)
        : graph_(graph),
          host_(host),
          roles_(roles),
          unfused_(unfused),
          limits_(limits),
          nest_(graph),
          inlined_copies_(graph.funcs().size(), 1) {}

    StrategyResult run() {
        for (size_t i = 0; i < graph_.num_scheduled(); i++) {
            const Func &func = graph_.func(FuncId(i));
            place(func);
            const FuncNest &placed = nest_.at(func.id);
            if (placed.stages.empty()) continue;
            if (func.locked || func.enclosed || func.is_extern) continue;
            switch (level_of(nest_, placed.compute_at)) {
                case KernelLevel::Host: shape_at_root(func); break;
                case KernelLevel::Block: shape_at_block(func); break;
                case KernelLevel::Thread:
                    for (StageId s : func.stages) shape_in_thread(s);
                    break;
            }
        }
        return {nest_, std::move(report_)};
    }

private:
    bool attempt(const Action &action) {
        auto next = cryolite::apply(nest_, action);
        if (next.ok())
            nest_ = std::move(*next);
        else
            refused(next.error());
        return next.ok();
    }

    void refused(Reason reason) {
        refused_ = reason;
        report_.rejected[static_cast<size_t>(reason)]++;
    }
    void shaped(bool as_planned, size_t stages = 1) {
        (as_planned ? report_.stages_as_planned : report_.stages_adapted) += stages;
    }

    const gpu::MemberSite *site_of(FuncId f) const {
        const Role &role = roles_[f.index()];
        return role.member < 0 ? nullptr : &role.group->sites[static_cast<size_t>(role.member)];
    }
    bool is_in_kernel(FuncId f) const {
        const gpu::MemberSite *site = site_of(f);
        return site && site->site != Site::Inline && !is_taken_apart(*roles_[f.index()].group);
    }
    bool is_taken_apart(const GroupPlan &group) const {
        return unfused_.contains(group.segment.output);
    }

    // --- where ---
    void place(const Func &func) {
        const gpu::MemberSite *site = site_of(func.id);
        const bool inlined = func.inline_only || (site && site->site == Site::Inline);
        if (inlined) {
            const double copies = copies_if_inlined(func);
            const bool free = func.inline_only || reuse::is_always_inlined(graph_, func.id);
            if (!free && copies > most_inlined_copies) refused(Reason::NotInlinable);
            if ((free || copies <= most_inlined_copies) && attempt(action::Inline{func.id})) {
                inlined_copies_[func.id.index()] = copies;
                return;
            }
        }
        if (is_in_kernel(func.id)) {
            for (const std::optional<LoopName> at : {nested_site(*site), block_site(func.id)}) {
                if (at && attempt(action::ComputeAt{func.id, *at})) return;
            }
        }
        // Not at root where the device would read a buffer that may be empty. Such a Func can be inlined.
        if (!attempt(action::ComputeRoot{func.id})) attempt(action::Inline{func.id});
        if (inlined || is_in_kernel(func.id)) {
            report_.funcs_moved++;
            report_.notes.push_back(func.name + " is at root: " + name(refused_));
        }
    }

    // How often a kernel's expression would hold that of the Func, through inlined readers.
    double copies_if_inlined(const Func &func) const {
        double copies = 0;
        for (EdgeId e : func.outgoing) {
            const Edge &edge = graph_.edge(e);
            double calls = 0;
            for (const Access &a : edge.accesses) calls += a.count;
            const FuncId reader = graph_.stage(edge.consumer).func;
            copies = std::max(copies, std::max(1.0, calls) * inlined_copies_[reader.index()]);
        }
        return copies;
    }

    std::optional<LoopName> block_site(FuncId f) const {
        const StageNest &driver = nest_.stage_nest(roles_[f.index()].group->segment.driver);
        const int blocks = last_of(driver, LoopKind::GpuBlock);
        if (blocks < 0) return std::nullopt;
        return driver.loops[static_cast<size_t>(blocks)].name;
    }

    // The innermost level of the loop, or the innermost thread if that is not inside of the threads.
    std::optional<LoopName> nested_site(const gpu::MemberSite &site) const {
        if (site.site != Site::Nested) return std::nullopt;
        const FuncId around = graph_.stage(site.inside).func;
        if (!nest_.decided(around) || nest_.at(around).stages.empty()) return std::nullopt;
        const StageNest &loops = nest_.stage_nest(site.inside);
        int at = last_of(loops, LoopKind::GpuThread);
        for (size_t i = 0; i < loops.loops.size(); i++) {
            if (loops.loops[i].name.dim == site.loop) at = std::max(at, static_cast<int>(i));
        }
        return loops.loops[static_cast<size_t>(at)].name;
    }

    // --- how ---
    // The loops of `stage` that something is planned to be computed in.
    std::set<int> loops_with_members(StageId stage) const {
        std::set<int> loops;
        for (size_t f = 0; f < roles_.size(); f++) {
            const gpu::MemberSite *site = site_of(FuncId(f));
            if (site && site->site == Site::Nested && site->inside == stage) {
                loops.insert(site->loop);
            }
        }
        return loops;
    }

    void shape_at_root(const Func &func) {
        const Role &role = roles_[func.id.index()];
        const bool leads = role.group && role.member < 0;
        const bool has_members = leads && leads_members(*role.group);
        std::vector<StageId> on_host;
        size_t planned = 0;
        const LoopNest before = nest_;
        for (StageId s : func.stages) {
            GpuStageShape shape;
            shape.threads = leads ? planned_threads(s, *role.group) : std::vector<ThreadLoop>{};
            const bool is_planned = !shape.threads.empty() && !is_taken_apart(*role.group);
            if (shape.threads.empty()) shape.threads = strategies::default_threads(nest_, s);
            shape.bounds_others = has_members && role.group->segment.driver == s;
            shape.keep_serial = loops_with_members(s);
            if (shape.threads.empty() || !strategies::map_stage(nest_, s, shape)) {
                on_host.push_back(s);
            } else {
                planned += is_planned;
            }
        }
        if (!on_host.empty() && !has_members) {
            nest_ = before;
            on_host = func.stages;
            planned = 0;
        }
        shaped(true, planned);
        shaped(false, func.stages.size() - on_host.size() - planned);
        if (on_host.empty()) return;
        report_.stages_plain += on_host.size();
        report_.notes.push_back(func.name + (stays_on_host(graph_, func.id)
                                                 ? " stays on the host: at some sizes it or what "
                                                   "it reads is empty"
                                                 : " has a stage without loops to map"));
        for (StageId s : on_host) {
            for (const Action &a : plain_loops(nest_, s, host_)) attempt(a);
        }
    }

    bool leads_members(const GroupPlan &group) const {
        return std::any_of(group.segment.members.begin(), group.segment.members.end(),
                           [&](FuncId f) { return is_in_kernel(f); });
    }

    // The tile of the group, along the dimensions that the stage walks point by point. The least tile
    // of three loops is 512 threads (section 6.4): where a block has fewer, z and then y get less.
    std::vector<ThreadLoop> planned_threads(StageId s, const GroupPlan &group) const {
        const Stage &stage = graph_.stage(s);
        const Stage &driver = graph_.stage(group.segment.driver);
        const std::vector<int> mappable = strategies::mappable_loops(nest_, s);
        std::vector<ThreadLoop> threads;
        for (int l : group.shape.thread_loops) {
            const auto of_driver = static_cast<size_t>(l);
            for (int own : mappable) {
                const bool same = stage.loops[static_cast<size_t>(own)].func_dim ==
                                  driver.loops[of_driver].func_dim;
                if (same) threads.push_back({own, group.shape.nest.tile[of_driver]});
            }
        }
        int64_t all = 1;
        for (const ThreadLoop &t : threads) all *= t.tile;
        for (auto t = threads.rbegin(); t != threads.rend() && all > limits_.threads_per_block;) {
            if (t->tile == 1) {
                ++t;
                continue;
            }
            all = all / t->tile * (t->tile / 2);
            t->tile /= 2;
        }
        return threads;
    }

    // Threads along x, y and z walk the dimensions that the plan says, no more of them than it counts
    // with; what is beyond is left to serial loops around.
    void shape_at_block(const Func &func) {
        const Role &role = roles_[func.id.index()];
        const gpu::MemberUse &use = role.group->cost.members[static_cast<size_t>(role.member)];
        for (StageId s : func.stages) {
            const Stage &stage = graph_.stage(s);
            GpuStageShape shape;
            shape.has_blocks = false;
            shape.keep_serial = loops_with_members(s);
            for (size_t j = 0; j < use.thread_dims.size(); j++) {
                for (int l : strategies::mappable_loops(nest_, s)) {
                    if (use.thread_dims[j] >= 0 &&
                        stage.loops[static_cast<size_t>(l)].func_dim == use.thread_dims[j]) {
                        shape.threads.push_back({l, role.group->cost.block[j]});
                    }
                }
            }
            const std::vector<int> loops = strategies::mappable_loops(nest_, s);
            if (shape.threads.empty() && !loops.empty()) {
                shape.threads = {{loops[0], role.group->cost.block[0]}};
            }
            shaped(strategies::map_stage(nest_, s, shape));
        }
    }

    void shape_in_thread(StageId s) {
        GpuStageShape shape;
        shape.has_blocks = false;
        shape.keep_serial = loops_with_members(s);
        shaped(strategies::map_stage(nest_, s, shape));
    }

    const StageGraph &graph_;
    const Machine &host_;
    const std::vector<Role> &roles_;
    const std::set<FuncId> &unfused_;
    const LaunchLimits &limits_;
    LoopNest nest_;
    std::vector<double> inlined_copies_;  // of each Func decided, in one kernel's expressions
    Reason refused_ = Reason::NotPlaced;  // why, the last time
    StrategyReport report_;
};

std::vector<Role> roles_in(const StageGraph &graph, const gpu::GpuPlan &plan) {
    std::vector<Role> roles(graph.num_scheduled());
    for (const GroupPlan &group : plan.groups) {
        roles[group.segment.output.index()] = {&group, -1};
        for (size_t i = 0; i < group.segment.members.size(); i++) {
            roles[group.segment.members[i].index()] = {&group, static_cast<int>(i)};
        }
    }
    return roles;
}

}  // namespace

StrategyResult auto_gpu_schedule(const StageGraph &graph, const gpu::GpuDevice &device,
                                 const Machine &host, gpu::NestedFusion nested) {
    const gpu::AutoGpuOptions options;
    const gpu::GpuPlan plan = gpu::plan_for_gpu(graph, device, options, nested);
    const std::vector<Role> roles = roles_in(graph, plan);
    const LaunchLimits limits = launch_limits(device);
    std::set<FuncId> unfused;
    std::vector<std::string> notes;
    // The plan's sizes are estimates: a group that turns out too large is taken apart.
    for (;;) {
        StrategyResult result = Scheduler(graph, host, roles, unfused, limits).run();
        const std::optional<KernelFault> fault = find_kernel_fault(result.nest, limits);
        if (!fault || !unfused.insert(graph.stage(fault->kernel).func).second) {
            notes.insert(notes.end(), result.report.notes.begin(), result.report.notes.end());
            result.report.notes = std::move(notes);
            return result;
        }
        notes.push_back("the group of " + graph.func_of(fault->kernel).name +
                        " is taken apart: " + fault->text);
    }
}

}  // namespace cryolite
