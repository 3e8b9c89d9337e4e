// A model that has learned from measurements corrects the raw terms before the overlap. After the overlap would be too
// late: a factor on an exposed part would be wrong as soon as another resource became the slowest.
#pragma once

#include <memory>
#include <span>

#include "analytical/terms.h"

namespace cryolite {

// Pure and thread-safe.
class Correction {
public:
    virtual ~Correction() = default;
    // Whether the correction reads rows of features. Rows cost time, so they are made only for such a correction.
    virtual bool reads_rows() const = 0;
    // Corrects the terms of one stage in place. Results are finite and not negative. row: the stage's features, in the
    // order of feature_list.h. The row may be empty if reads_rows() is false.
    virtual void correct(std::span<const double> row, Terms &terms) const = 0;
    // How much of what was learned is applied to a stage with this row, 0 to 1. It is less than 1 for a row that lies
    // beyond the rows that it was learned from.
    virtual double trust(std::span<const double>) const { return 1; }
    // What an ensemble is the mean of: how far its members' prices are apart says how sure they are. Empty: no
    // ensemble.
    virtual std::span<const std::shared_ptr<const Correction>> members() const { return {}; }
};

// Leaves the terms of the analytical model as they are.
class NoCorrection : public Correction {
public:
    bool reads_rows() const override { return false; }
    void correct(std::span<const double>, Terms &) const override {}
};

}  // namespace cryolite
