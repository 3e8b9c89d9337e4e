#include "autotune/other_load.h"

#include <algorithm>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#endif

namespace cryolite {
namespace {

#ifdef __linux__

double seconds_of(const timeval &t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

double ticks_per_second() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

double seconds_used(int who) {
    rusage use{};
    getrusage(who, &use);
    return seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
}

// Its own and that of the children that it has reaped.
double seconds_used_by(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const size_t end_of_name = text.rfind(')');
    uint64_t user = 0, system = 0, of_children = 0, system_of_children = 0;
    if (end_of_name == text.npos ||
        std::sscanf(text.c_str() + end_of_name + 1,
                    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &user, &system,
                    &of_children, &system_of_children) != 4)
        return 0;
    return static_cast<double>(user + system + of_children + system_of_children) /
           ticks_per_second();
}

std::optional<double> busy_seconds() {
    std::ifstream file("/proc/stat");
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0,
           stolen = 0;
    if (!(file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft >>
          stolen) ||
        name != "cpu")
        return std::nullopt;
    return (user + nice + system + interrupts + soft + stolen) / ticks_per_second();
}

#endif

}  // namespace

std::optional<OtherLoad::Use> OtherLoad::use(std::span<const int> ours) {
#ifdef __linux__
    const std::optional<double> busy = busy_seconds();
    if (!busy) return std::nullopt;
    Use now{*busy, seconds_used(RUSAGE_SELF) + seconds_used(RUSAGE_CHILDREN)};
    for (const pid_t pid : ours) now.our_seconds += seconds_used_by(pid);
    return now;
#else
    (void)ours;
    return std::nullopt;
#endif
}

OtherLoad::OtherLoad(std::span<const int> ours) : use_(use(ours)) {}

std::optional<double> OtherLoad::cores(std::span<const int> ours) const {
    const std::optional<Use> now = use(ours);
    const double passed = start_.seconds();
    if (!use_ || !now || passed <= 0) return std::nullopt;
    const double others =
        now->busy_seconds - use_->busy_seconds - (now->our_seconds - use_->our_seconds);
    return std::max(0.0, others / passed);
}

}  // namespace cryolite
