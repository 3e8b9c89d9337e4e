#include "tensorcore/find_products.h"

#include <algorithm>
#include <map>
#include <optional>

#include "graph/halide/expression_walk.h"
#include "tensorcore/matrix_product.h"

namespace cryolite::tensorcore {

namespace {

using Halide::Expr;

// An index as a sum: how far each loop moves it, and the rest.
struct Linear {
    std::map<std::string, int64_t> step;
    int64_t rest = 0;
};

std::optional<Linear> scaled(std::optional<Linear> e, int64_t factor) {
    if (!e) return e;
    for (auto &[loop, step] : e->step) step *= factor;
    e->rest *= factor;
    return e;
}

std::optional<Linear> sum_of(std::optional<Linear> a, const std::optional<Linear> &b) {
    if (!a || !b) return std::nullopt;
    for (const auto &[loop, step] : b->step) a->step[loop] += step;
    a->rest += b->rest;
    return a;
}

std::optional<Linear> linear(const Expr &e) {
    if (const auto value = Halide::Internal::as_const_int(e)) return Linear{{}, *value};
    if (const ir::Variable *variable = e.as<ir::Variable>()) return Linear{{{variable->name, 1}}};
    if (const ir::Add *add = e.as<ir::Add>()) return sum_of(linear(add->a), linear(add->b));
    if (const ir::Sub *sub = e.as<ir::Sub>())
        return sum_of(linear(sub->a), scaled(linear(sub->b), -1));
    if (const ir::Mul *mul = e.as<ir::Mul>()) {
        if (const auto value = Halide::Internal::as_const_int(mul->b))
            return scaled(linear(mul->a), *value);
        if (const auto value = Halide::Internal::as_const_int(mul->a))
            return scaled(linear(mul->b), *value);
    }
    return std::nullopt;
}

class Finder {
public:
    Finder(const BuiltGraph &built, Precision precision)
        : built_(built), graph_(built.graph), precision_(precision) {}

    FoundProducts run() {
        for (const Stage &stage : graph_.stages()) {
            if (stage.index == 0) continue;
            const MatchedStage match = match_product(built_, stage.id, precision_);
            std::string problem =
                match.ok() ? problem_with(stage, *match) : explanation_of(match.error());
            if (problem.empty())
                found_.products.push_back(described(stage, *match));
            else
                found_.others.push_back({stage.id, std::move(problem)});
        }
        return std::move(found_);
    }

private:
    std::string problem_with(const Stage &stage, const MatrixProduct &match) const {
        if (graph_.func(stage.func).stages.size() != 2) return "its Func has other updates";
        for (const std::string &name : match.conversions) {
            const FuncId f = graph_.find(name);
            if (!f.valid() || !graph_.func(f).can_inline || graph_.func(f).locked)
                return "its factors are converted in " + name +
                       ", which cannot be inlined; convert them in the update";
        }
        return "";
    }

    Interval range_of(const Stage &stage, const StageLoop &loop) const {
        if (loop.is_reduction) return loop.range;
        return graph_.func(stage.func).root_region[static_cast<size_t>(loop.func_dim)];
    }

    double points_of(const Stage &stage, const std::vector<int> &loops) const {
        double points = 1;
        for (int l : loops)
            points *=
                static_cast<double>(range_of(stage, stage.loops[static_cast<size_t>(l)]).extent());
        return points;
    }

    TensorProduct described(const Stage &stage, const MatrixProduct &match) const {
        TensorProduct product;
        product.stage = stage.id;
        product.types = match.types;
        product.left_points = points_of(stage, match.left_loops);
        product.right_points = points_of(stage, match.right_loops);
        product.depth_points = points_of(stage, match.depth_loops);
        product.batch_points = points_of(stage, match.batch_loops);
        for (const std::string &name : match.conversions)
            product.conversions.push_back(graph_.find(name));
        std::optional<std::string> depth;  // the loop along which units lie in depth
        product.left = operand(stage, match.left, match.left_loops, match, depth);
        product.right = operand(stage, match.right, match.right_loops, match, depth);
        add_leads(stage, match, product);
        return product;
    }

    // The load that a factor comes to, through Funcs that only copy: an ImageParam is read through one. The search
    // inlines most of them.
    Expr through_copies(Expr factor) const {
        while (true) {
            const ir::Call *call = factor.as<ir::Call>();
            if (call == nullptr || !is_load(*call)) return factor;
            const FuncId f = graph_.find(call->name);
            if (!f.valid() || graph_.func(f).is_input() || !graph_.func(f).is_trivial ||
                !graph_.func(f).can_inline)
                return factor;
            const ir::Function &function = built_.functions[f.index()];
            std::map<std::string, Expr> arguments;
            for (size_t d = 0; d < call->args.size(); d++)
                arguments[function.args()[d]] = call->args[d];
            const Expr value = ir::substitute(
                arguments, function.values()[static_cast<size_t>(call->value_index)]);
            const ir::Call *read = value.as<ir::Call>();
            if (read == nullptr || !is_load(*read)) return factor;
            factor = value;
        }
    }

