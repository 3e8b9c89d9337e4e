// Which loops the tilings of a Func split.
#include "search/space/tilings.h"

#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "machine/presets.h"
#include "search/gpu/gpu_template.h"
#include "search/reads/shared_vectors.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using Halide::Var;
using testing::SmallPipeline;

// The dimensions beside the vector's of which some tiling of a pointwise output makes tiles that are
// walked row by row, each more than a register block.
std::set<int> dims_with_long_tiles(const std::vector<int> &extents) {
    std::vector<Var> vars;
    Halide::Region estimates;
    for (int e : extents) {
        vars.emplace_back("v" + std::to_string(vars.size()));
        estimates.push_back({0, e});
    }
    const std::vector<Halide::Expr> at(vars.begin(), vars.end());
    Halide::ImageParam input(Halide::Float(32), static_cast<int>(extents.size()), "input");
    Halide::Func out("out");
    out(vars) = input(at) * 2.0f;
    input.set_estimates(estimates);
    out.set_estimates(estimates);
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId id = built.graph.find(out.name());
    const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{id}});
    TilingLimits all;
    all.exhaustive = true;
    std::set<int> dims;
    for (const auto &actions : tilings(nest, id, *machine_preset("x86-avx512"), all, Random(1)))
        for (const Action &a : actions)
            if (const auto *t = std::get_if<action::Tile>(&a); t && t->dim > 0 && t->spans[0] > 8)
                dims.insert(t->dim);
    return dims;
}

TEST(Tilings, tile_any_long_dimension_beside_that_of_the_vectors) {
    EXPECT_EQ(dims_with_long_tiles({256, 100}), (std::set<int>{1}));
    // Strips of whole images, too: channels, columns, rows, images.
    EXPECT_EQ(dims_with_long_tiles({64, 56, 60, 4}), (std::set<int>{1, 2}));
    EXPECT_EQ(dims_with_long_tiles({64, 3, 60, 40}), (std::set<int>{2, 3}));
}

// How many vectors the tilings of a Func weave into each other, where they do.
std::set<int> woven_vectors(const std::function<Halide::Expr(Halide::Func, Var, Var)> &value) {
    const Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Func source("source"), rows("rows"), out("out");
    source(x, y) = Halide::BoundaryConditions::repeat_edge(input)(x, y);
    rows(x, y) = value(source, x, y);
    out(x, y) = rows(x, y) + rows(x, y + 1);
    const Halide::Region estimates{{0, 960}, {0, 640}};
    input.set_estimates(estimates);
    out.set_estimates(estimates);
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId o = built.graph.find(out.name()), id = built.graph.find(rows.name());
    const LoopNest nest =
        *replay(built.graph, Trace{action::ComputeRoot{o}, action::ComputeRoot{id}});
    TilingLimits all;
    all.exhaustive = true;
    std::set<int> found;
    for (const auto &actions : tilings(nest, id, *machine_preset("x86-avx512"), all, Random(1)))
        for (const Action &a : actions)
            if (const auto *v = std::get_if<action::Vectorize>(&a)) found.insert(v->woven);
    return found;
}

TEST(Tilings, weave_vectors_of_what_repeats_and_has_choices_or_broken_steps) {
    using Halide::Expr, Halide::Func;
    EXPECT_EQ(woven_vectors([](Func f, Var x, Var y) { return f(x * 2 / 3, y); }),
              (std::set<int>{1, 3}));
    EXPECT_EQ(woven_vectors([](Func f, Var x, Var y) {
                  return select(x % 2 == 0, f(x, y), f(x - 1, y) * 2.0f);
              }),
              (std::set<int>{1, 2}));
    // A load, spread over neighbours.
    EXPECT_EQ(woven_vectors([](Func f, Var x, Var y) { return f(x / 2, y); }), std::set<int>{1});
    EXPECT_EQ(woven_vectors([](Func f, Var x, Var y) { return f(x, y); }), std::set<int>{1});
    // Too many to be woven.
    EXPECT_EQ(woven_vectors([](Func f, Var x, Var y) {
                  return select(x % 8 == 0, f(x, y), f(x - 1, y) * 2.0f);
              }),
              std::set<int>{1});
}

