// The only place where the graph's builder deals with differences between Halide 19, 21 and later.
// The builder avoids what changes between releases: IRVisitor and IRMutator, whose entry points moved in 22 (it uses
// graph/halide/expression_walk.h), For nodes, and the enumerators of Call's intrinsics (strict_float became strict_add
// and others; it compares names).
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

// Calls whose value is their first argument: tags and promises.
inline bool is_transparent(const ir::Call &call) {
    return is_intrinsic(call, "likely") || is_intrinsic(call, "likely_if_innermost") ||
           is_intrinsic(call, "promise_clamped") || is_intrinsic(call, "unsafe_promise_clamped") ||
           is_intrinsic(call, "strict_float") || is_intrinsic(call, "memoize_expr");
}

inline bool is_load(const ir::Call &call) {
    return call.call_type == ir::Call::Halide || call.call_type == ir::Call::Image;
}

}  // namespace cryolite