    // As product_plan.cpp decides it for the loops of the kernel, here at the estimates.
    ProductOperand operand(const Stage &stage, const Expr &factor, const std::vector<int> &side,
                           const MatrixProduct &match, std::optional<std::string> &depth) const {
        ProductOperand result;
        const Expr load = through_copies(factor);
        const ir::Call *call = load.as<ir::Call>();
        if (call == nullptr || !is_load(*call)) return result;
        result.loaded = graph_.find(call->name);
        if (!result.loaded.valid()) return result;
        const std::optional<Linear> index = address(graph_.func(result.loaded), *call);
        if (!index) return result;
        const bool is_narrow = bytes_of(match.types.rows) == 1;
        const StageLoop *unit = unit_loop(stage, *index, match.depth_loops);
        if (unit != nullptr && depth.value_or(unit->name) == unit->name) {
            depth = unit->name;
        } else {
            unit = unit_loop(stage, *index, side);
            if (unit == nullptr) return result;
            // No instruction transposes bytes.
            if (is_narrow) return result;
            result.along_depth = false;
        }
        const int64_t unit_elements = kUnitBytes / bytes_of(match.types.rows);
        int64_t first = index->rest;
        bool is_aligned = range_of(stage, *unit).extent() % unit_elements == 0;
        for (const StageLoop &loop : stage.loops) {
            const auto step = index->step.find(loop.name);
            if (step == index->step.end()) continue;
            first += step->second * range_of(stage, loop).min;
            if (loop.name != unit->name) is_aligned &= step->second % unit_elements == 0;
        }
        result.has_units = is_aligned && first % unit_elements == 0;
        return result;
    }

    // In elements, from the begin of what is stored.
    static std::optional<Linear> address(const Func &stored, const ir::Call &load) {
        std::optional<Linear> result = Linear{};
        int64_t stride = 1;
        for (int d : stored.storage_order) {
            const auto dim = static_cast<size_t>(d);
            if (dim >= load.args.size()) return std::nullopt;
            const Interval &side = stored.root_region[dim];
            result = sum_of(result, scaled(linear(load.args[dim]), stride));
            if (!result) return result;
            result->rest -= side.min * stride;
            stride *= side.extent();
        }
        return result;
    }

    static const StageLoop *unit_loop(const Stage &stage, const Linear &index,
                                      const std::vector<int> &among) {
        for (int l : among) {
            const StageLoop &loop = stage.loops[static_cast<size_t>(l)];
            const auto step = index.step.find(loop.name);
            if (step != index.step.end() && step->second == 1) return &loop;
        }
        return nullptr;
    }

    // The product's stage, and the stages of its readers by points.
    void add_leads(const Stage &stage, const MatrixProduct &match, TensorProduct &product) const {
        // [d]: the dimension of the product's Func that is dimension d of the lead's.
        std::vector<int> dims(graph_.func(stage.func).dims.size());
        for (size_t d = 0; d < dims.size(); d++) dims[d] = static_cast<int>(d);
        product.leads.push_back(lead(stage, match, stage, dims));
        std::vector<FuncId> readers = match.inlined;
        if (match.epilogue) readers.push_back(*match.epilogue);
        FuncId read = stage.func;
        for (FuncId reader : readers) {
            const Stage &next = graph_.stage(graph_.func(reader).stages[0]);
            dims = through(next, read, dims);
            product.leads.push_back(lead(stage, match, next, dims));
            read = reader;
        }
    }

    std::vector<int> through(const Stage &reader, FuncId read, const std::vector<int> &dims) const {
        std::vector<int> result(dims.size(), 0);
        for (EdgeId id : reader.incoming) {
            const Edge &edge = graph_.edge(id);
            if (edge.producer != read) continue;
            const std::vector<IndexMap> &index = edge.accesses[0].index;
            for (size_t d = 0; d < index.size(); d++)
                for (size_t l = 0; l < reader.loops.size(); l++)
                    if (is_loop(index[d], l))
                        result[static_cast<size_t>(reader.loops[l].func_dim)] = dims[d];
        }
        return result;
    }

    ProductLead lead(const Stage &product, const MatrixProduct &match, const Stage &at,
                     const std::vector<int> &dims) const {
        ProductLead result{at.id, false, false};
        const Func &func = graph_.func(at.func);
        if (func.storage_order.empty()) return result;
        const int innermost = dims[static_cast<size_t>(func.storage_order[0])];
        const auto walks = [&](int l) {
            return product.loops[static_cast<size_t>(l)].func_dim == innermost;
        };
        result.columns_are_left = std::ranges::any_of(match.left_loops, walks);
        result.stores_rows =
            result.columns_are_left || std::ranges::any_of(match.right_loops, walks);
        return result;
    }

    const BuiltGraph &built_;
    const StageGraph &graph_;
    const Precision precision_;
    FoundProducts found_;
};

}  // namespace

FoundProducts find_products(const BuiltGraph &built, Precision precision) {
    return Finder(built, precision).run();
}

}  // namespace cryolite::tensorcore
