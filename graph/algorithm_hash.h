// What a pipeline computes, as one number: an emitted schedule carries it and refuses a pipeline
// whose algorithm is another. The hashing itself is in graph/algorithm_hash_source.h, which needs
// nothing but Halide.h and is pasted into emitted schedules as it stands.
//
// Hashed: each Func's arity, types, definitions (left side, right side, predicate) and RDoms, and
// extern calls. Funcs, inputs, parameters and variables are named by the order in which a walk from
// the outputs first meets them, so that no name matters but the structure does: a Func shared is
// not the same as a Func copied. Not hashed: schedules, wrappers (Func::in), estimates, the
// constraints of inputs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <Halide.h>

namespace cryolite {

uint64_t algorithm_hash(const std::vector<Halide::Internal::Function> &outputs);

// For each Func the hash of the pipeline of which it is the output: what it is, whatever its name.
// Twins (two Funcs that compute the same thing) share one.
std::vector<uint64_t> func_hashes(const std::vector<Halide::Internal::Function> &functions);

// The text of graph/algorithm_hash_source.h, defining `cryolite_schedule::algorithm_hash(outputs)`,
// to be pasted after `#include <Halide.h>` and the standard headers that it names.
std::string_view algorithm_hash_source();

}  // namespace cryolite
