#include "tests/robustness/process_use.h"

#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace cryolite::robustness {

namespace {

double cpu_seconds_of(int who) {
    rusage usage{};
    getrusage(who, &usage);
    auto seconds = [](const timeval &t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Of the system's kilobytes; 0 where it does not say.
double megabytes_of(const char *field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind(field, 0) == 0)
            return std::strtod(line.c_str() + std::strlen(field), nullptr) / 1024;
    return 0;
}

}  // namespace

double cpu_seconds() { return cpu_seconds_of(RUSAGE_SELF); }
double cpu_seconds_of_children() { return cpu_seconds_of(RUSAGE_CHILDREN); }

double resident_megabytes() { return megabytes_of("VmRSS:"); }

double peak_megabytes() {
    if (const double counted = megabytes_of("VmHWM:"); counted > 0) return counted;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts in kilobytes
}

void begin_to_count_megabytes() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace cryolite::robustness
