// Processes that a candidate starts and leaves behind.
//
// Killing a candidate's process group reaches all but those that have left the group. These are found because this
// process adopts them: a process whose parent dies becomes a child of the nearest ancestor that takes orphans.
#pragma once

#include <span>
#include <vector>

namespace cryolite {

// From now on processes that descend from this one become its children when their parents die. Linux only; elsewhere
// nothing happens, and the functions below find nothing.
void adopt_orphans();

// Children of a process, ended ones that nobody has reaped included.
std::vector<int> children_of(int parent);

// Kills and reaps all children of this process but those in `keep`, and whatever becomes a child by that. How many of
// them were running. Gives up after some seconds on a process that the system cannot end.
size_t end_strays(std::span<const int> keep = {});

}  // namespace cryolite