// How many lanes the vectors along x have, in the tilings of a Func at root.
std::set<int> lanes_along_x(const std::function<Halide::Expr(Halide::Func, Var, Var)> &value) {
    const Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Func table("table"), out("out");
    table(x, y) = sqrt(input(x, y));
    out(x, y) = value(table, x, y);
    input.set_estimates({{0, 960}, {0, 640}});
    out.set_estimates({{0, 960}, {0, 640}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId o = built.graph.find(out.name());
    const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{o}});
    TilingLimits all;
    all.exhaustive = true;
    std::set<int> found;
    for (const auto &actions : tilings(nest, o, *machine_preset("x86-avx512"), all, Random(1)))
        for (const Action &a : actions)
            if (const auto *v = std::get_if<action::Vectorize>(&a); v && v->dim == 0)
                found.insert(v->width);
    return found;
}

// A vector within a period is one load. Wider ones load each lane by itself.
TEST(Tilings, offer_vectors_as_long_as_short_patterns) {
    using Halide::Expr, Halide::Func;
    const std::set<int> native{16}, with_8{8, 16};
    EXPECT_EQ(lanes_along_x([](Func f, Var x, Var y) { return f(x % 8, x / 8) + f(x, y); }),
              with_8);
    EXPECT_EQ(lanes_along_x([](Func f, Var x, Var y) { return f(2 * x % 16, y); }), with_8);
    EXPECT_EQ(lanes_along_x([](Func f, Var x, Var y) { return f(x % 8, y) * f(x % 24, y); }),
              with_8);
    EXPECT_EQ(lanes_along_x([](Func f, Var x, Var y) { return f(x % 64, y); }), native);
    EXPECT_EQ(lanes_along_x([](Func f, Var x, Var y) { return f(x, y % 8); }), native);
    EXPECT_EQ(lanes_along_x([](Func f, Var x, Var y) { return f(x % 12, y) * f(x % 8, y); }),
              (std::set<int>{4, 16}));
    EXPECT_EQ(lanes_along_x([](Func f, Var x, Var y) { return f(x % 9, y); }), native);
    EXPECT_EQ(lanes_along_x([](Func f, Var x, Var y) { return f(3 * x % 8, y); }), native);
}

