// What the ablations promise: one idea less each, and the same result where only time was saved.
#include "bench/search_probe/variants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "code/legality/validate.h"
#include "machine/presets.h"
#include "search/pace.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite::bench {
namespace {

Machine machine() {
    Machine m = *machine_preset("x86-avx2");
    m.cores = 4;
    return m;
}

// most_work: of a pass, in Funcs priced, unless the variant says otherwise.
SearchResult searched(const StageGraph &graph, const Variant &variant, int64_t beam_size = 0,
                      uint64_t most_work = Pace::unlimited) {
    SearchOptions options;
    options.beam_size = beam_size;
    options.threads = 1;
    options.tilings_per_placement = 12;
    options.time_limit_seconds = 1e6;  // a slow computer must not change the states
    Effort with = effort(graph, options);
    with.work = std::min(with.work, most_work);
    variant.change(options, with);
    return search(graph, machine(), options, with);
}

TEST(Variants, begin_with_the_full_search_and_have_a_name_each) {
    EXPECT_STREQ(variants()[0].name, "full");
    std::set<std::string> names;
    for (const Variant &v : variants()) {
        EXPECT_TRUE(names.insert(v.name).second) << v.name;
        EXPECT_EQ(find_variant(v.name), &v);
    }
    EXPECT_EQ(find_variant("no such variant"), nullptr);
}

TEST(Variants, that_only_save_time_visit_the_same_states_and_find_the_same_schedule) {
    for (const auto &p :
         {cryolite::testing::box_filter(640, 480), cryolite::testing::matrix_multiply(251)}) {
        const BuiltGraph built = p.build();
        const SearchResult full = searched(built.graph, variants()[0]);
        for (const Variant &v : variants()) {
            if (!v.same_result) continue;
            const SearchResult r = searched(built.graph, v);
            EXPECT_EQ(r.nest.hash(), full.nest.hash()) << v.name;
            EXPECT_EQ(r.time.seconds, full.time.seconds) << v.name;
            EXPECT_EQ(r.statistics.states_generated, full.statistics.states_generated) << v.name;
            EXPECT_EQ(r.statistics.states_duplicate, full.statistics.states_duplicate) << v.name;
        }
    }
}

TEST(Variants, without_the_memo_compute_every_kernel) {
    const BuiltGraph built = cryolite::testing::box_filter(640, 480).build();
    const SearchStatistics full = searched(built.graph, variants()[0]).statistics;
    const SearchStatistics none = searched(built.graph, *find_variant("no_memo")).statistics;
    EXPECT_GT(full.kernels_remembered, 0u);
    EXPECT_EQ(none.kernels_remembered, 0u);
    EXPECT_EQ(none.kernels_evaluated, full.kernels_evaluated + full.kernels_remembered);
}

// A variant that changed nothing would look like an idea that gains nothing.
TEST(Variants, that_leave_an_idea_out_visit_fewer_states) {
    const BuiltGraph built = cryolite::testing::box_filter(640, 480).build();
    const uint64_t full = searched(built.graph, variants()[0]).statistics.states_generated;
    for (const Variant &v : variants()) {
        if (v.same_result || v.has_plans) continue;  // plans are an idea more
        const SearchResult r = searched(built.graph, v);
        EXPECT_EQ(validate(r.nest), "") << v.name;
        const std::string_view name = v.name;
        // They save work, and of long pipelines alone.
        if (name == "no_freezing" || name == "no_pace") continue;
        if (name.starts_with("no_structures")) continue;
        EXPECT_LT(r.statistics.states_generated, full) << v.name;
    }
}

TEST(Variants, that_leave_out_what_saves_work_visit_more_states) {
    // Its coarse levels take next to no time.
    const BuiltGraph built = cryolite::testing::pyramid(8, 4000).build();
    const auto states = [&](const char *name) {
        return searched(built.graph, *find_variant(name)).statistics.states_generated;
    };
    EXPECT_LT(states("full"), states("no_freezing"));
    const BuiltGraph deep = cryolite::testing::shifted_chain(40, 2000).build();
    const auto states_of_chain = [&](const char *name) {
        return searched(deep.graph, *find_variant(name), 0, 100'000).statistics.states_generated;
    };
    EXPECT_LT(states_of_chain("full"), states_of_chain("no_pace"));
}

// Where stencils can be computed inside of each other in many ways, other states go on, of which some
// have more children and some fewer.
TEST(Variants, without_structures_visit_other_states) {
    const Halide::Var x("x"), y("y");
    Halide::Func last("first");
    last(x, y) = Halide::cast<float>(x * y);
    for (int i = 0; i < 5; i++) {
        Halide::Func next("stencil" + std::to_string(i));
        next(x, y) =
            last(x - 1, y) + last(x + 1, y) + last(x, y - 1) * Halide::sqrt(last(x, y + 1));
        last = next;
    }
    last.set_estimates({{0, 1920}, {0, 1080}});
    const BuiltGraph built = cryolite::testing::SmallPipeline{{last}}.build();
    const auto states = [&](const char *name) {
        return searched(built.graph, *find_variant(name), 16).statistics.states_generated;
    };
    EXPECT_NE(states("full"), states("no_structures"));
}

TEST(Variants, without_the_memo_as_well_find_what_the_others_find) {
    const BuiltGraph built = cryolite::testing::matrix_multiply(251).build();
    for (const char *name : {"no_structures", "greedy"}) {
        const SearchResult with = searched(built.graph, *find_variant(name)),
                           without =
                               searched(built.graph, *find_variant(std::string(name) + "_no_memo"));
        EXPECT_EQ(with.nest.hash(), without.nest.hash()) << name;
        EXPECT_EQ(with.statistics.states_generated, without.statistics.states_generated) << name;
        EXPECT_EQ(without.statistics.kernels_remembered, 0u) << name;
    }
}

}  // namespace
}  // namespace cryolite::bench
