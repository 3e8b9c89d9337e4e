#include "tensorcore/product_plan.h"

#include <algorithm>

#include "tensorcore/factors.h"

namespace cryolite::tensorcore {

namespace ir = Halide::Internal;
using Halide::Expr;

namespace {

bool uses_any(const Expr &e, const std::vector<PointLoop> &loops) {
    return std::ranges::any_of(
        loops, [&](const PointLoop &loop) { return ir::expr_uses_var(e, loop.name); });
}

// An index as a sum: coefficient times loop, plus what no loop changes.
struct LinearIndex {
    std::map<std::string, Expr> coefficients;
    Expr constant = 0;
};

// Adds scale * e. False where e is not linear in the loops.
bool add_linear(const Expr &e, const Expr &scale, const std::vector<PointLoop> &loops,
                LinearIndex &result) {
    if (!uses_any(e, loops)) {
        result.constant += scale * e;
        return true;
    }
    if (const ir::Variable *variable = e.as<ir::Variable>()) {
        Expr &coefficient = result.coefficients[variable->name];
        coefficient = coefficient.defined() ? coefficient + scale : scale;
        return true;
    }
    if (const ir::Add *add = e.as<ir::Add>()) {
        return add_linear(add->a, scale, loops, result) && add_linear(add->b, scale, loops, result);
    }
    if (const ir::Sub *sub = e.as<ir::Sub>()) {
        return add_linear(sub->a, scale, loops, result) &&
               add_linear(sub->b, -scale, loops, result);
    }
    if (const ir::Mul *mul = e.as<ir::Mul>()) {
        if (!uses_any(mul->a, loops)) return add_linear(mul->b, scale * mul->a, loops, result);
        if (!uses_any(mul->b, loops)) return add_linear(mul->a, scale * mul->b, loops, result);
    }
    return false;
}

std::optional<LinearIndex> linear_index(const Expr &e, const std::vector<PointLoop> &loops) {
    LinearIndex result;
    if (!add_linear(e, 1, loops, result)) return std::nullopt;
    for (auto &[name, coefficient] : result.coefficients) coefficient = ir::simplify(coefficient);
    return result;
}

// The loop of `among` along which neighbours are neighbours in memory.
const PointLoop *unit_loop(const LinearIndex &index, const FusedLoops &among) {
    for (const PointLoop &loop : among) {
        const auto found = index.coefficients.find(loop.name);
        if (found != index.coefficients.end() && ir::is_const_one(found->second)) return &loop;
    }
    return nullptr;
}

void move_first(FusedLoops &loops, const std::string &name) {
    std::ranges::stable_partition(loops, [&](const PointLoop &loop) { return loop.name == name; });
}

Expr is_multiple(const Expr &e, int factor) { return e % factor == 0; }

// Whether all units of the operand lie at multiples of their size, and none leaves its row.
Expr alignment(const LinearIndex &index, const std::string &buffer, const FusedLoops &along,
               const std::vector<PointLoop> &loops, int unit_elements) {
    const PointLoop &unit = along.front();
    Expr first = index.constant;
    Expr result = Halide::Internal::const_true();
    for (const PointLoop &loop : loops) {
        const auto found = index.coefficients.find(loop.name);
        if (found == index.coefficients.end()) continue;
        first += found->second * loop.min;
        if (loop.name != unit.name) result = result && is_multiple(found->second, unit_elements);
    }
    result = result && is_multiple(first, unit_elements) && is_multiple(unit.extent, unit_elements);
    const Expr address = ir::Variable::make(Halide::UInt(64), address_name(buffer));
    return ir::simplify(result) && address % kUnitBytes == 0;
}

}  // namespace

std::string address_name(const std::string &buffer) { return buffer + ".cryolite_address"; }

Expr extent_of(const FusedLoops &loops) {
    Expr result = 1;
    for (const PointLoop &loop : loops) result *= loop.extent;
    return ir::simplify(result);
}

std::map<std::string, Expr> values_at(const FusedLoops &loops, const Expr &point) {
    std::map<std::string, Expr> result;
    Expr rest = point;
    for (size_t i = 0; i < loops.size(); i++) {
        const bool is_last = i + 1 == loops.size();
        result[loops[i].name] = loops[i].min + (is_last ? rest : rest % loops[i].extent);
        if (!is_last) rest = rest / loops[i].extent;
    }
    return result;
}

Result<ProductPlan> plan_product(const PointProgram &program) {
    ProductPlan plan;
    const Result<ProductTypes> types =
        product_types(program.left.type(), program.right.type(), program.sum_type);
    if (!types.ok()) return types.error();
    plan.types = *types;
    plan.sum_type = program.sum_type;
    plan.initial = program.initial;
    plan.stores = program.stores;
    plan.rows.value = program.left;
    plan.columns.value = program.right;

    std::vector<PointLoop> all = program.pure;
    all.insert(all.end(), program.depth.begin(), program.depth.end());
    // Innermost first.
    for (auto loop = program.pure.rbegin(); loop != program.pure.rend(); ++loop) {
        const bool in_rows = ir::expr_uses_var(plan.rows.value, loop->name);
        const bool in_columns = ir::expr_uses_var(plan.columns.value, loop->name);
        (in_rows == in_columns ? plan.batch_loops
         : in_rows             ? plan.rows_loops
                               : plan.columns_loops)
            .push_back(*loop);
    }
    plan.depth_loops.assign(program.depth.rbegin(), program.depth.rend());

    // Neighbouring columns should be neighbours in memory.
    if (const std::optional<LinearIndex> stored = linear_index(plan.stores[0].index, all)) {
        if (unit_loop(*stored, plan.rows_loops) != nullptr) {
            std::swap(plan.rows_loops, plan.columns_loops);
            std::swap(plan.rows.value, plan.columns.value);
            std::swap(plan.types.rows, plan.types.columns);
        }
        if (const PointLoop *unit = unit_loop(*stored, plan.columns_loops)) {
            move_first(plan.columns_loops, unit->name);
        }
    }

    const int unit_elements = kUnitBytes / bytes_of(plan.types.rows);
    // Two bytes of the depth that lie in different rows cannot be read at once.
    const bool is_transposable = bytes_of(plan.types.rows) != 1;
    std::string first_of_depth;
    struct Side {
        Operand &operand;
        FusedLoops &loops;
    };
    for (const Side &side :
         {Side{plan.rows, plan.rows_loops}, Side{plan.columns, plan.columns_loops}}) {
        const ir::Load *load = side.operand.value.as<ir::Load>();
        if (load == nullptr || !ir::is_const_one(load->predicate)) continue;
        const std::optional<LinearIndex> index = linear_index(load->index, all);
        if (!index) continue;
        const PointLoop *unit = unit_loop(*index, plan.depth_loops);
        if (unit != nullptr && (first_of_depth.empty() || first_of_depth == unit->name)) {
            first_of_depth = unit->name;
            move_first(plan.depth_loops, first_of_depth);
            side.operand.units = {
                load->name, load->index,
                alignment(*index, load->name, plan.depth_loops, all, unit_elements)};
            continue;
        }
        unit = unit_loop(*index, side.loops);
        if (unit == nullptr) continue;
        const std::string name = unit->name;
        // The order of the columns may be fixed by the result already.
        if (&side.loops == &plan.rows_loops || side.loops.front().name == name) {
            move_first(side.loops, name);
            side.operand.along_depth = !is_transposable;
            if (is_transposable) {
                side.operand.units = {
                    load->name, load->index,
                    alignment(*index, load->name, side.loops, all, unit_elements)};
            }
        }
    }
    return plan;
}

}  // namespace cryolite::tensorcore
