// Short names for what the groups' lists of apps are made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/common/app_list.h"

namespace cryolite::apps {

constexpr ElementType u8 = ElementType::UInt8;
constexpr ElementType u16 = ElementType::UInt16;
constexpr ElementType i32 = ElementType::Int32;
constexpr ElementType f32 = ElementType::Float32;

// The image size of the Halide papers.
constexpr int image_width = 1536, image_height = 2560;

constexpr Tolerance exact{};
// Schedules contract and reassociate sums of a few terms differently.
constexpr Tolerance rounding{1e-5, 1e-4, 0.0};

inline Argument image(std::string name, ElementType type, std::vector<int> extents, double low,
                      double high, std::uint64_t seed = 1) {
    return {std::move(name),
            Argument::Kind::InputBuffer,
            type,
            std::move(extents),
            Fill::SmoothImage,
            low,
            high,
            seed};
}

inline Argument noise(std::string name, ElementType type, std::vector<int> extents, double low,
                      double high, std::uint64_t seed) {
    return {std::move(name),
            Argument::Kind::InputBuffer,
            type,
            std::move(extents),
            Fill::UniformNoise,
            low,
            high,
            seed};
}

// Weights and matrices: floats in [-1, 1].
inline Argument noise(std::string name, std::vector<int> extents, std::uint64_t seed) {
    return noise(std::move(name), f32, std::move(extents), -1.0, 1.0, seed);
}

inline Argument scalar(std::string name, ElementType type, double value) {
    return {std::move(name), Argument::Kind::Scalar, type, {}, Fill::Zero, value, value, 0};
}

inline Argument output(ElementType type, std::vector<int> extents, std::string name = "output") {
    return {std::move(name),
            Argument::Kind::OutputBuffer,
            type,
            std::move(extents),
            Fill::Zero,
            0.0,
            0.0,
            0};
}

}  // namespace cryolite::apps
