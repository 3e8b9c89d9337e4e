#include "graph/builder/alignment.h"

#include <algorithm>
#include <functional>

#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

bool any_buffer(const FuncView &output, const std::function<bool(const Halide::Parameter &)> &is) {
    return std::ranges::any_of(output.original.output_buffers(), is);
}

bool is_dense(const FuncView &output, int dim) {
    return !any_buffer(output, [&](const Halide::Parameter &p) {
        const Expr stride = p.stride_constraint(dim);
        return !stride.defined() || !ir::is_const_one(ir::simplify(stride));
    });
}

}  // namespace

bool has_known_stride(const FuncView &output, int dim) {
    return any_buffer(
        output, [&](const Halide::Parameter &p) { return p.stride_constraint(dim).defined(); });
}

bool has_odd_stride(const FuncView &output, int dim) {
    return !any_buffer(output, [&](const Halide::Parameter &p) {
        const Expr stride = p.stride_constraint(dim);
        return stride.defined() && !ir::is_const_one(ir::simplify(stride % 2));
    });
}

bool has_free_extent(const FuncView &output, int dim) {
    return !any_buffer(
        output, [&](const Halide::Parameter &p) { return p.extent_constraint(dim).defined(); });
}

bool has_bounded_extent(const FuncView &func, int dim) {
    const ir::Function &f = func.original;
    const std::string &name = f.args()[static_cast<size_t>(dim)];
    return std::ranges::any_of(f.schedule().bounds(),
                               [&](const ir::Bound &b) { return b.var == name; }) ||
           (func.is_output && !has_free_extent(func, dim));
}

bool has_constant_bounds(const FuncView &func, int dim) {
    const auto are_constants = [](const Expr &min, const Expr &extent) {
        return min.defined() && extent.defined() && ir::is_const(ir::simplify(min)) &&
               ir::is_const(ir::simplify(extent));
    };
    const ir::Function &f = func.original;
    const std::string &name = f.args()[static_cast<size_t>(dim)];
    if (std::ranges::any_of(f.schedule().bounds(), [&](const ir::Bound &b) {
            return b.var == name && are_constants(b.min, b.extent);
        }))
        return true;
    const std::vector<Halide::Parameter> &buffers = f.output_buffers();
    return func.is_output && !buffers.empty() &&
           std::ranges::all_of(buffers, [&](const Halide::Parameter &p) {
               return p.defined() && dim < p.dimensions() &&
                      are_constants(p.min_constraint(dim), p.extent_constraint(dim));
           });
}

int dimension_of_free_stride(const FuncView &output, int dim) {
    for (int d = 0; d < output.original.dimensions(); d++)
        if (d != dim && !has_known_stride(output, d)) return d;
    return -1;
}

bool rows_start_anywhere(const FuncView &output, std::span<const StageLoop> loops, int innermost) {
    return std::ranges::any_of(loops, [&](const StageLoop &loop) {
        const int d = loop.func_dim;
        if (d < 0 || d == innermost) return false;
        return !has_bounded_extent(output, d) && !has_known_stride(output, d);
    });
}

OutputAlignment::OutputAlignment(const PipelineView &view) {
    ExpressionWalk walk([&](const Expr &node) {
        if (const auto *variable = node.as<ir::Variable>()) mentioned_.insert(variable->name);
    });
    const auto read = [&](const Expr &e) {
        if (e.defined()) walk(e);
    };
    const auto read_constraints = [&](const Halide::Parameter &p) {
        for (int d = 0; d < p.dimensions(); d++) {
            read(p.min_constraint(d));
            read(p.extent_constraint(d));
        }
    };
    for (const FuncView &f : view.funcs) {
        for (const StageView &stage : f.stages) {
            for (const Expr &e : stage.expressions()) read(e);
            for (const LoopView &loop : stage.loops) {
                read(loop.min);
                read(loop.extent);
            }
        }
        for (const ir::Bound &b : f.original.schedule().bounds()) {
            read(b.min);
            read(b.extent);
        }
        for (const Halide::Parameter &p : f.original.output_buffers()) read_constraints(p);
    }
    for (const InputView &input : view.inputs)
        if (input.parameter.defined()) read_constraints(input.parameter);
}

bool OutputAlignment::knows_min(const FuncView &output, int dim) const {
    const std::string &arg = output.original.args()[static_cast<size_t>(dim)];
    return std::ranges::any_of(
               output.original.schedule().bounds(),
               [&](const ir::Bound &b) { return b.var == arg && b.min.defined(); }) ||
           any_buffer(output, [&](const Halide::Parameter &p) {
               return p.min_constraint(dim).defined() ||
                      mentioned_.count(p.name() + ".min." + std::to_string(dim)) > 0;
           });
}

bool OutputAlignment::knows_a_min(const FuncView &output) const {
    for (int d = 0; d < output.original.dimensions(); d++)
        if (knows_min(output, d)) return true;
    return false;
}

std::vector<bool> OutputAlignment::exposed_dimensions(const FuncView &output) const {
    const auto count = static_cast<size_t>(output.original.dimensions());
    std::vector<bool> exposed(count);
    for (size_t d = 0; d < count; d++) {
        const int dim = static_cast<int>(d);
        if (is_dense(output, dim) && !knows_min(output, dim)) return std::vector<bool>(count);
        exposed[d] = has_known_stride(output, dim);
    }
    return exposed;
}

bool forbid_aligned_vectors(Stage &stage, std::span<const Edge> edges,
                            std::span<const std::vector<bool>> exposed) {
    bool found = false;
    for (EdgeId e : stage.incoming) {
        const Edge &edge = edges[e.index()];
        const std::vector<bool> &dims = exposed[edge.producer.index()];
        if (edge.is_self) continue;
        for (const Access &access : edge.accesses)
            for (size_t d = 0; d < dims.size(); d++)
                for (size_t l = 0; dims[d] && l < stage.loops.size(); l++) {
                    if (!access.index[d].depends_on[l]) continue;
                    stage.loops[l].vectorizable = false;
                    found = true;
                }
    }
    return found;
}

}  // namespace cryolite
