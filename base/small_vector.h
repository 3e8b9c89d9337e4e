// A vector whose first few elements lie in the object itself: what is nearly always short, and made and
// thrown away by the million, asks for no memory then. For elements that are plain bytes to copy.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace cryolite {

// Behaves as std::vector, except that moving it moves the elements: references to them do not survive.
template <typename T, size_t Short>
class SmallVector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    using value_type = T;
    using size_type = size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T &;
    using const_reference = const T &;
    using iterator = T *;
    using const_iterator = const T *;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    SmallVector() = default;
    explicit SmallVector(size_t size, const T &value = T{}) { assign(size, value); }
    SmallVector(std::initializer_list<T> values) { append(values.begin(), values.end()); }
    explicit SmallVector(std::span<const T> values) { append(values.begin(), values.end()); }
    SmallVector(const SmallVector &other) { append(other.begin(), other.end()); }
    SmallVector(SmallVector &&other) noexcept { take(other); }
    SmallVector &operator=(const SmallVector &other) {
        if (this != &other) {
            size_ = 0;
            append(other.begin(), other.end());
        }
        return *this;
    }
    SmallVector &operator=(SmallVector &&other) noexcept {
        if (this != &other) {
            release();
            take(other);
        }
        return *this;
    }
    ~SmallVector() { release(); }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T *data() { return data_; }
    const T *data() const { return data_; }
    T &operator[](size_t i) {
        assert(i < size_);
        return data_[i];
    }
    const T &operator[](size_t i) const {
        assert(i < size_);
        return data_[i];
    }
    T &front() { return (*this)[0]; }
    const T &front() const { return (*this)[0]; }
    T &back() { return (*this)[size_ - 1]; }
    const T &back() const { return (*this)[size_ - 1]; }
    iterator begin() { return data_; }
    iterator end() { return data_ + size_; }
    const_iterator begin() const { return data_; }
    const_iterator end() const { return data_ + size_; }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

    void reserve(size_t size) {
        if (size > capacity_) grow(size);
    }
    void clear() { size_ = 0; }
    void push_back(const T &value) {
        const T copy = value;  // it may be one of the elements, which move
        if (size_ == capacity_) grow(2 * capacity_);
        new (data_ + size_++) T(copy);
    }
    template <typename... Arguments>
    T &emplace_back(Arguments &&...arguments) {
        push_back(T{std::forward<Arguments>(arguments)...});
        return back();
    }
    void pop_back() { size_--; }
    void resize(size_t size, const T &value = T{}) {
        const T copy = value;
        reserve(size);
        if (size > size_) std::uninitialized_fill(data_ + size_, data_ + size, copy);
        size_ = size;
    }
    void assign(size_t size, const T &value) {
        const T copy = value;
        size_ = 0;
        resize(size, copy);
    }
    // first, last: of another vector.
    template <std::forward_iterator Iterator>
    void append(Iterator first, Iterator last) {
        const auto count = static_cast<size_t>(std::distance(first, last));
        reserve(size_ + count);
        std::uninitialized_copy(first, last, data_ + size_);
        size_ += count;
    }
    template <std::forward_iterator Iterator>
    iterator insert(const_iterator place, Iterator first, Iterator last) {
        const size_t at = static_cast<size_t>(place - data_), before = size_;
        append(first, last);
        std::rotate(data_ + at, data_ + before, data_ + size_);
        return data_ + at;
    }
    iterator erase(const_iterator place) {
        T *const at = data_ + (place - data_);
        std::copy(at + 1, end(), at);
        size_--;
        return at;
    }

    bool operator==(const SmallVector &other) const { return std::ranges::equal(*this, other); }

private:
    T *own() { return reinterpret_cast<T *>(bytes_); }
    bool is_short() const { return data_ == reinterpret_cast<const T *>(bytes_); }

    void grow(size_t capacity) {
        T *const larger = std::allocator<T>().allocate(capacity);
        std::uninitialized_copy(begin(), end(), larger);
        release();
        data_ = larger;
        capacity_ = capacity;
    }
    void release() {
        if (!is_short()) std::allocator<T>().deallocate(data_, capacity_);
    }
    // Of elements that lie elsewhere only their address. Whatever was here is gone.
    void take(SmallVector &other) {
        data_ = own();
        capacity_ = Short;
        size_ = other.size_;
        if (other.is_short()) {
            std::uninitialized_copy(other.begin(), other.end(), data_);
        } else {
            data_ = std::exchange(other.data_, other.own());
            capacity_ = std::exchange(other.capacity_, Short);
        }
        other.size_ = 0;
    }

    T *data_ = own();
    size_t size_ = 0, capacity_ = Short;
    alignas(T) std::byte bytes_[Short * sizeof(T)];
};

}  // namespace cryolite
