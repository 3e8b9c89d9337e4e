// blend_program: an image editor's stack of layers, as a program that is data. A step takes one of
// the layers and combines it with the canvas by one of twelve blend modes (the separable modes of
// W3C's "Compositing and Blending Level 1", with Porter and Duff's "over" from SIGGRAPH 1984).
//
// The interpreter is a reduction over steps and opcodes whose predicate holds for the step's own
// opcode. So with the loop over opcodes unrolled the predicate is a switch, and with that loop
// rolled all modes are computed for each opcode in order to choose one of them.
//
// The canvas starts transparent; it holds colours multiplied by their opacity. A step whose opcode is none of the
// twelve does nothing. A layer that does not exist is the nearest one that does.
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class BlendProgram : public App<BlendProgram> {
public:
    GeneratorParam<int> steps{"steps", 8, 1, 64};
    Input<Buffer<uint8_t, 4>> layers{"layers"};      // (x, y, channel, layer); channel 3 is opacity
    Input<Buffer<int32_t, 1>> opcodes{"opcodes"};    // (step): which mode
    Input<Buffer<int32_t, 1>> sources{"sources"};    // (step): which layer
    Input<Buffer<float, 1>> strengths{"strengths"};  // (step): scales the layer's opacity
    Output<Buffer<uint8_t, 3>> output{"output"};     // (x, y, channel), not multiplied by opacity

    void generate() {
        layer(x, y, c, n) = cast<float>(layers(x, y, c, n)) * (1.0f / 255.0f);

        canvas(x, y) = Tuple(0.0f, 0.0f, 0.0f, 0.0f);
        program = RDom(0, mode_count, 0, steps, "program");
        program.where(program.x == opcodes(program.y));
        const Expr source = clamp(sources(program.y), layers.dim(3).min(), layers.dim(3).max());
        const Expr over = layer(x, y, 3, source) * strengths(program.y);
        const Expr under = canvas(x, y)[3];
        std::vector<Expr> blended;
        for (int channel = 0; channel < 3; channel++) {
            const Expr top = layer(x, y, channel, source), below = canvas(x, y)[channel];
            const Expr mixed = mux(program.x, modes(below / max(under, smallest), top));
            blended.push_back(below * (1.0f - over) +
                              over * (top * (1.0f - under) + mixed * under));
        }
        blended.push_back(over + under * (1.0f - over));
        canvas(x, y) = Tuple(blended);

        const Tuple done = canvas(x, y);
        const Expr opacity = 1.0f / max(done[3], smallest);
        const Expr value =
            mux(c, {done[0] * opacity, done[1] * opacity, done[2] * opacity, done[3]});
        output(x, y, c) = cast<uint8_t>(clamp(value, 0.0f, 1.0f) * 255.0f + 0.5f);
    }

    void estimates() {
        const int width = 1536, height = 1024, layer_count = 4;
        layers.set_estimates({{0, width}, {0, height}, {0, 4}, {0, layer_count}});
        opcodes.set_estimates({{0, steps}});
        sources.set_estimates({{0, steps}});
        strengths.set_estimates({{0, steps}});
        output.set_estimates({{0, width}, {0, height}, {0, 4}});
    }

    void manual_cpu() {
        // A step at a time over a piece of a row, which stays in the first cache level.
        const int vec = natural_vector_size<float>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var strip("strip"), piece("piece");
        output.split(y, strip, y, 16, guard)
            .split(x, piece, x, 16 * vec, guard)
            .reorder(c, x, piece, y, strip)
            .bound(c, 0, 4)
            .unroll(c)
            .vectorize(x, vec, guard)
            .parallel(strip);
        canvas.compute_at(output, piece).store_in(MemoryType::Stack).vectorize(x, vec, guard);
        canvas.update().reorder(x, program.x, program.y).unroll(program.x).vectorize(x, vec, guard);
    }

    void manual_gpu() {
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        output.bound(c, 0, 4)
            .tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf)
            .reorder(c, thread_x, thread_y, block_x, block_y)
            .unroll(c)
            .gpu_blocks(block_x, block_y)
            .gpu_threads(thread_x, thread_y);
        canvas.compute_at(output, thread_x);
        canvas.update().unroll(program.x);
    }

private:
    static constexpr int mode_count = 12;
    static constexpr float smallest = 1e-6f;  // keeps divisions by an opacity finite

    // What each mode makes of a colour `b` below and a colour `s` on top, in the opcodes' order.
    static std::vector<Expr> modes(const Expr &b, const Expr &s) {
        const auto hard_light = [](const Expr &below, const Expr &top) {
            return select(top <= 0.5f, below * 2.0f * top,
                          below + (2.0f * top - 1.0f) * (1.0f - below));
        };
        const Expr root = select(b <= 0.25f, ((16.0f * b - 12.0f) * b + 4.0f) * b, sqrt(b));
        return {
            s,
            b * s,
            b + s - b * s,
            hard_light(s, b),
            min(b, s),
            max(b, s),
            select(b <= 0.0f, 0.0f, min(1.0f, b / max(1.0f - s, smallest))),
            select(b >= 1.0f, 1.0f, 1.0f - min(1.0f, (1.0f - b) / max(s, smallest))),
            hard_light(b, s),
            select(s <= 0.5f, b - (1.0f - 2.0f * s) * b * (1.0f - b),
                   b + (2.0f * s - 1.0f) * (root - b)),
            abs(b - s),
            b + s - 2.0f * b * s,
        };
    }

    Var x{"x"}, y{"y"}, c{"c"}, n{"n"};
    RDom program;
    Func layer{"layer"}, canvas{"canvas"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::BlendProgram, blend_program)
