#include "graph/builder/locks.h"

#include <algorithm>

namespace cryolite {
namespace {

bool is_default(const Halide::LoopLevel &level) { return level.defined() && level.is_inlined(); }

std::string schedule_of_stage(const StageView &stage) {
    if (!stage.definition.defined()) return {};
    const ir::StageSchedule &s = stage.definition.schedule();
    if (!stage.definition.specializations().empty()) return "it is specialised";
    if (!s.splits().empty()) return "its loops are split";
    if (!s.prefetches().empty()) return "it prefetches";
    if (!s.fused_pairs().empty() || !is_default(s.fuse_level().level)) {
        return "its loops are fused with another Func's";
    }
    if (s.atomic() || s.allow_race_conditions()) return "it is atomic or may race";
    const std::vector<ir::Dim> &dims = s.dims();
    for (const ir::Dim &d : dims) {
        if (d.for_type != ir::ForType::Serial) return "loop " + d.var + " is not serial";
        if (d.device_api != Halide::DeviceAPI::None) return "it runs on a device";
        if (d.partition_policy != Halide::Partition::Auto)
            return "loop " + d.var + " has a partition policy";
    }
    // The last dim stands for the place outside of all loops.
    for (size_t i = 0; i < stage.loops.size() && i + 1 < dims.size(); i++) {
        if (dims[i].var != stage.loops[i].name) return "its loops are reordered";
    }
    if (s.touched()) return "it is said to be unscheduled";
    return {};
}

std::string schedule_of_func(const FuncView &f, bool is_made) {
    const ir::FuncSchedule &s = f.copy.schedule();
    const auto is_output_default = [&](const Halide::LoopLevel &level) {
        return f.is_output && level.defined() && !level.is_inlined() && level.is_root();
    };
    if (!is_default(s.compute_level()) && !is_output_default(s.compute_level())) {
        return "it has a compute level";
    }
    if (!is_default(s.store_level()) && !is_output_default(s.store_level())) {
        return "it has a store level";
    }
    if (!is_default(s.hoist_storage_level()) && !is_output_default(s.hoist_storage_level())) {
        return "its storage is hoisted";
    }
    if (s.memory_type() != Halide::MemoryType::Auto) return "it is stored in a memory type";
    if (s.memoized()) return "it is memoised";
    if (s.async()) return "it is asynchronous";
    if (s.ring_buffer().defined()) return "it has a ring buffer";
    const std::vector<ir::StorageDim> &storage = s.storage_dims();
    for (size_t d = 0; d < storage.size(); d++) {
        if (!is_made && storage[d].var != f.original.args()[d]) return "its storage is reordered";
        if (storage[d].alignment.defined() || storage[d].bound.defined() ||
            storage[d].fold_factor.defined()) {
            return "its storage is aligned, bounded or folded";
        }
    }
    for (size_t k = 0; k < f.stages.size(); k++) {
        const std::string why = schedule_of_stage(f.stages[k]);
        if (!why.empty()) return why;
    }
    return {};
}

}  // namespace

std::vector<std::string> locked_funcs(const PipelineView &view,
                                      const std::map<std::string, std::string> &made) {
    std::vector<std::string> why(view.funcs.size());
    std::vector<size_t> todo;
    for (size_t i = 0; i < why.size(); i++) {
        why[i] = schedule_of_func(view.funcs[i], made.contains(view.funcs[i].name()));
        if (!why[i].empty()) todo.push_back(i);
    }
    const auto follow = [&](const Halide::LoopLevel &level, const std::string &because) {
        if (!level.defined() || level.is_inlined() || level.is_root()) return;
        const auto at = view.func_by_name.find(level.func_name());
        if (at == view.func_by_name.end()) return;
        std::string &reason = why[static_cast<size_t>(at->second)];
        if (!reason.empty()) return;
        reason = because;
        todo.push_back(static_cast<size_t>(at->second));
    };
    while (!todo.empty()) {
        const FuncView &f = view.funcs[todo.back()];
        todo.pop_back();
        const ir::FuncSchedule &s = f.copy.schedule();
        for (const Halide::LoopLevel &level :
             {s.compute_level(), s.store_level(), s.hoist_storage_level()})
            follow(level, "Func " + f.name() + " is scheduled at its loops");
        // compute_with() marks only the Func on which it is called. The other Func learns of it at lowering.
        for (const StageView &stage : f.stages)
            if (stage.definition.defined())
                follow(stage.definition.schedule().fuse_level().level,
                       "Func " + f.name() + " is computed with its loops");
    }
    return why;
}

}  // namespace cryolite
