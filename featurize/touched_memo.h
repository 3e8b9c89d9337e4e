// Remembers what stages touch. The kernels that a search asks about mostly differ in one Func: the other stages then
// touch what they touched in the kernel before.
#pragma once

#include <memory>
#include <unordered_map>

#include "featurize/stage_work.h"

namespace cryolite {

// Bounded; not for several threads at once.
class TouchedMemo {
public:
    // All that the counts of a stage depend on.
    class Key {
    public:
        // body: of the stage. It must not go before forget().
        Key(const ExpandedStage *body, uint64_t nest_hash, StageId stage);
        void add(int64_t number) { numbers_.push_back(number); }
        void add(const Box &box);
        bool operator==(const Key &) const = default;

    private:
        friend class TouchedMemo;
        uint64_t hash() const;
        SmallVector<int64_t, 128> numbers_;
    };

    // most_bytes: about how much it may hold. A fuller memo is emptied, which costs time and changes no result.
    explicit TouchedMemo(int64_t most_bytes) : most_bytes_(most_bytes) {}

    // The counts by the key: those that are known, or else what `make` returns.
    template <typename Make>
    std::shared_ptr<const TouchedByStage> find_or_make(const Key &key, Make make) {
        const uint64_t hash = key.hash();
        if (auto found = find(key, hash)) return found;
        auto made = std::make_shared<const TouchedByStage>(make());
        keep(key, hash, made);
        return made;
    }

    int64_t bytes() const { return bytes_; }
    void forget();

private:
    struct Entry {
        std::vector<int64_t> key;  // the full key, compared on a hit
        std::shared_ptr<const TouchedByStage> touched;
    };
    std::shared_ptr<const TouchedByStage> find(const Key &key, uint64_t hash) const;
    void keep(const Key &key, uint64_t hash, std::shared_ptr<const TouchedByStage> touched);

    const int64_t most_bytes_;
    int64_t bytes_ = 0;
    std::unordered_multimap<uint64_t, Entry> entries_;
};

}  // namespace cryolite
