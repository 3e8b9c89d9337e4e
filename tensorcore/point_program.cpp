#include "tensorcore/point_program.h"

#include <algorithm>
#include <map>

#include "tensorcore/factors.h"

namespace cryolite::tensorcore {

namespace ir = Halide::Internal;
using Halide::Expr;

namespace {

// Whether an expression loads from a buffer.
class FindLoad : public ir::IRMutator {
public:
    explicit FindLoad(std::string buffer) : buffer_(std::move(buffer)) {}
    bool found = false;

private:
    using ir::IRMutator::visit;
    Expr visit(const ir::Load *load) override {
        found = found || load->name == buffer_;
        return ir::IRMutator::visit(load);
    }
    std::string buffer_;
};

bool loads(const Expr &e, const std::string &buffer) {
    FindLoad find(buffer);
    find.mutate(e);
    return find.found;
}

class ReplaceLoads : public ir::IRMutator {
public:
    ReplaceLoads(std::string buffer, Expr value)
        : buffer_(std::move(buffer)), value_(std::move(value)) {}

private:
    using ir::IRMutator::visit;
    Expr visit(const ir::Load *load) override {
        return load->name == buffer_ ? value_ : ir::IRMutator::visit(load);
    }
    std::string buffer_;
    Expr value_;
};

void add_terms(const Expr &e, std::vector<Expr> &terms) {
    if (const ir::Add *add = e.as<ir::Add>()) {
        add_terms(add->a, terms);
        add_terms(add->b, terms);
    } else {
        terms.push_back(e);
    }
}

// x - y of floats as a sum: Halide's simplifier makes differences of sums whose terms have a negative factor.
Expr as_sum(const Expr &e) {
    const ir::Sub *sub = e.as<ir::Sub>();
    return sub != nullptr && e.type().is_float() ? ir::Add::make(sub->a, -1.0f * sub->b) : e;
}

// Reads a nest from the outside in. Every statement must be one that the schedule leaves; any other is a problem.
class Reader {
public:
    explicit Reader(const ProductStage &stage)
        : product_(stage.func), depth_loops_(stage.depth_loops), precision_(stage.precision) {}

    void read(const ir::Stmt &s) {
        if (!problem.empty()) return;
        if (const ir::For *loop = s.as<ir::For>()) return read_loop(*loop);
        if (const ir::LetStmt *let = s.as<ir::LetStmt>()) {
            lets_[let->name] = resolved(let->value);
            return read(let->body);
        }
        if (const ir::Block *block = s.as<ir::Block>()) {
            read(block->first);
            return read(block->rest);
        }
        if (const ir::ProducerConsumer *produce = s.as<ir::ProducerConsumer>()) {
            return read(produce->body);
        }
        if (const ir::Allocate *allocate = s.as<ir::Allocate>()) {
            if (allocate->name != product_)
                return fail("it keeps " + allocate->name + " in its loops");
            is_inside_ = true;
            return read(allocate->body);
        }
        if (const ir::Store *store = s.as<ir::Store>()) return read_store(*store);
        if (s.as<ir::Free>() != nullptr) return;
        if (const ir::Evaluate *evaluate = s.as<ir::Evaluate>()) {
            if (ir::is_const(evaluate->value)) return;
        }
        fail("its loops hold a statement that no schedule of ours makes");
    }

    PointProgram program;
    std::string problem;

private:
    void fail(const std::string &what) {
        if (problem.empty()) problem = what;
    }

    Expr resolved(const Expr &e) const {
        return ir::substitute(lets_, ir::substitute_in_all_lets(e));
    }

    void read_loop(const ir::For &loop) {
        // Halide gives a kernel without threads one thread.
        if (loop.for_type == ir::ForType::GPUThread && ir::is_const_one(loop.extent)) {
            lets_[loop.name] = 0;
            return read(loop.body);
        }
        if (loop.for_type != ir::ForType::GPUBlock && loop.for_type != ir::ForType::Serial) {
            return fail("its loop " + loop.name + " is scheduled otherwise");
        }
        const bool is_depth = is_depth_loop(loop.name);
        if (program.left.defined() || (program.initial.defined() && !is_depth)) {
            return fail("loops follow the product in its nest");
        }
        (is_depth ? program.depth : program.pure)
            .push_back({loop.name, resolved(loop.min), resolved(loop.extent)});
        read(loop.body);
    }

    // Halide appends to a loop's name when it moves the loop's min to 0.
    bool is_depth_loop(const std::string &name) const {
        return std::ranges::any_of(depth_loops_, [&](const std::string &loop) {
            return name == loop || name.rfind(loop + '.', 0) == 0;
        });
    }

    void read_store(const ir::Store &store) {
        if (!ir::is_const_one(store.predicate)) return fail("a store in its nest is predicated");
        const Expr index = resolved(store.index), value = resolved(store.value);
        if (store.name != product_) {
            if (!program.left.defined()) return fail("its nest stores before the product");
            program.stores.push_back(
                {store.name, index,
                 ReplaceLoads(product_, ir::Variable::make(program.sum_type, kSumName))
                     .mutate(value),
                 store.param});
            return;
        }
        if (!loads(value, product_)) {
            if (!is_inside_ || program.initial.defined())
                return fail("it is computed twice in its nest");
            program.initial = value;
            program.sum_type = value.type();
            return;
        }
        if (program.left.defined()) return fail("it has several updates in its nest");
        read_update(index, value, store.param);
    }

    void read_update(const Expr &index, const Expr &value, const Halide::Parameter &parameter) {
        std::vector<Expr> terms;
        const bool is_rounded = precision_ == Precision::Tf32;
        add_terms(is_rounded ? as_sum(value) : value, terms);
        Expr product, old;
        for (const Expr &term : terms) {
            const ir::Load *load = term.as<ir::Load>();
            if (load != nullptr && load->name == product_ && !old.defined()) {
                if (!ir::equal(load->index, index) &&
                    !ir::is_const_zero(ir::simplify(load->index - index))) {
                    return fail("its update reads another point of itself");
                }
                old = term;
            } else if (!product.defined()) {
                product = term;
            } else {
                return fail("its update adds more than a product");
            }
        }
        if (!old.defined() || !product.defined())
            return fail("its update is not a sum of products");
        std::vector<std::string> loops;
        for (const PointLoop &loop : program.pure) loops.push_back(loop.name);
        const Factors factors =
            is_rounded ? float_factors_of(product, loops) : factors_of(product, value.type());
        if (!factors.defined() || loads(factors.left, product_) || loads(factors.right, product_)) {
            return fail("its update is not a product of two matrices");
        }
        program.sum_type = value.type();
        program.left = factors.left;
        program.right = factors.right;
        if (!is_inside_) {
            program.initial = old;
            program.stores.push_back(
                {product_, index, ir::Variable::make(program.sum_type, kSumName), parameter});
        }
    }

    const std::string &product_;
    const std::vector<std::string> &depth_loops_;
    const Precision precision_;
    std::map<std::string, Expr> lets_;
    bool is_inside_ = false;  // the sum is kept inside of the nest
};

}  // namespace

Result<PointProgram> read_point_program(const ir::Stmt &nest, const ProductStage &product) {
    Reader reader(product);
    reader.read(nest);
    if (!reader.problem.empty()) return Error{reader.problem};
    if (!reader.program.left.defined()) return Error{"its nest holds no product"};
    if (!reader.program.initial.defined()) return Error{"its nest has no initial value"};
    if (reader.program.stores.empty()) return Error{"its nest stores nothing"};
    return std::move(reader.program);
}

}  // namespace cryolite::tensorcore
