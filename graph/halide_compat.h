// The one place that knows how Halide 19, 21 and later differ in what the graph's builder uses.
// Deliberately unused because they change between releases: IRVisitor and IRMutator (their entry
// points moved in 22; graph/expression_walk.h walks node types instead), For nodes, and the
// enumerators of Call's intrinsics (strict_float became strict_add, ...: compared by name).
#pragma once

#include <Halide.h>

#include <string_view>

namespace cryolite {

namespace ir = Halide::Internal;
using Halide::Expr;

inline ir::IRNodeType node_type(const Expr &e) { return e.get()->node_type; }

inline bool is_intrinsic(const ir::Call &call, std::string_view name) {
    return call.is_intrinsic() && call.name == name;
}

// Tags and promises that stand for their first argument.
inline bool is_transparent(const ir::Call &call) {
    return is_intrinsic(call, "likely") || is_intrinsic(call, "likely_if_innermost") ||
           is_intrinsic(call, "promise_clamped") || is_intrinsic(call, "unsafe_promise_clamped") ||
           is_intrinsic(call, "strict_float") || is_intrinsic(call, "memoize_expr");
}

inline bool is_load(const ir::Call &call) {
    return call.call_type == ir::Call::Halide || call.call_type == ir::Call::Image;
}

}  // namespace cryolite
