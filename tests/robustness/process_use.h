// What this process has used.
#pragma once

namespace cryolite::robustness {

// Of this process; of its children that have ended.
double cpu_seconds();
double cpu_seconds_of_children();

// Resident now.
double resident_megabytes();
// The most since begin_to_count_megabytes(); where the system cannot count anew (all but Linux), since
// the process began.
double peak_megabytes();
void begin_to_count_megabytes();

}  // namespace cryolite::robustness
