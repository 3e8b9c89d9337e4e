// Funcs that gather along their rows are offered storage across them, and the search turns what goes in and what comes
// out.
#include "search/reads/gathered_rows.h"

#include <gtest/gtest.h>

#include <functional>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/divisions/divisions.h"
#include "search/search.h"
#include "search/space/placements.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::SmallPipeline;

// f, made of an input of two dimensions; out reads it at (x, y) and, if `several`, at (x, y + 1).
struct Resampling {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam input{Halide::Float(32), 2, "input"};
    Halide::Func f{"f"}, out{"out"};

    BuiltGraph build(bool several = false) {
        out(x, y) = several ? f(x, y) + f(x, y + 1) : f(x, y) * 2.0f;
        input.set_estimates({{0, 700}, {0, 520}});
        out.set_estimates({{0, 1024}, {0, 512}});
        return SmallPipeline{{out}}.build();
    }
    std::optional<int> dim_of_f() {
        const BuiltGraph built = build();
        return dim_without_gathers(built.graph, built.graph.func(built.graph.find(f.name())));
    }
};

std::optional<int> dim_where(const std::function<Halide::Expr(Resampling &)> &value) {
    Resampling r;
    r.f(r.x, r.y) = value(r);
    return r.dim_of_f();
}

TEST(GatheredRows, are_those_of_steps_that_no_vector_loads) {
    EXPECT_EQ(dim_where([](auto &r) { return r.input(r.x * 5 / 8, r.y); }), 1);
    EXPECT_EQ(dim_where([](auto &r) { return r.input(r.x * 2 / 3, r.y) + r.input(r.x, r.y); }), 1);
    EXPECT_EQ(dim_where([](auto &r) { return r.input(r.x, r.y); }), std::nullopt);
    EXPECT_EQ(dim_where([](auto &r) { return r.input(r.x / 2, r.y); }), std::nullopt);
    EXPECT_EQ(dim_where([](auto &r) { return r.input(2 * r.x, r.y); }), std::nullopt);
}

TEST(GatheredRows, have_no_better_dimension_where_both_gather) {
    EXPECT_EQ(dim_where([](auto &r) { return r.input(r.x * 5 / 8, r.y * 5 / 8); }), std::nullopt);
    EXPECT_EQ(dim_where([](auto &r) { return r.input(r.x * 5 / 8, 2 * r.y); }), std::nullopt);
    // A table by loaded values: no order of f makes it a vector.
    EXPECT_EQ(dim_where([](auto &r) {
                  return r.input(clamp(Halide::cast<int>(r.input(r.x, r.y)), 0, 699), 0);
              }),
              std::nullopt);
}

TEST(GatheredRows, may_be_those_of_a_sum_with_a_table_of_weights) {
    Resampling r;
    const Halide::RDom k(0, 6, "k");
    Halide::Func weight("weight");
    weight(r.x, r.y) = Halide::cast<float>(r.x * r.y);
    r.f(r.x, r.y) = 0.0f;
    r.f(r.x, r.y) += r.input(r.x * 5 / 8 + k, r.y) * weight(k, r.x % 8);
    EXPECT_EQ(r.dim_of_f(), 1);
}

TEST(GatheredRows, are_offered_in_both_orders) {
    Resampling r;
    r.f(r.x, r.y) = r.input(r.x * 5 / 8, r.y) + r.input(r.x * 5 / 8 + 1, r.y);
    const BuiltGraph built = r.build();
    const FuncId out(0), f = built.graph.find(r.f.name());
    const StageId s = built.graph.func(out).stages[0];
    const LoopNest nest = *replay(
        built.graph,
        Trace{action::ComputeRoot{out}, action::Tile{s, 0, {64}}, action::Tile{s, 1, {64}}});
    size_t rows = 0, across = 0;
    for (const PlacementActions &place : placements(nest, f, false)) {
        if (!std::holds_alternative<action::ComputeAt>(place[0])) continue;
        const auto *order =
            place.size() > 1 ? std::get_if<action::ReorderStorage>(&place[1]) : nullptr;
        (order ? across : rows)++;
        if (order) {
            EXPECT_EQ(order->order, (std::vector<int>{1, 0}));
        }
    }
    EXPECT_GT(rows, 0u);
    EXPECT_GT(across, 0u);
}

TEST(GatheredRows, are_copied_where_readers_load_several_points) {
    for (bool several : {false, true}) {
        Resampling r;
        r.f(r.x, r.y) = r.input(r.x * 5 / 8, r.y) + r.input(r.x * 5 / 8 + 1, r.y);
        const BuiltGraph built = r.build(several);
        EXPECT_EQ(copy_choices(built.graph, *machine_preset("x86-avx512")).size(),
                  several ? 1u : 0u);
    }
}

// Each source point is turned once, and not gathered for each of six taps.
TEST(GatheredRows, are_computed_across_by_the_search) {
    Resampling r;
    Halide::Expr sum = 0.0f;
    for (int k = 0; k < 6; k++) sum += r.input(r.x * 5 / 8 + k, r.y) * float(k + 1);
    r.f(r.x, r.y) = sum;
    const BuiltGraph built = r.build();
    Machine machine = *machine_preset("x86-avx512");
    machine.cores = 4;
    const SearchResult found = search(built.graph, machine, {});
    EXPECT_EQ(validate(found.nest), "");
    const FuncNest &f = found.nest.at(built.graph.find(r.f.name()));
    EXPECT_EQ(f.storage_order, (std::vector<int>{1, 0})) << to_tree_text(found.nest);
}

}  // namespace
}  // namespace cryolite
