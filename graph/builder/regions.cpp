#include "graph/builder/regions.h"

#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

Expr prepared(const Expr &e, const Estimates &estimates) {
    // Halide's analyses walk expressions as trees: shared subexpressions must become lets first.
    return estimates.apply(ir::common_subexpression_elimination(e));
}

// The definition as a statement. Halide then narrows the loops by the predicate, as its own bounds inference does.
ir::Stmt as_statement(const FuncView &f, const StageView &stage, const Estimates &estimates) {
    std::vector<Expr> values, arguments;
    for (const Expr &e : stage.values) values.push_back(prepared(e, estimates));
    for (const Expr &e : stage.arguments) arguments.push_back(prepared(e, estimates));
    ir::Stmt s = ir::Provide::make(f.name(), values, arguments, ir::const_true());
    if (stage.predicate.defined()) {
        // One `if` per condition: Halide solves a condition for a loop only if it contains nothing else.
        for (const Expr &condition : stage.definition.split_predicate()) {
            s = ir::IfThenElse::make(prepared(condition, estimates), s);
        }
    }
    return s;
}

Expr finished_bound(const Expr &bound, const Estimates &estimates) {
    const Expr e = ir::simplify(estimates.apply(bound));
    estimates.require_resolved(e);
    return e;
}

RegionProgram compile_box(const ir::Box &box, const StageView &stage, const Estimates &estimates) {
    constexpr int64_t unbounded = RegionExpression::unbounded;
    RegionProgram program;
    for (const ir::Interval &i : box.bounds) {
        RegionBounds bounds{RegionExpression::constant(-unbounded),
                            RegionExpression::constant(unbounded)};
        if (i.has_lower_bound()) {
            bounds.min = compile_bound(finished_bound(i.min, estimates), stage, -unbounded);
        }
        if (i.has_upper_bound()) {
            bounds.max = compile_bound(finished_bound(i.max, estimates), stage, unbounded);
        }
        program.dims.push_back(std::move(bounds));
    }
    return program;
}

RegionProgram everything(int dimensions) {
    RegionProgram program;
    for (int d = 0; d < dimensions; d++) {
        program.dims.push_back({RegionExpression::constant(-RegionExpression::unbounded),
                                RegionExpression::constant(RegionExpression::unbounded)});
    }
    return program;
}

// Only the bounds query at run time knows what an extern stage reads. Until then it reads the region that it computes,
// in the dimensions that both have, and everything in the producer's other dimensions.
RegionProgram like_consumer(const FuncView &consumer, int dimensions) {
    RegionProgram program = everything(dimensions);
    for (int d = 0; d < std::min(dimensions, consumer.original.dimensions()); d++) {
        program.dims[static_cast<size_t>(d)] = {RegionExpression({{RegionOp::LoopMin, d}}),
                                                RegionExpression({{RegionOp::LoopMax, d}})};
    }
    return program;
}

std::map<std::string, RegionProgram> extern_regions(const FuncView &f) {
    std::map<std::string, RegionProgram> regions;
    for (const Halide::ExternFuncArgument &a : f.copy.extern_arguments()) {
        if (a.is_func()) {
            const ir::Function g(a.func);
            regions[g.name()] = like_consumer(f, g.dimensions());
        }
        if (a.is_image_param()) {
            regions[a.image_param.name()] = like_consumer(f, a.image_param.dimensions());
        }
        if (a.is_buffer()) regions[a.buffer.name()] = like_consumer(f, a.buffer.dimensions());
        if (a.is_expr()) {
            ExpressionWalk walk([&](const Expr &e) {
                const auto *call = e.as<ir::Call>();
                if (!call || !is_load(*call)) return;
                regions[call->name] = everything(static_cast<int>(call->args.size()));
            });
            walk(a.expr);
        }
    }
    return regions;
}

void add_or_widen(std::map<std::string, ir::Box> &boxes,
                  const std::map<std::string, ir::Box> &more) {
    for (const auto &[name, box] : more) {
        const auto [position, is_new] = boxes.emplace(name, box);
        if (!is_new) ir::merge_boxes(position->second, box);
    }
}

}  // namespace

Expr loop_min(const LoopView &loop) {
    return ir::Variable::make(Halide::Int(32), loop.name + ".min");
}

Expr loop_max(const LoopView &loop) {
    return ir::Variable::make(Halide::Int(32), loop.name + ".max");
}

std::map<std::string, RegionProgram> stage_regions(const FuncView &f, size_t index,
                                                   const Estimates &estimates,
                                                   const ir::FuncValueBounds &value_bounds) {
    const StageView &stage = f.stages[index];
    if (f.copy.has_extern_definition() && index == 0) return extern_regions(f);

    ir::Scope<ir::Interval> scope;
    for (const LoopView &loop : stage.loops) {
        scope.push(loop.name, ir::Interval(loop_min(loop), loop_max(loop)));
    }
    const ir::Stmt statement = as_statement(f, stage, estimates);
    std::map<std::string, ir::Box> boxes = ir::boxes_required(statement, scope, value_bounds);
    for (const LoopView &loop : stage.loops) {
        if (loop.func_dim >= 0) continue;
        add_or_widen(boxes, ir::boxes_required(prepared(loop.min, estimates), scope, value_bounds));
        add_or_widen(boxes,
                     ir::boxes_required(prepared(loop.extent, estimates), scope, value_bounds));
    }
    if (index > 0) boxes[f.name()] = ir::box_touched(statement, f.name(), scope, value_bounds);

    std::map<std::string, RegionProgram> regions;
    for (const auto &[name, box] : boxes) regions[name] = compile_box(box, stage, estimates);
    return regions;
}

std::optional<Interval> reduction_range(const LoopView &loop, const Estimates &estimates,
                                        const ir::FuncValueBounds &value_bounds) {
    const Expr min = prepared(loop.min, estimates);
    const Expr max = prepared(loop.min + loop.extent - 1, estimates);
    const ir::Scope<ir::Interval> empty;
    const ir::Interval low = ir::bounds_of_expr_in_scope(min, empty, value_bounds);
    const ir::Interval high = ir::bounds_of_expr_in_scope(max, empty, value_bounds);
    if (!low.has_lower_bound() || !high.has_upper_bound()) return std::nullopt;
    const StageView no_loops;
    const RegionExpression first =
        compile_bound(finished_bound(low.min, estimates), no_loops, -RegionExpression::unbounded);
    const RegionExpression last =
        compile_bound(finished_bound(high.max, estimates), no_loops, RegionExpression::unbounded);
    const Interval range{first.evaluate({}), last.evaluate({})};
    if (RegionExpression::is_unbounded(range.min) || RegionExpression::is_unbounded(range.max)) {
        return std::nullopt;
    }
    return range;
}

}  // namespace cryolite
