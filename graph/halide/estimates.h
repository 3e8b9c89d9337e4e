// What the user has said about sizes and parameters, and errors that name the line to add where it is missing.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/interval.h"
#include "graph/halide/pipeline_view.h"

namespace cryolite {

// Ends the building; build_graph turns it into its Error.
struct BuildFailure {
    std::string message;
};

class Estimates {
public:
    explicit Estimates(const PipelineView &view);

    // e in which every parameter, and every buffer's min, extent or stride, is replaced by its estimate or its
    // fixed value, if it has one. The result is not simplified.
    Expr apply(const Expr &e) const;

    // apply() with fixed values only: constraints that every call of the pipeline must meet.
    Expr apply_constraints(const Expr &e) const;

    // Throws BuildFailure if e still mentions a parameter or a buffer's size.
    void require_resolved(const Expr &e) const;

    // Estimated range of dimension d; nothing if the user gave none.
    std::optional<Interval> func_dimension(const FuncView &f, int d) const;
    std::optional<Interval> input_dimension(const InputView &input, int d) const;

private:
    std::optional<int64_t> constant(const Expr &e) const;
    Expr resolve(const ir::Variable &v, bool estimates_too) const;
    Expr apply(const Expr &e, bool estimates_too) const;

    // By the names of their buffers: the algorithm may mention sizes of outputs, too.
    std::map<std::string, const FuncView *> output_by_buffer_;
};

// "Func \"out\" dimension 0 (x): ... add `out.set_estimate(x, min, extent);`"
[[noreturn]] void fail_missing_func_estimate(const FuncView &f, int d);
[[noreturn]] void fail_missing_input_estimate(const std::string &input, int d);

}  // namespace cryolite
