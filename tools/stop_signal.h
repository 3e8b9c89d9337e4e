// Ctrl-C, and what else asks a long command to end: it ends soon and keeps what it has.
#pragma once

#include <atomic>

namespace cryolite::tools {

// From now on SIGINT and SIGTERM set stop_asked(). The second one ends the program at once, with status 130.
void stop_on_signals();

const std::atomic<bool> &stop_asked();

}  // namespace cryolite::tools
