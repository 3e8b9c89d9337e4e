// The memories of the emulated device, with everything checked that a device does not check.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/tensorcore/emulator/ptx_program.h"

namespace cryolite::emulator {

// Global memory: allocations of the host, so that their addresses are the device's.
class GlobalMemory {
public:
    uint64_t allocate(size_t bytes);
    bool release(uint64_t address);
    // Throws where the bytes do not lie in one allocation, or not at a multiple of their number.
    uint8_t *at(uint64_t address, int bytes) const;
    // Throws where another thread of this launch has stored another value.
    void store(uint64_t address, int bytes, int64_t thread, const uint8_t *from);
    void next_launch() { launch_++; }
    // Whether a copy of the host stays in one allocation.
    bool holds(uint64_t address, size_t bytes) const;

private:
    struct Allocation {
        std::unique_ptr<uint8_t[]> storage;
        size_t bytes = 0;
        std::vector<int64_t> writers, launches;  // of each byte; empty before the first store
    };
    std::map<uint64_t, Allocation> allocations_;
    int64_t launch_ = 0;
};

// Shared memory of one block. An epoch is the time between two barriers. Two threads race if they touch a byte in one
// epoch and one of them writes.
class SharedMemory {
public:
    explicit SharedMemory(int bytes) : cells_(static_cast<size_t>(bytes)) {}

    void read(uint64_t address, int bytes, int thread, uint8_t *to);
    void write(uint64_t address, int bytes, int thread, const uint8_t *from);
    // A copy in the background: the bytes arrive at the end. Nobody may touch them before.
    void begin_copy(uint64_t address, int bytes, int thread);
    void end_copy(uint64_t address, int bytes, int thread, const uint8_t *from);
    void next_epoch() { epoch_++; }

private:
    struct Cell {
        uint8_t value = 0xff;
        bool is_written = false;
        int copying_thread = -1;
        int writer = -1, write_epoch = -1;
        int reader = -1, read_epoch = -1;  // kManyReaders: several
    };
    static constexpr int kManyReaders = -2;
    Cell &cell(uint64_t address);
    void check_alignment(uint64_t address, int bytes) const;
    void note_write(Cell &cell, int thread);

    std::vector<Cell> cells_;
    int epoch_ = 0;
};

}  // namespace cryolite::emulator