// The lanes of vectors along rows of so many points of a Func at root.
std::set<int> lanes_of_rows(int points, bool of_input) {
    const Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Func rows("rows"), out("out");
    rows(x, y) = of_input ? sqrt(input(x, y)) : sqrt(Halide::cast<float>(x * y));
    out(x, y) = rows(x, y) + rows(x, y + 1);
    input.set_estimates({{0, points}, {0, 641}});
    out.set_estimates({{0, points}, {0, 640}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId o = built.graph.find(out.name()), r = built.graph.find(rows.name());
    const LoopNest nest =
        *replay(built.graph, Trace{action::ComputeRoot{o}, action::ComputeRoot{r}});
    TilingLimits all;
    all.exhaustive = true;
    std::set<int> found;
    for (const auto &actions : tilings(nest, r, *machine_preset("x86-avx512"), all, Random(1)))
        for (const Action &a : actions)
            if (const auto *v = std::get_if<action::Vectorize>(&a); v && v->dim == 0)
                found.insert(v->width);
    return found;
}

// A vector of 16 computes as many points as two of eight. Found in a search for motion over 25 places, which needs
// vectors of 32.
TEST(Tilings, offer_vectors_longer_than_rows_that_may_round_up) {
    EXPECT_EQ(lanes_of_rows(13, false), std::set<int>{16});
    EXPECT_EQ(lanes_of_rows(13, true), std::set<int>{8});
    EXPECT_EQ(lanes_of_rows(8, false), std::set<int>{8});
    EXPECT_EQ(lanes_of_rows(7, false), std::set<int>{8});
    EXPECT_EQ(lanes_of_rows(25, false), std::set<int>{16});
}

struct Scalars {
    bool any = false, with_channels = false;  // ... that are unrolled
};
// The tilings without vectors of a Func at root that reads what `value` says, which gets a place of each point.
Scalars scalars_of(
    const std::function<Halide::Expr(Halide::Func, Halide::Expr, Var, Var, Var)> &value) {
    const Var x("x"), y("y"), c("c");
    Halide::ImageParam input(Halide::Float(32), 3, "input"), places(Halide::Int(32), 2, "places");
    Halide::Func picture("picture"), out("out");
    picture(x, y, c) = sqrt(input(x, y, c));
    out(x, y, c) = value(picture, clamp(places(x, y), 0, 900), x, y, c);
    input.set_estimates({{0, 960}, {0, 640}, {0, 3}});
    places.set_estimates({{0, 960}, {0, 640}});
    out.set_estimates({{0, 960}, {0, 640}, {0, 3}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId o = built.graph.find(out.name());
    const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{o}});
    TilingLimits all;
    all.exhaustive = true;
    Scalars found;
    for (const auto &actions : tilings(nest, o, *machine_preset("x86-avx512"), all, Random(1))) {
        if (std::ranges::any_of(actions, [](const Action &a) {
                return std::holds_alternative<action::Vectorize>(a);
            }))
            continue;
        found.any = true;
        found.with_channels |= std::ranges::any_of(actions, [](const Action &a) {
            const auto *t = std::get_if<action::Tile>(&a);
            return t && t->dim == 2 && t->spans.back() == 3;
        });
    }
    return found;
}

TEST(Tilings, offer_scalars_where_vectors_would_only_gather) {
    using Halide::Expr, Halide::Func;
    const Scalars warped = scalars_of([](Func f, const Expr &at, Var, Var y, Var c) {
        return f(at, y, c) + f(at + 1, y, c) * 2.0f;
    });
    EXPECT_TRUE(warped.any);
    EXPECT_TRUE(warped.with_channels);
    // Half of the loads are vectors.
    EXPECT_FALSE(scalars_of([](Func f, const Expr &at, Var x, Var y, Var c) {
                     return f(at, y, c) + f(x, y, c) * 2.0f;
                 }).any);
    // Rows that are chosen are read along.
    EXPECT_FALSE(scalars_of([](Func f, const Expr &, Var x, Var y, Var c) {
                     return f(x, y / 2, c) + f(x, y / 2 + 1, c);
                 }).any);
}

// Rows of a sparse matrix, which have lengths of their own: each lane of a vector has a branch.
TEST(Tilings, offer_scalars_where_each_lane_would_branch) {
    const Var i("i");
    const auto offers_scalars = [&](bool is_ragged) {
        Halide::ImageParam lengths(Halide::Int(32), 1, "lengths"),
            columns(Halide::Int(32), 2, "columns"), values(Halide::Float(32), 2, "values"),
            vector(Halide::Float(32), 1, "vector");
        Halide::Func sums("sums");
        Halide::RDom k(0, 16, "k");
        if (is_ragged) k.where(k < lengths(i));
        sums(i) = 0.0f;
        sums(i) += values(i, k) * vector(clamp(columns(i, k), 0, 4095));
        lengths.set_estimates({{0, 4096}});
        vector.set_estimates({{0, 4096}});
        for (Halide::ImageParam *p : {&columns, &values}) p->set_estimates({{0, 4096}, {0, 16}});
        sums.set_estimates({{0, 4096}});
        const BuiltGraph built = SmallPipeline{{sums}}.build();
        const FuncId s = built.graph.find(sums.name());
        const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{s}});
        TilingLimits all;
        all.exhaustive = true;
        const auto found = tilings(nest, s, *machine_preset("x86-avx512"), all, Random(1));
        return std::ranges::any_of(found, [](const auto &actions) {
            return std::ranges::none_of(actions, [](const Action &a) {
                return std::holds_alternative<action::Vectorize>(a);
            });
        });
    };
    EXPECT_TRUE(offers_scalars(true));
    EXPECT_FALSE(offers_scalars(false));
}

