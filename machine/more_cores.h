// A Machine with more cores than its description is of.
#pragma once

#include "machine/machine.h"

namespace cryolite {

// Sets the cores to schedule for. With more of them come more last-level caches and more of memory's channels. What a
// machine has stays: a few cores of a large processor draw more than their share, and a program on fewer cores leaves
// the others' share to them.
void add_cores(Machine &machine, int cores);

// Where all cores that are seen share one last level, they do not tell how many more could: at least as many as in
// `preset`, up to `cores`.
void share_last_level(Machine &machine, const Machine &preset, int cores);

}  // namespace cryolite
