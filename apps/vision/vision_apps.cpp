// Short kernels of computer vision: what a harness needs to call them.
#include "apps/vision/vision_apps.h"

#include "apps/common/app_arguments.h"

namespace cryolite::apps {
namespace {

// The image size of the Tiramisu paper.
constexpr int width = 2112, height = 3520;

// Floats that are rounded to whole pixel values at the end.
constexpr Tolerance one_step{1.0, 0.0, 0.0};

}  // namespace

std::vector<AppDescription> vision_apps() {
    return {
        {"cvt_color",
         {image("input", u8, {width, height, 3}, 0, 255), output(u8, {width, height})},
         exact},
        {"gaussian",
         {image("input", u8, {width + 4, height + 4, 3}, 0, 255),
          // Five taps that add up to about 1.
          noise("kernel_x", f32, {5}, 0.15, 0.25, 41), noise("kernel_y", f32, {5}, 0.15, 0.25, 42),
          output(u8, {width, height, 3})},
         one_step},
        {"convolution",
         {image("input", u8, {width + 2, height + 2, 3}, 0, 255),
          noise("kernel", f32, {3, 3}, -0.1, 0.3, 43), output(u8, {width, height, 3})},
         one_step},
        {"warp_affine",
         // A rotation by about ten degrees around the middle of the left edge, and a shift.
         {image("input", u8, {width, height}, 0, 255), scalar("a00", f32, 0.985),
          scalar("a01", f32, -0.174), scalar("b0", f32, 306.0), scalar("a10", f32, 0.174),
          scalar("a11", f32, 0.985), scalar("b1", f32, -157.0), output(u8, {width, height})},
         one_step},
        {"resize",
         {image("input", u8, {width, height}, 0, 255), output(u8, {3 * width / 2, 3 * height / 2})},
         exact},
        {"nb",
         {image("input", u8, {width, height, 3}, 0, 255),
          output(u8, {width, height, 3}, "negative"), output(u8, {width, height, 3}, "brightened")},
         exact},
        {"rgb_yuv420",
         {image("input", u8, {width, height, 3}, 0, 255), output(u8, {width, height}, "luma"),
          output(u8, {width / 2, height / 2}, "chroma_blue"),
          output(u8, {width / 2, height / 2}, "chroma_red")},
         exact},
        {"edge_detector",
         {image("input", u8, {width + 3, height + 3, 3}, 0, 255), output(u8, {width, height, 3})},
         exact},
    };
}

}  // namespace cryolite::apps
