#include "code/kernel/heap_extent.h"

#include <algorithm>
#include <vector>

namespace cryolite {

double heap_extent(std::span<const HeapBlock> blocks) {
    struct Placed {
        double from, to;
        size_t end;
    };
    std::vector<Placed> placed;  // by address
    double most = 0;
    for (const HeapBlock &block : blocks) {
        std::erase_if(placed, [&](const Placed &p) { return p.end <= block.begin; });
        double from = 0;
        auto next = placed.begin();
        while (next != placed.end() && next->from - from < block.bytes) from = next++->to;
        placed.insert(next, {from, from + block.bytes, block.end});
        most = std::max(most, from + block.bytes);
    }
    return most;
}

}  // namespace cryolite
