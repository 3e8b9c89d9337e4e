// Findings as lines of a table for people, and as CSV.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/robustness/findings.h"

namespace cryolite::robustness {

// The columns depend on the contenders, of which ours is the first.
std::string table_head(const std::vector<Contender> &contenders);
std::string table_row(const Findings &findings, const std::vector<Contender> &contenders);

// A row per pipeline and contender.
void write_csv(std::ostream &out, const std::vector<Findings> &all);

// The pipelines with faults or misses, and the geometric means of the ratios.
std::string summary(const std::vector<Findings> &all, const std::vector<Contender> &contenders);

}  // namespace cryolite::robustness
