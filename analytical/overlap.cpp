#include "analytical/overlap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cryolite {
namespace {

using ByResource = std::array<double, num_resources>;
constexpr size_t at(Resource r) { return static_cast<size_t>(r); }

ByResource by_resource(const Terms &terms, TermTarget target) {
    ByResource sums{};
    for (size_t t = 0; t < num_terms; t++)
        if (terms[t] > 0)
            if (const auto r = resource_of(static_cast<Term>(t), target)) sums[at(*r)] += terms[t];
    return sums;
}

// The p-norm, scaled by the largest so that no power leaves the range of doubles.
template <size_t N>
double norm(const std::array<double, N> &values, double p) {
    const double most = *std::ranges::max_element(values);
    if (most <= 0) return 0;
    double sum = 0;
    for (double v : values)
        if (v > 0) sum += v == most ? 1 : std::pow(v / most, p);
    return sum == 1 ? most : most * std::pow(sum, 1 / p);
}

struct Levels {
    double work, in_core;  // norms of arithmetic and L1, and of these and waiting
    double core;           // seconds
    double outer, all;     // the norm of the core and what is behind it; seconds
};

Levels levels_of(const ByResource &r, const OverlapRule &rule) {
    Levels l{};
    const double arithmetic = r[at(Resource::Arithmetic)], l1 = r[at(Resource::L1)];
    l.work = norm(std::array{arithmetic, l1}, rule.sharpness);
    l.in_core = norm(std::array{arithmetic, l1, r[at(Resource::Latency)]}, rule.sharpness);
    l.core =
        l.in_core + rule.core_exposed_share * (arithmetic + l1 - l.work) + r[at(Resource::Control)];
    const std::array outer = {l.core, r[at(Resource::L2)], r[at(Resource::LastLevel)],
                              r[at(Resource::Memory)]};
    l.outer = norm(outer, rule.sharpness);
    l.all = l.outer + rule.memory_exposed_share *
                          (std::accumulate(outer.begin(), outer.end(), 0.0) - l.outer);
    return l;
}

// Of a norm by one of its values.
double derivative(double value, double norm, double p) {
    return norm <= 0 ? 1 : std::pow(value / norm, p - 1);
}

}  // namespace

OverlapRule overlap_rule(const Machine &machine) {
    return {machine.core_exposed_share, machine.memory_exposed_share, machine.overlap_sharpness};
}

double overlapped(const Terms &terms, TermTarget target, const OverlapRule &rule) {
    const ByResource r = by_resource(terms, target);
    return levels_of(r, rule).all + r[at(Resource::Added)];
}

Overlap explained_overlap(const Terms &terms, TermTarget target, const OverlapRule &rule) {
    const ByResource r = by_resource(terms, target);
    const Levels l = levels_of(r, rule);
    ByResource slope;
    slope[at(Resource::Added)] = 1;
    const auto behind_core = [&](double seconds) {
        const double e = rule.memory_exposed_share;
        return e + (1 - e) * derivative(seconds, l.outer, rule.sharpness);
    };
    for (Resource outer : {Resource::L2, Resource::LastLevel, Resource::Memory})
        slope[at(outer)] = behind_core(r[at(outer)]);
    slope[at(Resource::Control)] = behind_core(l.core);
    const double e = rule.core_exposed_share;
    for (Resource inner : {Resource::Arithmetic, Resource::L1})
        slope[at(inner)] = slope[at(Resource::Control)] *
                           (derivative(r[at(inner)], l.in_core, rule.sharpness) +
                            e * (1 - derivative(r[at(inner)], l.work, rule.sharpness)));
    slope[at(Resource::Latency)] = slope[at(Resource::Control)] *
                                   derivative(r[at(Resource::Latency)], l.in_core, rule.sharpness);

    Overlap out;
    out.seconds = l.all + r[at(Resource::Added)];
    ByResource exposed{};
    for (size_t t = 0; t < num_terms; t++) {
        const auto resource = resource_of(static_cast<Term>(t), target);
        if (!resource || terms[t] <= 0) continue;
        out.exposed[t] = terms[t] * slope[at(*resource)];
        exposed[at(*resource)] += out.exposed[t];
    }
    exposed[at(Resource::Added)] = 0;
    out.bound_by = static_cast<Resource>(std::ranges::max_element(exposed) - exposed.begin());
    return out;
}

}  // namespace cryolite
