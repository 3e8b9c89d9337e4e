// What memory this process holds, as far as the system says.
#pragma once

#include <cstdint>
#include <optional>

namespace cryolite {

// Bytes of memory that are in use by this process. Nothing where the system does not say (all but Linux).
std::optional<int64_t> resident_bytes();

// The same of another process. Nothing where it has ended, too.
std::optional<int64_t> resident_bytes_of(int pid);

// Gives free memory back to the system, where the allocator can (glibc). Costs milliseconds.
void return_free_memory();

}  // namespace cryolite
