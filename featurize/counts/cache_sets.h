// Where the lines of a box lie in a cache that finds them by their address.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/small_vector.h"
#include "featurize/counts/layout.h"
#include "machine/machine.h"

namespace cryolite {

// A box as rows of memory. A row leaves out no line. All in bytes.
struct MemoryRows {
    struct Step {
        int64_t count = 1, bytes = 0;  // number of rows, distance between them
        bool operator==(const Step &) const = default;
    };
    int64_t length = 0;  // from a row's first byte to its last
    int64_t first_byte = 0;
    SmallVector<Step, 4> steps;

    int64_t count() const;
    bool operator==(const MemoryRows &) const = default;
};

// stored: the region that the Func's storage holds.
MemoryRows rows_of(const Layout &layout, const Box &box, const Box &stored, int line);

// How lines share the sets of a cache. [n]: the share of all lines that lie in a set with n lines. [ways + 1]: the
// share of the lines that lie in a set with more lines than it can hold.
using SetLoads = std::vector<double>;

int64_t sets_of(const CacheLevel &cache);

// The set loads of rows, from their addresses. Rows that are a multiple of a large power of two apart, or nearly so,
// meet in a few sets.
// Where one way has more bytes than a page, an address says only where in its page a line lies. The page of memory
// behind it may be any (Kessler and Hill, "Page placement algorithms for large real-indexed caches", 1992). So each
// page counts as drawn, and the set loads are those on average. A Zen 3, which hashes the upper bits, scatters the
// lines of huge pages alike. Rows without a gap between them spread evenly.
SetLoads set_loads(const MemoryRows &rows, const CacheLevel &cache, int64_t page_bytes);
// The set loads of so many lines, spread evenly over all sets.
SetLoads even_loads(double lines, const CacheLevel &cache);

// Remembers set loads: the states of a search ask about the same rows again and again. Bounded; not for several threads
// at once.
class SetLoadsMemo {
public:
    explicit SetLoadsMemo(const Machine &machine) : machine_(machine) {}
    // As set_loads(rows, machine.caches[cache], machine.page_bytes). Valid until the next call.
    const SetLoads &operator()(const MemoryRows &rows, size_t cache);

private:
    struct Key {
        MemoryRows rows;
        size_t cache;
        bool operator==(const Key &) const = default;
    };
    struct KeyHash {
        size_t operator()(const Key &key) const;
    };
    const Machine &machine_;
    std::unordered_map<Key, SetLoads, KeyHash> known_;
};

}  // namespace cryolite
