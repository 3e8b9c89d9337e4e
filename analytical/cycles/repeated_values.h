// What the elements of a tuple have in common. Halide writes the value of each element out, loads and all, and stores
// it before the next. LLVM finds that a load past such a store is the same as one before; but it asks what lies between
// for so many loads of a function only (earlycse-mssa-optimization-cap), and does the rest again. Of the solver of a
// guided filter in colour, whose four elements need the same 104 loads of a vector each, one vector takes 104 loads and
// two side by side take 430 to 750 in place of 208.
#pragma once

namespace cryolite {

// How often what a body loads and computes is done, if each of `elements` elements needs all of it. loads: load
// instructions of the body, those that several elements need counted once.
double repeats_of_values(double elements, double loads);

}  // namespace cryolite
