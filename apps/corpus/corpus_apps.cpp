// Pipelines as users bring them, large, deep or data-dependent: what a harness needs to call them.
#include "apps/corpus/corpus_apps.h"

#include "apps/common/app_arguments.h"

namespace cryolite::apps {

std::vector<AppDescription> corpus_apps() {
    return {
        {"blend_program",
         {image("layers", u8, {1536, 1024, 4, 4}, 0, 255),
          // Rounded, so that every opcode and every layer occurs.
          noise("opcodes", i32, {8}, 0, 11, 3), noise("sources", i32, {8}, 0, 3, 4),
          noise("strengths", f32, {8}, 0.2, 1, 5), output(u8, {1536, 1024, 4})},
         // Rounded to 8 bits from floats.
         {1.0, 0.0, 0.0}},
        {"disc_maximum",
         {image("input", f32, {1536, 1024, 3}, 0, 1), output(f32, {1536, 1024, 3})},
         exact},
        {"disparity_search",
         {image("left", u8, {1536, 1024}, 0, 255, 1), image("right", u8, {1536, 1024}, 0, 255, 2),
          output(u8, {1536, 1024})},
         exact},
        {"colour_chain",
         {image("input", f32, {image_width, image_height, 3}, 0, 1),
          noise("matrices", f32, {4, 3, 10}, 0, 0.6, 7),
          output(f32, {image_width, image_height, 3})},
         rounding},
        {"burst",
         {image("raw", u16, {2048, 1536, 4}, 64, 1023),
          noise("colour_matrix", f32, {3, 3}, 0.1, 0.5, 8), scalar("black_level", f32, 64),
          scalar("white_level", f32, 1023), scalar("red_gain", f32, 1.8),
          scalar("blue_gain", f32, 1.5), scalar("noise", f32, 8), scalar("exposure_step", f32, 3),
          scalar("contrast", f32, 0.3), scalar("sharpness", f32, 0.8), output(u8, {2048, 1536, 3})},
         // Rounded to 8 bits after powers.
         {1.0, 0.0, 1e-4}},
        {"batched_lu",
         {noise("matrices", {1 << 18, 6, 6}, 1), noise("right_sides", {1 << 18, 6}, 2),
          scalar("damping", f32, 8), output(f32, {1 << 18, 6})},
         rounding},
        {"game_of_life",
         {noise("input", u8, {2048, 2048}, 0, 1, 9), output(u8, {2048, 2048})},
         exact},
        {"deep_pyramid",
         {image("input", f32, {4096, 3072}, 0, 1), scalar("boost", f32, 1),
          scalar("knee", f32, 0.1), output(f32, {4096, 3072})},
         rounding},
    };
}

}  // namespace cryolite::apps
