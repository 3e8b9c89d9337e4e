#include "emit/import/import_schedule.h"

#include <algorithm>
#include <set>

#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "emit/import/left_out.h"
#include "emit/import/shape_stage.h"
#include "emit/import/taken_case.h"
#include "graph/halide/estimates.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

namespace ir = Halide::Internal;

class Importer {
public:
    Importer(const BuiltGraph &built, const PipelineView &view)
        : graph_(built.graph),
          view_(view),
          estimates_(view),
          nest_(built.graph),
          sites_(built.graph.stages().size()) {
        for (const FuncView &f : view.funcs) {
            for (const Halide::LoopLevel &level :
                 {f.copy.schedule().compute_level(), f.copy.schedule().store_level()})
                if (is_at_loop(level)) used_.insert({level.func_name(), level.var().name()});
            // Both have a loop of that name.
            if (const auto level = fuse_level(f)) {
                used_.insert({level->func_name(), level->var().name()});
                used_.insert({f.copy.name(), level->var().name()});
            }
        }
    }

    ImportedSchedule run() {
        std::vector<ReadStage> read(graph_.stages().size());
        for (size_t i = 0; i < graph_.num_scheduled(); i++) {
            const Func &func = graph_.func(FuncId(i));
            place(func);
            if (nest_.at(func.id).stages.empty() || func.is_extern) continue;
            reorder_storage(func);
            for (StageId s : func.stages) read[s.index()] = shape(func, graph_.stage(s));
        }
        name_left_out(nest_, view_, read, differences_);
        std::ranges::stable_sort(differences_, {}, &ScheduleDifference::func);
        return {std::move(nest_), std::move(differences_)};
    }

private:
    const ir::FuncSchedule &schedule(const Func &f) const {
        return view_.funcs[f.id.index()].copy.schedule();
    }
    DifferenceNotes notes(const Func &f) { return {differences_, f.id, f.name}; }
    DifferenceNotes notes(const Func &f, const Stage &s) {
        return {differences_, f.id, f.name + ".s" + std::to_string(s.index)};
    }

    std::string text_of(std::optional<LoopName> loop) const {
        if (!loop) return "root";
        const Stage &stage = graph_.stage(loop->stage);
        return graph_.func(stage.func).name + ".s" + std::to_string(stage.index) + " " +
               stage.loops[static_cast<size_t>(loop->dim)].name + "." + std::to_string(loop->level);
    }

    // Errors are the reasons of refusals; nothing: it was applied.
    std::optional<Reason> refused(const Action &action) {
        auto next = cryolite::apply(nest_, action);
        if (!next.ok()) return next.error();
        nest_ = std::move(*next);
        return std::nullopt;
    }

    // ---- places ----

    void place(const Func &f) {
        const Halide::LoopLevel &level = schedule(f).compute_level();
        if ((f.is_output() || level.is_root()) && place_with_another(f)) return;
        if (f.is_output() || level.is_root()) {
            place_at_root(f, "compute_root()");
        } else if (level.is_inlined()) {
            place_inline(f);
        } else {
            place_at(f, level);
        }
    }

    // By compute_with of its pure stage; nothing: there is none.
    static std::optional<Halide::LoopLevel> fuse_level(const FuncView &f) {
        if (f.stages.empty() || !f.stages[0].definition.defined()) return std::nullopt;
        const Halide::LoopLevel &level = f.stages[0].definition.schedule().fuse_level().level;
        return is_at_loop(level) ? std::optional(level) : std::nullopt;
    }

    // The loop that f shares with a Func that is placed already, whichever of the two was said to be computed with the
    // other.
    std::optional<LoopName> shared_loop(const Func &f) const {
        for (size_t i = 0; i < f.id.index(); i++) {
            const Func &other = graph_.func(FuncId(i));
            if (!nest_.decided(other.id) || nest_.at(other.id).stages.empty()) continue;
            for (const auto &[one, two] : {std::pair{&f, &other}, {&other, &f}}) {
                const auto level = fuse_level(view_.funcs[one->id.index()]);
                if (!level || level->func_name() != two->name) continue;
                for (const auto &[variable, loop] : sites_[other.stages[0].index()])
                    if (loop && own_name(variable) == own_name(level->var().name())) return loop;
            }
        }
        return std::nullopt;
    }