// How many of the tilings that a draw finds for `f`, the last Func but one, unroll exactly `rows` rows, and how many all
// of `channels` channels.
struct Unrolled {
    size_t all = 0, rows = 0, channels = 0;
};
Unrolled drawn_for(const Halide::Func &f, const Halide::Func &out, int64_t rows, int64_t channels) {
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId o = built.graph.find(out.name()), id = built.graph.find(f.name());
    const LoopNest nest =
        *replay(built.graph, Trace{action::ComputeRoot{o}, action::ComputeRoot{id}});
    Unrolled found;
    for (const auto &actions :
         tilings(nest, id, *machine_preset("x86-avx512"), TilingLimits{16, false}, Random(1))) {
        found.all++;
        const auto unrolls = [&](int dim, int64_t span) {
            const bool splits = std::ranges::any_of(actions, [&](const Action &a) {
                const auto *t = std::get_if<action::Tile>(&a);
                return t && t->dim == dim && t->spans.back() == span;
            });
            return splits && std::ranges::any_of(actions, [&](const Action &a) {
                       const auto *u = std::get_if<action::Unroll>(&a);
                       return u && u->loop.dim == dim;
                   });
        };
        found.rows += unrolls(1, rows);
        found.channels += unrolls(2, channels);
    }
    return found;
}

// A demosaicking: every second row has formulas of its own, and every channel.
TEST(Tilings, take_one_way_at_choices_in_half_of_what_is_drawn) {
    const Var x("x"), y("y"), c("c");
    Halide::ImageParam input(Halide::Int(16), 2, "input");
    const auto make = [&](Halide::Func &f, Halide::Func &out, const Halide::Expr &is_first_row) {
        const Halide::Expr one = select(is_first_row, input(x, y), input(x + 1, y) * 3);
        const Halide::Expr other = select(is_first_row, input(x, y + 1) - input(x + 1, y), one);
        f(x, y, c) = mux(c, {one, other, one + other});
        out(x, y, c) = f(x, y, c) + f(x, y + 1, c);
        out.bound(c, 0, 3);
        input.set_estimates({{0, 1000}, {0, 1000}});
        out.set_estimates({{0, 512}, {0, 512}, {0, 3}});
    };
    Halide::Func mosaic("mosaic"), plain("plain"), first("first"), second("second");
    make(mosaic, first, y % 2 == 0);
    const Unrolled drawn = drawn_for(mosaic, first, 2, 3);
    EXPECT_GE(2 * drawn.rows, drawn.all - 1);
    EXPECT_GE(2 * drawn.channels, drawn.all - 1);
    // Without a choice by rows two rows are as likely as before: one tiling in four, for those that are tiled so.
    make(plain, second, y < 7);
    EXPECT_LT(drawn_for(plain, second, 2, 3).rows, drawn.rows);
}

// Votes by angle at places that the angle chooses: only angles are a loop of the update.
TEST(Tilings, vectors_of_an_update_go_across_where_it_scatters_along_those_of_the_func) {
    const Var x("x"), angle("angle");
    Halide::ImageParam places(Halide::Int(32), 2, "places");
    Halide::Func votes("votes");
    const Halide::RDom r(0, 1000, "r");
    votes(x, angle) = 0;
    votes(clamp(places(angle, r), 0, 255), angle) += 1;
    places.set_estimates({{0, 64}, {0, 1000}});
    votes.set_estimates({{0, 256}, {0, 64}});
    const BuiltGraph built = SmallPipeline{{votes}}.build();
    const Func &func = built.graph.func(built.graph.find(votes.name()));
    const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{func.id}});
    TilingLimits all;
    all.exhaustive = true;
    std::set<int16_t> vectors_of_votes, vectors_of_zeros;
    for (const auto &actions :
         tilings(nest, func.id, *machine_preset("x86-avx512"), all, Random(1)))
        for (const Action &a : actions)
            if (const auto *v = std::get_if<action::Vectorize>(&a))
                (v->stage == func.stages[1] ? vectors_of_votes : vectors_of_zeros).insert(v->dim);
    ASSERT_EQ(built.graph.stage(func.stages[1]).loops[1].func_dim, 1);
    EXPECT_EQ(vectors_of_votes, (std::set<int16_t>{1}));
    EXPECT_EQ(vectors_of_zeros, (std::set<int16_t>{0}));
}

