// Rows of a store as values. Whoever reads names the columns by these lists, so that all readers take them in one
// order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autotune/store/database.h"
#include "autotune/store/sample.h"

namespace cryolite {

inline constexpr const char *problem_columns =
    "pipeline, algorithm, parameters, workload, target, machine, halide, threads";
// Of samples and traces together.
inline constexpr const char *sample_columns =
    "text, repeat, status, message, seconds, anchor_seconds, median, low, high, ratio_median, "
    "ratio_low, ratio_high, predicted_seconds, origin, round, seed, object_hash, build_seconds, "
    "run_seconds, quiet, cryolite, created";
inline constexpr const char *round_columns =
    "number, seed, draws, model, rank_correlation, created";

// `first`: the column at which the list begins.
Problem problem_in(const Statement &row, int first);
Sample sample_in(const Statement &row, int first);
TuneRound round_in(const Statement &row, int first);

// A list of seconds as a store keeps it. Nothing: the text is no JSON list of numbers.
std::optional<std::vector<double>> seconds_in(const std::string &text);

}  // namespace cryolite
