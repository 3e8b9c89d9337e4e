// Strong integer identifiers, so that a stage can never be passed where a Func is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace cryolite {

template <typename Tag>
struct Id {
    int32_t value = -1;

    constexpr Id() = default;
    constexpr explicit Id(int32_t v) : value(v) {}
    constexpr explicit Id(size_t v) : value(static_cast<int32_t>(v)) {}
    constexpr bool valid() const { return value >= 0; }
    constexpr size_t index() const { return static_cast<size_t>(value); }
    constexpr auto operator<=>(const Id &) const = default;
};

using FuncId = Id<struct FuncTag>;
using StageId = Id<struct StageTag>;
using EdgeId = Id<struct EdgeTag>;

}  // namespace cryolite

template <typename Tag>
struct std::hash<cryolite::Id<Tag>> {
    size_t operator()(const cryolite::Id<Tag> &id) const { return std::hash<int32_t>()(id.value); }
};
