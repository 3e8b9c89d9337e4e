// A factor for each term: what a machine's own speed is, in multiples of what the analytical model believes.
//     corrected_k = raw_k * c_k
#pragma once

#include <array>
#include <span>

#include "analytical/correction.h"

namespace cryolite {

class Coefficients : public Correction {
public:
    // All 1: the analytical model as it is.
    Coefficients() { factors_.fill(1); }
    // Finite and positive.
    explicit Coefficients(const std::array<double, num_terms> &factors) : factors_(factors) {}

    bool reads_rows() const override { return false; }
    void correct(std::span<const double>, Terms &terms) const override {
        for (size_t k = 0; k < num_terms; k++) terms[k] *= factors_[k];
    }

    // [Term]
    const std::array<double, num_terms> &factors() const { return factors_; }

private:
    std::array<double, num_terms> factors_;
};

}  // namespace cryolite
