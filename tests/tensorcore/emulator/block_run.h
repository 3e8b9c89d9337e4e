// Runs one block of a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tests/tensorcore/emulator/memories.h"
#include "tests/tensorcore/emulator/ptx_program.h"

namespace cryolite::emulator {

using Indices = std::array<int, 3>;

struct Launch {
    const Entry *entry = nullptr;
    Indices grid{1, 1, 1}, block{1, 1, 1};
    int shared_bytes = 0;
    std::span<const uint8_t> parameters;
};

// Throws EmulationError at anything that a device might not forgive: accesses out of bounds or not aligned, races,
// warps that are not together at an instruction that needs all lanes, threads that miss a barrier.
void run_block(const Launch &launch, const Indices &block, GlobalMemory &memory);

}  // namespace cryolite::emulator
