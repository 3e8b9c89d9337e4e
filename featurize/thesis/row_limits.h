// Remembers the answers of algorithm 1. The algorithm walks all lines of a cache, and a search asks about the same rows
// again and again.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "featurize/thesis/cache_emulation.h"

namespace cryolite::thesis {

class RowLimits {
public:
    // Answers about the first two caches, or as many as the machine has.
    explicit RowLimits(const Machine &machine);

    size_t caches() const { return caches_.size(); }
    // The number of rows that stay in caches[level] together. Rows have row_bytes (>= 1) and start pitch_bytes apart
    // (>= a line). 0: not even one row stays.
    double most_rows(size_t level, int64_t row_bytes, int64_t pitch_bytes);
    // The number of lines that algorithm 1 leaves to a tile in caches[level].
    double lines(size_t level) const;

private:
    std::vector<EmulatedCache> caches_;
    struct Question {
        size_t level;
        int64_t row_bytes, pitch_bytes;
        bool operator==(const Question &) const = default;
    };
    struct QuestionHash {
        size_t operator()(const Question &q) const;
    };
    std::unordered_map<Question, int64_t, QuestionHash> known_;
    // The last answer for each of some hashes: a search mostly asks what it has just asked.
    struct Answer {
        Question question{};
        double rows = 0;
    };
    std::array<Answer, 256> recent_{};
};

}  // namespace cryolite::thesis
