#include "graph/builder/user_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "graph/halide/stage_variables.h"

namespace cryolite {
namespace {

std::optional<UserLoop::Kind> kind_of(const ir::Dim &dim) {
    if (dim.device_api != Halide::DeviceAPI::None && dim.device_api != Halide::DeviceAPI::Host)
        return std::nullopt;
    switch (dim.for_type) {
        case ir::ForType::Serial: return UserLoop::Kind::Serial;
        case ir::ForType::Parallel: return UserLoop::Kind::Parallel;
        case ir::ForType::Vectorized: return UserLoop::Kind::Vectorized;
        case ir::ForType::Unrolled: return UserLoop::Kind::Unrolled;
        default: return std::nullopt;
    }
}

// Whether the parts of every dimension follow each other from the whole dimension down to single points.
bool walks_all(const LoopParts &nest, size_t dims) {
    std::vector<int64_t> left(dims, 0);
    for (const LoopPart &part : nest) {
        int64_t &points = left[static_cast<size_t>(part.dim)];
        if (part.points != points) return false;
        points = part.span;
    }
    return std::ranges::all_of(left, [](int64_t points) { return points == 1; });
}

struct StageLoops {
    std::vector<UserLoop> loops;
    std::map<std::string, int> by_variable;  // variable of the schedule -> position in `loops`
    int copied = 0;                          // position of the first vectorised or unrolled loop
};

// Makes loops serial whose kind the cost model and legality cannot take. Nothing may be computed in a vectorised or
// unrolled loop (a copied one), nor inside it: these loops lose their names. Returns the position of the first.
int settle_kinds(const Stage &stage, std::vector<UserLoop> &loops) {
    bool outermost = true, copied = false;
    int not_copied = 0;
    for (size_t i = 0; i < loops.size(); i++) {
        UserLoop &loop = loops[i];
        const StageLoop &dimension = stage.loops[static_cast<size_t>(loop.dim)];
        const bool is_part =
            i > 0 && std::any_of(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(i),
                                 [&](const UserLoop &l) { return l.dim == loop.dim; });
        copied |= loop.kind == UserLoop::Kind::Vectorized || loop.kind == UserLoop::Kind::Unrolled;
        if (copied) loop.name.clear();
        not_copied += copied ? 0 : 1;
        const bool as_it_is = loop.kind == UserLoop::Kind::Parallel
                                  ? outermost && dimension.parallelizable
                              : loop.kind == UserLoop::Kind::Vectorized
                                  ? is_part && i + 1 == loops.size() && dimension.vectorizable
                                  : loop.kind == UserLoop::Kind::Unrolled && is_part;
        if (!as_it_is) loop.kind = UserLoop::Kind::Serial;
        outermost &= loop.kind == UserLoop::Kind::Parallel;
    }
    return not_copied;
}

std::optional<StageLoops> loops_of(const StageView &view, const Stage &stage) {
    if (!view.definition.defined()) return std::nullopt;
    const ir::StageSchedule &schedule = view.definition.schedule();
    if (!view.definition.specializations().empty() || !schedule.prefetches().empty() ||
        schedule.atomic() || schedule.allow_race_conditions())
        return std::nullopt;
    const StageVariables variables = stage_variables(view, schedule, constant_factor);
    if (!variables.inexact.empty() || !variables.hides_alignment.empty()) return std::nullopt;

    StageLoops found;
    LoopParts nest;
    const std::vector<ir::Dim> &dims = schedule.dims();  // innermost first; the last is no loop
    for (size_t i = dims.size() - 1; i-- > 0;) {
        const auto parts = variables.parts.find(dims[i].var);
        const auto kind = kind_of(dims[i]);
        if (parts == variables.parts.end() || !kind) return std::nullopt;
        // Halide knows the ranges of fused loops only roughly. Only the common outermost parallel ones are taken.
        const bool is_fused = parts->second.size() > 1;
        if (is_fused && (*kind != UserLoop::Kind::Parallel || !nest.empty())) return std::nullopt;
        for (const LoopPart &part : parts->second) {
            nest.push_back(part);
            found.loops.push_back({*kind, part.dim, part.span, ""});
        }
        if (parts->second.empty()) return std::nullopt;
        found.loops.back().name = own_name(dims[i].var);
        found.by_variable[dims[i].var] = static_cast<int>(found.loops.size()) - 1;
    }
    if (!walks_all(nest, view.loops.size())) return std::nullopt;
    found.copied = settle_kinds(stage, found.loops);
    return found;
}

class UserSchedules {
public:
    UserSchedules(const PipelineView &view, const std::vector<std::string> &locked,
                  std::vector<Func> &funcs, std::vector<Stage> &stages,
                  const std::vector<Edge> &edges)
        : view_(view),
          locked_(locked),
          funcs_(funcs),
          stages_(stages),
          edges_(edges),
          closed_(view.funcs.size(), false),
          by_variable_(stages.size()) {}

    void apply() {
        for (size_t f = 0; f < view_.funcs.size(); f++) close_around(f);
        // Readers come first, so that the loops of a site are known.
        for (size_t f = 0; f < view_.funcs.size(); f++) {
            if (locked_[f].empty()) continue;
            const Halide::LoopLevel &level = schedule(f).compute_level();
            if (is_at_loop(level)) place(f, level);
            if (level.is_root() || funcs_[f].is_output() || funcs_[f].user_site) know_loops(f);
        }
    }

private:
    const ir::FuncSchedule &schedule(size_t f) const { return view_.funcs[f].copy.schedule(); }

