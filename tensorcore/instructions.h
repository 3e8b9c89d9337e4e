// The PTX of each placeholder, for one shape of kernel.
#pragma once

#include <string>
#include <vector>

#include "schedule/kernel_shape.h"

namespace cryolite::tensorcore {

// The symbol of shared memory. Declared once in a module.
inline constexpr const char *kSharedSymbol = "cryolite_tc_memory";
std::string shared_declaration();

// The registers that a kernel's instructions name, declared where its body begins.
std::string register_declarations(const KernelShape &shape);

// What stands between a kernel's parameters and its body. Without it Halide's runtime would cap the registers of a
// thread at 64, and ptxas would choose a number of blocks per SM by itself, for which it spills. Large blocks that copy
// units are asked to fit twice, which they do without spilling.
std::string launch_bounds(const KernelShape &shape, bool gathers);

// The instructions of a placeholder. what: its name behind the kernel's number ("multiply", "sum12").
// arguments: registers or constants, as the call passes them. result: the register that receives the value; empty if
// nobody reads it. Empty if there is no such placeholder or the arguments do not fit.
std::string instructions(const KernelShape &shape, const std::string &what,
                         const std::vector<std::string> &arguments, const std::string &result);

}  // namespace cryolite::tensorcore
