#include "plugin/trial/buffer_checks.h"

#include <map>
#include <optional>

namespace cryolite {
namespace {

namespace ir = Halide::Internal;
using Halide::Expr;

using Values = std::map<std::string, Expr>;

std::optional<int64_t> constant(const Expr &e) {
    if (!e.defined()) return std::nullopt;
    const Expr simple = ir::simplify(e);
    // A pointer before Halide 20, an optional since.
    if (const auto i = ir::as_const_int(simple)) return *i;
    return std::nullopt;
}

// The Func or input behind a buffer: an element of a tuple is called "f.0".
const Func *func_of_buffer(const StageGraph &graph, const std::string &name) {
    for (const Func &f : graph.funcs())
        if (f.name == name || (f.values.size() > 1 && name.rfind(f.name + ".", 0) == 0)) return &f;
    return nullptr;
}

// Puts what is known of buffers and scalars in place of what asks for it.
class Estimates : public ir::IRMutator {
public:
    Estimates(const ir::LoweredFunc &f, const StageGraph &graph) {
        for (const ir::LoweredArgument &a : f.args) {
            if (a.is_buffer()) {
                // The graph keeps the estimates of inputs and outputs.
                if (const Func *f = func_of_buffer(graph, a.name))
                    regions_.emplace(a.name + ".buffer", f->root_region);
            } else {
                const Expr value = a.argument_estimates.scalar_estimate;
                if (value.defined()) values_.emplace(a.name, Halide::cast(a.type, value));
            }
        }
    }

    void define(const std::string &name, const Expr &value) { values_[name] = value; }
    Expr of(const Expr &e) { return ir::simplify(mutate(e)); }

protected:
    using ir::IRMutator::visit;

    Expr visit(const ir::Variable *v) override {
        const auto known = values_.find(v->name);
        return known != values_.end() ? known->second : Expr(v);
    }

    Expr visit(const ir::Call *c) override {
        if (const std::optional<int64_t> field = field_of_buffer(*c))
            return ir::make_const(c->type, *field);
        return ir::IRMutator::visit(c);
    }

private:
    std::optional<int64_t> field_of_buffer(const ir::Call &c) const {
        const bool min = c.name == ir::Call::buffer_get_min,
                   extent = c.name == ir::Call::buffer_get_extent,
                   max = c.name == ir::Call::buffer_get_max;
        if ((!min && !extent && !max) || c.args.size() != 2) return std::nullopt;
        const auto *buffer = c.args[0].as<ir::Variable>();
        const std::optional<int64_t> dim = constant(c.args[1]);
        if (buffer == nullptr || !dim) return std::nullopt;
        const auto known = regions_.find(buffer->name);
        if (known == regions_.end() || *dim >= static_cast<int64_t>(known->second.size()))
            return std::nullopt;
        const Interval &side = known->second[static_cast<size_t>(*dim)];
        if (side.empty()) return std::nullopt;
        return min ? side.min : extent ? side.extent() : side.max;
    }

    Values values_;
    std::map<std::string, Box> regions_;
};

// Walks what stands before the pipeline's loops.
class Checks : public ir::IRVisitor {
public:
    explicit Checks(Estimates estimates) : estimates_(std::move(estimates)) {}
    std::string failing;

protected:
    using ir::IRVisitor::visit;

    void visit(const ir::LetStmt *let) override {
        define(let->name, let->value);
        let->body.accept(this);
    }

    void visit(const ir::AssertStmt *check) override {
        Expr message = check->message;
        while (const auto *let = message.as<ir::Let>()) {
            define(let->name, let->value);
            message = let->body;
        }
        const auto *error = message.as<ir::Call>();
        if (!failing.empty() || error == nullptr ||
            error->name != "halide_error_access_out_of_bounds" || error->args.size() != 6 ||
            !ir::is_const_zero(estimates_.of(check->condition)))
            return;
        const auto text = [&](size_t i) {
            const std::optional<int64_t> value = constant(estimates_.of(error->args[i]));
            return value ? std::to_string(*value) : std::string("unknown");
        };
        const auto *buffer = error->args[0].as<ir::StringImm>();
        failing = (buffer != nullptr ? buffer->value : "a buffer") + " is accessed from " +
                  text(2) + " to " + text(3) + " in dimension " + text(1) +
                  ", where it reaches from " + text(4) + " to " + text(5) + " at the estimates";
    }

    // No check of a buffer stands inside of these.
    void visit(const ir::For *) override {}
    void visit(const ir::ProducerConsumer *) override {}
    void visit(const ir::Allocate *) override {}

private:
    void define(const std::string &name, const Expr &unknown) {
        const Expr value = estimates_.of(unknown);
        if (ir::is_const(value)) estimates_.define(name, value);
    }

    Estimates estimates_;
};

}  // namespace

std::string failing_buffer_check(const Halide::Module &lowered, const StageGraph &graph) {
    for (const ir::LoweredFunc &f : lowered.functions()) {
        if (f.name != lowered.name()) continue;
        Checks checks(Estimates(f, graph));
        f.body.accept(&checks);
        if (!checks.failing.empty()) return checks.failing;
    }
    return {};
}

}  // namespace cryolite
