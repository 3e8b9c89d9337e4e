// Memory that kernels walk through: mapped for this alone, every page touched, so that no sample
// pays for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace cryolite::calibrate {

class WalkedMemory {
public:
    // Throws std::bad_alloc.
    explicit WalkedMemory(int64_t bytes);
    ~WalkedMemory();
    WalkedMemory(const WalkedMemory &) = delete;
    WalkedMemory &operator=(const WalkedMemory &) = delete;

    char *begin() const { return begin_; }  // aligned to a page
    int64_t bytes() const { return bytes_; }

private:
    char *begin_;
    int64_t bytes_;
};

// Bytes that may be walked through without pushing anything else out of memory.
int64_t spare_memory_bytes();

}  // namespace cryolite::calibrate
