#include "autotune/spread.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace cryolite {
namespace {

// The largest k for which at most `outside` of the probability lies below the k-th of n samples (from 1 on): the number
// of samples below the median is binomial with p = 1/2. 1 if there is none.
size_t rank_of_bound(size_t n, double outside) {
    double term = 1;  // binomial(n, i) / 2^n; n is far below the 1,000 at which it would vanish
    for (size_t i = 0; i < n; i++) term /= 2;
    double below = term;  // probability of at most i samples below the median
    size_t rank = 1;
    for (size_t i = 0; i + 1 < n && below <= outside; i++) {
        rank = i + 1;
        term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
        below += term;
    }
    return rank;
}

}  // namespace

Spread spread_of(std::span<const double> samples) {
    assert(!samples.empty());
    std::vector<double> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    const size_t n = sorted.size(), rank = rank_of_bound(n, 0.025);
    const double median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    return {median, sorted[rank - 1], sorted[n - rank]};
}

}  // namespace cryolite
