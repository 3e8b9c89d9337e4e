#include "analytical/overlap.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace cryolite {
namespace {

using ByResource = std::array<double, num_resources>;
constexpr size_t at(Resource r) { return static_cast<size_t>(r); }

// The resource of each term; num_resources: the target has no such term.
std::array<uint8_t, num_terms> resources_of(TermTarget target) {
    std::array<uint8_t, num_terms> all{};
    for (size_t t = 0; t < num_terms; t++) {
        const auto r = resource_of(static_cast<Term>(t), target);
        all[t] = static_cast<uint8_t>(r ? at(*r) : num_resources);
    }
    return all;
}

// Called for every state of a search, so that the table is read once.
const std::array<uint8_t, num_terms> &resources(TermTarget target) {
    static const std::array cpu = resources_of(TermTarget::Cpu),
                            gpu = resources_of(TermTarget::Gpu);
    return target == TermTarget::Cpu ? cpu : gpu;
}

ByResource by_resource(const Terms &terms, TermTarget target) {
    std::array<double, num_resources + 1> sums{};
    const auto &resource = resources(target);
    for (size_t t = 0; t < num_terms; t++) sums[resource[t]] += terms[t];
    ByResource out;
    std::copy_n(sums.begin(), num_resources, out.begin());
    return out;
}

// x^p and its inverse. Whole numbers and powers of two take products and square roots, which are several times faster
// than std::pow and the same on every computer.
bool is_whole(double p) { return p >= 1 && p <= 1024 && p == std::floor(p); }

double power(double x, double p) {
    if (!is_whole(p)) return std::pow(x, p);
    double result = 1;
    for (auto n = static_cast<unsigned>(p); n > 0; n >>= 1, x *= x)
        if (n & 1) result *= x;
    return result;
}

double root(double x, double p) {
    if (!is_whole(p) || !std::has_single_bit(static_cast<unsigned>(p))) return std::pow(x, 1 / p);
    for (auto n = static_cast<unsigned>(p); n > 1; n >>= 1) x = std::sqrt(x);
    return x;
}

// The p-norm. Values are scaled by the largest, so that no power leaves the range of doubles.
template <size_t N>
double norm(const std::array<double, N> &values, double p) {
    const double most = *std::ranges::max_element(values);
    if (most <= 0) return 0;
    double sum = 0;
    for (double v : values)
        if (v > 0) sum += v == most ? 1 : power(v / most, p);
    return sum == 1 ? most : most * root(sum, p);
}

struct Levels {
    double work, busy;  // norm of (arithmetic, L1); seconds in which a core does something
    double core;        // norm of that and of waiting
    double outer, all;  // norm of the core and the levels of memory; seconds of both
    double paced;  // norm of all and of the dispatch of blocks, which goes on beside everything
};

Levels levels_of(const ByResource &r, const OverlapRule &rule) {
    Levels l{};
    const double arithmetic = r[at(Resource::Arithmetic)], l1 = r[at(Resource::L1)];
    l.work = norm(std::array{arithmetic, l1}, rule.sharpness);
    l.busy =
        l.work + rule.core_exposed_share * (arithmetic + l1 - l.work) + r[at(Resource::Control)];
    l.core = norm(std::array{l.busy, r[at(Resource::Latency)]}, rule.sharpness);
    const std::array outer = {l.core, r[at(Resource::L2)], r[at(Resource::LastLevel)],
                              r[at(Resource::Memory)]};
    l.outer = norm(outer, rule.sharpness);
    l.all = l.outer + rule.memory_exposed_share *
                          (std::accumulate(outer.begin(), outer.end(), 0.0) - l.outer);
    const double dispatch = r[at(Resource::Dispatch)];
    l.paced = dispatch > 0 ? norm(std::array{l.all, dispatch}, rule.sharpness) : l.all;
    return l;
}

// The derivative of a norm by one of its values.
double derivative(double value, double norm, double p) {
    return norm <= 0 ? 1 : power(value / norm, p - 1);
}

}  // namespace

OverlapRule overlap_rule(const Machine &machine) {
    return {machine.core_exposed_share, machine.memory_exposed_share, machine.overlap_sharpness};
}

double overlapped(const Terms &terms, TermTarget target, const OverlapRule &rule) {
    const ByResource r = by_resource(terms, target);
    return levels_of(r, rule).paced + r[at(Resource::Added)];
}

Overlap explained_overlap(const Terms &terms, TermTarget target, const OverlapRule &rule) {
    const ByResource r = by_resource(terms, target);
    const Levels l = levels_of(r, rule);
    ByResource slope;
    slope[at(Resource::Added)] = 1;
    slope[at(Resource::Dispatch)] = derivative(r[at(Resource::Dispatch)], l.paced, rule.sharpness);
    const double behind_dispatch = derivative(l.all, l.paced, rule.sharpness);
    const auto behind_core = [&](double seconds) {
        const double e = rule.memory_exposed_share;
        return behind_dispatch * (e + (1 - e) * derivative(seconds, l.outer, rule.sharpness));
    };
    for (Resource outer : {Resource::L2, Resource::LastLevel, Resource::Memory})
        slope[at(outer)] = behind_core(r[at(outer)]);
    const double of_core = behind_core(l.core);
    slope[at(Resource::Latency)] =
        of_core * derivative(r[at(Resource::Latency)], l.core, rule.sharpness);
    slope[at(Resource::Control)] = of_core * derivative(l.busy, l.core, rule.sharpness);
    const double e = rule.core_exposed_share;
    for (Resource inner : {Resource::Arithmetic, Resource::L1})
        slope[at(inner)] = slope[at(Resource::Control)] *
                           (e + (1 - e) * derivative(r[at(inner)], l.work, rule.sharpness));

    Overlap out;
    out.seconds = l.paced + r[at(Resource::Added)];
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
