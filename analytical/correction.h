// What a model that has learned from measurements makes of the raw terms, before the overlap. It stands there
// because a factor on what stays exposed would be stale as soon as another resource became the slowest.
#pragma once

#include <span>

#include "analytical/terms.h"

namespace cryolite {

// Pure and thread-safe.
class Correction {
public:
    virtual ~Correction() = default;
    // Whether it reads rows of features. They cost time, so nobody makes them for one that does not.
    virtual bool reads_rows() const = 0;
    // Of one stage, in place; results are finite and not negative. row: its features, in the order of
    // feature_list.h; empty unless reads_rows().
    virtual void correct(std::span<const double> row, Terms &terms) const = 0;
};

// The analytical model as it is.
class NoCorrection : public Correction {
public:
    bool reads_rows() const override { return false; }
    void correct(std::span<const double>, Terms &) const override {}
};

}  // namespace cryolite
