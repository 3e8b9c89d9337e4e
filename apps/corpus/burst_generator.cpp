// burst: a phone camera's photograph out of a burst of raw frames, after Hasinoff et al., "Burst
// photography for high dynamic range and low-light imaging on mobile cameras" (SIGGRAPH Asia 2016):
// tiles aligned over four pyramid levels, merged over time and space, developed to colours, their
// range compressed by fusing exposures, then a colour matrix, a tone curve and sharpening. Over 150
// Funcs, with reads wherever the alignment says. The parts' files say what differs from the papers.
//
// Frames are mosaics (red at even rows and columns); what lies beyond their edges is mirrored.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"
#include "apps/corpus/burst_align.h"
#include "apps/corpus/burst_develop.h"
#include "apps/corpus/burst_fuse.h"
#include "apps/corpus/burst_merge.h"

namespace cryolite::apps {

class Burst : public App<Burst> {
public:
    GeneratorParam<int> frames{"frames", 4, 2, 16};
    GeneratorParam<int> exposures{"exposures", 3, 1, 5};
    GeneratorParam<int> pyramid_levels{"pyramid_levels", 6, 2, 10};
    Input<Buffer<uint16_t, 3>> raw{"raw"};  // (x, y, frame); the first is the reference
    Input<Buffer<float, 2>> colour_matrix{"colour_matrix"};  // (column, row)
    Input<float> black_level{"black_level", 64.0f};
    Input<float> white_level{"white_level", 1023.0f};
    Input<float> red_gain{"red_gain", 1.8f};
    Input<float> blue_gain{"blue_gain", 1.5f};
    Input<float> noise{"noise", 8.0f};                  // as in burst::Merge
    Input<float> exposure_step{"exposure_step", 3.0f};  // as in burst::Fusion
    Input<float> contrast{"contrast", 0.3f};
    Input<float> sharpness{"sharpness", 0.8f};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const Expr width = raw.dim(0).extent(), height = raw.dim(1).extent();
        mirrored(x, y, n) = BoundaryConditions::mirror_interior(
            raw, {{raw.dim(0).min(), width}, {raw.dim(1).min(), height}})(x, y, n);
        alignment.emplace_back(mirrored);
        merge.emplace_back(mirrored, alignment[0], int(frames), noise);
        develop.emplace_back(merge[0].merged, burst::DevelopParameters{black_level, white_level,
                                                                       red_gain, blue_gain});
        const Func &colours = develop[0].colours;
        luma(x, y) = 0.25f * colours(x, y, 0) + 0.5f * colours(x, y, 1) + 0.25f * colours(x, y, 2);
        fusion.emplace_back(luma, int(exposures), int(pyramid_levels), exposure_step);

        // Colours keep their ratio to the luma.
        const Expr brightness = pow(max(fusion[0].fused()(x, y), 0.0f), 2.2f);
        toned(x, y, c) = colours(x, y, c) * (brightness / max(luma(x, y), 1e-4f));
        Expr sum = 0.0f;
        for (int j = 0; j < 3; j++) {
            sum += colour_matrix(j, c) * toned(x, y, j);
        }
        corrected(x, y, c) = clamp(sum, 0.0f, 1.0f);
        const Expr v = pow(corrected(x, y, c), 1.0f / 2.2f);
        curved(x, y, c) = v + contrast * (v * v * (3.0f - 2.0f * v) - v);

        grey(x, y) = 0.25f * curved(x, y, 0) + 0.5f * curved(x, y, 1) + 0.25f * curved(x, y, 2);
        const auto five_taps = [](auto at) {
            return (at(-2) + at(2)) * 0.0625f + (at(-1) + at(1)) * 0.25f + at(0) * 0.375f;
        };
        blurred_across(x, y) = five_taps([&](int d) { return Expr(grey(x + d, y)); });
        blurred(x, y) = five_taps([&](int d) { return Expr(blurred_across(x, y + d)); });
        sharpened(x, y, c) = curved(x, y, c) + sharpness * (grey(x, y) - blurred(x, y));
        output(x, y, c) = cast<uint8_t>(clamp(sharpened(x, y, c), 0.0f, 1.0f) * 255.0f + 0.5f);
    }

    void estimates() {
        const int width = 2048, height = 1536;
        raw.set_estimates({{0, width}, {0, height}, {0, frames}});
        colour_matrix.set_estimates({{0, 3}, {0, 3}});
        black_level.set_estimate(64.0f);
        white_level.set_estimate(1023.0f);
        red_gain.set_estimate(1.8f);
        blue_gain.set_estimate(1.5f);
        noise.set_estimate(8.0f);
        exposure_step.set_estimate(3.0f);
        contrast.set_estimate(0.3f);
        sharpness.set_estimate(0.8f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // Copied once with its mirrored margins, so that everybody else reads plain rows.
        const int vec = natural_vector_size<float>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        mirrored.compute_root().vectorize(x, 2 * vec).parallel(y, 16);
        alignment[0].schedule_cpu(vec);
        merge[0].schedule_cpu(std::min(vec, 16));
        develop[0].schedule_cpu(vec);
        luma.compute_root().vectorize(x, vec).parallel(y, 16);

        Var strip("strip"), row("row");
        output.bound(c, 0, 3)
            .split(y, strip, row, 32, guard)
            .reorder(x, c, row, strip)
            .unroll(c)
            .vectorize(x, vec, guard)
            .parallel(strip);
        fusion[0].schedule_cpu(vec, output, strip, row);
        curved.store_at(output, strip)
            .compute_at(output, row)
            .bound(c, 0, 3)
            .reorder(c, x, y)
            .unroll(c)
            .vectorize(x, vec);
        grey.store_at(output, strip).compute_at(output, row).vectorize(x, vec);
        blurred_across.store_at(output, strip).compute_at(output, row).vectorize(x, vec);
        blurred.compute_at(output, row).vectorize(x, vec);
    }

    // Everything at root: right, and far from what an expert would do.
    void manual_gpu() { schedule_plain(get_pipeline().outputs(), get_target()); }

private:
    Var x{"x"}, y{"y"}, c{"c"}, n{"n"};
    Func mirrored{"mirrored"}, luma{"display_luma"}, toned{"toned"}, corrected{"corrected"};
    Func curved{"curved"}, grey{"final_grey"}, blurred_across{"blurred_across"};
    Func blurred{"blurred"}, sharpened{"sharpened"};
    // Of one element each; what they are made of exists only from generate() on.
    std::vector<burst::Alignment> alignment;
    std::vector<burst::Merge> merge;
    std::vector<burst::Develop> develop;
    std::vector<burst::Fusion> fusion;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Burst, burst)
