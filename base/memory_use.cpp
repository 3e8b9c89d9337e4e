#include "base/memory_use.h"

#include <string>

#ifdef __linux__
#include <unistd.h>

#include <fstream>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace cryolite {

namespace {

// who: a process as /proc names it.
std::optional<int64_t> resident(const std::string &who) {
#ifdef __linux__
    std::ifstream file("/proc/" + who + "/statm");
    int64_t total_pages = 0, resident_pages = 0;
    if (file >> total_pages >> resident_pages) return resident_pages * sysconf(_SC_PAGESIZE);
#else
    (void)who;
#endif
    return std::nullopt;
}

}  // namespace

std::optional<int64_t> resident_bytes() { return resident("self"); }

std::optional<int64_t> resident_bytes_of(int pid) { return resident(std::to_string(pid)); }

void return_free_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace cryolite
