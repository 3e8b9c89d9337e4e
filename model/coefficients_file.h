// Coefficients as JSON, for people and for later runs:
//   {"cryolite_coefficients": 1, "machine": "mine", "samples": 240, "rank_correlation": 0.81,
//    "factors": {"compute": 1.07, "load_latency": 0.61, ...}}
// A term that is left out has the factor 1. Numbers are read back to the bit.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/coefficients.h"

namespace cryolite {

constexpr int coefficients_version = 1;

struct LearnedCoefficients {
    Coefficients coefficients;
    std::string machine;  // the name of what they were measured on
    int64_t samples = 0;
    double rank_correlation = 0;  // Spearman's, of predicted and measured times of the samples
};

std::string coefficients_text(const LearnedCoefficients &learned);

// `path` is only for messages. Errors: what is no such file, another version, unknown terms, factors that are not
// finite and positive. They name the file and what to do.
Result<LearnedCoefficients> parse_coefficients(std::string_view text, const std::string &path);
Result<LearnedCoefficients> read_coefficients(const std::string &path);

}  // namespace cryolite