// The most points of dimension 1 that some tiling of the output unrolls.
int64_t most_rows_unrolled(const Halide::Func &out, const char *machine) {
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId id = built.graph.find(out.name());
    const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{id}});
    TilingLimits all;
    all.exhaustive = true;
    int64_t most = 0;
    for (const auto &actions : tilings(nest, id, *machine_preset(machine), all, Random(1)))
        for (const Action &a : actions)
            if (const auto *u = std::get_if<action::Unroll>(&a); u && u->loop.dim == 1)
                for (const Action &b : actions)
                    if (const auto *t = std::get_if<action::Tile>(&b); t && t->dim == 1)
                        most = std::max(most, t->spans.back());
    return most;
}

TEST(Tilings, give_the_reader_of_sums_rows_for_as_many_sums_as_there_are_registers) {
    const Var x("x"), y("y");
    Halide::ImageParam a(Halide::Float(32), 2, "a"), b(Halide::Float(32), 2, "b");
    const Halide::RDom k(0, 64, "k");
    Halide::Func sum("sum"), reader("reader"), pointwise("pointwise");
    sum(x, y) = 0.0f;
    sum(x, y) += a(x, k) * b(k, y);
    reader(x, y) = Halide::max(sum(x, y), 0.0f);
    pointwise(x, y) = a(x, y) * 2.0f;
    for (Halide::Func f : {reader, pointwise}) f.set_estimates({{0, 256}, {0, 240}});
    EXPECT_EQ(most_rows_unrolled(pointwise, "x86-avx512"), 4);
    EXPECT_EQ(most_rows_unrolled(reader, "x86-avx512"), 28);
    EXPECT_EQ(most_rows_unrolled(reader, "x86-avx2"), 12);
}

// Weights of four gates are multiplied by the state of a few sequences: the rows of one gate's sequences share vectors
// of weights, and those of the gates do not. Of a product with two dimensions of rows, the first does for both.
TEST(Tilings, unroll_the_rows_that_share_vectors) {
    const Var j("j"), g("g"), b("b");
    Halide::ImageParam weights(Halide::Float(32), 3, "weights"),
        states(Halide::Float(32), 3, "states");
    const Halide::RDom k(0, 256, "k");
    const auto dims_unrolled = [&](const Halide::Expr &factor, bool through_reader) {
        Halide::Func sums("sums"), reader("reader");
        sums(j, g, b) = 0.0f;
        sums(j, g, b) += weights(j, k, g) * factor;
        reader(j, g, b) = Halide::max(sums(j, g, b), 0.0f);
        Halide::Func out = through_reader ? reader : sums;
        out.set_estimates({{0, 256}, {0, 4}, {0, 4}});
        const BuiltGraph built = SmallPipeline{{out}}.build();
        const FuncId id = built.graph.find(out.name());
        const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{id}});
        TilingLimits all;
        all.exhaustive = true;
        std::set<int> dims;
        for (const auto &actions : tilings(nest, id, *machine_preset("x86-avx2"), all, Random(1)))
            for (const Action &a : actions)
                if (const auto *u = std::get_if<action::Unroll>(&a))
                    dims.insert(built.graph.stage(u->loop.stage)
                                    .loops[static_cast<size_t>(u->loop.dim)]
                                    .func_dim);
        return dims;
    };
    for (bool through_reader : {false, true}) {
        EXPECT_EQ(dims_unrolled(states(k, b, 0), through_reader), (std::set<int>{0, 1, 2}));
        EXPECT_EQ(dims_unrolled(weights(j, k, g), through_reader), (std::set<int>{0, 1, 2}));
    }
    Halide::Func sums("sums");
    sums(j, g, b) = 0.0f;
    sums(j, g, b) += weights(j, k, 0) * states(k, g, b);
    sums.set_estimates({{0, 256}, {0, 4}, {0, 4}});
    const BuiltGraph built = SmallPipeline{{sums}}.build();
    const Func &func = built.graph.func(built.graph.find(sums.name()));
    EXPECT_TRUE(share_vectors(built.graph, func, 0, 1));
    EXPECT_TRUE(share_vectors(built.graph, func, 0, 2));
    EXPECT_FALSE(share_vectors(built.graph, func, 0, 0));
    EXPECT_FALSE(share_vectors(built.graph, func, 1, 2));
    EXPECT_FALSE(share_different_vectors(built.graph, func, 0, {1, 2}));
}

