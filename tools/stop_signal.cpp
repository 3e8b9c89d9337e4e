#include "tools/stop_signal.h"

#include <csignal>

#include <unistd.h>

namespace cryolite::tools {
namespace {

// The one thing in this program that is global: a signal's handler has no argument.
std::atomic<bool> stop{false};

void stop_soon(int) {
    if (stop.exchange(true)) _exit(130);
}

}  // namespace

void stop_on_signals() {
    std::signal(SIGINT, stop_soon);
    std::signal(SIGTERM, stop_soon);
}

const std::atomic<bool> &stop_asked() { return stop; }

}  // namespace cryolite::tools
