// How the search keeps to its memory limit, in thirds:
// - Memos. Past their third they are forgotten, which only costs time.
// - The children of a step. If they do not all fit, the worst are dropped early; in the end the beam gets
//   narrower. This third counts the bytes of states, not of the process: the same states go on whatever the
//   number of threads.
// - What is not counted: memory that the allocator cannot reuse, and what lives for one state only. If this
//   third does not suffice, memos are forgotten early.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "search/beam/beam.h"
#include "search/pace.h"

namespace cryolite {

// Bytes that a state shares with no sibling: its list of Funcs, and the FuncNest that was decided last.
inline int64_t own_bytes(const LoopNest &nest, FuncId last) {
    constexpr size_t bookkeeping = 16;  // bytes that the allocator adds to each block
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

// Bytes that the children of a state share: the costs of their parent.
inline int64_t shared_bytes(const CostedNest &parent) {
    const size_t funcs = parent.nest.graph().funcs().size();
    return static_cast<int64_t>(sizeof(CostedNest) +
                                funcs * sizeof(std::shared_ptr<const FuncNest>) +
                                parent.kernels.capacity() * sizeof(KernelCosts) +
                                parent.seconds_before.capacity() * sizeof(double));
}

class MemoryPlan {
public:
    // resident_bytes: the process's size, if the system tells it.
    MemoryPlan(int64_t limit_bytes, std::optional<int64_t> resident_bytes)
        : limit_bytes_(limit_bytes),
          memo_bytes_(limit_bytes / 3),
          children_bytes_(limit_bytes / 3),
          start_bytes_(resident_bytes),
          grown_to_bytes_(static_cast<int64_t>(nearly * static_cast<double>(limit_bytes))) {}

    // Memo bytes of each worker.
    int64_t memo_bytes(size_t workers) const {
        return memo_bytes_ / static_cast<int64_t>(std::max<size_t>(1, workers));
    }

    // Begins a step. Its states are expected to have about as many children as those of the step before.
    void begin_step() {
        held_bytes_ = held_ = 0;
        most_of_one_ = std::max(most_of_one_ / 2, latest_most_of_one_);
        latest_most_of_one_ = 0;
    }

    // How many of `left` states may be expanded before their children are counted.
    size_t states_at_once(size_t left) const {
        if (most_of_one_ == 0) return std::min<size_t>(left, 1);
        const int64_t room = std::max<int64_t>(0, children_bytes_ - held_bytes_);
        return std::clamp<size_t>(static_cast<size_t>(room / most_of_one_), 1, left);
    }

    // Counts the children of one state: `count` of them, in this many bytes.
    void add(size_t count, int64_t bytes) {
        held_ += static_cast<int64_t>(count);
        held_bytes_ += bytes;
        latest_most_of_one_ = std::max(latest_most_of_one_, bytes);
        most_of_one_ = std::max(most_of_one_, bytes);
    }

    // Whether the children of another state may not fit.
    bool is_full() const { return held_bytes_ + most_of_one_ > children_bytes_; }

    // How many children are kept when they are thinned out. It is half of what fits, so that the next state
    // does not force another thinning.
    size_t kept_when_full() const { return share(2); }
    void thinned_to(size_t kept) {
        held_bytes_ = static_cast<int64_t>(kept) * bytes_of_one();
        held_ = static_cast<int64_t>(kept);
    }

    // How many states go on at most. They stay in memory while their own children are made.
    size_t widest_beam() const { return share(4); }

    // Whether a process of this size has grown nearly to the limit.
    bool is_near_limit(std::optional<int64_t> resident_bytes) const {
        return start_bytes_ && resident_bytes && *resident_bytes - *start_bytes_ > grown_to_bytes_;
    }
    // All memos are forgotten, which leaves the process at this size. They may grow again by half of their
    // third before is_near_limit().
    void note_memos_forgotten(std::optional<int64_t> resident_bytes) {
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
    int64_t grown_to_bytes_;  // growth at which memos are forgotten
    int64_t held_ = 0, held_bytes_ = 0;
    int64_t most_of_one_ = 0, latest_most_of_one_ = 0;  // bytes of one state's children
};

}  // namespace cryolite
