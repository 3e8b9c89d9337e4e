#include "tools/calibrate/walked_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace cryolite::calibrate {

WalkedMemory::WalkedMemory(int64_t bytes) : bytes_(bytes) {
    void *mapped = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char *>(mapped);
    std::memset(begin_, 0, static_cast<size_t>(bytes));
}

WalkedMemory::~WalkedMemory() { munmap(begin_, static_cast<size_t>(bytes_)); }

int64_t spare_memory_bytes() {
    const int64_t pages = sysconf(_SC_AVPHYS_PAGES);
    return pages > 0 ? pages * sysconf(_SC_PAGESIZE) / 2 : int64_t{256} << 20;
}

}  // namespace cryolite::calibrate
