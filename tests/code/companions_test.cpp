// Funcs that share loops: which may, what they compute in an iteration, and what Halide makes of it where they differ
// in size.
#include <gtest/gtest.h>

#include <algorithm>

#include "code/legality/companions.h"
#include "code/legality/legal_sites.h"
#include "code/legality/validate.h"
#include "code/regions/regions.h"
#include "emit/emit.h"
#include "schedule/trace_text.h"
#include "tests/code/refusals.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using testing::refusal;

// Two outputs of one size that read the same, and another that reads the first.
struct Siblings {
    Halide::Var x{"x"}, y{"y"}, i{"i"}, j{"j"};
    Halide::ImageParam in{Halide::Int(32), 2, "in"};
    Halide::Func shared{"shared"}, first{"first"}, second{"second"}, reader{"reader"};
    BuiltGraph built = build();

    BuiltGraph build() {
        shared(x, y) = in(x, y) * 3 + 1;
        first(x, y) = shared(x, y) - in(x, y);
        // Its dimensions have the names of the other's in the other order.
        second(y, x) = shared(y, x) * 2;
        reader(i, j) = first(i, j) * 5;
        for (Halide::Func f : {first, second, reader}) f.set_estimates({{0, 64}, {0, 48}});
        in.set_estimates({{0, 64}, {0, 48}});
        return test::build({first, second, reader});
    }
    FuncId id(const Halide::Func &f) const { return test::func(built, f).id; }
    StageId stage(const Halide::Func &f) const { return built.graph.func(id(f)).stages[0]; }

    // The leader is the one that comes first in the graph.
    const Halide::Func &leader() const { return id(first) < id(second) ? first : second; }
    const Halide::Func &companion() const { return id(first) < id(second) ? second : first; }

    // Both in tiles, `with` the loop over y between the tiles.
    Trace trace() const {
        const StageId l = stage(leader()), c = stage(companion());
        Trace t;
        if (id(reader) < id(first)) t.push_back(action::ComputeRoot{id(reader)});
        t.push_back(action::ComputeRoot{id(leader())});
        t.push_back(action::Tile{l, 0, {16}});
        t.push_back(action::Tile{l, 1, {8}});
        t.push_back(action::Reorder{l, {{l, 1, 0}, {l, 0, 0}, {l, 1, 1}, {l, 0, 1}}});
        t.push_back(action::Parallel{l, 1});
        t.push_back(action::ComputeWith{id(companion()), {l, 0, 0}});
        t.push_back(action::Vectorize{c, 0, 8});
        if (id(reader) > id(first)) t.push_back(action::ComputeRoot{id(reader)});
        return t;
    }
    // Those that the reader is placed before or after.
    Trace before_companion() const {
        Trace t = trace();
        const auto with = std::ranges::find_if(
            t, [](const Action &a) { return std::holds_alternative<action::ComputeWith>(a); });
        t.erase(with, t.end());
        return t;
    }
};

TEST(Companions, compute_the_part_that_has_the_place_of_the_leaders) {
    const Siblings s;
    const LoopNest nest = *replay(s.built.graph, s.trace());
    const FuncNest &placed = nest.at(s.id(s.companion()));
    EXPECT_TRUE(placed.is_companion);
    EXPECT_EQ(placed.compute_region[0].extent(), 16);
    EXPECT_EQ(placed.compute_region[1].extent(), 8);
    EXPECT_EQ(placed.store_region, s.built.graph.func(placed.func).root_region);
    EXPECT_EQ(placed.compute_region,
              required_region(nest, placed.func, LoopName{s.stage(s.leader()), 0, 0}));
    EXPECT_EQ(validate(nest), "");
}

TEST(Companions, share_loops_in_which_what_both_read_can_be_computed) {
    const Siblings s;
    const LoopNest nest = *replay(s.built.graph, s.trace());
    const LoopName with{s.stage(s.leader()), 0, 0};
    const std::vector<LoopName> sites = legal_sites(nest, s.id(s.shared));
    ASSERT_FALSE(sites.empty());
    EXPECT_EQ(sites.front(), with);
    const Box region = required_region(nest, s.id(s.shared), with);
    EXPECT_EQ(region[0].extent(), 16);
    EXPECT_EQ(region[1].extent(), 8);
}

