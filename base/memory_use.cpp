#include "base/memory_use.h"

#ifdef __linux__
#include <unistd.h>

#include <fstream>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace cryolite {

std::optional<int64_t> resident_bytes() {
#ifdef __linux__
    std::ifstream file("/proc/self/statm");
    int64_t total_pages = 0, resident_pages = 0;
    if (file >> total_pages >> resident_pages) return resident_pages * sysconf(_SC_PAGESIZE);
#endif
    return std::nullopt;
}

void return_free_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace cryolite
