// Which lines of one Func stay in a cache while a stage uses it. A cache here replaces the least recently used line.
//
// - A stage touches lines in one iteration of a loop. They stay for the next iteration if everything fits that is
//   touched in between.
// - Between two uses lies what one iteration of the loop touches. If loops inside only repeat the same points, less
//   lies between: what one iteration of these loops touches.
// - So each Func that a stage reads or writes has an outermost loop across whose iterations its lines stay. Every run
//   of that loop brings the lines in once. Near the limits of a cache only a share of the lines stays.
// - Storage inside a loop is the same memory in every iteration.
// `./dev bench cachemisses` holds this against cachegrind's counts.
#pragma once

#include "base/small_vector.h"
#include "featurize/counts/cache_sets.h"
#include "featurize/counts/kernel_work.h"

namespace cryolite {

// The part of a cache that one core has for itself.
struct CacheRoom {
    size_t cache = 0;  // index into Machine::caches
    double ways = 1, sets = 1;
    int64_t way_bytes = 64;  // rows so far apart start in the same set
    // Lines are spread evenly: a shared last level hashes addresses.
    bool hashed = false;
    // A way has more bytes than a page of memory, so that which sets a page lies in is left to chance (cache_sets.h).
    bool scattered = false;

    // The share of lines that stay while a cache is filled to this share of it, over and over, from pages that lie
    // anywhere. Some sets get more lines than they have ways long before the cache is full, and others have room left
    // when it is. The share falls around a full cache, faster the more ways there are: the spread of a set's lines is
    // the root of their number. Bandwidths of a 2 MB cache with 16 ways (Granite Rapids, pages of 4 KB) say that of
    // 1.25, 1.5, 1.75, 2, 2.25, 2.5 and 3 MB that are read over and over 1, 3, 26, 55, 70, 80 and 95 % are missed; here
    // it is 2, 9, 26, 50, 72, 86 and 96.
    double kept_of_pages(double filled) const;

    // The share of a Func's lines that stays while `others` more lines are touched. `together` of the Func's lines lie
    // in each set. The others spread evenly over all sets, and a line stays as long as its set has room; where pages
    // are scattered, as kept_of_pages() says of all of them.
    double kept_beside(double together, double others) const;
};

class LineReuse {
public:
    // All must outlive it. a: one of w's accesses.
    LineReuse(const KernelWork &work, const StageWork &w, const Accesses &a, int line_bytes,
              SetLoadsMemo &set_loads);

    // Lines touched in one run of stack loop p; [n] in one iteration of the innermost loop. Storage inside the loop
    // counts once.
    double lines(size_t p) const { return lines_[p]; }
    // [p]: the share of the lines that each run of stack loop p brings in once, and no run further out does; [n] the
    // share that each iteration of the innermost loop does. They add up to 1. A count of every run of loop p that is
    // summed with these weights is the count of all that crosses into the cache.
    using Weights = SmallVector<double, 13>;
    Weights brought_in(const CacheRoom &room) const;

private:
    double kept(size_t p, const CacheRoom &room) const;
    double kept_of(const Touched &t, double others, const CacheRoom &room) const;

    const KernelWork &work_;
    const StageWork &w_;
    const Accesses &accesses_;
    SetLoadsMemo &set_loads_;
    SmallVector<double, 13> lines_;
    // [p]: the innermost loop that touches, in one iteration, all that one iteration of loop p touches. The loops
    // between the two only repeat it.
    SmallVector<size_t, 12> inner_;
};

// Lines of a Func at root that an earlier stage has left in the cache for this stage.
double left_before(const KernelWork &work, const StageWork &w, const Accesses &a,
                   const CacheRoom &room);

}  // namespace cryolite
