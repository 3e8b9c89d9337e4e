#include "emit/companion_calls.h"

#include <algorithm>

#include "code/stage/split_tails.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

using Method = ScheduleCall::Method;

class Companion {
public:
    Companion(const LoopNest &nest, const FuncNest &placed, const StageNames &leader,
              std::set<std::string> &used, std::map<LoopName, LoopVariable> &own)
        : nest_(nest),
          graph_(nest.graph()),
          placed_(placed),
          nest_of_stage_(placed.stages[0]),
          stage_(graph_.stage(nest_of_stage_.stage)),
          leader_(graph_.stage(placed.compute_at->stage)),
          names_(leader),
          shared_(shared_loops(nest, placed)),
          used_(used),
          own_(own) {}

    std::vector<ScheduleCall> all() {
        const std::vector<LoopVariable> whole = under_own_names();
        for (size_t d = stage_.loops.size(); d-- > 0;) split(d, whole[d]);
        reorder();
        for (const LoopLevel &loop : nest_of_stage_.loops) {
            if (loop.kind == LoopKind::Vectorized || loop.is_joined)
                add(Method::Vectorize, {own_.at(loop.name)});
            if (loop.kind == LoopKind::Unrolled && !loop.is_joined)
                add(Method::Unroll, {own_.at(loop.name)});
        }
        for (ScheduleCall call : names_.fusions) {
            call.stage = stage_.id;
            calls_.push_back(std::move(call));
        }
        return std::move(calls_);
    }

private:
    ScheduleCall &add(Method method, std::vector<LoopVariable> variables) {
        ScheduleCall call;
        call.method = method;
        call.stage = stage_.id;
        call.variables = std::move(variables);
        calls_.push_back(std::move(call));
        return calls_.back();
    }

    void add_split(size_t d, const LoopVariable &old, const LoopVariable &outer,
                   const LoopVariable &inner, int64_t factor) {
        ScheduleCall &call = add(Method::Split, {old, outer, inner});
        call.factor = factor;
        if (may_round_up(graph_.func(placed_.func), stage_.loops[d]))
            call.tail = ScheduleCall::Tail::RoundUp;
    }

    void rename(LoopVariable &rest, const LoopVariable &as) {
        if (as.name != rest.name) add(Method::Rename, {rest, as});
        rest = as;
    }

    // The dimensions, under other names where the leader uses them for its loops.
    std::vector<LoopVariable> under_own_names() {
        std::set<std::string> taken;
        for (const StageLoop &l : leader_.loops) taken.insert(l.name);
        for (const auto &[level, outer] : names_.outer_parts) taken.insert(outer.name);
        for (const auto &[level, loop] : names_.loops) taken.insert(loop.name);
        for (const ScheduleCall &call : names_.fusions)
            for (const LoopVariable &v : call.variables) taken.insert(v.name);
        used_.insert(taken.begin(), taken.end());
        std::vector<LoopVariable> whole;
        for (const StageLoop &l : stage_.loops) {
            whole.push_back({l.name, false});
            if (taken.contains(l.name))
                rename(whole.back(), {fresh_name(l.name + "_c", used_), false});
        }
        return whole;
    }

    static std::vector<const LoopLevel *> levels_of(const StageNest &nest, size_t d) {
        std::vector<const LoopLevel *> levels;
        for (const LoopLevel &loop : nest.loops)
            if (static_cast<size_t>(loop.name.dim) == d) levels.push_back(&loop);
        return levels;
    }