// Both factors of a grouped convolution differ from group to group, which are the lanes: outputs share the pixels, and
// pixels share the weights.
TEST(Tilings, unroll_both_dimensions_of_which_each_shares_a_factor) {
    const Var g("g"), o("o"), x("x");
    Halide::ImageParam pixels(Halide::Float(32), 3, "pixels"),
        weights(Halide::Float(32), 3, "weights");
    const Halide::RDom k(0, 16, "k");
    // Of each tiling that unrolls both, outputs and pixels, from the outside.
    const auto blocks = [&](const Halide::Expr &weight) {
        Halide::Func sums("sums");
        sums(g, o, x) = 0.0f;
        sums(g, o, x) += pixels(g, k, x) * weight;
        sums.set_estimates({{0, 32}, {0, 4}, {0, 56}});
        const BuiltGraph built = SmallPipeline{{sums}}.build();
        const Func &func = built.graph.func(built.graph.find(sums.name()));
        const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{func.id}});
        TilingLimits all;
        all.exhaustive = true;
        std::set<std::vector<std::pair<int, int64_t>>> found;
        for (const auto &actions :
             tilings(nest, func.id, *machine_preset("x86-avx2"), all, Random(1))) {
            LoopNest tiled = nest;
            for (const Action &a : actions) tiled = *cryolite::apply(tiled, a);
            std::vector<std::pair<int, int64_t>> unrolled;
            for (const LoopLevel &l : tiled.at(func.id).stages[1].loops) {
                const int dim = built.graph.stage(func.stages[1])
                                    .loops[static_cast<size_t>(l.name.dim)]
                                    .func_dim;
                if (l.kind == LoopKind::Unrolled && l.extent > 1 && dim > 0)
                    unrolled.emplace_back(dim, l.extent);
            }
            if (unrolled.size() == 2) found.insert(unrolled);
        }
        return found;
    };
    using Blocks = std::set<std::vector<std::pair<int, int64_t>>>;
    // As many copies as there are registers for, with the fewer inside.
    EXPECT_EQ(blocks(weights(g, k, o)),
              (Blocks{{{1, 4}, {2, 3}}, {{2, 4}, {1, 3}}, {{2, 6}, {1, 2}}}));
    EXPECT_EQ(blocks(weights(g, k, 0)), Blocks{});
}

// Interleaved colours are too few for a vector: vectors walk along the pixels, and the copies of the colours follow each
// other, so that Halide interleaves them.
TEST(Tilings, of_interleaved_colours_have_their_copies_innermost) {
    const Var x("x"), y("y"), c("c");
    Halide::ImageParam input(Halide::UInt(8), 3, "input");
    Halide::Func out("out");
    out(x, y, c) = input(x, y, c) / 2;
    out.output_buffer().dim(0).set_stride(3);
    out.output_buffer().dim(2).set_stride(1);
    input.set_estimates({{0, 640}, {0, 480}, {0, 3}});
    out.set_estimates({{0, 640}, {0, 480}, {0, 3}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId id = built.graph.find(out.name());
    const LoopNest placed = *replay(built.graph, Trace{action::ComputeRoot{id}});
    EXPECT_EQ(plain_gpu_template(placed, built.graph.func(id)).threads[0].dim, 0);
    const Machine machine = *machine_preset("x86-avx2");
    TilingLimits all;
    all.exhaustive = true;
    std::vector<std::vector<Action>> shapes = tilings(placed, id, machine, all, Random(1));
    shapes.push_back(plain_loops(placed, built.graph.func(id).stages[0], machine));
    for (const std::vector<Action> &actions : shapes) {
        LoopNest nest = placed;
        for (const Action &a : actions) nest = *cryolite::apply(nest, a);
        const LoopLevels &loops = nest.at(id).stages[0].loops;
        const LoopLevel &vector = loops.back(), &copies = loops[loops.size() - 2];
        EXPECT_EQ(vector.kind, LoopKind::Vectorized);
        EXPECT_EQ(vector.name.dim, 0);
        EXPECT_EQ(copies.kind, LoopKind::Unrolled);
        EXPECT_EQ(copies.name.dim, 2);
        EXPECT_EQ(copies.extent, 3);
    }
}

}  // namespace
}  // namespace cryolite
