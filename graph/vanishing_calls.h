// Halide simplifies the definitions of a Func that is specialised. Where a call of another Func
// vanishes so, a select whose condition is always true, say, lowering loses track of that Func and
// crashes where another Func needs what it reads (seen with 21): such a Func must not be specialised.
#pragma once

#include <Halide.h>

namespace cryolite {

// Whether simplifying the pure definition of `function` drops all calls of some Func.
bool calls_vanish(const Halide::Internal::Function &function);

}  // namespace cryolite
