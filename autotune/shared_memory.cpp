#include "autotune/shared_memory.h"

#ifdef _WIN32

#include <new>

// There are no copies of processes that could share it.
namespace cryolite {
SharedMemory::SharedMemory(size_t bytes) : memory_(new std::byte[bytes]), size_(bytes) {}
SharedMemory::~SharedMemory() { delete[] memory_; }
}  // namespace cryolite

#else

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace cryolite {

SharedMemory::SharedMemory(size_t bytes) : size_(bytes) {
    void *const memory = mmap(nullptr, std::max<size_t>(1, bytes), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte *>(memory);
}

SharedMemory::~SharedMemory() { munmap(memory_, std::max<size_t>(1, size_)); }

}  // namespace cryolite

#endif
