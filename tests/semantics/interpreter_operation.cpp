// Interpreters: a reduction over all operations in every step of a program, of which a predicate lets pass
// the one that the program, a loaded value, names. With the operations' loop unrolled a copy is one operation
// under a condition.
#include "tests/semantics/pipeline_builder.h"

namespace cryolite {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::FuncRef;
using Halide::RDom;

namespace {

// Of unsigned values, which wrap.
Expr operation(Random &random, const Expr &old, const Expr &operand) {
    switch (random.below(6)) {
        case 0: return operand;
        case 1: return old + operand;
        case 2: return Halide::max(old, operand);
        case 3: return old * 3 - operand;
        case 4: return Halide::select(old > operand, old, operand + 7);
        default: return old;
    }
}

// By the number of the operation: in Halide's two ways to say so.
Expr chosen(Random &random, const Expr &number, const std::vector<Expr> &operations) {
    if (random.chance(0.5)) return Halide::mux(number, operations);
    Expr value = operations.back();
    for (size_t i = operations.size() - 1; i-- > 0;)
        value = Halide::select(number == static_cast<int>(i), operations[i], value);
    return value;
}

}  // namespace

void PipelineBuilder::add_interpreter() {
    const size_t source = pick_node_with(1, 3), program = pick_node_with(1, 2);
    const int dims = nodes_[source].dims;
    const Vars v = vars(dims);
    const auto operations = static_cast<int>(random_.between(2, 6)),
               steps = static_cast<int>(random_.between(1, 5));
    RDom r(0, operations, 0, steps);
    // Now and then the steps are the inner loop, or what is read depends on the operation.
    const size_t number = random_.chance(0.8) ? 0 : 1;
    if (number == 1) r = RDom(0, steps, 0, operations);
    const Expr which = r[number], step = r[1 - number];

    Args of_operand = as_args(v), of_code = {step};
    of_operand[0] = of_operand[0] + (random_.chance(0.8) ? step : which);
    if (nodes_[program].dims == 2)
        of_code.push_back(random_.chance(0.8) ? Expr(1) : Expr(v.back()));
    const Term operand = read(source, of_operand), code = read(program, of_code);
    if (!operand.info.integral || !code.info.integral) return add_stencil_reduction();

    const Expr opcode = to_bounded_int(code, random_.chance(0.5) ? operations - 1 : 255);
    switch (random_.below(5)) {
        case 0: r.where(which >= opcode); break;
        case 1: r.where(which == Halide::clamp(opcode, 0, 1)); break;
        default: r.where(which == opcode); break;
    }
    if (random_.chance(0.2)) r.where(step + v[0] < 20);

    const ElementInfo info{Halide::UInt(32), 4294967295.0, 0, true};
    const Expr value = cast<uint32_t>(to_bounded_int(operand, 4095));
    Func func = new_func();
    const size_t elements = random_.chance(0.5) ? 1 : 2;
    std::vector<Expr> first, next;
    for (size_t e = 0; e < elements; e++) first.push_back(cast<uint32_t>(static_cast<int>(e)));
    func(v) = Halide::Tuple(first);
    for (size_t e = 0; e < elements; e++) {
        const FuncRef old = func(v);
        const Expr own = elements == 1 ? Expr(old) : Expr(old[static_cast<int>(e)]);
        std::vector<Expr> all;
        for (int i = 0; i < operations; i++) all.push_back(operation(random_, own, value));
        next.push_back(chosen(random_, which, all));
    }
    func(v) = Halide::Tuple(next);
    add(func, dims, std::vector<ElementInfo>(elements, info), true, nodes_[source].scale);
}

}  // namespace cryolite
