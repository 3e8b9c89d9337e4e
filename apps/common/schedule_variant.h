// The one generator parameter that every app has: which of our own schedules to emit. It is a
// parameter rather than two generators so that both variants share one algorithm by construction.
#pragma once

#include <map>
#include <string>

namespace cryolite::apps {

enum class ScheduleVariant {
    Manual,  // what an expert would write by hand for a CPU: the bar for the search
    Root,    // schedule_plain(): the baseline that is legal for every pipeline
};

inline std::map<std::string, ScheduleVariant> schedule_variant_names() {
    return {{"manual", ScheduleVariant::Manual}, {"root", ScheduleVariant::Root}};
}

}  // namespace cryolite::apps