TEST(Companions, are_known_to_their_leader_while_they_are_there) {
    const Siblings s;
    const LoopNest nest = *replay(s.built.graph, s.trace());
    const StageId leader = s.stage(s.leader());
    EXPECT_TRUE(nest.stage_nest(leader).has_company);
    const LoopNest alone = nest.without(s.id(s.companion()));
    EXPECT_FALSE(alone.stage_nest(leader).has_company);
    const LoopNest never = *replay(s.built.graph, s.before_companion());
    EXPECT_EQ(alone.at(s.id(s.leader())).hash, never.at(s.id(s.leader())).hash);
}

TEST(Companions, have_a_trace) {
    const Siblings s;
    const LoopNest nest = *replay(s.built.graph, s.trace());
    const Trace trace = trace_of(nest);
    EXPECT_EQ(*parse_trace(s.built.graph, to_text(s.built.graph, trace)), trace);
    EXPECT_EQ(replay(s.built.graph, trace)->hash(), nest.hash());
}

TEST(Companions, are_refused_where_they_cannot_be) {
    const Siblings s;
    const StageId l = s.stage(s.leader());
    const FuncId c = s.id(s.companion());
    const Trace before = s.before_companion();
    const auto with = [&](LoopName loop) {
        return refusal(s.built.graph, before, action::ComputeWith{c, loop});
    };
    EXPECT_EQ(with({l, 0, 0}), "accepted");
    EXPECT_EQ(with({l, 1, 0}), "accepted");
    EXPECT_EQ(with({l, 0, 7}), "no_such_loop");
    // Inside of a guard of the leader alone.
    EXPECT_EQ(with({l, 1, 1}), name(Reason::NoCompanion));
    // Its own reader.
    const StageId r = s.stage(s.reader);
    Trace reads = before;
    if (s.id(s.reader) > s.id(s.first)) reads.push_back(action::ComputeRoot{s.id(s.reader)});
    if (s.id(s.reader) < s.id(s.first)) {
        EXPECT_EQ(refusal(s.built.graph, {action::ComputeRoot{s.id(s.reader)}},
                          action::ComputeWith{s.id(s.first), {r, 1, 0}}),
                  name(Reason::NoCompanion));
    }
}

TEST(Companions, have_loops_that_divide_what_they_share) {
    const Siblings s;
    const StageId c = s.stage(s.companion());
    Trace before = s.before_companion();
    before.push_back(action::ComputeWith{s.id(s.companion()), {s.stage(s.leader()), 0, 0}});
    EXPECT_EQ(refusal(s.built.graph, before, action::Tile{c, 0, {6}}), name(Reason::BadTile));
    EXPECT_EQ(refusal(s.built.graph, before, action::Vectorize{c, 0, 32}),
              name(Reason::NotVectorizable));
    EXPECT_EQ(refusal(s.built.graph, before, action::Vectorize{c, 0, 8}), "accepted");
    // A constant number of rows is left.
    EXPECT_EQ(refusal(s.built.graph, before, action::Unroll{{c, 1, 0}}), "accepted");
}

// Halide limits what is needed in the shared loop by the guard of a split alone.
TEST(Companions, share_no_whole_dimension_around_what_must_not_overreach) {
    const Siblings s;
    const StageId l = s.stage(s.leader());
    Trace whole;
    if (s.id(s.reader) < s.id(s.first)) whole.push_back(action::ComputeRoot{s.id(s.reader)});
    whole.push_back(action::ComputeRoot{s.id(s.leader())});
    whole.push_back(action::ComputeWith{s.id(s.companion()), {l, 1, 0}});
    EXPECT_EQ(refusal(s.built.graph, whole, action::ComputeAt{s.id(s.shared), {l, 1, 0}}),
              name(Reason::OverreachesSharedLoop));
}

