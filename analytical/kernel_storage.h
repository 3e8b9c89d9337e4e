// What a compiler knows of the memory of a kernel's Funcs.
#pragma once

#include <set>

#include "analytical/constant_sides.h"
#include "analytical/register_values.h"

namespace cryolite {

struct KernelStorage {
    std::set<FuncId> in_registers;
    ConstantSides constant_sides;
};

inline KernelStorage kernel_storage(const KernelWork &work, const Machine &machine) {
    return {values_in_registers(work, machine), constant_sides(work)};
}

}  // namespace cryolite
