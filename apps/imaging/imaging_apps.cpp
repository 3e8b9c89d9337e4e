// Pipelines on images and video: what a harness needs to call them.
#include "apps/imaging/imaging_apps.h"

#include "apps/common/app_arguments.h"

namespace cryolite::apps {

std::vector<AppDescription> imaging_apps() {
    return {
        {"blur",
         {image("input", u16, {image_width + 2, image_height + 2}, 0, 21845),
          output(u16, {image_width, image_height})},
         exact},
        {"unsharp",
         {image("input", f32, {image_width, image_height, 3}, 0, 1),
          output(f32, {image_width, image_height, 3})},
         rounding},
        {"harris",
         {image("input", f32, {image_width, image_height, 3}, 0, 1),
          output(f32, {image_width - 6, image_height - 6})},
         rounding},
        {"bilateral_grid",
         {image("input", f32, {image_width, image_height}, 0, 1), scalar("range_sigma", f32, 0.1),
          output(f32, {image_width, image_height})},
         // A value on the border of two grid cells may be rounded into either.
         {1e-4, 1e-3, 1e-3}},
        {"local_laplacian",
         {image("input", u16, {image_width, image_height, 3}, 0, 65535),
          scalar("intensity_levels", i32, 8), scalar("alpha", f32, 1.0 / 7.0),
          scalar("beta", f32, 1.0), output(u16, {image_width, image_height, 3})},
         // Table indices and the chosen intensity level are quantised.
         {16.0, 1e-3, 0.005}},
        {"camera_pipe",
         {image("input", u16, {2592, 1968}, 25, 1023),
          noise("matrix_warm", f32, {4, 3}, 0.1, 0.6, 31),
          noise("matrix_cool", f32, {4, 3}, 0.1, 0.6, 32), scalar("colour_temperature", f32, 3700),
          scalar("gamma", f32, 2.0), scalar("contrast", f32, 50),
          scalar("sharpen_strength", f32, 1.0), scalar("black_level", i32, 25),
          scalar("white_level", i32, 1023), output(u8, {2560, 1920, 3})},
         // The curve is evaluated in floats and rounded to 8 bits.
         {1.0, 0.0, 0.0}},
        {"hist",
         {image("input", u8, {image_width, image_height, 3}, 0, 255),
          output(u8, {image_width, image_height, 3})},
         exact},
        {"iir_blur",
         {image("input", f32, {image_width, image_height, 3}, 0, 1), scalar("alpha", f32, 0.1),
          output(f32, {image_width, image_height, 3})},
         rounding},
        {"max_filter",
         {image("input", f32, {image_width, image_height, 3}, 0, 1),
          output(f32, {image_width, image_height, 3})},
         exact},
        {"nl_means",
         {image("input", f32, {614, 1024, 3}, 0, 1), scalar("sigma", f32, 0.12),
          output(f32, {614, 1024, 3})},
         rounding},
        {"interpolate",
         {image("input", f32, {image_width, image_height, 4}, 0, 1),
          output(f32, {image_width, image_height, 3})},
         rounding},
        {"pyramid_blend",
         {image("first", f32, {2048, 2048, 3}, 0, 1, 1),
          image("second", f32, {2048, 2048, 3}, 0, 1, 2), image("mask", f32, {2048, 2048}, 0, 1, 3),
          output(f32, {2048, 2048, 3})},
         rounding},
        {"bgu",
         {image("small_input", f32, {image_width / 8, image_height / 8, 3}, 0, 1),
          image("small_output", f32, {image_width / 8, image_height / 8, 3}, 0, 1, 2),
          image("input", f32, {image_width, image_height, 3}, 0, 1),
          output(f32, {image_width, image_height, 3})},
         // The systems' condition multiplies the rounding of their sums.
         {1e-3, 1e-3, 1e-3}},
        {"lens_blur",
         {image("left", u8, {image_width, image_height, 3}, 0, 255, 1),
          image("right", u8, {image_width, image_height, 3}, 0, 255, 2), scalar("focus", f32, 8),
          scalar("radius_per_slice", f32, 1), output(u8, {image_width, image_height, 3})},
         // A tie between two disparities may go either way.
         {1.0, 0.0, 0.01}},
    };
}

}  // namespace cryolite::apps
