// Work whose processes all end with it, however it ends.
//
// The tree: this process, which the caller knows and may kill; the guard; the work with its candidates. Each of the
// three adopts orphans. Whichever of this process and the guard outlives the other ends everything below it. So a
// candidate's daemon is ended even where this process is killed with a signal that nothing can catch. What survives is
// a daemon whose guard and whose caller's process are killed at once.
#pragma once

#include <functional>

namespace cryolite {

// The exit status of the program: that which `work` returns, in a process of its own, or 1 where it died. On systems
// other than Linux `work` runs in this process.
int run_guarded(const std::function<int()> &work);

}  // namespace cryolite
