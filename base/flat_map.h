// A map in one sorted vector, with references that an insertion ends: for few keys that are asked for
// often.
#pragma once

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

namespace cryolite {

template <typename Key, typename Value>
class FlatMap {
public:
    using value_type = std::pair<Key, Value>;
    using iterator = typename std::vector<value_type>::iterator;
    using const_iterator = typename std::vector<value_type>::const_iterator;

    void reserve(size_t size) { entries_.reserve(size); }
    size_t size() const { return entries_.size(); }
    bool empty() const { return entries_.empty(); }
    iterator begin() { return entries_.begin(); }
    iterator end() { return entries_.end(); }
    const_iterator begin() const { return entries_.begin(); }
    const_iterator end() const { return entries_.end(); }

    const_iterator find(const Key &key) const {
        const const_iterator it = std::ranges::lower_bound(entries_, key, {}, &value_type::first);
        return it != end() && it->first == key ? it : end();
    }
    bool contains(const Key &key) const { return find(key) != end(); }
    // The key is there.
    const Value &at(const Key &key) const {
        const const_iterator it = find(key);
        assert(it != end());
        return it->second;
    }
    // Made if it is not there.
    Value &operator[](const Key &key) {
        iterator it = std::ranges::lower_bound(entries_, key, {}, &value_type::first);
        if (it == end() || it->first != key) it = entries_.emplace(it, key, Value());
        return it->second;
    }

private:
    std::vector<value_type> entries_;
};

}  // namespace cryolite
