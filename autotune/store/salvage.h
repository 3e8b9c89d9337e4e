// What a damaged store still holds. Each row is looked for by its number alone: one that cannot be read hides no other,
// and neither indices nor the order of rows are trusted.
#pragma once

#include <map>
#include <vector>

#include "autotune/store/store.h"

namespace cryolite {

struct Salvage {
    std::vector<Store::Known> problems;
    // By the number of their problem. A sample whose trace cannot be read is not among them.
    std::map<int64_t, std::vector<Sample>> samples;
    std::map<int64_t, std::vector<TuneRound>> rounds;
};

Salvage salvage(const Store &store);

}  // namespace cryolite