// Sizes and minima of the two as in no estimate.
TEST(Companions, compute_the_same_at_all_sizes) {
    Siblings s;
    Trace trace = s.trace();
    trace.push_back(action::ComputeAt{s.id(s.shared), {s.stage(s.leader()), 0, 0}});
    LoopNest nest = *replay(s.built.graph, trace);
    for (const Func &f : s.built.graph.funcs())
        if (!f.is_input() && !nest.decided(f.id)) try_apply(nest, action::Inline{f.id});
    const Result<Emitted> emitted = emit(s.built, nest);
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    EXPECT_NE(emitted->source.find(".compute_with("), std::string::npos);
    Halide::Pipeline pipeline({s.first, s.second, s.reader});
    for (const auto &[width, height, min] : {std::tuple{64, 48, 0}, {7, 50, -3}, {70, 3, 11}}) {
        Halide::Buffer<int> first(33, 17), second(width, height), reader(33, 17);
        second.set_min(min, 2 * min);
        Halide::Buffer<int> in(120, 220);
        in.set_min(-20, -40);
        in.for_each_element([&](int a, int b) { in(a, b) = a * 31 + b * b; });
        s.in.set(in);
        pipeline.realize({first, second, reader});
        int wrong = 0;
        first.for_each_element([&](int a, int b) {
            wrong += first(a, b) != 2 * in(a, b) + 1;
            wrong += reader(a, b) != 5 * first(a, b);
        });
        second.for_each_element([&](int a, int b) { wrong += second(a, b) != 6 * in(a, b) + 2; });
        EXPECT_EQ(wrong, 0) << width << " x " << height << " from " << min;
    }
}

// Row by row with the leader a companion has no loop over rows that could be kept whole around clamped vectors.
TEST(Companions, clamp_what_they_read_in_rows_that_they_share) {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam in{Halide::Int(32), 2, "in"};
    Halide::Func above{"above"}, below{"below"};
    const Halide::Func edge = Halide::BoundaryConditions::repeat_edge(in);
    above(x, y) = edge(x, y - 1) + edge(x + 1, y);
    below(x, y) = edge(x, y + 1) - edge(x + 1, y);
    for (Halide::Func f : {above, below}) f.set_estimates({{0, 64}, {0, 48}});
    in.set_estimates({{0, 64}, {0, 48}});
    const BuiltGraph built = test::build({above, below});
    const auto [leader, companion] =
        std::minmax({test::func(built, above).id, test::func(built, below).id});
    const StageId l = built.graph.func(leader).stages[0], c = built.graph.func(companion).stages[0];
    Trace trace{action::ComputeRoot{leader}, action::Vectorize{l, 0, 8}, action::Parallel{l, 1}};
    trace.push_back(action::ComputeWith{companion, {l, 1, 0}});
    trace.push_back(action::Vectorize{c, 0, 8});
    LoopNest nest = *replay(built.graph, trace);
    for (const Func &f : built.graph.funcs())
        if (!f.is_input() && !nest.decided(f.id)) try_apply(nest, action::Inline{f.id});
    const Result<Emitted> emitted = emit(built, nest);
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    Halide::Buffer<int> input(33, 20), first(33, 20), second(33, 20);
    input.for_each_element([&](int i, int j) { input(i, j) = i * 31 + j * j; });
    in.set(input);
    Halide::Pipeline({above, below}).realize({first, second});
    const auto at = [&](int i, int j) { return input(std::min(i, 32), std::clamp(j, 0, 19)); };
    int wrong = 0;
    first.for_each_element([&](int i, int j) {
        wrong += first(i, j) != at(i, j - 1) + at(i + 1, j);
        wrong += second(i, j) != at(i, j + 1) - at(i + 1, j);
    });
    EXPECT_EQ(wrong, 0);
}

// An output of rows and columns, and one of what was found out about each row.
struct RowAndElements {
    Halide::Var x{"x"}, y{"y"};
    Halide::RDom r{0, 32, "r"};
    Halide::ImageParam in{Halide::Int(32), 2, "in"};
    Halide::Func sum{"sum"}, scaled{"scaled"}, half{"half"};
    BuiltGraph built = build();

    BuiltGraph build() {
        sum(y) += in(r, y);
        scaled(x, y) = in(x, y) * 3 - sum(y);
        half(y) = sum(y) / 2;
        in.set_estimates({{0, 32}, {0, 48}});
        scaled.set_estimates({{0, 32}, {0, 48}});
        half.set_estimates({{0, 48}});
        return test::build({half, scaled});
    }
    FuncId id(const Halide::Func &f) const { return test::func(built, f).id; }
    StageId stage(FuncId f) const { return built.graph.func(f).stages[0]; }
    FuncId leader() const { return std::min(id(half), id(scaled)); }
    FuncId companion() const { return std::max(id(half), id(scaled)); }
    int16_t rows_of(FuncId f) const { return f == id(half) ? 0 : 1; }

