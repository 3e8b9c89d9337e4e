#include "search/statistics.h"
#include "code/legality/apply.h"

#include <sstream>

namespace cryolite {

void SearchStatistics::add(const SearchStatistics &o) {
    states_generated += o.states_generated;
    states_duplicate += o.states_duplicate;
    states_too_large += o.states_too_large;
    kernels_evaluated += o.kernels_evaluated;
    kernels_remembered += o.kernels_remembered;
    funcs_priced += o.funcs_priced;
    for (size_t i = 0; i < rejected.size(); i++) rejected[i] += o.rejected[i];
    seconds_expanding += o.seconds_expanding;
    seconds_selecting += o.seconds_selecting;
    seconds_foreseeing += o.seconds_foreseeing;
    hit_time_limit |= o.hit_time_limit;
    hit_memory_limit |= o.hit_memory_limit;
    beam_narrowed |= o.beam_narrowed;
}

std::string SearchStatistics::text() const {
    std::ostringstream s;
    s << "states: " << states_generated << " generated, " << states_duplicate << " duplicates, "
      << states_too_large << " too large; kernels: " << kernels_evaluated << " evaluated, "
      << kernels_remembered << " remembered; seconds: " << seconds_total << " in all, "
      << seconds_expanding << " expanding, " << seconds_foreseeing << " foreseeing, "
      << seconds_selecting << " selecting";
    for (size_t i = 0; i < rejected.size(); i++)
        if (rejected[i])
            s << "; rejected as " << name(static_cast<Reason>(i)) << ": " << rejected[i];
    if (hit_time_limit) s << "; stopped at the time limit";
    if (hit_memory_limit) s << "; forgot memos at the memory limit";
    if (beam_narrowed) s << "; kept fewer states at the memory limit";
    return s.str();
}

}  // namespace cryolite
