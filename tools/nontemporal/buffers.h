// Which buffer of the pipeline an instruction reads or writes. Halide hangs that on every load and
// store, for LLVM's alias analysis: a tree of TBAA nodes under the root "Halide buffer", whose
// children are the buffers by name and whose deeper nodes are constant ranges of one buffer.
#pragma once

#include <string_view>

namespace llvm {
class Instruction;
}

namespace cryolite::nontemporal {

// The buffer's name, which lives as long as the module; empty where the instruction touches no
// buffer, or where LLVM joined accesses to several into one.
std::string_view buffer_of(const llvm::Instruction &instruction);

}  // namespace cryolite::nontemporal
