// elementwise_chain: what deep-learning compilers hand to Halide after fusing operators: 86 stages
// with one value per element each, six times: affine transform per channel, swish (Ramachandran,
// Zoph and Le, 2017), rounding to 8 bits and back (fake quantisation, Jacob et al., CVPR 2018),
// hyperbolic tangent, a mask per token with a value per image in its place, residual addition and
// clipping. Bytes in, floats out; 256 channels, 128 tokens, batch 16.
//
// There is nothing to keep but registers: a schedule that stores a stage moves memory for a few
// instructions, and one that inlines everything computes the stages that are read several times
// 3^6 times.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class ElementwiseChain : public App<ElementwiseChain> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};      // input(channel, token, n)
    Input<Buffer<float, 2>> scale{"scale"};        // scale(channel, block)
    Input<Buffer<float, 2>> shift{"shift"};        // shift(channel, block)
    Input<Buffer<uint8_t, 2>> mask{"mask"};        // mask(token, n)
    Input<Buffer<float, 1>> fallback{"fallback"};  // fallback(n)
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func current = stage("widened", cast<float>(input(c, t, n)));
        current = stage("centred", current(c, t, n) / 32.0f - 4.0f);
        for (int block = 0; block < blocks; block++) {
            const std::string suffix = "_" + std::to_string(block);
            const auto next = [&](const std::string &name, const Expr &value) {
                return stage(name + suffix, value)(c, t, n);
            };
            const Expr previous = current(c, t, n);
            read_often.push_back(current);
            const Expr scaled = next("scaled", previous * scale(c, block));
            const Func shifted = stage("shifted" + suffix, scaled + shift(c, block));
            read_often.push_back(shifted);
            const Expr negated = next("negated", -shifted(c, t, n));
            const Expr exponential = next("exponential", exp(negated));
            const Expr denominator = next("denominator", 1.0f + exponential);
            const Expr gate = next("gate", 1.0f / denominator);
            const Expr swish = next("swish", shifted(c, t, n) * gate);
            const Expr quantised =
                next("quantised", cast<int8_t>(clamp(round(swish * 16.0f), -128.0f, 127.0f)));
            const Expr restored = next("restored", cast<float>(quantised) / 16.0f);
            const Expr decay = next("decay", exp(-2.0f * restored));
            const Expr squashed = next("squashed", 2.0f / (1.0f + decay) - 1.0f);
            const Expr masked = next("masked", select(mask(t, n) != 0, squashed, fallback(n)));
            const Expr residual = next("residual", previous + masked);
            current = stage("clipped" + suffix, clamp(residual, -6.0f, 6.0f));
        }
        output(c, t, n) = current(c, t, n);
    }

    void estimates() {
        const int channels = 256, tokens = 128, batch = 16;
        input.set_estimates({{0, channels}, {0, tokens}, {0, batch}});
        scale.set_estimates({{0, channels}, {0, blocks}});
        shift.set_estimates({{0, channels}, {0, blocks}});
        mask.set_estimates({{0, tokens}, {0, batch}});
        fallback.set_estimates({{0, batch}});
        output.set_estimates({{0, channels}, {0, tokens}, {0, batch}});
    }

    void manual_cpu() {
        // Two vectors at a time; stages that are read more than once wait for their readers in
        // registers. The shifted tail needs two vectors of channels.
        const int vec = natural_vector_size<float>();
        Var ci("ci"), strip("strip"), task("task");
        output.split(c, c, ci, 2 * vec, TailStrategy::ShiftInwards)
            .vectorize(ci, vec)
            .unroll(ci)
            .split(t, strip, t, 16, TailStrategy::GuardWithIf)
            .fuse(strip, n, task)
            .parallel(task);
        for (Func &func : read_often) {
            func.compute_at(output, c).bound_extent(c, 2 * vec).vectorize(c, vec).unroll(c);
        }
    }

    void manual_gpu() {
        Var ci("ci"), ti("ti");
        output.gpu_tile(c, t, ci, ti, 32, 4, TailStrategy::GuardWithIf).gpu_blocks(n);
        for (Func &func : read_often) {
            func.compute_at(output, ci);
        }
    }

private:
    static constexpr int blocks = 6;

    Func stage(const std::string &name, const Expr &value) const {
        Func func(name);
        func(c, t, n) = value;
        return func;
    }

    Var c{"c"}, t{"t"}, n{"n"};
    std::vector<Func> read_often;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::ElementwiseChain, elementwise_chain)
