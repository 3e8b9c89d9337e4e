#include "code/stage/composed_access.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "base/hash.h"

namespace cryolite {
namespace {

constexpr size_t max_compared = 256;

// The map as if what wraps around went on.
IndexMap unwrapped(const IndexMap &map) {
    IndexMap straight = map;
    straight.affine = true;
    straight.coefficient = map.step;
    for (const WrappedIndex &part : map.wrapped) {
        for (size_t l = 0; l < part.coefficient.size(); l++)
            straight.coefficient[l] =
                straight.coefficient[l] + part.factor * make_rational(part.coefficient[l], 1);
        straight.offset = straight.offset + part.factor * make_rational(part.offset, 1);
    }
    straight.step.clear();
    straight.irregular.clear();
    straight.base = 0;
    return straight;
}

ComposedIndex from_map(const IndexMap &map, size_t num_loops) {
    if (!map.wrapped.empty() && !map.affine) return from_map(unwrapped(map), num_loops);
    ComposedIndex c;
    c.wrapped = map.wrapped;
    c.affine = map.affine;
    c.data_dependent = map.data_dependent;
    c.coefficient = map.affine ? map.coefficient : std::vector<Rational>(num_loops);
    c.coefficient.resize(num_loops);
    c.step = map.affine ? map.coefficient : map.step;
    c.step.resize(num_loops);
    // A map made by hand may lack `irregular`.
    c.irregular = map.affine || !map.irregular.empty() ? map.irregular : map.depends_on;
    c.irregular.resize(num_loops, false);
    c.run = map.run;
    c.run.resize(num_loops, 1);
    c.base = static_cast<uint64_t>(map.base);
    c.offset = map.offset;
    c.depends_on = map.depends_on;
    c.depends_on.resize(num_loops, false);
    for (bool moves : c.depends_on) c.clamped.push_back(moves ? map.clamp : Clamp::None);
    return c;
}

// The base of a composed index: the base of the inner index at the stage's call, with the bases of those parts of the
// call that move the inner index.
uint64_t composed_base(const IndexMap &inner, const Stage &inlined, const ComposedAccess &outer) {
    Hasher h;
    bool any = inner.base != 0, known = inner.affine || inner.base != 0;
    h.add(static_cast<uint64_t>(inlined.id.value)).add(static_cast<uint64_t>(inner.base));
    for (size_t l = 0; l < inlined.loops.size(); l++) {
        if (l >= inner.depends_on.size() || !inner.depends_on[l]) continue;
        const ComposedIndex &o = outer[static_cast<size_t>(inlined.loops[l].func_dim)];
        any |= o.base != 0;
        known &= o.affine || o.base != 0;
        h.add(l).add(o.base);
        const bool in_base = !inner.affine && (inner.irregular.empty() || inner.irregular[l]);
        if (in_base)
            for (int64_t k : o.key()) h.add(static_cast<uint64_t>(k));
        else if (inner.affine || l < inner.step.size())
            h.add(static_cast<uint64_t>(
                (inner.affine ? inner.coefficient : inner.step)[l].numerator));
    }
    return any && known ? h.value() : 0;
}

// The part that wraps around of an inlined Func's index, at the stage's call. Nothing if it is no remainder of whole
// steps there.
std::optional<WrappedIndex> wrapped_at(const ComposedAccess &outer, const Stage &inlined,
                                       const WrappedIndex &inner, size_t num_loops) {
    WrappedIndex composed = inner;
    composed.coefficient.assign(num_loops, 0);
    for (size_t l = 0; l < inner.coefficient.size(); l++) {
        const int64_t by = inner.coefficient[l];
        if (by == 0) continue;
        const ComposedIndex &o = outer[static_cast<size_t>(inlined.loops[l].func_dim)];
        if (!o.affine || o.data_dependent || !o.wrapped.empty() || o.offset.denominator != 1)
            return std::nullopt;
        composed.offset += by * o.offset.numerator;
        for (size_t k = 0; k < num_loops; k++) {
            if (o.coefficient[k].denominator != 1) return std::nullopt;
            composed.coefficient[k] += by * o.coefficient[k].numerator;
        }
    }
    return composed;
}

// The same of all parts.
std::optional<std::vector<WrappedIndex>> wrapped_at(const ComposedAccess &outer,
                                                    const Stage &inlined, const IndexMap &inner,
                                                    size_t num_loops) {
    std::vector<WrappedIndex> parts;
    if (inner.affine) return parts;
    for (const WrappedIndex &part : inner.wrapped) {
        std::optional<WrappedIndex> composed = wrapped_at(outer, inlined, part, num_loops);
        if (!composed) return std::nullopt;
        parts.push_back(std::move(*composed));
    }
    return parts;
}

void add_wrapped(ComposedIndex &index, const std::vector<WrappedIndex> &parts, const Rational &by) {
    if (!index.affine && !parts.empty()) {
        index.irregular = index.depends_on;
        index.base = 0;
        return;
    }
    for (const WrappedIndex &part : parts) {
        index.wrapped.push_back(part);
        index.wrapped.back().factor = part.factor * by;
    }
}

// outer: how the stage reaches a point of the inlined Func. inner: how the pure stage of the inlined Func reaches its
// producer. Loop l of the pure stage walks dimension loops[l].func_dim.
ComposedIndex compose_straight(const IndexMap &inner, const Stage &inlined,
                               const ComposedAccess &outer, size_t num_loops) {
    ComposedIndex c;
    c.affine = inner.affine;
    c.data_dependent = inner.data_dependent;
    c.coefficient.resize(num_loops);
    c.step.resize(num_loops);
    c.irregular.resize(num_loops, false);
    c.run.resize(num_loops, 1);
    c.depends_on.resize(num_loops, false);
    c.clamped.resize(num_loops, Clamp::None);
    c.offset = inner.offset;
    c.base = composed_base(inner, inlined, outer);
    for (size_t l = 0; l < inlined.loops.size(); l++) {
        if (l >= inner.depends_on.size() || !inner.depends_on[l]) continue;
        const ComposedIndex &o = outer[static_cast<size_t>(inlined.loops[l].func_dim)];
        c.affine &= o.affine;
        c.data_dependent |= o.data_dependent;
        for (size_t k = 0; k < num_loops; k++) {
            c.depends_on[k] = c.depends_on[k] || o.depends_on[k];
            if (o.depends_on[k]) c.clamped[k] = std::max({c.clamped[k], o.clamped[k], inner.clamp});
        }
        const Rational by = inner.affine            ? inner.coefficient[l]
                            : l < inner.step.size() ? inner.step[l]
                                                    : Rational{};
        const bool irregular = !inner.affine && (inner.irregular.empty() || inner.irregular[l]);
        for (size_t k = 0; k < num_loops; k++) {
            c.step[k] = c.step[k] + by * o.step[k];
            c.irregular[k] = c.irregular[k] || o.irregular[k] || (irregular && o.depends_on[k]);
        }
        c.offset = c.offset + by * o.offset;
        if (!inner.affine) continue;
        const int64_t own = l < inner.run.size() ? inner.run[l] : 1;
        for (size_t k = 0; k < num_loops; k++) {
            if (o.coefficient[k].is_zero()) continue;
            const int64_t run = own == 1 ? run_of_multiple(o.coefficient[k], o.run[k], o.offset,
                                                           inner.coefficient[l])
                                : o.coefficient[k] == Rational{1, 1} && o.offset.is_zero() ? own
                                                                                           : 0;
            const Rational moved = inner.coefficient[l] * o.coefficient[k];
            c.run[k] =
                c.coefficient[k].is_zero()
                    ? run
                    : run_of_sum(whole_run(c.coefficient[k], c.run[k]), whole_run(moved, run));
            c.coefficient[k] = c.coefficient[k] + moved;
        }
    }
    for (size_t k = 0; k < num_loops; k++)
        if (c.run[k] == c.coefficient[k].denominator) c.run[k] = 1;  // the coefficient tells
    return c;
}

// Whether the two indices are x / m and x % m of one x.
bool are_quotient_and_rest(const ComposedIndex &quotient, const ComposedIndex &rest) {
    if (rest.wrapped.size() != 1 || !rest.affine || !quotient.wrapped.empty() || !quotient.affine ||
        quotient.data_dependent || rest.data_dependent)
        return false;
    const WrappedIndex &part = rest.wrapped.front();
    // Halide writes (x + 3) / 8 and (x + 3) % 8 in ways that it does not put together again.
    if (part.factor != Rational{1, 1} || part.offset % part.modulus != 0 ||
        rest.offset != Rational{part.offset, 1} ||
        quotient.offset != make_rational(part.offset, part.modulus))
        return false;
    for (size_t k = 0; k < part.coefficient.size(); k++)
        if (rest.coefficient[k] != Rational{part.coefficient[k], 1} ||
            quotient.coefficient[k] != make_rational(part.coefficient[k], part.modulus))
            return false;
    return true;
}

// Of m * q + r where the call is at q = x / m and r = x % m: Halide takes it for x. So are weights read that were
// packed in parts, if the packed copy is inlined.
std::optional<ComposedAccess> rejoined(const IndexMap &inner, const Stage &inlined,
                                       const ComposedAccess &outer) {
    if (!inner.affine ||
        std::ranges::none_of(outer, [](const ComposedIndex &o) { return !o.wrapped.empty(); }))
        return std::nullopt;
    for (size_t r = 0; r < inlined.loops.size(); r++) {
        const auto rest = static_cast<size_t>(inlined.loops[r].func_dim);
        if (outer[rest].wrapped.size() != 1) continue;
        const Rational times =
            inner.coefficient[r] * Rational{outer[rest].wrapped.front().modulus, 1};
        for (size_t q = 0; q < inlined.loops.size(); q++) {
            const auto quotient = static_cast<size_t>(inlined.loops[q].func_dim);
            if (inner.coefficient[q] != times || times.is_zero() ||
                !are_quotient_and_rest(outer[quotient], outer[rest]))
                continue;
            ComposedAccess joined = outer;
            joined[rest].wrapped.clear();
            joined[quotient].offset = {};
            joined[quotient].coefficient.assign(outer[rest].coefficient.size(), {});
            joined[quotient].step = joined[quotient].coefficient;
            return joined;
        }
    }
    return std::nullopt;
}

ComposedIndex compose(const IndexMap &inner, const Stage &inlined, const ComposedAccess &outer,
                      size_t num_loops) {
    if (const auto joined = rejoined(inner, inlined, outer))
        return compose(inner, inlined, *joined, num_loops);
    const auto own = wrapped_at(outer, inlined, inner, num_loops);
    const bool wraps = own && !own->empty();
    ComposedIndex c = compose_straight(wraps ? unwrapped(inner) : inner, inlined, outer, num_loops);
    if (wraps) add_wrapped(c, *own, {1, 1});
    for (size_t l = 0; l < inlined.loops.size(); l++) {
        const ComposedIndex &o = outer[static_cast<size_t>(inlined.loops[l].func_dim)];
        const std::vector<Rational> &step = inner.affine ? inner.coefficient : inner.step;
        if (l < step.size() && !step[l].is_zero()) add_wrapped(c, o.wrapped, step[l]);
    }
    return c;
}

// How many iterations of the loop take point b to point a: a.offset - b.offset is k * step[loop] in every dimension,
// for one integer k. Nothing if there is none, or if the points do not move with the loop.
std::optional<double> shift_between(const ComposedAccess &a, const ComposedAccess &b, size_t loop) {
    std::optional<Rational> k;
    for (size_t d = 0; d < a.size(); d++) {
        const Rational delta = a[d].offset + b[d].offset * make_rational(-1, 1);
        if (a[d].irregular[loop] || (!a[d].affine && a[d].base == 0)) return std::nullopt;
        const Rational step = a[d].step[loop];
        if (step.is_zero()) {
            if (!delta.is_zero()) return std::nullopt;
            continue;
        }
        const Rational here = delta * make_rational(step.denominator, step.numerator);
        if (here.denominator != 1 || (k && here != *k)) return std::nullopt;
        k = here;
    }
    if (!k) return std::nullopt;
    return k->value();
}

}  // namespace

std::vector<int64_t> ComposedIndex::key() const {
    std::vector<int64_t> k;
    k.push_back(affine * 2 + data_dependent);
    for (const Rational &r : affine ? coefficient : step)
        k.insert(k.end(), {r.numerator, r.denominator});
    k.insert(k.end(), {offset.numerator, offset.denominator, static_cast<int64_t>(base)});
    for (bool b : depends_on) k.push_back(b);
    for (const WrappedIndex &part : wrapped) {
        k.insert(k.end(), part.coefficient.begin(), part.coefficient.end());
        k.insert(k.end(),
                 {part.modulus, part.offset, part.factor.numerator, part.factor.denominator});
    }
    return k;
}

ComposedAccess composed_access(const Access &access, size_t num_loops) {
    ComposedAccess composed;
    for (const IndexMap &m : access.index) composed.push_back(from_map(m, num_loops));
    return composed;
}

ComposedAccess composed_access(const Access &access, const Stage &inlined,
                               const ComposedAccess &call, size_t num_loops) {
    ComposedAccess composed;
    for (const IndexMap &m : access.index) composed.push_back(compose(m, inlined, call, num_loops));
    return composed;
}

bool is_known(const ComposedAccess &access) {
    return std::ranges::all_of(access, [](const ComposedIndex &i) { return i.known(); });
}

namespace {

// The loop whose variable the index is; nothing if it is more, or something else. shifted: a constant may be added.
std::optional<size_t> loop_of(const ComposedIndex &index, bool shifted) {
    if (!index.affine || index.data_dependent || !index.wrapped.empty()) return std::nullopt;
    if (shifted ? index.offset.denominator != 1 : !index.offset.is_zero()) return std::nullopt;
    std::optional<size_t> found;
    for (size_t l = 0; l < index.coefficient.size(); l++) {
        if (index.coefficient[l].is_zero()) continue;
        if (found || index.coefficient[l] != Rational{1, 1} || index.run[l] != 1)
            return std::nullopt;
        found = l;
    }
    return found;
}

}  // namespace

std::vector<float> kept_share_at(const ComposedAccess &call, const std::vector<float> &of_call,
                                 const Stage &inlined, const std::vector<float> &own,
                                 size_t num_loops) {
    std::vector<float> share = of_call;
    for (size_t l = 0; l < own.size(); l++) {
        if (own[l] >= 1) continue;
        const StageLoop &theirs = inlined.loops[l];
        const auto loop = loop_of(call[static_cast<size_t>(theirs.func_dim)], theirs.channels == 0);
        if (!loop) continue;
        share.resize(num_loops, 1);
        share[*loop] *= own[l];
    }
    return share;
}

double PointsAlong::reached(double count, double iterations) const {
    // A line that goes on without gaps is as long as its points, and grows by one with each iteration.
    double points = count - static_cast<double>(gaps.size()) + lines * (iterations - 1);
    for (double gap : gaps) points += std::min(gap, iterations);
    return points;
}

std::vector<PointsAlong> points_along(const std::vector<ComposedAccess> &points, size_t num_loops) {
    std::vector<PointsAlong> along(num_loops);
    for (size_t l = 0; l < num_loops; l++) {
        // By line: its first point, and where its points lie from there.
        std::vector<std::pair<size_t, std::vector<double>>> lines;
        for (size_t i = 0; i < points.size() && points.size() <= max_compared; i++) {
            bool found = false;
            for (auto &[first, places] : lines) {
                const std::optional<double> shift = shift_between(points[i], points[first], l);
                if (!shift) continue;
                places.push_back(*shift);
                found = true;
                break;
            }
            if (!found) lines.push_back({i, {0}});
        }
        along[l].lines = static_cast<double>(lines.empty() ? points.size() : lines.size());
        for (auto &[first, places] : lines) {
            std::ranges::sort(places);
            for (size_t i = 1; i < places.size(); i++)
                if (const double gap = places[i] - places[i - 1]; gap > 1)
                    along[l].gaps.push_back(gap);
        }
    }
    return along;
}

}  // namespace cryolite
