#include "emit/import/clear_schedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace cryolite {
namespace {

namespace ir = Halide::Internal;

ir::Dim serial(const std::string &variable, ir::DimType type) {
    return {variable, ir::ForType::Serial, Halide::DeviceAPI::None, type, Halide::Partition::Auto};
}

// The loops that Halide gives a definition: reduction loops inside pure ones.
std::vector<ir::Dim> default_dims(const ir::Function &f, const ir::Definition &definition) {
    std::vector<ir::Dim> dims;
    for (const ir::ReductionVariable &r : definition.schedule().rvars()) {
        const bool pure = ir::can_parallelize_rvar(r.var, f.name(), definition);
        dims.push_back(serial(r.var, pure ? ir::DimType::PureRVar : ir::DimType::ImpureRVar));
    }
    for (size_t d = 0; d < f.args().size(); d++) {
        const auto *v = definition.args()[d].as<ir::Variable>();
        const bool is_pure =
            v && v->name == f.args()[d] && !v->param.defined() && !v->reduction_domain.defined();
        if (is_pure) dims.push_back(serial(f.args()[d], ir::DimType::PureVar));
    }
    dims.push_back(serial(Halide::Var::outermost().name(), ir::DimType::PureVar));
    return dims;
}

void clear_definition(const ir::Function &f, ir::Definition &definition) {
    if (!definition.defined()) return;
    definition.specializations().clear();
    ir::StageSchedule &s = definition.schedule();
    s.splits().clear();
    s.dims() = default_dims(f, definition);
    s.prefetches().clear();
    s.fuse_level() = Halide::FuseLoopLevel();
    s.fused_pairs().clear();
    s.touched() = false;
    s.allow_race_conditions() = false;
    s.atomic() = false;
    s.override_atomic_associativity_test() = false;
}

void clear_func(ir::Function &f, bool is_output) {
    ir::FuncSchedule &s = f.schedule();
    s.compute_level() = Halide::LoopLevel::inlined();
    s.store_level() = Halide::LoopLevel::inlined();
    s.hoist_storage_level() = Halide::LoopLevel::inlined();
    s.memory_type() = Halide::MemoryType::Auto;
    s.memoized() = false;
    s.memoize_eviction_key() = Halide::Expr();
    s.async() = false;
    s.ring_buffer() = Halide::Expr();
    std::vector<ir::StorageDim> storage;
    for (const std::string &arg : f.args()) {
        ir::StorageDim dim;
        dim.var = arg;
        dim.fold_forward = true;
        storage.push_back(dim);
    }
    s.storage_dims() = std::move(storage);
    std::erase_if(s.bounds(), [&](const ir::Bound &b) {
        return b.modulus.defined() || (!is_output && !b.min.defined());
    });
    if (f.has_pure_definition()) clear_definition(f, f.definition());
    for (size_t k = 0; k < f.updates().size(); k++)
        clear_definition(f, f.update(static_cast<int>(k)));
}

}  // namespace

void clear_schedules(const std::vector<ir::Function> &outputs) {
    std::set<std::string> output_names;
    for (const ir::Function &f : outputs) output_names.insert(f.name());
    for (auto &[name, f] : ir::build_environment(outputs))
        clear_func(f, output_names.count(name) > 0);
}

}  // namespace cryolite
