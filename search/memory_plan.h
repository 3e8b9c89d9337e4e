// How the search keeps to a limit of memory. A third is for memos, which are forgotten past it; that costs
// time alone. A third is for the children of a step: where all of them would not fit, the worst go early,
// and at last the beam gets narrower. What counts there is what the states hold, not what the process does:
// the same states go on whatever the number of threads. The last third is what is not counted: what the
// allocator cannot use again, and what lives for one state only. Should it not suffice, memos go early.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "search/beam.h"
#include "search/pace.h"

namespace cryolite {

// What a state holds that none of its siblings does: its list of Funcs, and the one that was decided last.
inline int64_t own_bytes(const LoopNest &nest, FuncId last) {
    constexpr size_t bookkeeping = 16;  // of each block that is asked of the allocator
    const FuncNest &placed = nest.at(last);
    constexpr size_t room = 2;  // vectors of states grow by doubling
    size_t bytes = room * sizeof(BeamState) + bookkeeping +
                   nest.graph().funcs().size() * sizeof(std::shared_ptr<const FuncNest>);
    bytes += sizeof(FuncNest) + 2 * bookkeeping + placed.storage_order.size() * sizeof(int);
    bytes += bookkeeping + placed.stages.size() * sizeof(StageNest);
    for (const StageNest &s : placed.stages)
        if (s.loops.size() > 8) bytes += bookkeeping + 2 * s.loops.size() * sizeof(LoopLevel);
    return static_cast<int64_t>(bytes);
}

// What the children of a state hold together: what they are costed by.
inline int64_t shared_bytes(const CostedNest &parent) {
    const size_t funcs = parent.nest.graph().funcs().size();
    return static_cast<int64_t>(sizeof(CostedNest) +
                                funcs * sizeof(std::shared_ptr<const FuncNest>) +
                                parent.kernels.capacity() * sizeof(KernelCosts) +
                                parent.seconds_before.capacity() * sizeof(double));
}

class MemoryPlan {
public:
    // resident_bytes: of the process, where the system says it.
    MemoryPlan(int64_t limit_bytes, std::optional<int64_t> resident_bytes)
        : limit_bytes_(limit_bytes),
          memo_bytes_(limit_bytes / 3),
          children_bytes_(limit_bytes / 3),
          start_bytes_(resident_bytes),
          grown_to_bytes_(static_cast<int64_t>(nearly * static_cast<double>(limit_bytes))) {}

    // Of each worker.
    int64_t memo_bytes(size_t workers) const {
        return memo_bytes_ / static_cast<int64_t>(std::max<size_t>(1, workers));
    }

    // Begins a step: its states have about as many children each as those of the step before.
    void begin_step() {
        held_bytes_ = held_ = 0;
        most_of_one_ = std::max(most_of_one_ / 2, latest_most_of_one_);
        latest_most_of_one_ = 0;
    }

    // How many of `left` states are expanded before their children are counted.
    size_t states_at_once(size_t left) const {
        if (most_of_one_ == 0) return std::min<size_t>(left, 1);
        const int64_t room = std::max<int64_t>(0, children_bytes_ - held_bytes_);
        return std::clamp<size_t>(static_cast<size_t>(room / most_of_one_), 1, left);
    }

    // Of one state: `count` children in so many bytes.
    void add(size_t count, int64_t bytes) {
        held_ += static_cast<int64_t>(count);
        held_bytes_ += bytes;
        latest_most_of_one_ = std::max(latest_most_of_one_, bytes);
        most_of_one_ = std::max(most_of_one_, bytes);
    }

    // Whether those of another state may not fit.
    bool is_full() const { return held_bytes_ + most_of_one_ > children_bytes_; }

    // How many of the children are kept when they are thinned out: half of what fits, so that it is not
    // done again at once.
    size_t kept_when_full() const { return share(2); }
    void thinned_to(size_t kept) {
        held_bytes_ = static_cast<int64_t>(kept) * bytes_of_one();
        held_ = static_cast<int64_t>(kept);
    }

    // How many go on at most: they stay while their own children are made.
    size_t widest_beam() const { return share(4); }

    // Whether the process, now of this size, has grown to nearly the limit.
    bool is_beyond(std::optional<int64_t> resident_bytes) const {
        return start_bytes_ && resident_bytes && *resident_bytes - *start_bytes_ > grown_to_bytes_;
    }
    // Memos have gone, and left the process with so much: they may grow again by half of their third.
    void have_forgotten(std::optional<int64_t> resident_bytes) {
        if (start_bytes_ && resident_bytes)
            grown_to_bytes_ =
                std::max(grown_to_bytes_, *resident_bytes - *start_bytes_ + limit_bytes_ / 6);
    }

private:
    static constexpr double nearly = 0.9;

    int64_t bytes_of_one() const {
        return std::max<int64_t>(1, held_bytes_ / std::max<int64_t>(1, held_));
    }
    size_t share(int64_t parts) const {
        return static_cast<size_t>(
            std::max<int64_t>(Pace::narrowest_beam, children_bytes_ / parts / bytes_of_one()));
    }

    const int64_t limit_bytes_, memo_bytes_, children_bytes_;
    const std::optional<int64_t> start_bytes_;
    int64_t grown_to_bytes_;  // at which memos go
    int64_t held_ = 0, held_bytes_ = 0;
    int64_t most_of_one_ = 0, latest_most_of_one_ = 0;  // bytes of the children of one state
};

}  // namespace cryolite
