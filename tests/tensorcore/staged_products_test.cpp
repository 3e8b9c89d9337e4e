// Products in chunks, with what a block shares of a chunk in shared memory, by ordinary kernels: every plan that the
// search starts from computes on the emulator what plain C++ does.
#include <gtest/gtest.h>

#include "base/random.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "graph/builder/divide_reductions.h"
#include "graph/halide/pipeline_view.h"
#include "machine/gpu.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/divisions/divisions.h"
#include "search/gpu/staged_products.h"
#include "tests/tensorcore/emulator/stand_in_driver.h"

namespace cryolite {
namespace {

using namespace Halide;

const gpu::GpuDevice device = gpu::device_of(*gpu_preset("h100"));

Target target() {
    return Target(get_jit_target_from_environment().to_string() + "-cuda-cuda_capability_80");
}

Buffer<float> filled(const std::vector<int> &extents, uint64_t seed) {
    Buffer<float> buffer(extents);
    Random random(seed);
    buffer.for_each_value([&](float &value) { value = static_cast<float>(random.between(-3, 3)); });
    buffer.set_host_dirty();
    return buffer;
}

// out(x, y) = 2 sum over k of a(k, y) b(x, k) + 1
struct Product {
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    Halide::Func sum{"sum"}, out{"out"};

    Product() {
        const Var x("x"), y("y");
        const RDom k(0, a.width(), "k");
        sum(x, y) = 0.0f;
        sum(x, y) += a(k, y) * b(x, k);
        out(x, y) = 2 * sum(x, y) + 1;
        a.set_estimates({{0, 512}, {0, 1024}});
        b.set_estimates({{0, 1024}, {0, 512}});
        out.set_estimates({{0, 1024}, {0, 1024}});
    }

    int wrong(int columns, int rows, int depth) {
        const Buffer<float> left = filled({depth, rows}, 1), right = filled({columns, depth}, 2);
        a.set(left);
        b.set(right);
        Buffer<float> result(columns, rows);
        out.realize({result}, target());
        result.copy_to_host();
        int count = 0;
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < columns; x++) {
                float expected = 0;
                for (int k = 0; k < depth; k++) expected += left(k, y) * right(x, k);
                count += result(x, y) == 2 * expected + 1 ? 0 : 1;
            }
        return count;
    }
};

// Channels innermost, windows of three points, no border.
struct Convolution {
    ImageParam image{Float(32), 2, "image"}, weights{Float(32), 3, "weights"};
    Halide::Func sum{"sum"}, out{"out"};

    Convolution() {
        const Var c("c"), x("x");
        const RDom r(0, weights.dim(1).extent(), 0, 3, "r");
        sum(c, x) = 0.0f;
        sum(c, x) += weights(c, r.x, r.y) * image(r.x, x + r.y);
        out(c, x) = max(sum(c, x), 0.0f);
        image.set_estimates({{0, 128}, {0, 20'002}});
        weights.set_estimates({{0, 128}, {0, 128}, {0, 3}});
        out.set_estimates({{0, 128}, {0, 20'000}});
    }

    int wrong(int channels, int points, int depth) {
        const Buffer<float> from = filled({depth, points + 2}, 1);
        const Buffer<float> by = filled({channels, depth, 3}, 2);
        image.set(from);
        weights.set(by);
        Buffer<float> result(channels, points);
        out.realize({result}, target());
        result.copy_to_host();
        int count = 0;
        for (int x = 0; x < points; x++)
            for (int c = 0; c < channels; c++) {
                float expected = 0;
                for (int w = 0; w < 3; w++)
                    for (int k = 0; k < depth; k++) expected += by(c, k, w) * from(k, x + w);
                count += result(c, x) == std::max(expected, 0.0f) ? 0 : 1;
            }
        return count;
    }
};

// The chunks that are offered for the only reduction of the pipeline.
template <typename Of>
std::vector<DividedReduction> chunks() {
    const Of of;
    const Machine host = *machine_preset("x86-avx2");
    const auto built = build_graph({of.out.function()}, target());
    EXPECT_TRUE(built.ok());
    for (const DivisionChoice &choice : division_choices(built->graph, Hardware(host, &device)))
        if (!choice.chunks.empty()) return choice.chunks;
    return {};
}

// `of` scheduled by plan number `plan`; false: there is no such plan.
template <typename Of>
bool schedule(const Of &of, DividedReduction chunk, size_t plan) {
    const Machine host = *machine_preset("x86-avx2");
    chunk.func = of.sum.name();
    const auto built = build_divided_graph({of.out.function()}, target(), {&chunk, 1});
    EXPECT_TRUE(built.ok()) << built.error().message;
    std::vector<LoopNest> plans = staged_products(built->graph, Hardware(host, &device));
    std::erase_if(plans, [](const LoopNest &nest) {
        return find_kernel_fault(nest, launch_limits(device)).has_value();
    });
    if (plan >= plans.size()) return false;
    EXPECT_EQ(validate(plans[plan]), "") << to_tree_text(plans[plan]);
    const auto emitted = emit(*built, plans[plan]);
    EXPECT_TRUE(emitted.ok()) << emitted.error().message;
    return true;
}

template <typename Of>
void expect_right(const std::vector<std::array<int, 3>> &sizes) {
    const std::vector<DividedReduction> offered = chunks<Of>();
    EXPECT_FALSE(offered.empty());
    size_t tried = 0;
    for (const DividedReduction &chunk : offered)
        for (size_t plan = 0;; plan++) {
            Of of;
            if (!schedule(of, chunk, plan)) break;
            tried++;
            for (const auto &[a, b, c] : sizes) {
                try {
                    EXPECT_EQ(of.wrong(a, b, c), 0)
                        << a << " x " << b << " x " << c << ", chunks of " << chunk.points
                        << ", plan " << plan << emulator::take_problem();
                } catch (const Halide::Error &error) {
                    FAIL() << a << " x " << b << " x " << c << ", chunks of " << chunk.points
                           << ", plan " << plan << ": " << error.what() << emulator::take_problem();
                }
            }
        }
    EXPECT_GT(tried, 4u);
}

TEST(StagedProducts, AreRightWhateverTheSizes) {
    expect_right<Product>({{64, 128, 32}, {70, 67, 37}, {3, 2, 1}});
}

TEST(StagedProducts, OfConvolutionsAreRight) {
    expect_right<Convolution>({{64, 128, 8}, {70, 67, 9}, {1, 3, 2}});
}

}  // namespace
}  // namespace cryolite
