// The threads of a search, each with an Expander of its own: memos are not shared, so that nobody waits.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/in_parallel.h"
#include "search/beam/expand.h"

namespace cryolite {

class Workers {
public:
    using Make = std::function<std::unique_ptr<Expander>()>;

    // count: at least 1. make: an Expander without memos; called for each worker, and again by forget_memos().
    Workers(size_t count, Make make);

    size_t size() const { return expanders_.size(); }
    // For what is done on one thread.
    Expander &first() { return *expanders_[0]; }

    // See in_parallel() in base/.
    template <typename Work>
    void in_parallel(size_t count, Work work) {
        cryolite::in_parallel(std::span<const std::unique_ptr<Expander>>(expanders_), count, work);
    }

    // Work done so far, in Funcs priced (see Pace).
    uint64_t work() const;
    // What all have done so far.
    SearchStatistics statistics() const;

    // The result does not depend on memos.
    void forget_memos();

private:
    Make make_;
    std::vector<std::unique_ptr<Expander>> expanders_;
    SearchStatistics before_;  // by Expanders that are gone
};

}  // namespace cryolite
