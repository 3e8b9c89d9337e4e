// What the compiler knows of the memory of a kernel's Funcs.
#pragma once

#include <set>

#include "code/kernel/constant_sides.h"
#include "code/kernel/register_values.h"

namespace cryolite {

struct KernelStorage {
    // code must outlive it.
    KernelStorage(const KernelCode &code, const Machine &machine)
        : in_registers(values_in_registers(code, machine)), sides(code) {}

    std::set<FuncId> in_registers;
    ConstantSides sides;
};

}  // namespace cryolite
