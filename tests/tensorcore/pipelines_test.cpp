// Whole pipelines around products: convolutions, two products, ordinary kernels beside them; and what goes wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.h"
#include "tensorcore/schedule_product.h"
#include "tests/tensorcore/emulator/stand_in_driver.h"

namespace cryolite::tensorcore {
namespace {

using namespace Halide;
using Halide::Error;
using Halide::Func;

const Tile kTile{64, 64, 2, 2, 64, 4};

Target target_for(int capability) {
    return Target(get_jit_target_from_environment().to_string() + "-cuda-cuda_capability_" +
                  std::to_string(capability));
}

template <typename T>
Buffer<T> filled(const std::vector<int> &extents, uint64_t seed) {
    Buffer<T> buffer(extents);
    Random random(seed);
    buffer.for_each_value([&](T &value) {
        value = T(static_cast<float>(random.between(std::is_same_v<T, uint8_t> ? 0 : -3, 3)));
    });
    buffer.set_host_dirty();
    return buffer;
}

// Schedules for the device, runs there, and compares with the same algorithm scheduled for the host.
struct Pipelines : testing::Test {
    Target target = target_for(80);
    Var x{"x"}, y{"y"}, c{"c"}, n{"n"};

    void add(Pipeline pipeline, const std::vector<ProductToSchedule> &products) {
        std::vector<LoweredProduct> lowered;
        for (const ProductToSchedule &product : products) {
            const auto scheduled = schedule_product(product, target);
            ASSERT_TRUE(scheduled.ok()) << scheduled.error().message;
            lowered.push_back(*scheduled);
        }
        add_pass(std::move(pipeline), lowered, target);
    }

    template <typename T>
    void expect_equal(Pipeline on_device, Pipeline on_host, const std::vector<int> &extents) {
        Buffer<T> result(extents), expected(extents);
        on_host.realize({expected}, get_jit_target_from_environment());
        try {
            on_device.realize({result}, target);
            result.copy_to_host();
        } catch (const Error &error) {
            FAIL() << error.what() << emulator::take_problem();
        }
        int wrong = 0;
        result.for_each_element(
            [&](const int *at) { wrong += result(at) == expected(at) ? 0 : 1; });
        EXPECT_EQ(wrong, 0) << "of " << result.number_of_elements();
    }
};

struct Convolution {
    Func sums{"sums"}, result{"result"};
};

// Channels are innermost; windows of 3x3 at steps of `step`, zeros around the image.
Convolution convolution(const Buffer<int8_t> &image, const Buffer<int8_t> &weights, int step) {
    Var x("x"), y("y"), c("c"), n("n");
    Func padded = BoundaryConditions::constant_exterior(image, cast<int8_t>(0));
    RDom r(0, weights.dim(0).extent(), 0, 3, 0, 3, "r");
    Convolution f;
    f.sums(c, x, y, n) = c;
    f.sums(c, x, y, n) += cast<int>(padded(r.x, step * x + r.y - 1, step * y + r.z - 1, n)) *
                          cast<int>(weights(r.x, r.y, r.z, c));
    f.result(c, x, y, n) = cast<uint8_t>(clamp(f.sums(c, x, y, n) / 8, 0, 255));
    return f;
}

TEST_F(Pipelines, AConvolutionWithABoundary) {
    const Buffer<int8_t> image = filled<int8_t>({16, 13, 11, 2}, 1),
                         weights = filled<int8_t>({16, 3, 3, 24}, 2);
    for (int step : {1, 2}) {
        Convolution device = convolution(image, weights, step),
                    host = convolution(image, weights, step);
        host.sums.compute_root();
        Pipeline p(device.result);
        add(p, {{.product = device.sums, .epilogue = device.result, .tile = kTile}});
        expect_equal<uint8_t>(p, Pipeline(host.result), {24, 13 / step, 11 / step, 2});
    }
}

// Whole units of channels are copied.
TEST_F(Pipelines, AConvolutionWithoutABoundary) {
    const Buffer<float16_t> image = filled<float16_t>({16, 14, 9}, 1),
                            weights = filled<float16_t>({16, 3, 3, 24}, 2);
    const auto make = [&] {
        RDom r(0, 16, 0, 3, 0, 3, "r");
        Convolution f;
        f.sums(c, x, y) = 0.0f;
        f.sums(c, x, y) +=
            cast<float>(image(r.x, x + r.y, y + r.z)) * cast<float>(weights(r.x, r.y, r.z, c));
        f.result(c, x, y) = max(f.sums(c, x, y), 0);
        return f;
    };
    Convolution device = make(), host = make();
    host.sums.compute_root();
    Pipeline p(device.result);
    add(p, {{.product = device.sums, .epilogue = device.result, .tile = kTile}});
    const int copied = emulator::count_launches("copied");
    expect_equal<float>(p, Pipeline(host.result), {24, 12, 7});
    EXPECT_EQ(emulator::count_launches("copied"), copied + 1);
}

// The first product's results are the second one's operand; a kernel of Halide's prepares the first one's.
TEST_F(Pipelines, TwoProductsAndAnOrdinaryKernel) {
    const Buffer<float16_t> a = filled<float16_t>({40, 50}, 1), b = filled<float16_t>({48, 40}, 2),
                            d = filled<float16_t>({33, 48}, 3);
    struct Made {
        Func prepared{"prepared"}, first{"first"}, between{"between"}, second{"second"},
            result{"result"};
    };
    const auto make = [&] {
        RDom k(0, 40, "k"), l(0, 48, "l");
        Made f;
        f.prepared(x, y) = a(x, y) + cast<float16_t>(1);
        f.first(x, y) = 0.0f;
        f.first(x, y) += cast<float>(f.prepared(k, y)) * cast<float>(b(x, k));
        f.between(x, y) = cast<float16_t>(clamp(f.first(x, y), -8, 8));
        f.second(x, y) = 0.0f;
        f.second(x, y) += cast<float>(f.between(l, y)) * cast<float>(d(x, l));
        f.result(x, y) = f.second(x, y) * 0.5f;
        return f;
    };
    Made device = make(), host = make();
    for (Func f : {host.prepared, host.first, host.between, host.second}) f.compute_root();
    Var xi, yi;
    device.prepared.compute_root().gpu_tile(x, y, xi, yi, 8, 8);
    Pipeline p(device.result);
    add(p, {{.product = device.first, .epilogue = device.between, .tile = kTile},
            {.product = device.second, .epilogue = device.result, .tile = {32, 32, 1, 1, 64, 4}}});
    expect_equal<float>(p, Pipeline(host.result), {33, 50});
}

TEST_F(Pipelines, AnEmptyReductionLeavesTheInitialValue) {
    Param<int> depth("depth");
    ImageParam a(Float(16), 2, "a"), b(Float(16), 2, "b");
    RDom k(0, depth, "k");
    Func sums("sums"), result("result");
    sums(x, y) = 3.0f;
    sums(x, y) += cast<float>(a(k, y)) * cast<float>(b(x, k));
    result(x, y) = sums(x, y);
    Pipeline p(result);
    add(p, {{.product = sums, .epilogue = result, .tile = kTile}});
    a.set(filled<float16_t>({32, 20}, 1));
    b.set(filled<float16_t>({20, 32}, 2));
    depth.set(0);
    Buffer<float> out(20, 20);
    p.realize({out}, target);
    out.copy_to_host();
    EXPECT_TRUE(out.all_equal(3.0f)) << out(0, 0);
}

// Floats of any value, in a product with other factors beside the matrices. Halide moves constants to other places when
// it lowers the loops.
struct RoundedFloats : Pipelines {
    static constexpr int kColumns = 52, kRows = 37, kDepth = 44;
    Buffer<float> a = any({kDepth, kRows}, 1), b = any({kColumns, kDepth}, 2),
                  of_row = any({kRows}, 3);

