#include "graph/halide/bound_proof.h"

namespace cryolite {
namespace {

// The number of cases may double at every level.
constexpr int kMaxDepth = 8;

bool is_choice(const Expr &e) { return e.as<ir::Select>() || e.as<ir::Min>() || e.as<ir::Max>(); }

bool proves(const Expr &e, const Expr &limit, bool at_most, const ir::Scope<ir::Interval> &known,
            int depth) {
    const Expr condition = ir::simplify(at_most ? e <= limit : e >= limit, true, known);
    if (ir::can_prove(condition, known)) return true;
    if (depth == kMaxDepth) return false;
    const auto sub = [&](const Expr &part, const Expr &new_limit) {
        return proves(part, new_limit, at_most, known, depth + 1);
    };
    if (const auto *s = e.as<ir::Select>()) {
        return sub(s->true_value, limit) && sub(s->false_value, limit);
    }
    if (const auto *m = e.as<ir::Max>()) {
        return at_most ? sub(m->a, limit) && sub(m->b, limit)
                       : sub(m->a, limit) || sub(m->b, limit);
    }
    if (const auto *m = e.as<ir::Min>()) {
        return at_most ? sub(m->a, limit) || sub(m->b, limit)
                       : sub(m->a, limit) && sub(m->b, limit);
    }
    if (const auto *a = e.as<ir::Add>()) {
        const bool left = is_choice(a->a) || a->a.as<ir::Add>() || a->a.as<ir::Sub>();
        return left ? sub(a->a, ir::simplify(limit - a->b)) : sub(a->b, ir::simplify(limit - a->a));
    }
    if (const auto *d = e.as<ir::Sub>()) {
        if (is_choice(d->a)) return sub(d->a, ir::simplify(limit + d->b));
        // a - b <= limit is b >= a - limit.
        if (is_choice(d->b)) {
            return proves(d->b, ir::simplify(d->a - limit), !at_most, known, depth + 1);
        }
    }
    return false;
}

bool start(const Expr &e, const Expr &limit, bool at_most, const ir::Scope<ir::Interval> &known) {
    const Expr simple = ir::substitute_in_all_lets(ir::simplify(e, true, known));
    return proves(simple, ir::simplify(limit), at_most, known, 0);
}

}  // namespace

bool proves_at_most(const Expr &e, const Expr &limit, const ir::Scope<ir::Interval> &known) {
    return start(e, limit, true, known);
}

bool proves_at_least(const Expr &e, const Expr &limit, const ir::Scope<ir::Interval> &known) {
    return start(e, limit, false, known);
}

}  // namespace cryolite
