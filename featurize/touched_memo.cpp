#include "featurize/touched_memo.h"

#include <algorithm>

#include "base/hash.h"

namespace cryolite {
namespace {

// About how many bytes the counts hold on the heap.
int64_t bytes_of(const TouchedByStage &touched) {
    size_t bytes = sizeof touched + touched.rows.capacity() * sizeof(PlacedRows);
    for (const Accesses &a : touched.reads) bytes += sizeof a + a.reach.capacity() * sizeof(Reach);
    return static_cast<int64_t>(bytes);
}

}  // namespace

TouchedMemo::Key::Key(const ExpandedStage *body, uint64_t nest_hash, StageId stage) {
    add(static_cast<int64_t>(reinterpret_cast<uintptr_t>(body)));
    add(static_cast<int64_t>(nest_hash));
    add(stage.value);
}

void TouchedMemo::Key::add(const Box &box) {
    for (const Interval &i : box) {
        add(i.min);
        add(i.max);
    }
}

uint64_t TouchedMemo::Key::hash() const {
    Hasher h;
    for (int64_t number : numbers_) h.add(static_cast<uint64_t>(number));
    return h.value();
}

std::shared_ptr<const TouchedByStage> TouchedMemo::find(const Key &key, uint64_t hash) const {
    auto [first, last] = entries_.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (std::ranges::equal(it->second.key, key.numbers_)) return it->second.touched;
    return nullptr;
}

void TouchedMemo::keep(const Key &key, uint64_t hash,
                       std::shared_ptr<const TouchedByStage> touched) {
    if (bytes_ > most_bytes_) forget();
    bytes_ += static_cast<int64_t>(sizeof(Entry) + key.numbers_.size() * sizeof(int64_t)) +
              bytes_of(*touched);
    entries_.emplace(hash, Entry{{key.numbers_.begin(), key.numbers_.end()}, std::move(touched)});
}

void TouchedMemo::forget() {
    entries_.clear();
    bytes_ = 0;
}

}  // namespace cryolite
