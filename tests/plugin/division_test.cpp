// Reductions in parts, the whole way: they are chosen where they pay, and compute the same at every size.
// generator_test.sh replays their traces.
#include "graph/builder/divide_reductions.h"
#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

using namespace Halide;
using testing::quick;
using testing::schedule;

constexpr int width = 1920, height = 1080;

struct Case {
    const char *name;
    // r: the image
    std::function<Halide::Func(const Halide::Func &in, const RDom &r)> reduction;
    std::vector<int> size;
    bool is_divided;
};

Var i("i"), j("j"), c("c");

std::vector<Case> cases() {
    return {
        {"sum",
         [](const Halide::Func &in, const RDom &r) {
             Halide::Func f("sum");
             f() = 0;
             f() += cast<int>(in(r.x, r.y));
             return f;
         },
         {},
         true},
        {"histogram",
         [](const Halide::Func &in, const RDom &r) {
             Halide::Func f("histogram");
             f(i) = 0;
             f(cast<int>(in(r.x, r.y)) / 4) += 1;
             return f;
         },
         {64},
         true},
        {"where",
         [](const Halide::Func &in, const RDom &r) {
             Halide::Func f("where");
             f() = Tuple(0, 0, cast<uint8_t>(0));
             const Expr better = in(r.x, r.y) > f()[2];
             f() = Tuple(select(better, r.x, f()[0]), select(better, r.y, f()[1]),
                         select(better, in(r.x, r.y), f()[2]));
             return f;
         },
         {},
         false},  // of equal values the first has to be found: no order is free
        {"means",
         [](const Halide::Func &in, const RDom &r) {
             Halide::Func f("means"), out("out");
             f(c) = cast<uint64_t>(0);
             f(c) += cast<uint64_t>(in(r.x, r.y)) * cast<uint64_t>(c + 1);
             out(i, j) = cast<uint16_t>(in(i, j)) + cast<uint16_t>(f(0) + f(1) + f(2));
             return out;
         },
         {width, height},
         true},
    };
}

struct Made {
    ImageParam input{UInt(8), 2, "input"};
    Halide::Pipeline pipeline;

    explicit Made(const Case &of) {
        input.set_estimates({{0, width}, {0, height}});
        // The image may be smaller than what the output shows of it.
        const Halide::Func in = BoundaryConditions::repeat_edge(input);
        const RDom r(0, input.width(), 0, input.height(), "r");
        Halide::Func f = of.reduction(in, r);
        std::vector<Range> estimates;
        for (int extent : of.size) estimates.emplace_back(0, extent);
        f.set_estimates(estimates);
        pipeline = f;
    }
};

Buffer<uint8_t> image_of(int w, int h) {
    Buffer<uint8_t> image(w, h);
    image.for_each_element([&](int x, int y) {
        image(x, y) = static_cast<uint8_t>((x * 7919 + y * 104729 + (x * y) % 251) % 253);
    });
    return image;
}

std::string trace_of(const AutoSchedulerResults &results) {
    return {results.featurization.begin(), results.featurization.end()};
}

class Division : public ::testing::Test {
protected:
    void SetUp() override {
        if (!can_divide_reductions) GTEST_SKIP() << "this Halide's rfactor() is not used";
    }
};

TEST_F(Division, computes_the_same_at_every_size) {
    for (const Case &of : cases()) {
        SCOPED_TRACE(of.name);
        Made plain(of), scheduled(of);
        for (const auto &[name, f] :
             Internal::build_environment({plain.pipeline.outputs()[0].function()}))
            Halide::Func(f).compute_root();
        const bool divided =
            trace_of(schedule(scheduled.pipeline, quick())).find("\ndivide ") != std::string::npos;
        EXPECT_EQ(divided, of.is_divided);
        for (const auto &[w, h] : {std::pair{width, height}, {1, 1}, {97, 3}, {33, 257}}) {
            const Buffer<uint8_t> image = image_of(w, h);
            plain.input.set(image);
            scheduled.input.set(image);
            Realization expected = plain.pipeline.realize(of.size);
            Realization found = scheduled.pipeline.realize(of.size);
            for (size_t k = 0; k < expected.size(); k++)
                EXPECT_EQ(
                    std::memcmp(expected[k].data(), found[k].data(), expected[k].size_in_bytes()),
                    0)
                    << w << " x " << h << ", output " << k;
        }
    }
}

