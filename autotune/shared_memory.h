// Memory that this process and its copies share.
#pragma once

#include <cstddef>
#include <span>

namespace cryolite {

class SharedMemory {
public:
    // Throws std::bad_alloc.
    explicit SharedMemory(size_t bytes);
    ~SharedMemory();
    SharedMemory(const SharedMemory &) = delete;
    SharedMemory &operator=(const SharedMemory &) = delete;

    std::span<std::byte> bytes() const { return {memory_, size_}; }

private:
    std::byte *memory_ = nullptr;
    size_t size_ = 0;
};

}  // namespace cryolite
