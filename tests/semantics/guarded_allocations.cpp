#include "tests/semantics/guarded_allocations.h"

#include <cstdlib>
#include <cstring>

namespace cryolite {

namespace {

constexpr unsigned char red_zone_byte = 0x5a;
// What Halide's own allocator aligns to, and enough for the loads that it lets run past the end.
constexpr size_t alignment_bytes = 128;
// The first red zone also holds the size.
constexpr size_t red_zone_bytes = 256;

void *allocate(Halide::JITUserContext *, size_t size) {
    const size_t whole =
        (size + 2 * red_zone_bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    unsigned char *block = static_cast<unsigned char *>(std::aligned_alloc(alignment_bytes, whole));
    if (block == nullptr) return nullptr;
    std::memset(block, red_zone_byte, whole);
    std::memcpy(block, &size, sizeof size);
    return block + red_zone_bytes;
}

void release(Halide::JITUserContext *context, void *pointer) {
    if (pointer == nullptr) return;
    unsigned char *block = static_cast<unsigned char *>(pointer) - red_zone_bytes;
    size_t size = 0;
    std::memcpy(&size, block, sizeof size);
    bool intact = true;
    for (size_t i = sizeof size; i < red_zone_bytes; i++) {
        intact = intact && block[i] == red_zone_byte;
    }
    for (size_t i = 0; i < red_zone_bytes; i++) {
        intact = intact && block[red_zone_bytes + size + i] == red_zone_byte;
    }
    if (!intact) static_cast<GuardedAllocations *>(context)->damaged++;
    std::free(block);
}

}  // namespace

GuardedAllocations::GuardedAllocations() {
    handlers.custom_malloc = allocate;
    handlers.custom_free = release;
}

}  // namespace cryolite
