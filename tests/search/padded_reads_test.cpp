// Boundary conditions are offered a copy in short rows, and where each value is loaded many times. Else they stay inlined.
#include "search/reads/padded_reads.h"

#include <gtest/gtest.h>

#include "code/legality/validate.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

namespace Border = Halide::BoundaryConditions;
using testing::SmallPipeline;

// A padded convolution of 3 x 3 taps.
struct Convolution {
    Halide::Var x{"x"}, y{"y"}, c{"c"};
    Halide::ImageParam input{Halide::Float(32), 3, "input"},
        weights{Halide::Float(32), 4, "weights"};
    Halide::Func sums{"sums"}, out{"out"}, padded;
    BuiltGraph built;

    explicit Convolution(int size, int channels = 8)
        : padded(Border::constant_exterior(input, 0.0f, {{0, size}, {0, size}, {0, channels}})),
          built(build(size, channels)) {}
    bool is_worth_padding() const {
        return cryolite::is_worth_padding(built.graph,
                                          built.graph.func(built.graph.find(padded.name())));
    }

private:
    BuiltGraph build(int size, int channels) {
        const Halide::RDom r(0, 3, 0, 3, 0, channels, "r");
        sums(x, y, c) = 0.0f;
        sums(x, y, c) += padded(x + r.x - 1, y + r.y - 1, r.z) * weights(r.x, r.y, r.z, c);
        out(x, y, c) = max(sums(x, y, c), 0.0f);
        input.set_estimates({{0, size}, {0, size}, {0, channels}});
        weights.set_estimates({{0, 3}, {0, 3}, {0, channels}, {0, channels}});
        out.set_estimates({{0, size}, {0, size}, {0, channels}});
        return SmallPipeline{{out}}.build();
    }
};

TEST(PaddedReads, are_those_of_short_rows) {
    EXPECT_TRUE(Convolution(28).is_worth_padding());
    EXPECT_FALSE(Convolution(2000, 3).is_worth_padding());
}

// Nine taps for each of eight channels.
TEST(PaddedReads, are_those_whose_values_are_loaded_many_times) {
    EXPECT_TRUE(Convolution(2000, 8).is_worth_padding());
}

TEST(PaddedReads, are_not_those_of_a_single_load) {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam input{Halide::Float(32), 2, "input"};
    Halide::Func out{"out"};
    const Halide::Func edge = Border::repeat_edge(input, {{0, 28}, {0, 28}});
    out(x, y) = edge(x - 1, y) * 2.0f;
    input.set_estimates({{0, 28}, {0, 28}});
    out.set_estimates({{0, 28}, {0, 28}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    EXPECT_FALSE(is_worth_padding(built.graph, built.graph.func(built.graph.find(edge.name()))));
}

TEST(PaddedReads, are_copied_by_the_search) {
    const Convolution small(14);
    Machine machine = *machine_preset("x86-avx512");
    machine.cores = 4;
    const SearchResult found = search(small.built.graph, machine, {});
    EXPECT_EQ(validate(found.nest), "");
    bool is_copied = false;
    for (const Func &f : small.built.graph.funcs())
        is_copied |= !f.is_input() && is_worth_padding(small.built.graph, f) &&
                     found.nest.at(f.id).placement != Placement::Inline;
    EXPECT_TRUE(is_copied) << to_tree_text(found.nest);
}

}  // namespace
}  // namespace cryolite