    bool place_with_another(const Func &f) {
        const std::optional<LoopName> wanted = shared_loop(f);
        if (!wanted) return false;
        std::vector<LoopName> outward = nest_.enclosing(*wanted);
        std::ranges::reverse(outward);
        for (LoopName loop : outward) {
            if (refused(action::ComputeWith{f.id, loop})) continue;
            if (loop != *wanted)
                notes(f).approximated("compute_with down to " + text_of(wanted),
                                      "shares the loops down to " + text_of(loop) + " instead");
            return true;
        }
        return false;
    }

    // Takes the loops that a companion shares out of those that it wants. sites: receives them.
    void take_out_shared(const Func &f, WantedLoops &wanted, LoopsByVariable &sites) const {
        const std::vector<LoopLevel> shared = shared_loops(nest_, nest_.at(f.id));
        const size_t count = std::min(shared.size(), wanted.loops.size());
        for (size_t i = 0; i < count; i++)
            for (const std::string &v : wanted.loops[i].variables) sites[v] = shared[i].name;
        wanted.loops.erase(wanted.loops.begin(),
                           wanted.loops.begin() + static_cast<std::ptrdiff_t>(count));
        const auto dims = static_cast<int>(graph_.stage(f.stages[0]).loops.size());
        for (int dim = 0; dim < dims; dim++) {
            const auto outermost = std::ranges::find(wanted.loops, dim, &WantedLoop::dim);
            if (outermost != wanted.loops.end()) {
                outermost->count = 0;
                continue;
            }
            // A single point is left, whose loop may be anywhere.
            const auto place = std::ranges::find_if(
                wanted.loops, [](const WantedLoop &l) { return l.kind != LoopKind::Parallel; });
            wanted.loops.insert(place, WantedLoop{dim, 0, LoopKind::Serial});
        }
    }

    void place_at_root(const Func &f, const std::string &directive) {
        const auto reason = refused(action::ComputeRoot{f.id});
        if (!reason) return;
        notes(f).approximated(directive, std::string(name(*reason)) + "; inlined instead");
        refused(action::Inline{f.id});
    }

    // Halide computes a Func that it cannot inline in the innermost loop around each use.
    void place_inline(const Func &f) {
        const auto reason = refused(action::Inline{f.id});
        if (!reason) return;
        const std::optional<LoopName> site = first_legal(f, legal_sites(nest_, f.id));
        if (!site) refused(action::ComputeRoot{f.id});
        notes(f).approximated("no compute level", std::string(name(*reason)) + "; computed at " +
                                                      text_of(site) + " instead");
    }

    // The first of the sites that is legal for f, which is then computed there.
    std::optional<LoopName> first_legal(const Func &f, const std::vector<LoopName> &sites) {
        for (LoopName site : sites)
            if (!refused(action::ComputeAt{f.id, site})) return site;
        return std::nullopt;
    }

    // The loops that a level can mean: those of its name in the stages of its Func. Nothing: around all of them.
    std::vector<std::optional<LoopName>> loops_at(const Halide::LoopLevel &level) const {
        std::vector<std::optional<LoopName>> loops;
        const auto owner = view_.func_by_name.find(level.func_name());
        if (owner == view_.func_by_name.end()) return loops;
        const std::string wanted = level.var().name();
        const Func &func = graph_.func(FuncId(owner->second));
        for (StageId s : func.stages)
            for (const auto &[variable, loop] : sites_[s.index()])
                if (variable == wanted || own_name(variable) == wanted)
                    loops.push_back(loop ? loop : nest_.at(func.id).compute_at);
        return loops;
    }

    void place_at(const Func &f, const Halide::LoopLevel &level) {
        const std::string directive =
            "compute_at(" + level.func_name() + ", " + own_name(level.var().name()) + ")";
        std::optional<Reason> why;
        const std::vector<std::optional<LoopName>> wanted = loops_at(level);
        bool means_root = false;
        for (const std::optional<LoopName> &loop : wanted) {
            means_root |= !loop;
            if (!loop) continue;
            why = refused(action::ComputeAt{f.id, *loop});
            if (!why) return store(f);
        }
        if (means_root && !refused(action::ComputeRoot{f.id})) return;
        std::vector<LoopName> outward;
        for (const std::optional<LoopName> &loop : wanted)
            if (loop && outward.empty()) outward = nest_.enclosing(*loop);
        std::ranges::reverse(outward);
        const std::optional<LoopName> site = first_legal(f, outward);
        notes(f).approximated(directive, (why ? std::string(name(*why)) : "there is no such loop") +
                                             "; computed at " + text_of(site) + " instead");
        if (site)
            store(f);
        else
            place_at_root(f, directive);
    }

