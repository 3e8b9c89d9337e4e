// Pipelines that are not the usual chain of images: each gets a legal schedule that computes what
// the unscheduled pipeline computes.
#include "tests/plugin/plugin_run.h"

#if defined(_WIN32)
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE __attribute__((visibility("default")))
#endif

// An extern stage: adds 7 to every element of its input. In a bounds query it asks for as much of
// the input as it is asked for itself.
extern "C" VISIBLE int cryolite_test_add_seven(halide_buffer_t *in, halide_buffer_t *out) {
    if (in->is_bounds_query() || out->is_bounds_query()) {
        for (int d = 0; d < 2; d++) in->dim[d] = out->dim[d];
        return 0;
    }
    for (int y = out->dim[1].min; y < out->dim[1].min + out->dim[1].extent; y++) {
        for (int x = out->dim[0].min; x < out->dim[0].min + out->dim[0].extent; x++) {
            const int at[] = {x, y};
            *reinterpret_cast<int32_t *>(out->address_of(at)) =
                *reinterpret_cast<int32_t *>(in->address_of(at)) + 7;
        }
    }
    return 0;
}

namespace cryolite {
namespace {

using namespace Halide;  // an algorithm reads best in Halide's own words
using testing::expect_same;

constexpr int width = 160, height = 120;

// Sizes on and off the estimates, and the smallest.
const std::vector<std::vector<int32_t>> sizes = {{width, height}, {61, 43}, {3, 2}, {1, 1}};

Buffer<int32_t> numbers() {
    Buffer<int32_t> image(width, height);
    image.for_each_element([&](int x, int y) { image(x, y) = (x * 7919 + y * 104729) % 1009; });
    return image;
}

// An input that is defined everywhere.
Func source(const std::string &name = "source") {
    static const Buffer<int32_t> image = numbers();
    Func f(name);
    const Func repeated = BoundaryConditions::repeat_edge(image);
    f = repeated;
    return f;
}

// What is added is never negative, so that its Func drops out of what Halide simplifies, and with it
// one of the two users of `shared`.
TEST(PluginPipelines, that_do_not_need_a_func_they_call) {
    for (const std::vector<int32_t> &size : sizes) {
        expect_same(
            [] {
                Var x("x"), y("y");
                Func shared("shared"), value("value"), unneeded("unneeded");
                Func first("first"), second("second");
                const Func in = source();
                shared(x, y) = in(x, y) + 1;
                value(x, y) = in(x, y) * 3;
                unneeded(x, y) = shared(x + 1, y) * 5;
                first(x, y) = min(value(x, y) + unneeded(x, y) % 16, value(x, y));
                second(x, y) = shared(x, y) + 1;
                for (Func f : {shared, value, unneeded}) f.compute_root();
                for (Func f : {first, second}) f.set_estimates({{0, width}, {0, height}});
                return Pipeline({first, second});
            },
            size);
    }
}

TEST(PluginPipelines, with_an_extern_stage) {
    for (const std::vector<int32_t> &size : sizes) {
        expect_same(
            [] {
                Var x("x"), y("y");
                Func before("before"), seven("seven"), after("after");
                const Func in = source();
                before(x, y) = in(x, y) + in(x + 1, y);
                seven.define_extern("cryolite_test_add_seven", {before}, Int(32), {x, y});
                after(x, y) = seven(x, y) + seven(x, y + 1);
                before.compute_root();
                seven.compute_root();
                after.set_estimates({{0, width}, {0, height}});
                return Pipeline(after);
            },
            size);
    }
}

TEST(PluginPipelines, with_specialisations_by_the_user) {
    for (const std::vector<int32_t> &size : sizes) {
        expect_same(
            [] {
                Var x("x"), y("y");
                Func half("half"), out("out");
                const Func in = source();
                half(x, y) = in(x, y) / 2;
                out(x, y) = half(x, y) + half(x + 1, y);
                out.specialize(out.output_buffer().dim(0).extent() >= 64).vectorize(x, 8);
                out.set_estimates({{0, width}, {0, height}});
                return Pipeline(out);
            },
            size);
    }
}

TEST(PluginPipelines, with_tuples) {
    for (const std::vector<int32_t> &size : sizes) {
        expect_same(
            [] {
                Var x("x"), y("y");
                Func extremes("extremes"), out("out");
                const Func in = source();
                RDom window(0, 3, 0, 3, "window");
                extremes(x, y) = Tuple(1 << 20, -(1 << 20));
                const Expr value = in(x + window.x, y + window.y);
                extremes(x, y) =
                    Tuple(min(extremes(x, y)[0], value), max(extremes(x, y)[1], value));
                out(x, y) = Tuple(extremes(x, y)[1] - extremes(x, y)[0], extremes(x, y)[0]);
                out.set_estimates({{0, width}, {0, height}});
                return Pipeline(out);
            },
            size);
    }
}

TEST(PluginPipelines, with_several_outputs_of_which_one_reads_another) {
    for (const std::vector<int32_t> &size : sizes) {
        expect_same(
            [] {
                Var x("x"), y("y");
                Func shared("shared"), first("first"), second("second"), third("third");
                const Func in = source();
                shared(x, y) = in(x, y) * 3;
                first(x, y) = shared(x, y) + shared(x + 2, y);
                second(x, y) = shared(x, y) - 1;
                third(x, y) = second(x, y) * second(x, y);
                for (Func f : {first, second, third}) f.set_estimates({{0, width}, {0, height}});
                return Pipeline({first, second, third});
            },
            size);
    }
}

TEST(PluginPipelines, whose_output_has_no_dimension) {
    expect_same(
        [] {
            Func doubled("doubled"), sum("sum");
            Var x("x"), y("y");
            const Func in = source();
            doubled(x, y) = in(x, y) * 2;
            RDom all(0, width, 0, height, "all");
            sum() = 0;
            sum() += doubled(all.x, all.y);
            return Pipeline(sum);
        },
        {});
}

TEST(PluginPipelines, through_a_func_without_dimensions) {
    for (const std::vector<int32_t> &size : sizes) {
        expect_same(
            [] {
                Func peak("peak"), out("out");
                Var x("x"), y("y");
                const Func in = source();
                RDom all(0, width, 0, height, "all");
                peak() = 0;
                peak() = max(peak(), in(all.x, all.y));
                out(x, y) = peak() - in(x, y);
                out.set_estimates({{0, width}, {0, height}});
                return Pipeline(out);
            },
            size);
    }
}

TEST(PluginPipelines, that_index_by_loaded_values_and_scatter) {
    // The unscheduled reference counts anew for every pixel of its output.
    for (const std::vector<int32_t> &size : {std::vector<int32_t>{50, 30}, {7, 3}, {1, 1}}) {
        expect_same(
            [] {
                Func counts("counts"), running("running"), out("out");
                Var x("x"), y("y"), bin("bin");
                const Func in = source();
                RDom all(0, 24, 0, 16, "all");
                counts(bin) = 0;
                counts(clamp(in(all.x, all.y) / 4, 0, 255)) += 1;
                RDom bins(1, 255, "bins");
                running(bin) = counts(bin);
                running(bins) = running(bins - 1) + counts(bins);
                out(x, y) = running(clamp(in(x, y) / 4, 0, 255));
                out.set_estimates({{0, width}, {0, height}});
                return Pipeline(out);
            },
            size);
    }
}

TEST(PluginPipelines, that_read_through_a_wrapper) {
    for (const std::vector<int32_t> &size : sizes) {
        expect_same(
            [] {
                Func base("base"), out("out");
                Var x("x"), y("y");
                const Func in = source();
                base(x, y) = in(x, y) + 5;
                out(x, y) = base(x, y) + base(x + 1, y + 1);
                base.in(out);
                out.set_estimates({{0, width}, {0, height}});
                return Pipeline(out);
            },
            size);
    }
}

TEST(PluginPipelines, of_a_single_point) {
    expect_same(
        [] {
            Func out("out");
            Var x("x");
            out(x) = x * 3 + 1;
            out.set_estimates({{0, 1}});
            return Pipeline(out);
        },
        {1});
}

}  // namespace
}  // namespace cryolite
