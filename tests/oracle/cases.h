// One case of the oracle: a random graph, a random trace, all checks.
#pragma once

#include <cstdint>
#include <string>

namespace cryolite::oracle {

// Empty if nothing disagrees; else the findings, the graph and the shortest trace found that still
// shows one, as text. The same seed makes the same case.
std::string run_case(uint64_t seed);
// The same graph with a trace that maps loops to a GPU.
std::string run_kernel_case(uint64_t seed);

}  // namespace cryolite::oracle
