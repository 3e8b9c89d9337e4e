#include "analytical/cost_noise.h"

#include <cmath>

#include "base/random.h"

namespace cryolite {

double CostNoise::disturbance(uint64_t structure, uint64_t kernel) const {
    const Random random(seed);
    const double halves = random.fork("structure", structure).unit() * 2 - 1 +
                          random.fork("kernel", kernel).unit() * 2 - 1;
    return std::exp(0.5 * halves * std::log(factor));
}

}  // namespace cryolite
