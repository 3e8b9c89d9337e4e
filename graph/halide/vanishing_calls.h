// Funcs that must not be specialised. Halide simplifies the definitions of a specialised Func. A call may vanish by
// that, for example in a select whose condition is always true. Lowering then loses track of the called Func, and
// crashes where another Func needs what that one reads (seen with 21).
#pragma once

#include <Halide.h>

namespace cryolite {

// Whether simplifying the pure definition of `function` drops all calls of some Func.
bool calls_vanish(const Halide::Internal::Function &function);

}  // namespace cryolite
