// An array of which a copy shares all but the blocks that it changes: to copy one of n elements and
// change one of them takes n / block + block steps, not n.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <memory>
#include <vector>

namespace cryolite {

template <typename T, size_t block_size = 16>
class SharedArray {
public:
    // Of default elements.
    explicit SharedArray(size_t size)
        : size_(size), blocks_((size + block_size - 1) / block_size, std::make_shared<Block>()) {}

    size_t size() const { return size_; }
    const T &operator[](size_t i) const {
        assert(i < size_);
        return (*blocks_[i / block_size])[i % block_size];
    }
    void set(size_t i, T value) {
        assert(i < size_);
        std::shared_ptr<Block> &block = blocks_[i / block_size];
        // A block that no other array has may change where it is. Another thread may just have let it go.
        if (block.use_count() > 1) block = std::make_shared<Block>(*block);
        std::atomic_thread_fence(std::memory_order_acquire);
        (*block)[i % block_size] = std::move(value);
    }

    // Calls visit(i) for the elements that may differ from `other`'s, which has as many.
    template <typename Visit>
    void for_each_unshared(const SharedArray &other, Visit visit) const {
        assert(other.size_ == size_);
        for (size_t b = 0; b < blocks_.size(); b++) {
            if (blocks_[b] == other.blocks_[b]) continue;
            const size_t end = std::min(size_, (b + 1) * block_size);
            for (size_t i = b * block_size; i < end; i++) visit(i);
        }
    }

private:
    using Block = std::array<T, block_size>;
    size_t size_;
    std::vector<std::shared_ptr<Block>> blocks_;
};

}  // namespace cryolite
