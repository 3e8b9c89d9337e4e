// From a module of Halide's to an object file, by the settings that Halide itself would have used
// and wrote into the module: processor, features, position independence, fused operations.
#pragma once

#include <string>

#include "base/result.h"

namespace llvm {
class Module;
}

namespace cryolite::nontemporal {

enum class Emit { Object, Assembly };

// The bytes of the object file, or the assembly's text. The module is used up: its functions are
// lowered in place. An error if this LLVM cannot compile for the module's target.
Result<std::string> compile(llvm::Module &module, Emit emit);

}  // namespace cryolite::nontemporal