    void close(const std::string &name) {
        const auto at = view_.func_by_name.find(name);
        if (at != view_.func_by_name.end()) closed_[static_cast<size_t>(at->second)] = true;
    }

    // Closes the loops of a Func to others where Halide does more than run them. The loops in which the Func is
    // computed or stored are closed, too.
    void close_around(size_t f) {
        const ir::FuncSchedule &s = schedule(f);
        const bool moves_storage =
            (is_at_loop(s.compute_level()) && !s.store_level().match(s.compute_level())) ||
            (is_at_loop(s.compute_level()) && !s.hoist_storage_level().is_inlined() &&
             !s.hoist_storage_level().match(s.compute_level()));
        const bool is_odd = moves_storage || s.async() || s.memoized() || s.ring_buffer().defined();
        if (is_odd) closed_[f] = true;
        if (view_.funcs[f].copy.has_extern_definition()) closed_[f] = true;
        for (const StageView &stage : view_.funcs[f].stages) {
            if (!stage.definition.defined()) continue;
            const Halide::LoopLevel &with = stage.definition.schedule().fuse_level().level;
            if (!is_at_loop(with)) continue;
            closed_[f] = true;
            close(with.func_name());
        }
        for (const Halide::LoopLevel &level : {s.compute_level(), s.store_level()})
            if (is_odd && is_at_loop(level)) close(level.func_name());
    }

    void know_loops(size_t f) {
        if (closed_[f]) return;
        std::vector<StageLoops> found;
        std::map<std::string, int> uses;  // how many loops of all stages have a name
        for (size_t k = 0; k < view_.funcs[f].stages.size(); k++) {
            auto loops = loops_of(view_.funcs[f].stages[k], stage(f, k));
            if (!loops) return;
            for (const UserLoop &loop : loops->loops) uses[loop.name]++;
            found.push_back(std::move(*loops));
        }
        for (size_t k = 0; k < found.size(); k++) {
            // compute_at() finds loops by name: a name that is not unique cannot be used.
            for (UserLoop &loop : found[k].loops)
                if (uses[loop.name] > 1) loop.name.clear();
            // Sites in copied loops stay unknown.
            std::erase_if(found[k].by_variable,
                          [&](const auto &v) { return v.second >= found[k].copied; });
            by_variable_[stage(f, k).id.index()] = std::move(found[k].by_variable);
            stage(f, k).user_loops = std::move(found[k].loops);
        }
    }

    Stage &stage(size_t f, size_t k) { return stages_[funcs_[f].stages[k].index()]; }

    // f's direct and indirect readers up to `around`, the Func in which f is computed; without `around`.
    std::set<size_t> readers_within(size_t f, size_t around) const {
        std::set<size_t> within;
        std::vector<size_t> todo{f};
        while (!todo.empty()) {
            const Func &func = funcs_[todo.back()];
            todo.pop_back();
            for (EdgeId e : func.outgoing) {
                const size_t reader = stages_[edges_[e.index()].consumer.index()].func.index();
                if (reader != around && within.insert(reader).second) todo.push_back(reader);
            }
        }
        return within;
    }

    // The loop that Halide means by `level`: the only one of that name in the stages that use f.
    std::optional<UserSite> site_of(const Halide::LoopLevel &level, size_t f, size_t around,
                                    const std::set<size_t> &within) const {
        std::optional<UserSite> site;
        const std::string wanted = level.var().name();
        for (StageId s : funcs_[around].stages) {
            const Stage &stage = stages_[s.index()];
            const bool uses = std::ranges::any_of(stage.incoming, [&](EdgeId e) {
                const size_t read = edges_[e.index()].producer.index();
                return read == f || within.count(read) > 0;
            });
            if (!uses) continue;
            for (const auto &[name, loop] : by_variable_[s.index()]) {
                if (name != wanted && own_name(name) != wanted) continue;
                if (site) return std::nullopt;
                site = {s, loop};
            }
        }
        return site;
    }

    void place(size_t f, const Halide::LoopLevel &level) {
        const auto at = view_.func_by_name.find(level.func_name());
        if (at == view_.func_by_name.end()) return;
        const auto around = static_cast<size_t>(at->second);
        const std::set<size_t> within = readers_within(f, around);
        const std::optional<UserSite> site = site_of(level, f, around, within);
        funcs_[f].user_site = site;
        for (size_t r : within) {
            Func &reader = funcs_[r];
            if (!locked_[r].empty() || reader.is_output()) continue;
            const bool first = !reader.enclosed;
            reader.enclosed = true;
            reader.root_only = false;
            reader.can_inline = view_.funcs[r].copy.can_be_inlined();
            // One unknown loop makes the whole list unknown.
            if (!funcs_[f].user_site)
                reader.enclosed_by.clear();
            else if (first || !reader.enclosed_by.empty())
                reader.enclosed_by.push_back(*funcs_[f].user_site);
        }
    }

    const PipelineView &view_;
    const std::vector<std::string> &locked_;
    std::vector<Func> &funcs_;
    std::vector<Stage> &stages_;
    const std::vector<Edge> &edges_;
    std::vector<bool> closed_;                             // per Func: its loops stay unknown
    std::vector<std::map<std::string, int>> by_variable_;  // per stage
};

}  // namespace

void apply_user_schedules(const PipelineView &view, const std::vector<std::string> &locked,
                          std::vector<Func> &funcs, std::vector<Stage> &stages,
                          const std::vector<Edge> &edges) {
    UserSchedules(view, locked, funcs, stages, edges).apply();
}

}  // namespace cryolite