    void split(size_t d, LoopVariable rest) {
        const int dim = stage_.loops[d].func_dim;
        const auto same = std::ranges::find(
            leader_.loops, placed_.leader_dims[static_cast<size_t>(dim)], &StageLoop::func_dim);
        const auto l = static_cast<size_t>(same - leader_.loops.begin());
        const auto num_shared = static_cast<size_t>(std::ranges::count_if(
            shared_, [&](const LoopLevel &s) { return static_cast<size_t>(s.name.dim) == l; }));
        if (num_shared == 0) {
            split_whole(d, rest);
            return;
        }
        split_off_own(d, shared_part(nest_, placed_, dim), rest);
        rename(rest, {same->name, false});
        const std::vector<const LoopLevel *> levels =
            levels_of(nest_.stage_nest(placed_.compute_at->stage), l);
        for (size_t level = levels.size() - 1; level > 0; level--) {
            const LoopVariable outer = names_.outer_parts.at(levels[level]->name);
            if (level >= num_shared) {
                rename(rest, outer);
                continue;
            }
            add_split(d, rest, outer, names_.loops.at(levels[level]->name),
                      levels[level - 1]->span / levels[level]->span);
            rest = outer;
        }
    }

    void name_own(const std::vector<const LoopLevel *> &levels, const std::string &base) {
        for (const LoopLevel *level : levels)
            own_[level->name] = {fresh_name(base + "_" + std::to_string(level->name.level), used_),
                                 false};
    }

    // A dimension that the shared loops leave alone.
    void split_whole(size_t d, LoopVariable rest) {
        const std::vector<const LoopLevel *> levels = levels_of(nest_of_stage_, d);
        const std::string base = rest.name;
        name_own(levels, base);
        for (size_t level = levels.size() - 1; level > 0; level--) {
            const LoopVariable outer = level == 1
                                           ? own_.at(levels[0]->name)
                                           : LoopVariable{fresh_name(base + "_t", used_), false};
            add_split(d, rest, outer, own_.at(levels[level]->name),
                      levels[level - 1]->span / levels[level]->span);
            rest = outer;
        }
        if (levels.size() == 1) rename(rest, own_.at(levels[0]->name));
    }

    // Splits the loops inside of `part` points off; `rest` becomes what walks the parts.
    void split_off_own(size_t d, int64_t part, LoopVariable &rest) {
        if (part == 1) return;
        const std::vector<const LoopLevel *> levels = levels_of(nest_of_stage_, d);
        const std::string base = rest.name;
        name_own(levels, base);
        for (size_t level = levels.size(); level-- > 0;) {
            const int64_t around = level > 0 ? levels[level - 1]->span : part;
            const LoopVariable outer{fresh_name(base + (level > 0 ? "_t" : "_p"), used_), false};
            add_split(d, rest, outer, own_.at(levels[level]->name), around / levels[level]->span);
            rest = outer;
        }
    }

    void reorder() {
        std::vector<LoopVariable> innermost_first;
        const LoopLevels &loops = nest_of_stage_.loops;
        for (size_t i = loops.size(); i-- > 0;)
            if (const auto own = own_.find(loops[i].name); own != own_.end())
                innermost_first.push_back(own->second);
        for (size_t i = shared_.size(); i-- > 0;)
            innermost_first.push_back(names_.loops.at(shared_[i].name));
        // What is joined are neighbours in the vector.
        if (joined_points(nest_of_stage_) > 1) std::swap(innermost_first[0], innermost_first[1]);
        add(Method::Reorder, std::move(innermost_first));
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const FuncNest &placed_;
    const StageNest &nest_of_stage_;
    const Stage &stage_;
    const Stage &leader_;
    const StageNames &names_;
    const std::vector<LoopLevel> shared_;
    std::set<std::string> &used_;
    std::map<LoopName, LoopVariable> &own_;
    std::vector<ScheduleCall> calls_;
};

}  // namespace

std::string fresh_name(const std::string &wanted, std::set<std::string> &used) {
    std::string name = wanted;
    for (int i = 2; !used.insert(name).second; i++) name = wanted + "_" + std::to_string(i);
    return name;
}

std::vector<ScheduleCall> companion_calls(const LoopNest &nest, const FuncNest &companion,
                                          const StageNames &leader, std::set<std::string> &used,
                                          std::map<LoopName, LoopVariable> &own) {
    return Companion(nest, companion, leader, used, own).all();
}

}  // namespace cryolite
