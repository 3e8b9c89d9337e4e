// A value or the reason why there is none. Errors cross rooms as values; exceptions stay inside the
// rooms that call Halide.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace cryolite {

// What went wrong and what the user can do about it, in words made for them.
struct Error {
    std::string message;
};

template <typename T, typename E = Error>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(E error) : content_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return content_.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T &value() const & {
        assert(ok());
        return *std::get_if<0>(&content_);
    }
    T &value() & {
        assert(ok());
        return *std::get_if<0>(&content_);
    }
    T &&value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&content_));
    }
    const E &error() const {
        assert(!ok());
        return *std::get_if<1>(&content_);
    }
    const T &operator*() const & { return value(); }
    T &operator*() & { return value(); }
    const T *operator->() const { return &value(); }
    T *operator->() { return &value(); }

private:
    std::variant<T, E> content_;
};

}  // namespace cryolite
