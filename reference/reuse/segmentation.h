// Which Funcs are scheduled together: algorithms 7 and 8 of the thesis.
#pragma once

#include <map>
#include <vector>

#include "reference/reuse/tiling_analysis.h"

namespace cryolite::reuse {

// Algorithm 7: the members that end a segment of their own because more than one Func reads them
// (readers that are inlined anyway stand for their own readers).
std::vector<FuncId> read_more_than_once(const StageGraph &graph, const Segment &segment);

// A segment's parts when these members end one each; the one with its output first. Producers that
// nothing else reads go with them.
std::vector<Segment> split_at(const StageGraph &graph, const Segment &segment,
                              const std::vector<FuncId> &cut);

// Algorithm 8, with what it has analysed. A segment that fits is not split further. Otherwise each
// member in turn, sources first, is stored at root and ends a first part with all that only it
// reads; if that part fits, the rest is split in the same way. Of all configurations found this way
// the cheapest is taken. A part that does not fit rules out every longer one around it.
//
// The text counts stages of a chain; in a tree the first part is the subtree that ends at the
// member.
class Splitter {
public:
    Splitter(const StageGraph &graph, const CacheBudget &machine, const Options &options)
        : graph_(graph), machine_(machine), options_(options) {}

    // Never empty: a Func by itself always can be scheduled.
    std::vector<TiledSegment> split(const Segment &segment) { return best(segment).parts; }
    // Algorithm 6, remembered. Null if no tile fits.
    const TiledSegment *analyse(const Segment &segment);
    size_t num_analysed() const { return analysed_.size(); }

private:
    struct Configuration {
        std::vector<TiledSegment> parts;  // consumers first
        double total = 0;
    };
    using Key = std::vector<FuncId>;
    static Key key_of(const Segment &segment);
    const Configuration &best(const Segment &segment);
    Configuration search(const Segment &segment);
    bool add_parts(const std::vector<Segment> &parts, Configuration &to);

    const StageGraph &graph_;
    const CacheBudget &machine_;
    const Options &options_;
    std::map<Key, std::optional<TiledSegment>> analysed_;
    std::map<Key, Configuration> best_;
};

}  // namespace cryolite::reuse
