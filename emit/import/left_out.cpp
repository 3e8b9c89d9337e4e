#include "emit/import/left_out.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "code/regions/storage_bounds.h"
#include "code/stage/split_tails.h"
#include "emit/schedule_call.h"

namespace cryolite {
namespace {

using Method = ScheduleCall::Method;

// Halide's limit for an allocation of constant size on the stack.
constexpr int64_t most_stack_bytes = 16 << 10;

template <typename T>
std::string text_of(const T &value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

std::string tail_name(ScheduleCall::Tail tail) {
    switch (tail) {
        case ScheduleCall::Tail::RoundUp: return "RoundUp";
        case ScheduleCall::Tail::ShiftInwards: return "ShiftInwards";
        case ScheduleCall::Tail::GuardWithIf: break;
    }
    return "GuardWithIf";
}

// The emitted calls, by what is asked of them.
class Calls {
public:
    explicit Calls(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {
        for (const ScheduleCall &call : schedule_calls(nest)) add(call);
    }

    // The tail of the stage's split into parts of `span` points, in the case that the estimates select.
    std::optional<std::string> tail(StageId stage, int dim, int64_t span) const {
        const bool large = shifts_inwards(graph_, nest_.stage_nest(stage));
        const auto at = tails_.find({stage, large, dim, span});
        if (at == tails_.end()) return std::nullopt;
        const auto &[tail, points] = at->second;
        return points > 0 && points % span == 0 ? "none, as parts divide" : tail_name(tail);
    }
    bool has(Method method, StageId stage, const std::string &variable, int64_t factor = 0) const {
        const auto [first, last] = others_.equal_range({stage, method});
        return std::any_of(first, last, [&](const auto &entry) {
            const ScheduleCall &call = entry.second;
            return (variable.empty() || call.variables[0].name == variable) &&
                   (factor == 0 || call.factor == factor);
        });
    }

private:
    void add(const ScheduleCall &call) {
        auto &parts = parts_[{call.stage, call.specialized}];
        const auto part = [&](const std::string &variable) -> LoopPart {
            if (const auto at = parts.find(variable); at != parts.end()) return at->second;
            const auto &loops = graph_.stage(call.stage).loops;
            for (size_t d = 0; d < loops.size(); d++)
                if (loops[d].name == variable) return {static_cast<int>(d), 1, 0};
            return {-1, 1, 0};
        };
        if (call.method == Method::Rename)
            parts[call.variables[1].name] = part(call.variables[0].name);
        if (call.method == Method::Split) {
            const auto [dim, span, points] = part(call.variables[0].name);
            const int64_t outer = call.odd_parts_of ? 0 : span * call.factor;
            parts[call.variables[2].name] = {dim, span, call.odd_parts_of ? points : outer};
            if (call.odd_parts_of) return;
            parts[call.variables[1].name] = {dim, outer, points};
            tails_[{call.stage, call.specialized, dim, outer}] = {call.tail, points};
        }
        others_.insert({{call.stage, call.method}, call});
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    // By stage and whether specialised.
    std::map<std::pair<StageId, bool>, std::map<std::string, LoopPart>> parts_;
    // By stage, whether specialised, dimension and span; with the points of the split variable.
    std::map<std::tuple<StageId, bool, int, int64_t>, std::pair<ScheduleCall::Tail, int64_t>>
        tails_;
    std::multimap<std::pair<StageId, Method>, ScheduleCall> others_;
};

class Namer {
public:
    Namer(const LoopNest &nest, ScheduleDifferences &differences)
        : nest_(nest), graph_(nest.graph()), calls_(nest), differences_(differences) {}

    void name_func(const Func &func, const ir::FuncSchedule &schedule) {
        DifferenceNotes notes(differences_, func.id, func.name);
        if (schedule.memoized()) notes.left_out("memoize()", "computed anew in each run");
        if (schedule.async()) notes.left_out("async()", "computed in the thread of its reader");
        if (schedule.ring_buffer().defined()) notes.left_out("ring_buffer", "stored once");
        const Halide::LoopLevel &hoisted = schedule.hoist_storage_level();
        if (is_at_loop(hoisted) && !hoisted.match(schedule.store_level()))
            notes.left_out("hoist_storage(" + hoisted.func_name() + ", " +
                               own_name(hoisted.var().name()) + ")",
                           "allocated where it is stored");
        name_memory(func, schedule.memory_type(), notes);
        for (const ir::StorageDim &dim : schedule.storage_dims()) name_storage(func, dim, notes);
        for (const ir::Bound &bound : schedule.bounds())
            if (bound.modulus.defined() && !is_aligned(func, bound))
                notes.left_out("align_bounds(" + bound.var + ", " + text_of(bound.modulus) + ")",
                               "the region is not aligned");
    }

    bool is_aligned(const Func &func, const ir::Bound &bound) const {
        const auto multiple = constant_factor(bound.modulus),
                   remainder = constant_factor(bound.remainder);
        return multiple && (!remainder || *remainder == 0) &&
               calls_.has(Method::AlignBounds, func.stages[0], bound.var, *multiple);
    }

    void name_stage(const Func &func, const Stage &stage, const ReadStage &read) {
        if (read.schedule == nullptr) return;
        DifferenceNotes notes(differences_, func.id,
                              func.name + ".s" + std::to_string(stage.index));
        const ir::StageSchedule &schedule = *read.schedule;
        for (const ir::PrefetchDirective &p : schedule.prefetches())
            notes.left_out("prefetch(" + p.name + ")", "the hardware's prefetchers alone");
        if (const Halide::LoopLevel &with = schedule.fuse_level().level;
            is_at_loop(with) && !nest_.stage_nest(stage.id).has_company)
            notes.left_out(
                "compute_with(" + with.func_name() + ", " + own_name(with.var().name()) + ")",
                "in loops of its own");
        if (schedule.atomic() && !calls_.has(Method::Atomic, stage.id, ""))
            notes.left_out("atomic()", "iterations that race stay in order");
        if (schedule.allow_race_conditions() &&
            !calls_.has(Method::AllowRaceConditions, stage.id, ""))
            notes.left_out("allow_race_conditions()", "iterations that race stay in order");
        for (const ir::Dim &dim : schedule.dims())
            if (dim.partition_policy != Halide::Partition::Auto &&
                !calls_.has(Method::NeverPartition, stage.id, ""))
                notes.left_out(
                    "partition(" + own_name(dim.var) + ", " + text_of(dim.partition_policy) + ")",
                    "as Halide chooses");
        std::string tails;
        for (const SplitTail &split : read.variables.tails) add_tail(stage, split, tails);
        if (!tails.empty()) notes.tail("tails of splits", tails);
    }

private:
    void name_memory(const Func &func, Halide::MemoryType type, DifferenceNotes &notes) const {
        if (type == Halide::MemoryType::Auto) return;
        const bool on_stack = is_on_stack(func);
        if (type == Halide::MemoryType::Stack && on_stack) return;
        if (type == Halide::MemoryType::Heap && !on_stack) return;
        notes.left_out("store_in(" + text_of(type) + ")",
                       on_stack ? "on the stack" : "where Halide chooses");
    }

    // Whether emission gives the Func storage of a constant size that Halide puts on the stack.
    bool is_on_stack(const Func &func) const {
        const FuncNest &placed = nest_.at(func.id);
        if (placed.placement != Placement::At || placed.store_at != placed.compute_at) return false;
        int64_t bytes = func.bytes_per_point();
        for (int64_t side : rounded_storage_bounds(nest_, func.id)) bytes *= side;
        return bytes > 0 && bytes <= most_stack_bytes;
    }

    void name_storage(const Func &func, const ir::StorageDim &dim, DifferenceNotes &notes) const {
        const StageId pure = func.stages[0];
        const auto factor = constant_factor(dim.alignment);
        if (dim.alignment.defined() &&
            !(factor && calls_.has(Method::AlignStorage, pure, dim.var, *factor)))
            notes.left_out("align_storage(" + dim.var + ", " + text_of(dim.alignment) + ")",
                           "not aligned");
        const bool bounded = calls_.has(Method::BoundStorage, pure, dim.var);
        if (dim.bound.defined() && !bounded)
            notes.left_out("bound_storage(" + dim.var + ", " + text_of(dim.bound) + ")",
                           "as long as Halide infers");
        const FuncNest &placed = nest_.at(func.id);
        const bool slides =
            placed.slide_dim >= 0 && func.dims[static_cast<size_t>(placed.slide_dim)] == dim.var;
        if (dim.fold_factor.defined() && !slides)
            notes.left_out("fold_storage(" + dim.var + ", " + text_of(dim.fold_factor) + ")",
                           "no window slides along it; stored as a whole");
    }

    // "x by 16 GuardWithIf, here RoundUp"
    void add_tail(const Stage &stage, const SplitTail &split, std::string &tails) const {
        // Parts of a part that they divide have no end.
        if (split.points > 0 && split.points % split.span == 0) return;
        const auto ours = calls_.tail(stage.id, split.dim, split.span);
        const std::string by_hand = text_of(split.tail);
        if (!ours || by_hand == *ours) return;
        tails += (tails.empty() ? "" : "; ") + stage.loops[static_cast<size_t>(split.dim)].name +
                 " by " + std::to_string(split.span) + " " + by_hand + ", here " + *ours;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const Calls calls_;
    ScheduleDifferences &differences_;
};

}  // namespace

void name_left_out(const LoopNest &nest, const PipelineView &by_hand,
                   const std::vector<ReadStage> &stages, ScheduleDifferences &differences) {
    const StageGraph &graph = nest.graph();
    Namer namer(nest, differences);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const Func &func = graph.func(FuncId(i));
        namer.name_func(func, by_hand.funcs[i].copy.schedule());
        for (StageId s : func.stages) namer.name_stage(func, graph.stage(s), stages[s.index()]);
    }
}

}  // namespace cryolite
