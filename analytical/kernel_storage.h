// What a compiler knows of the memory of a kernel's Funcs.
#pragma once

#include <set>

#include "analytical/constant_sides.h"
#include "analytical/register_values.h"

namespace cryolite {

struct KernelStorage {
    KernelStorage() = default;  // of no kernel
    // work must outlive it.
    KernelStorage(const KernelWork &work, const Machine &machine)
        : in_registers(values_in_registers(work, machine)), sides(work) {}

    std::set<FuncId> in_registers;
    ConstantSides sides;
};

}  // namespace cryolite
