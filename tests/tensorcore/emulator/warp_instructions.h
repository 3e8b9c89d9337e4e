// Instructions that a whole warp executes at once, with the fragments' layouts of the PTX manual.
#pragma once

#include <cstdint>
#include <span>

#include "tests/tensorcore/emulator/memories.h"
#include "tests/tensorcore/emulator/ptx_program.h"

namespace cryolite::emulator {

struct LaneRegisters {
    int thread = 0;
    uint64_t *registers = nullptr;
};

void run_mma(const Instruction &instruction, std::span<const LaneRegisters> lanes);
void run_ldmatrix(const Instruction &instruction, std::span<const LaneRegisters> lanes,
                  SharedMemory &shared);

}  // namespace cryolite::emulator
