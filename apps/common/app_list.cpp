#include "apps/common/app_list.h"

namespace cryolite::apps {
namespace {

Argument image(std::string name, ElementType type, std::vector<int> extents, double low,
               double high) {
    return {std::move(name),
            Argument::Kind::InputBuffer,
            type,
            std::move(extents),
            Fill::SmoothImage,
            low,
            high,
            1};
}

Argument noise(std::string name, std::vector<int> extents, std::uint64_t seed) {
    return {std::move(name),
            Argument::Kind::InputBuffer,
            ElementType::Float32,
            std::move(extents),
            Fill::UniformNoise,
            -1.0,
            1.0,
            seed};
}

Argument scalar(std::string name, ElementType type, double value) {
    return {std::move(name), Argument::Kind::Scalar, type, {}, Fill::Zero, value, value, 0};
}

Argument output(ElementType type, std::vector<int> extents) {
    return {"output", Argument::Kind::OutputBuffer, type, std::move(extents), Fill::Zero, 0.0, 0.0,
            0};
}

}  // namespace

std::vector<AppDescription> app_list() {
    constexpr ElementType u8 = ElementType::UInt8;
    constexpr ElementType u16 = ElementType::UInt16;
    constexpr ElementType i32 = ElementType::Int32;
    constexpr ElementType f32 = ElementType::Float32;
    constexpr int width = 1536, height = 2560;  // the image size of the Halide papers
    const Tolerance exact{};
    // Schedules contract and reassociate sums of a few terms differently.
    const Tolerance rounding{1e-5, 1e-4, 0.0};
    return {
        {"blur",
         {image("input", u16, {width + 2, height + 2}, 0, 21845), output(u16, {width, height})},
         exact},
        {"unsharp",
         {image("input", f32, {width, height, 3}, 0, 1), output(f32, {width, height, 3})},
         rounding},
        {"harris",
         {image("input", f32, {width, height, 3}, 0, 1), output(f32, {width - 6, height - 6})},
         rounding},
        {"bilateral_grid",
         {image("input", f32, {width, height}, 0, 1), scalar("range_sigma", f32, 0.1),
          output(f32, {width, height})},
         // A value on the border of two grid cells may be rounded into either.
         {1e-4, 1e-3, 1e-3}},
        {"local_laplacian",
         {image("input", u16, {width, height, 3}, 0, 65535), scalar("intensity_levels", i32, 8),
          scalar("alpha", f32, 1.0 / 7.0), scalar("beta", f32, 1.0),
          output(u16, {width, height, 3})},
         // Table indices and the chosen intensity level are quantised.
         {16.0, 1e-3, 0.005}},
        {"camera_pipe",
         {image("input", u16, {2592, 1968}, 25, 1023),
          {"matrix_warm",
           Argument::Kind::InputBuffer,
           f32,
           {4, 3},
           Fill::UniformNoise,
           0.1,
           0.6,
           31},
          {"matrix_cool",
           Argument::Kind::InputBuffer,
           f32,
           {4, 3},
           Fill::UniformNoise,
           0.1,
           0.6,
           32},
          scalar("colour_temperature", f32, 3700),
          scalar("gamma", f32, 2.0),
          scalar("contrast", f32, 50),
          scalar("sharpen_strength", f32, 1.0),
          scalar("black_level", i32, 25),
          scalar("white_level", i32, 1023),
          output(u8, {2560, 1920, 3})},
         // The curve is evaluated in floats and rounded to 8 bits.
         {1.0, 0.0, 0.0}},
        {"stencil_chain",
         {image("input", u16, {width, height}, 0, 65535), output(u16, {width, height})},
         exact},
        {"mat_mul",
         {noise("a", {1536, 1536}, 11), noise("b", {1536, 1536}, 12), output(f32, {1536, 1536})},
         // Sums of 1536 terms of magnitude 1.
         {2e-3, 1e-4, 0.0}},
        {"conv_layer",
         {noise("input", {128, 102, 82, 5}, 21), noise("filter", {128, 3, 3, 128}, 22),
          noise("bias", {128}, 23), output(f32, {128, 100, 80, 5})},
         // Sums of 1152 terms of magnitude 1.
         {2e-3, 1e-4, 0.0}},
        {"hist",
         {image("input", u8, {width, height, 3}, 0, 255), output(u8, {width, height, 3})},
         exact},
        {"iir_blur",
         {image("input", f32, {width, height, 3}, 0, 1), scalar("alpha", f32, 0.1),
          output(f32, {width, height, 3})},
         rounding},
    };
}

}  // namespace cryolite::apps
