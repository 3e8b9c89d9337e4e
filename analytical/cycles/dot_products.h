// What instructions make of sums of products whose neighbours are added up in a vector (action::Join).
#pragma once

#include "analytical/cycles/body_operations.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// How many products one instruction multiplies and adds to a sum; 1: the machine has no such instruction for these
// factors. Seen in the code of Halide 21: two products of words (pmaddwd), into which it converts bytes; four of
// unsigned by signed bytes (vpdpbusd); on Arm four of bytes of one sign (sdot, udot).
int dot_points(const Machine &machine, const DotProduct &dot);

// The operations of a body whose products an instruction adds up, in place of those of its copies, and the cycles of
// that instruction. operations: of the body, as if its copies were apart.
double take_dot_products(const Machine &machine, const DotProduct &dot, const InnerLoops &in,
                         int lanes, BodyOperations &operations);

}  // namespace cryolite
