#include "tests/tensorcore/emulator/memories.h"

#include <cstring>

namespace cryolite::emulator {

namespace {

// As the driver aligns.
constexpr uint64_t kAllocationAlignment = 256;

}  // namespace

uint64_t GlobalMemory::allocate(size_t bytes) {
    Allocation allocation{std::make_unique<uint8_t[]>(bytes + kAllocationAlignment), bytes, {}, {}};
    // What was never written is no number.
    std::memset(allocation.storage.get(), 0xff, bytes + kAllocationAlignment);
    const uint64_t first = reinterpret_cast<uint64_t>(allocation.storage.get());
    const uint64_t address =
        (first + kAllocationAlignment - 1) / kAllocationAlignment * kAllocationAlignment;
    allocations_[address] = std::move(allocation);
    return address;
}

bool GlobalMemory::release(uint64_t address) { return allocations_.erase(address) == 1; }

bool GlobalMemory::holds(uint64_t address, size_t bytes) const {
    auto after = allocations_.upper_bound(address);
    if (after == allocations_.begin()) return false;
    const auto &[start, allocation] = *--after;
    return address + bytes <= start + allocation.bytes;
}

void GlobalMemory::store(uint64_t address, int bytes, int64_t thread, const uint8_t *from) {
    uint8_t *to = at(address, bytes);
    auto &[start, allocation] = *--allocations_.upper_bound(address);
    if (allocation.writers.empty()) {
        allocation.writers.assign(allocation.bytes, -1);
        allocation.launches.assign(allocation.bytes, -1);
    }
    for (int i = 0; i < bytes; i++) {
        const uint64_t b = address - start + static_cast<uint64_t>(i);
        if (allocation.launches[b] == launch_ && allocation.writers[b] != thread &&
            to[i] != from[i]) {
            throw EmulationError("two threads store to one place");
        }
        allocation.launches[b] = launch_;
        allocation.writers[b] = thread;
        to[i] = from[i];
    }
}

uint8_t *GlobalMemory::at(uint64_t address, int bytes) const {
    if (address % static_cast<uint64_t>(bytes) != 0)
        throw EmulationError("global access is not aligned");
    if (!holds(address, static_cast<size_t>(bytes)))
        throw EmulationError("global access is out of bounds");
    return reinterpret_cast<uint8_t *>(address);
}

SharedMemory::Cell &SharedMemory::cell(uint64_t address) {
    // Halide's ordinary kernels count from 0.
    if (address < cells_.size()) return cells_[address];
    if (address < kSharedWindow || address - kSharedWindow >= cells_.size()) {
        throw EmulationError("shared access is out of bounds");
    }
    return cells_[address - kSharedWindow];
}

void SharedMemory::check_alignment(uint64_t address, int bytes) const {
    if (address % static_cast<uint64_t>(bytes) != 0)
        throw EmulationError("shared access is not aligned");
}

void SharedMemory::read(uint64_t address, int bytes, int thread, uint8_t *to) {
    check_alignment(address, bytes);
    for (int i = 0; i < bytes; i++) {
        Cell &c = cell(address + static_cast<uint64_t>(i));
        if (c.copying_thread >= 0)
            throw EmulationError("shared memory is read before a copy has arrived");
        // Beside a boundary condition Halide's own kernels read such bytes, and a select drops them. What is not
        // dropped is no number.
        if (!c.is_written && address >= kSharedWindow)
            throw EmulationError("shared memory is read that nobody has written");
        if (c.write_epoch == epoch_ && c.writer != thread)
            throw EmulationError("race: read after write");
        if (c.read_epoch == epoch_ && c.reader != thread) {
            c.reader = kManyReaders;
        } else {
            c.reader = thread;
        }
        c.read_epoch = epoch_;
        to[i] = c.value;
    }
}

void SharedMemory::note_write(Cell &c, int thread) {
    if (c.write_epoch == epoch_ && c.writer != thread)
        throw EmulationError("race: write after write");
    if (c.read_epoch == epoch_ && c.reader != thread)
        throw EmulationError("race: write after read");
    c.writer = thread;
    c.write_epoch = epoch_;
}

void SharedMemory::write(uint64_t address, int bytes, int thread, const uint8_t *from) {
    check_alignment(address, bytes);
    for (int i = 0; i < bytes; i++) {
        Cell &c = cell(address + static_cast<uint64_t>(i));
        if (c.copying_thread >= 0) throw EmulationError("race: write into a copy on its way");
        note_write(c, thread);
        c.is_written = true;
        c.value = from[i];
    }
}

void SharedMemory::begin_copy(uint64_t address, int bytes, int thread) {
    check_alignment(address, bytes);
    for (int i = 0; i < bytes; i++) {
        Cell &c = cell(address + static_cast<uint64_t>(i));
        if (c.copying_thread >= 0)
            throw EmulationError("race: two copies on their way to one place");
        note_write(c, thread);
        c.copying_thread = thread;
    }
}

void SharedMemory::end_copy(uint64_t address, int bytes, int thread, const uint8_t *from) {
    for (int i = 0; i < bytes; i++) {
        Cell &c = cell(address + static_cast<uint64_t>(i));
        c.copying_thread = -1;
        c.writer = thread;
        c.write_epoch = epoch_;
        c.is_written = true;
        c.value = from[i];
    }
}

}  // namespace cryolite::emulator
