// What came of each schedule, written into the store before anything else is done, with the standings that follow.
#pragma once

#include <string>

#include "autotune/store/store.h"
#include "autotune/tune/draws.h"
#include "autotune/tune/standings.h"
#include "autotune/tune/workshop.h"

namespace cryolite {

class Ledger {
public:
    // seed, cryolite: kept with each sample.
    Ledger(Store &store, uint64_t seed, std::string cryolite)
        : store_(store), seed_(seed), cryolite_(std::move(cryolite)) {}

    // Opens the page of a problem: what is known of it.
    Result<bool> open(int64_t problem);

    // Each returns the sample that was kept. Errors: those of the store.
    Result<Sample> measured(const Draw &draw, const Built &built, const Measured &measured,
                            const Measured &anchor, bool quiet, int64_t round);
    Result<Sample> not_built(const Draw &draw, const Built &built, int64_t round);
    // Equal code takes equal time: what is known of the other is this one's as well.
    Result<Sample> same_code(const Draw &draw, const Built &built, const Standing &other,
                             int64_t round);

    const Standings &standings() const { return standings_; }
    int64_t tried() const { return static_cast<int64_t>(standings_.all().size()); }
    int64_t tried_since_opened() const { return tried() - tried_before_; }

private:
    Sample sample_of(const Draw &draw, const Built &built, int64_t round) const;
    Result<Sample> keep(Sample sample);

    Store &store_;
    const uint64_t seed_;
    const std::string cryolite_;
    int64_t problem_ = 0, tried_before_ = 0;
    Standings standings_;
};

}  // namespace cryolite
