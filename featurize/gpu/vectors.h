// Vectors on a GPU: loads or stores of neighbours, by the copies of an unrolled loop, that are one instruction.
//
// LLVM joins them where it knows that the vector is aligned. It knows this of shared memory, where the storage and its
// strides are constants. It does not know this of inputs, whose buffers may begin anywhere.
#pragma once

#include "featurize/gpu/mapping.h"

namespace cryolite {

// Sets GpuAccess::joined of all accesses to shared memory that become vectors. Seen in the PTX of Halide 21: copies
// under guards are never joined, so that the caller asks for it only where the kernel has none. A load with several
// offsets is left alone.
void join_neighbours(GpuMapping &mapping);

// The access as its vectors, as a mapping that has it alone: elements are vectors, and the joined loop has as many
// iterations as there are vectors.
GpuMapping of_vectors(const GpuMapping &mapping, const GpuAccess &access);

}  // namespace cryolite
