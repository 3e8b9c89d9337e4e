// Lines of an input, or of another kernel's Func, that an earlier stage of the kernel has just brought in.
//
// Two stages in one loop read the same rows. The second finds them in a cache that holds all that one iteration of
// the loop touches.
#pragma once

#include "analytical/memory/line_reuse.h"
#include "base/small_vector.h"
#include "featurize/counts/kernel_work.h"

namespace cryolite {

class ReadBefore {
public:
    // All must outlive it. a: one of w's accesses.
    ReadBefore(const KernelWork &work, const StageWork &w, const Accesses &a);

    // The share of the lines of one run of stack loop p of w that are in the cache when w comes to them.
    double share(size_t p, const CacheRoom &room) const;

private:
    // An earlier stage that reads the same Func.
    struct Reader {
        const Accesses *accesses;
        size_t common;  // loops around both stages
        double lines;   // touched by one iteration of the innermost of them
    };

    const Accesses &accesses_;
    SmallVector<Reader, 4> readers_;
};

}  // namespace cryolite
