// What a search did: its signature (number of states), its rejections by reason, its time by phase.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "code/legality/apply.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct SearchStatistics {
    // States that the search made and gave to the cost model, duplicates and too large ones included. In each of
    // them one more Func is decided (beam, outlook), or one is decided anew (refinement).
    uint64_t states_generated = 0;
    uint64_t states_duplicate = 0;  // dropped because another state had equal decisions
    uint64_t states_too_large = 0;  // the cost model refused their code or their memory
    uint64_t kernels_evaluated = 0, kernels_remembered = 0;
    uint64_t funcs_priced = 0;  // Funcs in the kernels of the states, see CostModel::funcs_priced()
    std::array<uint64_t, static_cast<size_t>(Reason::Count)> rejected{};
    double seconds_total = 0, seconds_expanding = 0, seconds_selecting = 0, seconds_foreseeing = 0;
    bool hit_time_limit = false;
    bool hit_memory_limit = false;  // memos were forgotten: same result, more time
    bool beam_narrowed = false;     // to keep to the memory limit, fewer states went on

    void add(const SearchStatistics &other);
    std::string text() const;
};

}  // namespace cryolite