    static Buffer<float> any(const std::vector<int> &extents, uint64_t seed) {
        Buffer<float> buffer(extents);
        Random random(seed);
        buffer.for_each_value([&](float &value) {
            value = static_cast<float>(random.between(-1'000'000, 1'000'000)) / 300'000;
        });
        buffer.set_host_dirty();
        return buffer;
    }

    // term: of the depth, a column and a row.
    using Term = std::function<Expr(const Expr &, const Expr &, const Expr &)>;

    // Computes sums of terms there and here. Each factor is rounded by up to 2^-11 of itself.
    void expect_near(const Term &term) {
        const auto make = [&](const char *name, bool is_absolute) {
            RDom k(0, kDepth, "k");
            Func sums(name);
            sums(x, y) = 0.0f;
            const Expr added = term(k, x, y);
            sums(x, y) += is_absolute ? abs(added) : added;
            return sums;
        };
        const Func sums = make("sums", false);
        Func result("result");
        result(x, y) = sums(x, y) + 1.0f;
        Buffer<float> found(kColumns, kRows), expected(kColumns, kRows), scale(kColumns, kRows);
        const Target host = get_jit_target_from_environment();
        make("expected", false).realize({expected}, host);
        make("scale", true).realize({scale}, host);
        Pipeline p(result);
        add(p,
            {{.product = sums, .epilogue = result, .tile = kTile, .precision = Precision::Tf32}});
        try {
            p.realize({found}, target);
            found.copy_to_host();
        } catch (const Error &error) {
            FAIL() << error.what() << emulator::take_problem();
        }
        int wrong = 0, rounded = 0;
        found.for_each_element([&](const int *at) {
            const double error = std::abs(found(at) - (expected(at) + 1.0));
            wrong += error <= scale(at) * (std::ldexp(1.0, -10) + std::ldexp(1.0, -17)) ? 0 : 1;
            rounded += error > scale(at) * std::ldexp(1.0, -20) ? 1 : 0;
        });
        EXPECT_EQ(wrong, 0) << "of " << found.number_of_elements();
        EXPECT_GT(rounded, found.number_of_elements() / 2) << "no factor was rounded";
    }
};

TEST_F(RoundedFloats, OfTwoMatrices) {
    const int copied = emulator::count_launches("copied");
    expect_near([&](const Expr &k, const Expr &n, const Expr &m) { return a(k, m) * b(n, k); });
    EXPECT_EQ(emulator::count_launches("copied"), copied + 1);
}

TEST_F(RoundedFloats, WithConstantsAndScales) {
    expect_near(
        [&](const Expr &k, const Expr &n, const Expr &m) { return -2.5f * a(k, m) * b(n, k); });
    expect_near([&](const Expr &k, const Expr &n, const Expr &m) {
        return a(k, m) * b(n, k) * of_row(m) * 0.3f;
    });
    expect_near([&](const Expr &k, const Expr &n, const Expr &m) {
        return (a(k, m) * 3.0f) * (b(n, k) + 1.0f);
    });
}

TEST_F(RoundedFloats, BehindABoundary) {
    const Func around = BoundaryConditions::constant_exterior(a, 0.5f);
    expect_near([&](const Expr &k, const Expr &n, const Expr &m) {
        return around(k - 2, m + 1) * b(n, k);
    });
}

TEST_F(RoundedFloats, AreRefusedUnlessTheyAreAllowed) {
    RDom k(0, kDepth, "k");
    Func sums("sums"), result("result");
    sums(x, y) = 0.0f;
    sums(x, y) += a(k, y) * b(x, k);
    result(x, y) = sums(x, y);
    const auto refused = schedule_product({.product = sums, .epilogue = result}, target);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("32-bit floats"), std::string::npos)
        << refused.error().message;
    const auto too_old = schedule_product(
        {.product = sums, .epilogue = result, .precision = Precision::Tf32}, target_for(75));
    ASSERT_FALSE(too_old.ok());
    EXPECT_NE(too_old.error().message.find("cuda_capability_80"), std::string::npos)
        << too_old.error().message;
}

struct Plain {
    ImageParam a{Float(16), 2, "a"}, b{Float(16), 2, "b"};
    Var x{"x"}, y{"y"};
    RDom k{0, 64, "k"};
    Func sums{"sums"}, result{"result"};
    Plain() {
        sums(x, y) = 0.0f;
        sums(x, y) += cast<float>(a(k, y)) * cast<float>(b(x, k));
        result(x, y) = sums(x, y);
    }
};

TEST_F(Pipelines, LoopsThatWereChangedAfterwardsAreNamed) {
    Plain f;
    Pipeline p(f.result);
    add(p, {{.product = f.sums, .epilogue = f.result}});
    f.sums.update().unroll(f.k.x, 4);
    try {
        p.compile_to_module(p.infer_arguments(), "f", target);
        FAIL() << "compiled";
    } catch (const CompileError &error) {
        EXPECT_NE(std::string(error.what()).find("tensor cores cannot compute " + f.sums.name()),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(Pipelines, ANestThatIsNotThereIsNamed) {
    Plain f;
    Pipeline p(f.result);
    auto scheduled = schedule_product({.product = f.sums, .epilogue = f.result}, target);
    ASSERT_TRUE(scheduled.ok());
    scheduled.value().nest = "nowhere";
    add_pass(p, {*scheduled}, target);
    EXPECT_THROW(p.compile_to_module(p.infer_arguments(), "f", target), CompileError);
}

TEST_F(Pipelines, ATargetWithoutTensorCoresIsRefusedAndNothingChanged) {
    Plain f;
    const auto scheduled =
        schedule_product({.product = f.sums, .epilogue = f.result}, target_for(61));
    ASSERT_FALSE(scheduled.ok());
    EXPECT_NE(scheduled.error().message.find("cuda_capability_75"), std::string::npos)
        << scheduled.error().message;
    EXPECT_FALSE(f.result.function().has_update_definition());
    Pipeline(f.result).compile_to_module({f.a, f.b}, "f", get_jit_target_from_environment());
}

TEST_F(Pipelines, ATileThatDoesNotFitIsRefused) {
    Plain f;
    const auto scheduled = schedule_product(
        {.product = f.sums, .epilogue = f.result, .tile = {128, 128, 2, 4, 64, 5}}, target);
    ASSERT_FALSE(scheduled.ok());
    EXPECT_NE(scheduled.error().message.find("48 KB"), std::string::npos)
        << scheduled.error().message;
}

}  // namespace
}  // namespace cryolite::tensorcore
