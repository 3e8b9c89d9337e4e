#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>
#include <vector>

#include "blend_program_manual.h"
#include "blend_program_root.h"

namespace cryolite::apps {
namespace {

constexpr int steps = 8, layer_count = 4, mode_count = 12;

// What a mode makes of the colours below and on top, in the words of W3C's specification.
double blended(int mode, double below, double top) {
    switch (mode) {
        case 0: return top;
        case 1: return below * top;
        case 2: return 1 - (1 - below) * (1 - top);
        case 3: return blended(8, top, below);
        case 4: return std::min(below, top);
        case 5: return std::max(below, top);
        case 6: return below <= 0 ? 0 : top >= 1 ? 1 : std::min(1.0, below / (1 - top));
        case 7: return below >= 1 ? 1 : top <= 0 ? 0 : 1 - std::min(1.0, (1 - below) / top);
        case 8: return top <= 0.5 ? blended(1, below, 2 * top) : blended(2, below, 2 * top - 1);
        case 9: {
            if (top <= 0.5) {
                return below - (1 - 2 * top) * below * (1 - below);
            }
            const double curve =
                below <= 0.25 ? ((16 * below - 12) * below + 4) * below : std::sqrt(below);
            return below + (2 * top - 1) * (curve - below);
        }
        case 10: return std::abs(below - top);
        default: return below + top - 2 * below * top;
    }
}

struct Program {
    Image<std::int32_t> opcodes{steps}, sources{steps};
    Image<float> strengths{steps};
};

Image<std::uint8_t> reference(const Image<std::uint8_t> &layers, const Program &program) {
    Image<std::uint8_t> output(layers.width(), layers.height(), 4);
    for (int y = 0; y < layers.height(); y++) {
        for (int x = 0; x < layers.width(); x++) {
            // Colours not multiplied by the opacity, unlike in the app.
            std::array<double, 3> canvas{};
            double opacity = 0;
            for (int i = 0; i < steps; i++) {
                const int mode = program.opcodes(i);
                if (mode < 0 || mode >= mode_count) {
                    continue;
                }
                const int n = std::clamp(program.sources(i), 0, layer_count - 1);
                const double over = layers(x, y, 3, n) / 255.0 * program.strengths(i);
                const double together = over + opacity - over * opacity;
                for (int c = 0; c < 3; c++) {
                    const double top = layers(x, y, c, n) / 255.0, below = canvas[size_t(c)];
                    const double mixed = (1 - opacity) * top + opacity * blended(mode, below, top);
                    const double sum = over * mixed + (1 - over) * opacity * below;
                    canvas[size_t(c)] = together > 0 ? sum / together : 0;
                }
                opacity = together;
            }
            for (int c = 0; c < 3; c++) {
                output(x, y, c) = std::uint8_t(255 * std::clamp(canvas[size_t(c)], 0.0, 1.0) + 0.5);
            }
            output(x, y, 3) = std::uint8_t(255 * opacity + 0.5);
        }
    }
    return output;
}

class BlendProgramTest : public testing::TestWithParam<Variant<decltype(blend_program_manual)>> {
protected:
    void expect_right(Image<std::uint8_t> layers, Program program) {
        Image<std::uint8_t> output(layers.width(), layers.height(), 4);
        ASSERT_EQ(GetParam().function(layers, program.opcodes, program.sources, program.strengths,
                                      output),
                  0);
        // Colours under a very small opacity are ill-defined in 8 bits; a pixel in a thousand.
        expect_images_near(reference(layers, program), output, 1.0, 0.0, 0.001);
    }
};

Image<std::uint8_t> layers_of(int width, int height) {
    Image<std::uint8_t> layers(width, height, 4, layer_count);
    fill_image(layers, 20, 256);
    return layers;
}

TEST_P(BlendProgramTest, runs_every_opcode_at_any_size) {
    for (const auto &[width, height] : {std::pair{301, 37}, {5, 19}, {1, 1}}) {
        Image<std::uint8_t> layers = layers_of(width, height);
        for (const int first : {0, 4}) {
            Program program;
            for (int i = 0; i < steps; i++) {
                program.opcodes(i) = i < 2 ? 0 : first + i;
                program.sources(i) = (3 * i) % layer_count;
                program.strengths(i) = 1.0f - 0.07f * float(i);
            }
            expect_right(layers, program);
        }
    }
}

TEST_P(BlendProgramTest, skips_what_is_no_opcode_and_takes_the_nearest_layer) {
    Program program;
    const std::vector<int> opcodes = {0, -1, 12, 1, 1000, 2, -7, 9},
                           sources = {1, 2, 3, 9, 0, -5, 1, 2};
    for (int i = 0; i < steps; i++) {
        program.opcodes(i) = opcodes[size_t(i)];
        program.sources(i) = sources[size_t(i)];
        program.strengths(i) = 0.75f;
    }
    expect_right(layers_of(64, 21), program);
}

TEST_P(BlendProgramTest, leaves_a_canvas_without_steps_transparent) {
    Program program;
    program.opcodes.fill(-1);
    program.sources.fill(0);
    program.strengths.fill(1.0f);
    Image<std::uint8_t> layers = layers_of(33, 7);
    Image<std::uint8_t> output(33, 7, 4), expected(33, 7, 4);
    expected.fill(0);
    ASSERT_EQ(
        GetParam().function(layers, program.opcodes, program.sources, program.strengths, output),
        0);
    expect_images_equal(expected, output);
}

CRYOLITE_INSTANTIATE_APP(BlendProgramTest, blend_program);

}  // namespace
}  // namespace cryolite::apps