    void store(const Func &f) {
        const Halide::LoopLevel &level = schedule(f).store_level();
        if (level.is_inlined() || level.match(schedule(f).compute_level())) return;
        std::vector<std::optional<LoopName>> wanted{std::nullopt};
        if (is_at_loop(level)) wanted = loops_at(level);
        std::optional<Reason> why;
        for (const std::optional<LoopName> &loop : wanted) {
            why = refused(action::StoreAt{f.id, loop});
            if (!why) return;
        }
        const std::string directive = is_at_loop(level) ? "store_at(" + level.func_name() + ", " +
                                                              own_name(level.var().name()) + ")"
                                                        : std::string("store_root()");
        notes(f).approximated(directive, (why ? std::string(name(*why)) : "there is no such loop") +
                                             "; stored where it is computed instead");
    }

    void reorder_storage(const Func &f) {
        const std::vector<ir::StorageDim> &dims = schedule(f).storage_dims();
        std::vector<int> order;
        for (const ir::StorageDim &dim : dims) {
            const auto at = std::ranges::find(f.dims, dim.var);
            order.push_back(static_cast<int>(at - f.dims.begin()));
        }
        if (order == f.storage_order || order.size() != f.dims.size() || f.is_output()) return;
        const auto reason = refused(action::ReorderStorage{f.id, order});
        if (reason)
            notes(f).left_out("reorder_storage",
                              std::string(name(*reason)) + "; in the default order");
    }

    // ---- loops ----

    ReadStage shape(const Func &f, const Stage &stage) {
        const StageView &view = view_.funcs[f.id.index()].stages[static_cast<size_t>(stage.index)];
        if (!view.definition.defined()) return {};
        const FactorValue value = [&](const Halide::Expr &e) {
            return constant_factor(estimates_.apply(e));
        };
        DifferenceNotes stage_notes = notes(f, stage);
        const ir::StageSchedule &taken = taken_case(
            view, [&](const Halide::Expr &e) { return estimates_.apply(e); }, value, stage_notes);
        ReadStage read{&taken, stage_variables(view, taken, value)};
        WantedLoops wanted = wanted_loops(f, stage, taken, read.variables, stage_notes);
        for (WantedLoop &loop : wanted.loops)
            loop.is_site = std::ranges::any_of(loop.variables, [&](const std::string &v) {
                return used_.contains({f.name, v}) || used_.contains({f.name, own_name(v)});
            });
        LoopsByVariable shared;
        if (nest_.at(f.id).is_companion) take_out_shared(f, wanted, shared);
        LoopsByVariable &sites = sites_[stage.id.index()];
        sites = shape_stage(nest_, stage.id, std::move(wanted), stage_notes);
        sites.insert(shared.begin(), shared.end());
        return read;
    }

    const StageGraph &graph_;
    const PipelineView &view_;
    const Estimates estimates_;
    LoopNest nest_;
    std::vector<LoopsByVariable> sites_;                  // by stage
    std::set<std::pair<std::string, std::string>> used_;  // Func and variable of all levels
    ScheduleDifferences differences_;
};

}  // namespace

Result<ImportedSchedule> import_schedule(const BuiltGraph &built, const PipelineView &by_hand) {
    if (built.graph.num_scheduled() != by_hand.funcs.size())
        return Error{"the schedule is of another pipeline: it has " +
                     std::to_string(by_hand.funcs.size()) + " Funcs and not " +
                     std::to_string(built.graph.num_scheduled())};
    try {
        return Importer(built, by_hand).run();
    } catch (const Halide::Error &error) {
        return Error{std::string("the schedule cannot be read: ") + error.what()};
    }
}

}  // namespace cryolite
