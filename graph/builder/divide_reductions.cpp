#include "graph/builder/divide_reductions.h"

#include <algorithm>
#include <cctype>

#include "graph/halide/halide_compat.h"
#include "graph/hash/algorithm_hash.h"

namespace cryolite {
namespace {

using Halide::Internal::Function;
using Environment = std::map<std::string, Function>;

struct DivisionFailure {
    std::string message;
};

std::string identifier_of(const std::string &name) {
    std::string text;
    for (char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return text;
}

bool has_pure_dimension(const Function &f, const ir::Definition &update, size_t d) {
    const auto *v = update.args()[d].as<ir::Variable>();
    return v && v->name == f.args()[d] && !v->reduction_domain.defined();
}

// Whether the update changes all of the Func, and not places that its values or a reduction choose.
bool walks_all_dimensions(const Function &f, int stage) {
    for (size_t d = 0; d < f.args().size(); d++)
        if (!has_pure_dimension(f, f.update(stage - 1), d)) return false;
    return true;
}

// The loops of an update in Halide's default order.
std::vector<DivisionCalls::Loop> default_order(const Function &f, int stage) {
    std::vector<DivisionCalls::Loop> order;
    const ir::Definition &update = f.update(stage - 1);
    for (const ir::ReductionVariable &r : update.schedule().rvars()) order.push_back({r.var, true});
    for (size_t d = 0; d < f.args().size(); d++)
        if (has_pure_dimension(f, update, d)) order.push_back({f.args()[d], false});
    return order;
}

// The default order where the update has another one; empty if it has it.
std::vector<DivisionCalls::Loop> order_to_restore(const Function &f, int stage) {
    std::vector<DivisionCalls::Loop> order = default_order(f, stage);
    const std::vector<ir::Dim> &dims = f.update(stage - 1).schedule().dims();
    for (size_t i = 0; i < order.size() && i < dims.size(); i++)
        if (dims[i].var != order[i].name) return order;
    return {};
}

void reorder(Halide::Stage update, const std::vector<DivisionCalls::Loop> &loops) {
    std::vector<Halide::VarOrRVar> order;
    for (const DivisionCalls::Loop &loop : loops) order.emplace_back(loop.name, loop.is_reduction);
    if (!order.empty()) update.reorder(order);
}

// Halide's name of a Func. Partial results are known by names that do not depend on what else the process has made.
using Names = std::map<std::string, std::string>;

const Function &found(const Environment &environment, const Names &names,
                      const DividedReduction &division) {
    const auto name = names.find(division.func);
    const auto f = environment.find(name == names.end() ? division.func : name->second);
    if (f == environment.end())
        throw DivisionFailure{"the pipeline has no Func " + division.func + " to divide"};
    if (division.kind == DividedReduction::Kind::Copy) {
        if (!f->second.wrappers().empty())
            throw DivisionFailure{division.func + " has copies of its own (Func::in)"};
        return f->second;
    }
    if (division.stage < 1 || static_cast<size_t>(division.stage) > f->second.updates().size())
        throw DivisionFailure{division.func + " has no update " + std::to_string(division.stage)};
    const auto &rvars = f->second.update(division.stage - 1).schedule().rvars();
    if (std::ranges::none_of(
            rvars, [&](const ir::ReductionVariable &r) { return r.var == division.loop; }))
        throw DivisionFailure{division.func + " has no reduction loop " + division.loop};
    if (division.points < 1) throw DivisionFailure{"a part of a reduction has at least one point"};
    return f->second;
}

// A name for the partial results or the copy that no other Func has.
std::string partial_name(const Environment &environment, const Names &names,
                         const DividedReduction &division) {
    using Kind = DividedReduction::Kind;
    std::string name = division.func + (division.kind == Kind::Lanes    ? "_lanes"
                                        : division.kind == Kind::Blocks ? "_blocks"
                                                                        : "_copy");
    while (environment.contains(name) || names.contains(name)) name += "_";
    return name;
}

// halide_name: receives Halide's name of the partial results.
DivisionCalls divide(const Function &function, const DividedReduction &division,
                     std::string &halide_name) {
    using Kind = DividedReduction::Kind;
    DivisionCalls calls;
    calls.division = division;
    if (division.kind == Kind::Copy) {
        halide_name = Halide::Func(function).in().name();
        return calls;
    }
    const std::string base = identifier_of(division.loop);
    calls.outer = base + "_o";
    calls.inner = base + "_i";
    calls.dimension = base + (division.kind == Kind::Lanes ? "_lane" : "_block");
    while (std::ranges::find(function.args(), calls.dimension) != function.args().end())
        calls.dimension += "_";
    const bool lanes_first = division.kind == Kind::Lanes && !function.args().empty() &&
                             walks_all_dimensions(function, division.stage);
    Halide::Stage update = Halide::Func(function).update(division.stage - 1);
    const Halide::RVar outer(calls.outer), inner(calls.inner);
    update.split(Halide::RVar(division.loop), outer, inner, static_cast<int>(division.points));
    Halide::Func partial =
        update.rfactor(division.kind == Kind::Lanes ? inner : outer, Halide::Var(calls.dimension));
    halide_name = partial.name();
    calls.order = default_order(partial.function(), 1);
    reorder(partial.update(0), calls.order);
    calls.order_of_rest = order_to_restore(function, division.stage);
    reorder(Halide::Func(function).update(division.stage - 1), calls.order_of_rest);
    if (lanes_first) {
        calls.storage = {calls.dimension};
        calls.storage.insert(calls.storage.end(), function.args().begin(), function.args().end());
        partial.reorder_storage({calls.storage.begin(), calls.storage.end()});
    }
    // Nothing is scheduled yet.
    Function divided = function, partial_function = partial.function();
    divided.update(division.stage - 1).schedule().touched() = false;
    partial_function.update(0).schedule().touched() = false;
    return calls;
}

// Hashes of the Funcs before anything is divided.
std::map<std::string, uint64_t> hashes_of(const Environment &environment) {
    std::map<std::string, uint64_t> hashes;
    for (const auto &[name, function] : environment) hashes[name] = algorithm_hash({function});
    return hashes;
}

}  // namespace

Result<BuiltGraph> build_divided_graph(const std::vector<Function> &outputs,
                                       const Halide::Target &target,
                                       std::span<const DividedReduction> divisions) try {
    if (divisions.empty()) return build_graph(outputs, target);
    const uint64_t hash = algorithm_hash(outputs);
    const auto hashes = hashes_of(ir::build_environment(outputs));
    std::vector<DivisionCalls> calls;
    Names names;
    for (const DividedReduction &division : divisions) {
        const Environment environment = ir::build_environment(outputs);
        std::string halide_name;
        calls.push_back(divide(found(environment, names, division), division, halide_name));
        calls.back().partial = partial_name(environment, names, division);
        names[calls.back().partial] = halide_name;
    }

    std::map<std::string, std::string> by_halide_name;
    for (const auto &[name, halide_name] : names) by_halide_name[halide_name] = name;
    Result<BuiltGraph> built = build_graph(outputs, target, by_halide_name);
    if (!built.ok()) return built;
    built->graph.set_divisions(hash, {divisions.begin(), divisions.end()});
    built->divisions = std::move(calls);
    for (const Func &f : built->graph.funcs()) {
        const auto known = hashes.find(f.name);
        built->undivided_hashes.push_back(known == hashes.end() ? 0 : known->second);
    }
    return built;
} catch (const DivisionFailure &failure) {
    return Error{failure.message};
} catch (const Halide::Error &error) {
    return Error{std::string("Halide does not divide a reduction: ") + error.what()};
}

}  // namespace cryolite
