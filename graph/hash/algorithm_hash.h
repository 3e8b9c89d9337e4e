// What a pipeline computes, as one number. An emitted schedule carries it and refuses a pipeline with another
// algorithm. graph/hash/algorithm_hash_source.h does the hashing. It needs only Halide.h and the standard library, and
// is pasted into emitted schedules unchanged.
//
// Hashed: each Func's arity, types, definitions (left side, right side, predicate) and RDoms, and extern calls.
// A walk from the outputs numbers Funcs, inputs, parameters and variables in the order in which it meets them.
// So names do not matter, but structure does: a shared Func hashes otherwise than two copies of it.
// Not hashed: schedules, wrappers (Func::in), estimates, the constraints of inputs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <Halide.h>

namespace cryolite {

uint64_t algorithm_hash(const std::vector<Halide::Internal::Function> &outputs);

// For each Func the hash of the pipeline that has it as its output. It identifies the Func whatever its name;
// two Funcs that compute the same have the same hash. 0 for an undefined handle.
std::vector<uint64_t> func_hashes(const std::vector<Halide::Internal::Function> &functions);

// The text of graph/hash/algorithm_hash_source.h, defining `cryolite_schedule::algorithm_hash(outputs)`,
// to be pasted into an emitted schedule.
std::string_view algorithm_hash_source();

}  // namespace cryolite
