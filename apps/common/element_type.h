// The element types of the apps' arguments, and the one switch that leads from one to a C++ type.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>

namespace cryolite::apps {

enum class ElementType { UInt8, UInt16, UInt32, Int8, Int16, Int32, Float32, Float64 };

// Returns use(T{}) for the C++ type T that `type` stands for.
template <typename Use>
auto with_element_type(ElementType type, Use &&use) {
    switch (type) {
        case ElementType::UInt8: return use(std::uint8_t{});
        case ElementType::UInt16: return use(std::uint16_t{});
        case ElementType::UInt32: return use(std::uint32_t{});
        case ElementType::Int8: return use(std::int8_t{});
        case ElementType::Int16: return use(std::int16_t{});
        case ElementType::Int32: return use(std::int32_t{});
        case ElementType::Float32: return use(float{});
        case ElementType::Float64: return use(double{});
    }
    throw std::logic_error("an element type without a C++ type");
}

inline int size_in_bytes(ElementType type) {
    return with_element_type(type, [](auto value) { return int(sizeof(value)); });
}

}  // namespace cryolite::apps
