// A reduction over operations and steps of a program, of which a predicate lets pass the operation that the
// step names. As a loop over operations it computes all of them and selects; unrolled, each copy is one of
// them. The search must find that, and what it finds must compile and be right at sizes far from the
// estimates.
#include <gtest/gtest.h>

#include "emit/emit.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/search.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using Halide::cast;
using Halide::Expr;

constexpr int operations = 8, steps = 12;

struct Interpreter {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam layers{Halide::UInt(8), 3, "layers"}, program{Halide::Int(32), 1, "program"};
    Halide::Func pixel{"pixel"}, out{"out"};
    Halide::RDom r{0, operations, 0, steps, "r"};

    Interpreter(int width, int height) {
        r.where(r.x == program(r.y));
        pixel(x, y) = cast<uint8_t>(0);
        const Expr old = pixel(x, y), layer = layers(x, y, r.y);
        const auto wide = [](const Expr &e) { return cast<uint16_t>(e); };
        const auto byte = [](const Expr &e) { return cast<uint8_t>(e); };
        pixel(x, y) = mux(
            r.x, {layer, byte(min(wide(old) + wide(layer), 255)),
                  byte(wide(old) * wide(layer) / 255), max(old, layer), min(old, layer),
                  absd(old, layer), byte((wide(old) + wide(layer)) / 2), cast<uint8_t>(255 - old)});
        out(x, y) = pixel(x, y) + cast<uint8_t>(1);
        test::estimate(layers, {width, height, steps});
        test::estimate(program, {steps});
        test::estimate(out, {width, height});
    }

    SearchResult find(const BuiltGraph &built) const {
        Machine machine = *machine_preset("x86-avx2");
        machine.cores = 2;
        return search(built.graph, machine, {});
    }

    // The layers in a buffer of just the size, so that a read past the end is an error.
    std::vector<uint8_t> at(int width, int height) {
        Halide::Buffer<uint8_t> data(width, height, steps);
        data.for_each_element([&](int i, int j, int k) {
            data(i, j, k) = static_cast<uint8_t>(i * 37 + j * 11 + k * 101);
        });
        Halide::Buffer<int> codes(steps);
        // The last number is of no operation.
        for (int k = 0; k < steps; k++) codes(k) = (k * 5 + 3) % (operations + 1);
        layers.set(data);
        program.set(codes);
        Halide::Buffer<uint8_t> result = out.realize({width, height});
        return {result.begin(), result.end()};
    }
};

TEST(Interpreter, has_its_operations_unrolled_whole_beside_its_reader) {
    const Interpreter p(1000, 800);
    const BuiltGraph built = test::build({p.out});
    const SearchResult found = p.find(built);
    const Stage &update = test::stage(built, p.pixel, 1);
    EXPECT_EQ(found.nest.at(update.func).placement, Placement::At);
    bool unrolled = false, vectors = false;
    for (const LoopLevel &l : found.nest.stage_nest(update.id).loops) {
        const StageLoop &loop = update.loops[static_cast<size_t>(l.name.dim)];
        unrolled |= loop.is_reduction && l.extent == operations && l.kind == LoopKind::Unrolled;
        vectors |= l.kind == LoopKind::Vectorized;
    }
    EXPECT_TRUE(unrolled) << to_tree_text(found.nest);
    EXPECT_TRUE(vectors) << to_tree_text(found.nest);
    const std::string text = schedule_source(built, found.nest);
    EXPECT_NE(text.find(".unroll(r_x)"), std::string::npos) << text;
}

TEST(Interpreter, is_right_at_every_size_whatever_the_estimate) {
    for (int estimate : {1, 30, 500, 1000}) {
        Interpreter plain(estimate, estimate), scheduled(estimate, estimate);
        const BuiltGraph built = test::build({scheduled.out});
        ASSERT_TRUE(emit(built, scheduled.find(built).nest).ok());
        for (const auto &[width, height] :
             {std::pair{1, 1}, {7, 3}, {64, 2}, {131, 97}, {1000, 1000}, {1003, 801}})
            EXPECT_EQ(scheduled.at(width, height), plain.at(width, height))
                << width << " x " << height << ", found for " << estimate;
    }
}

}  // namespace
}  // namespace cryolite
