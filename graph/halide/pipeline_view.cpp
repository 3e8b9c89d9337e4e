// The order of Funcs and inputs comes from the definitions alone, not from names. Two builds of one generator then
// number their Funcs alike.
#include "graph/halide/pipeline_view.h"

#include <algorithm>
#include <functional>
#include <set>

#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

// A condition that holds but at the end of a loop. rfactor() of a split loop leaves one. Halide takes the end off the
// loop, so that nothing inside asks.
bool is_likely(const Expr &condition) {
    const auto *call = condition.as<ir::Call>();
    return call && is_intrinsic(*call, "likely");
}

Expr without_likely(const Expr &predicate) {
    if (is_likely(predicate)) return {};
    const auto *both = predicate.as<ir::And>();
    if (!both) return predicate;
    const Expr a = without_likely(both->a), b = without_likely(both->b);
    if (a.same_as(both->a) && b.same_as(both->b)) return predicate;
    if (!a.defined()) return b;
    return b.defined() ? a && b : a;
}

StageView view_definition(const ir::Function &f, const ir::Definition &definition, bool is_update) {
    StageView stage;
    stage.definition = definition;
    stage.arguments = definition.args();
    stage.values = definition.values();
    if (definition.predicate().defined() && !ir::is_const_one(definition.predicate())) {
        stage.predicate = without_likely(definition.predicate());
    }
    if (is_update) {
        for (const ir::ReductionVariable &r : definition.schedule().rvars()) {
            stage.loops.push_back({r.var, -1, r.min, r.extent});
        }
    }
    for (int d = 0; d < f.dimensions(); d++) {
        const std::string &dim = f.args()[static_cast<size_t>(d)];
        const auto *v = stage.arguments[static_cast<size_t>(d)].as<ir::Variable>();
        const bool is_pure =
            v && v->name == dim && !v->param.defined() && !v->reduction_domain.defined();
        if (is_pure) stage.loops.push_back({dim, d, Expr(), Expr()});
    }
    return stage;
}

std::vector<StageView> view_stages(const ir::Function &f) {
    std::vector<StageView> stages;
    if (f.has_extern_definition()) {
        StageView stage;
        for (int d = 0; d < f.dimensions(); d++) {
            stage.loops.push_back({f.args()[static_cast<size_t>(d)], d, Expr(), Expr()});
        }
        stages.push_back(std::move(stage));
    } else {
        stages.push_back(view_definition(f, f.definition(), false));
    }
    for (const ir::Definition &update : f.updates()) {
        stages.push_back(view_definition(f, update, true));
    }
    return stages;
}

void add_input(PipelineView &view, const InputView &input) {
    const int index = static_cast<int>(view.inputs.size());
    if (view.input_by_name.emplace(input.name, index).second) view.inputs.push_back(input);
}

// Names of the Funcs that f reads, in the order of its definitions. Adds its inputs to the view.
std::vector<std::string> find_reads(PipelineView &view, const ir::Function &f,
                                    const std::vector<StageView> &stages) {
    std::vector<std::string> reads;
    ExpressionWalk walk([&](const Expr &e) {
        const auto *call = e.as<ir::Call>();
        if (!call || !is_load(*call)) return;
        if (call->call_type == ir::Call::Halide) {
            reads.push_back(call->name);
        } else {
            add_input(view, {call->name, call->type, static_cast<int>(call->args.size()),
                             call->param, call->image});
        }
    });
    for (const Halide::ExternFuncArgument &a : f.extern_arguments()) {
        if (a.is_func()) reads.push_back(ir::Function(a.func).name());
        if (a.is_expr()) walk(a.expr);
        if (a.is_image_param()) {
            add_input(view, {a.image_param.name(),
                             a.image_param.type(),
                             a.image_param.dimensions(),
                             a.image_param,
                             {}});
        }
        if (a.is_buffer()) {
            add_input(view,
                      {a.buffer.name(), a.buffer.type(), a.buffer.dimensions(), {}, a.buffer});
        }
    }
    for (const StageView &stage : stages) {
        for (const LoopView &loop : stage.loops) {
            walk(loop.min);
            walk(loop.extent);
        }
        for (const Expr &e : stage.expressions()) walk(e);
    }
    return reads;
}

}  // namespace

std::vector<Expr> StageView::expressions() const {
    std::vector<Expr> all = values;
    all.insert(all.end(), arguments.begin(), arguments.end());
    if (predicate.defined()) all.push_back(predicate);
    return all;
}

std::vector<ir::Function> outputs_of(const Halide::Pipeline &pipeline) {
    std::vector<ir::Function> outputs;
    for (const Halide::Func &f : pipeline.outputs()) outputs.push_back(f.function());
    return outputs;
}

PipelineView view_pipeline(const std::vector<ir::Function> &outputs) {
    PipelineView view;
    const std::map<std::string, ir::Function> originals = ir::build_environment(outputs);
    auto [copied_outputs, copies] = ir::deep_copy(outputs, originals);
    // An unlocked loop level cannot be inspected. Only the copies' levels are locked, not the user's.
    for (auto &[name, copy] : copies) copy.lock_loop_levels();
    copies = ir::wrap_func_calls(copies);

    std::set<std::string> output_names;
    for (const ir::Function &f : outputs) output_names.insert(f.name());

    // Depth first: producers come before their consumers. The order is reversed below.
    std::set<std::string> seen;
    std::vector<FuncView> finished;
    const std::function<void(const std::string &)> visit = [&](const std::string &name) {
        if (!seen.insert(name).second) return;
        FuncView f;
        f.copy = copies.at(name);
        f.original = originals.at(name);
        f.is_output = output_names.count(name) > 0;
        f.stages = view_stages(f.copy);
        for (const std::string &read : find_reads(view, f.copy, f.stages)) visit(read);
        finished.push_back(std::move(f));
    };
    for (const ir::Function &f : outputs) visit(f.name());
    std::reverse(finished.begin(), finished.end());
    view.funcs = std::move(finished);
    for (size_t i = 0; i < view.funcs.size(); i++) {
        view.func_by_name[view.funcs[i].name()] = static_cast<int>(i);
        view.copies[view.funcs[i].name()] = view.funcs[i].copy;
    }
    return view;
}

}  // namespace cryolite