// Both sums have few points: lanes for the two together are faster than none, and feed one core alone.
TEST_F(Division, of_two_sums_feeds_the_cores) {
    const Made sums({"two",
                     [](const Halide::Func &in, const RDom &r) {
                         Halide::Func sum("sum"), squares("squares"), out("out");
                         const Expr value = cast<int>(in(r.x, r.y));
                         sum() = 0;
                         sum() += value;
                         squares() = 0;
                         squares() += value * value;
                         out() = squares() - sum();
                         return out;
                     },
                     {},
                     true});
    const std::string trace = trace_of(schedule(sums.pipeline, quick({{"parallelism", "4"}})));
    size_t blocks = 0;
    for (size_t at = 0; (at = trace.find(" blocks ", at)) != trace.npos; at++) blocks++;
    EXPECT_EQ(blocks, 2u) << trace;
}

// Whole searches of long pipelines would take too long. There all but the sum has plain loops while its division is
// tried.
TEST_F(Division, of_a_sum_at_the_end_of_a_long_pipeline) {
    struct Long {
        Var x{"x"}, y{"y"};
        ImageParam input{UInt(8), 2, "input"};
        Halide::Func sum{"sum"};
        Long() {
            input.set_estimates({{0, width}, {0, height}});
            Halide::Func last("in");
            last(x, y) = cast<int>(BoundaryConditions::repeat_edge(input)(x, y));
            for (int i = 0; i < 30; i++) {
                Halide::Func next("blurred" + std::to_string(i));
                next(x, y) = (last(x - 1, y) + last(x + 1, y + 1)) / 2;
                last = next;
            }
            const RDom r(0, input.width(), 0, input.height(), "r");
            sum() = 0;
            sum() += last(r.x, r.y);
            sum.set_estimates({});
        }
    } plain, scheduled;
    const std::string trace = trace_of(schedule(Pipeline(scheduled.sum), quick()));
    EXPECT_NE(trace.find("\ndivide sum"), trace.npos) << trace;
    for (const auto &[name, f] : Internal::build_environment({plain.sum.function()}))
        Halide::Func(f).compute_root();
    for (const auto &[w, h] : {std::pair{333, 71}, {1, 1}}) {
        plain.input.set(image_of(w, h));
        scheduled.input.set(image_of(w, h));
        const Buffer<int> expected = plain.sum.realize(), found = scheduled.sum.realize();
        EXPECT_EQ(expected(), found()) << w << " x " << h;
    }
}

// A picture that is resampled along its rows, then along its columns: what was gathered along the rows is stored across
// them, and turned back by a copy.
TEST(DivisionCopy, of_what_gathers_along_its_rows_computes_the_same) {
    struct Resampled {
        Var x{"x"}, y{"y"};
        ImageParam input{Float(32), 2, "input"};
        Halide::Func rows{"rows"}, out{"out"};
        Resampled() {
            input.set_estimates({{0, 700}, {0, 520}});
            const Halide::Func in = BoundaryConditions::repeat_edge(input);
            Expr sum = 0.0f, column = 0.0f;
            for (int k = 0; k < 6; k++) sum += in(x * 5 / 8 + k, y) * float(k + 1);
            rows(x, y) = sum;
            for (int k = 0; k < 6; k++) column += rows(x, y * 5 / 8 + k) * float(k - 2);
            out(x, y) = column;
            out.set_estimates({{0, 1024}, {0, 800}});
        }
    } plain, scheduled;
    plain.rows.compute_root();
    const std::string trace = trace_of(schedule(Pipeline(scheduled.out), quick()));
    EXPECT_NE(trace.find("\ncopy rows"), trace.npos) << trace;
    Buffer<float> image(333, 71);
    image.for_each_element(
        [&](int i, int j) { image(i, j) = static_cast<float>((i * 7 + j * 13) % 31); });
    plain.input.set(image);
    scheduled.input.set(image);
    for (const auto &[w, h] : {std::pair{1024, 800}, {1, 1}, {97, 3}, {33, 257}}) {
        const Buffer<float> expected = plain.out.realize({w, h}),
                            found = scheduled.out.realize({w, h});
        EXPECT_EQ(std::memcmp(expected.data(), found.data(), expected.size_in_bytes()), 0)
            << w << " x " << h;
    }
}

TEST_F(Division, is_left_out_when_asked) {
    const Made sum(cases()[0]);
    const std::string trace = trace_of(schedule(sum.pipeline, quick({{"divide", "false"}})));
    EXPECT_EQ(trace.find("divide"), std::string::npos) << trace;
}

}  // namespace
}  // namespace cryolite