    // Blocks of 8 rows, in which the sums are computed for both.
    Trace trace() const {
        const StageId l = stage(leader()), c = stage(companion());
        const LoopName with{l, rows_of(leader()), 0};
        Trace t{action::ComputeRoot{leader()}, action::Tile{l, rows_of(leader()), {8}}};
        if (leader() == id(scaled)) t.push_back(action::Reorder{l, {with, {l, 1, 1}, {l, 0, 0}}});
        t.push_back(action::Parallel{l, 1});
        t.push_back(action::ComputeWith{companion(), with});
        t.push_back(action::Vectorize{c, 0, 8});
        t.push_back(action::ComputeAt{id(sum), with});
        return t;
    }
};

TEST(Companions, may_have_other_dimensions_beside_those_that_they_share) {
    const RowAndElements p;
    const LoopNest nest = *replay(p.built.graph, p.trace());
    EXPECT_EQ(validate(nest), "");
    const FuncNest &placed = nest.at(p.companion());
    EXPECT_EQ(placed.compute_region[static_cast<size_t>(p.rows_of(p.companion()))].extent(), 8);
    if (p.companion() == p.id(p.scaled)) {
        EXPECT_EQ(placed.compute_region[0].extent(), 32);
    }
    EXPECT_EQ(nest.at(p.id(p.sum)).compute_region[0].extent(), 8);
    const Trace trace = trace_of(nest);
    EXPECT_EQ(
        replay(p.built.graph, *parse_trace(p.built.graph, to_text(p.built.graph, trace)))->hash(),
        nest.hash());
}

TEST(Companions, share_no_loop_over_a_dimension_that_one_lacks) {
    const RowAndElements p;
    const FuncId scaled = p.id(p.scaled), half = p.id(p.half);
    ASSERT_LT(scaled, half);
    EXPECT_EQ(refusal(p.built.graph, {action::ComputeRoot{scaled}},
                      action::ComputeWith{half, {p.stage(scaled), 0, 0}}),
              name(Reason::NoCompanion));
    EXPECT_EQ(shared_dims(p.built.graph, half, scaled), (std::vector<int>{1}));
    EXPECT_EQ(shared_dims(p.built.graph, scaled, half), (std::vector<int>{-1, 0}));
}

TEST(Companions, of_other_dimensions_compute_the_same_at_all_sizes) {
    RowAndElements p;
    LoopNest nest = *replay(p.built.graph, p.trace());
    for (const Func &f : p.built.graph.funcs())
        if (!f.is_input() && !nest.decided(f.id)) try_apply(nest, action::Inline{f.id});
    const Result<Emitted> emitted = emit(p.built, nest);
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;
    EXPECT_NE(emitted->source.find(".compute_with("), std::string::npos);
    Halide::Pipeline pipeline({p.half, p.scaled});
    for (const auto &[width, height, rows, min] :
         {std::tuple{32, 48, 48, 0}, {7, 50, 13, -3}, {70, 3, 40, 11}}) {
        Halide::Buffer<int> half(rows), scaled(width, height);
        half.set_min(min);
        scaled.set_min(2, 2 * min);
        Halide::Buffer<int> in(120, 220);
        in.set_min(-20, -40);
        in.for_each_element([&](int a, int b) { in(a, b) = a * 31 + b * b; });
        p.in.set(in);
        pipeline.realize({half, scaled});
        const auto sum = [&](int b) {
            int total = 0;
            for (int a = 0; a < 32; a++) total += in(a, b);
            return total;
        };
        int wrong = 0;
        half.for_each_element([&](int b) { wrong += 2 * half(b) != (sum(b) & ~1); });
        scaled.for_each_element(
            [&](int a, int b) { wrong += scaled(a, b) != in(a, b) * 3 - sum(b); });
        EXPECT_EQ(wrong, 0) << width << " x " << height << " and " << rows << " from " << min;
    }
}

}  // namespace
}  // namespace cryolite
