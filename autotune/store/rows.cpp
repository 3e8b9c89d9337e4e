#include "autotune/store/rows.h"

#include <bit>
#include <nlohmann/json.hpp>

namespace cryolite {
namespace {

uint64_t from_bits(int64_t v) { return std::bit_cast<uint64_t>(v); }

}  // namespace

std::optional<std::vector<double>> seconds_in(const std::string &text) {
    const auto list = nlohmann::json::parse(text, nullptr, false);
    if (!list.is_array()) return std::nullopt;
    std::vector<double> seconds;
    for (const auto &s : list) {
        if (!s.is_number()) return std::nullopt;
        seconds.push_back(s.get<double>());
    }
    return seconds;
}

Problem problem_in(const Statement &row, int first) {
    const auto text = [&](int i) { return row.text(first + i); };
    return {text(0), text(1), text(2), text(3),
            text(4), text(5), text(6), static_cast<int>(row.number(first + 7))};
}

Sample sample_in(const Statement &row, int first) {
    const auto text = [&](int i) { return row.text(first + i); };
    const auto real = [&](int i) { return row.real(first + i); };
    const auto number = [&](int i) { return row.number(first + i); };
    Sample s;
    s.trace = text(0);
    s.repeat = number(1);
    // A status of a later Cryolite says no more than that the schedule was not timed.
    s.status = status_named(text(2)).value_or(SampleStatus::Failed);
    s.message = text(3);
    s.seconds = seconds_in(text(4)).value_or(std::vector<double>());
    s.anchor_seconds = seconds_in(text(5)).value_or(std::vector<double>());
    s.spread = {real(6), real(7), real(8)};
    s.ratio = {real(9), real(10), real(11)};
    s.predicted_seconds = real(12);
    s.origin = text(13);
    s.round = number(14);
    s.seed = from_bits(number(15));
    s.object_hash = from_bits(number(16));
    s.build_seconds = real(17);
    s.run_seconds = real(18);
    s.quiet = number(19) != 0;
    s.cryolite = text(20);
    s.created = number(21);
    return s;
}

TuneRound round_in(const Statement &row, int first) {
    return {row.number(first),   from_bits(row.number(first + 1)),
            row.text(first + 2), row.text(first + 3),
            row.real(first + 4), row.number(first + 5)};
}

}  // namespace cryolite
