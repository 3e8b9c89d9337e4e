// Layers and blocks of neural networks: what a harness needs to call them.
#include "apps/networks/networks_apps.h"

#include <string>

#include "apps/common/app_arguments.h"

namespace cryolite::apps {
namespace {

// Schedules add the terms of a convolution in different orders: some 1000 of magnitude 1.
constexpr Tolerance long_sums{2e-3, 1e-4, 0.0};

// Of deep networks, whose values neither vanish nor explode with these.
Argument weights(std::string name, std::vector<int> extents, std::uint64_t seed) {
    return noise(std::move(name), f32, std::move(extents), -0.1, 0.1, seed);
}

AppDescription conv_layer(std::string name, int channels, int width, int height, int batch) {
    return {std::move(name),
            {noise("input", {channels, width + 2, height + 2, batch}, 21),
             noise("filter", {channels, 3, 3, channels}, 22), noise("bias", {channels}, 23),
             output(f32, {channels, width, height, batch})},
            long_sums};
}

// A conv_layer whose estimates are not the generator's defaults.
AppDescription conv_layer_of_size(std::string name, int channels, int size, int batch) {
    AppDescription app = conv_layer(std::move(name), channels, size, size, batch);
    app.generator = "conv_layer";
    app.parameters = {{"batch", std::to_string(batch)},
                      {"channels", std::to_string(channels)},
                      {"height", std::to_string(size)},
                      {"width", std::to_string(size)}};
    return app;
}

}  // namespace

std::vector<AppDescription> networks_apps() {
    return {
        conv_layer("conv_layer", 128, 100, 80, 5),
        conv_layer_of_size("conv_layer_256", 64, 256, 16),
        conv_layer_of_size("conv_512", 16, 512, 8),
        {"conv_conv",
         {noise("input", {16, 516, 516, 4}, 41), noise("filter1", {16, 3, 3, 16}, 42),
          noise("bias1", {16}, 43), noise("filter2", {16, 3, 3, 16}, 44), noise("bias2", {16}, 45),
          output(f32, {16, 512, 512, 4})},
         long_sums},
        {"depthwise_separable_conv",
         {noise("input", {32, 112, 112, 4}, 51), noise("depthwise_filter", {32, 3, 3}, 52),
          noise("pointwise_filter", {16, 32}, 53), noise("bias", {16}, 54),
          output(f32, {16, 112, 112, 4})},
         {1e-4, 1e-4, 0.0}},
        {"resnet_bottleneck",
         {noise("input", {256, 56, 56, 4}, 61), noise("reduce_filter", {64, 256}, 62),
          noise("reduce_bias", {64}, 63), noise("spatial_filter", {64, 3, 3, 64}, 64),
          noise("spatial_bias", {64}, 65), noise("expand_filter", {256, 64}, 66),
          noise("expand_bias", {256}, 67), output(f32, {256, 56, 56, 4})},
         // Three layers of such sums, each with some 10 times the magnitude of the one before.
         {5e-2, 1e-4, 0.0}},
        {"vdsr",
         {noise("input", {256, 256}, 91), weights("first_filter", {64, 3, 3}, 92),
          weights("filters", {64, 3, 3, 64, 18}, 93), weights("biases", {64, 19}, 94),
          weights("last_filter", {64, 3, 3}, 95), scalar("last_bias", f32, 0.1),
          output(f32, {256, 256})},
         {1e-3, 1e-3, 0.0}},
        {"learned_demosaic",
         {image("mosaic", u16, {image_width, image_height}, 0, 65535),
          weights("first_filter", {16, 3, 3, 4}, 101), weights("filters", {16, 3, 3, 16, 3}, 102),
          weights("biases", {16, 4}, 103), weights("projection", {12, 16}, 104),
          output(f32, {image_width, image_height, 3})},
         {1e-4, 1e-4, 0.0}},
        {"attention",
         {noise("queries", {64, 512, 12}, 71), noise("keys", {64, 512, 12}, 72),
          noise("values", {64, 512, 12}, 73), output(f32, {64, 512, 12})},
         {1e-5, 1e-4, 0.0}},
        {"layer_norm",
         {noise("input", {1024, 4096}, 81), noise("scale", {1024}, 82), noise("shift", {1024}, 83),
          output(f32, {1024, 4096})},
         {1e-5, 1e-4, 0.0}},
        {"elementwise_chain",
         {noise("input", u8, {256, 128, 16}, 0, 255, 111), noise("scale", {256, 6}, 112),
          noise("shift", {256, 6}, 113), noise("mask", u8, {128, 16}, 0, 2, 114),
          noise("fallback", {16}, 115), output(f32, {256, 128, 16})},
         // A value next to the border of two quantisation steps may be rounded into either.
         {1e-4, 1e-4, 2e-3}},
        {"indirect",
         {noise("ids", i32, {8, 4096}, -10, 20010, 121), noise("weights", {8, 4096}, 122),
          noise("table", {20000 * 256}, 123), noise("segments", i32, {4096}, -1, 16, 124),
          noise("segment_starts", i32, {16}, 0, 4095, 125),
          noise("position_table", {256, 512}, 126), noise("permutation", i32, {256}, -1, 256, 127),
          output(f32, {256, 4096})},
         {1e-4, 1e-4, 0.0}},
    };
}

}  // namespace cryolite::apps
