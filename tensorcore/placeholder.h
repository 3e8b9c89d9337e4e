// The calls that stand for tensor instructions between Halide's code and PTX.
//
// Halide's code generator knows no ldmatrix, mma.sync or cp.async. A tile kernel calls functions that do not exist
// instead; their names begin with kPlaceholderPrefix and the number of the kernel. After code generation, each call is
// replaced by instructions on named registers (patch_ptx.h). The registers hold the sums from call to call, so no call
// returns more than one value.
#pragma once

#include <string>

namespace cryolite::tensorcore {

inline constexpr const char *kPlaceholderPrefix = "cryolite_tc";

enum class Placeholder {
    Shared,  // () -> int32: where the shared memory begins
    Clear,   // (): sums = 0
    Copy,  // (int32 to, uint64 from, int32 bytes): 16 bytes to shared memory, of which `bytes` exist; rest 0
    Commit,  // (): ends a group of copies
    Wait,    // (): until all groups but the last stages - 2 have arrived
    Put,     // (int32 to, int32 x 4): 16 bytes from registers to shared memory
    Multiply,  // (int32 rows, int32 columns): sums += product of a chunk. Addresses of the lane's first row
    Sum,  // () -> float or int32: one sum; of f16 sums a pair. Its number follows the name
};

// number: of the sum.
std::string placeholder_name(Placeholder placeholder, int kernel, int number = 0);

}  // namespace cryolite::tensorcore
