// What the cost model remembers of other states, it would compute again to the bit.
#include "analytical/cost_model.h"

#include <gtest/gtest.h>

#include "machine/presets.h"
#include "search/beam/beam.h"
#include "search/beam/expand.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::SmallPipeline;

using testing::machine;

std::vector<std::pair<const char *, SmallPipeline>> pipelines() {
    return {{"box_filter", testing::box_filter(640, 480)},
            {"shifted_chain", testing::shifted_chain(5, 333)},
            {"matrix_multiply", testing::matrix_multiply(256)}};
}

const int64_t tilings = SearchOptions{}.tilings_per_placement;

TEST(CostModel, remembers_exactly_what_it_would_compute) {
    for (const auto &[name, p] : pipelines()) {
        const BuiltGraph built = p.build();
        const Machine m = machine();
        SearchOptions options;
        Expander expander(built.graph, m, options);
        size_t compared = 0;
        std::vector<BeamState> beam{{LoopNest(built.graph), 0}};
        for (size_t i = 0; i < built.graph.num_scheduled(); i++) {
            std::vector<BeamState> children;
            for (const BeamState &s : beam)
                expander.expand(s, {FuncId(i), 0, tilings}, {}, children);
            for (size_t c = 0; c < children.size(); c += 7) {
                CostModel fresh(built.graph, m);
                EXPECT_EQ(fresh.evaluate(children[c].nest).seconds, children[c].seconds) << name;
                compared++;
            }
            uint64_t duplicates = 0;
            beam = select(std::move(children), 8,
                          i + 1 < built.graph.num_scheduled() ? FuncId(i + 1) : FuncId{}, 2,
                          &duplicates);
        }
        EXPECT_GT(compared, built.graph.num_scheduled()) << name;
    }
}

// Of Funcs that count as inlined until they are decided: one that is a boundary condition, and one that is
// read at few places of a large region.
SmallPipeline read_at_loaded_places() {
    using Halide::ImageParam;
    const Halide::Var x("x"), y("y");
    ImageParam input(Halide::Float(32), 2, "input"), place(Halide::Int(16), 2, "place");
    Halide::Func squared("squared"), moved("moved"), out("out");
    const Halide::Func repeated = Halide::BoundaryConditions::repeat_edge(input);
    squared(x, y) = repeated(x, y) * repeated(x, y);
    moved(x, y) = squared(x + place(x, y), y) + 1.0f;
    out(x, y) = moved(x, y) + moved(x + 1, y);
    input.set_estimates({{0, 320}, {0, 240}});
    place.set_estimates({{0, 321}, {0, 240}});
    out.set_estimates({{0, 320}, {0, 240}});
    return {{out}};
}

// Along a search, and between finished schedules that have little in common.
TEST(CostModel, costs_a_nest_by_one_nearby_to_the_bit) {
    auto all = pipelines();
    all.emplace_back("read_at_loaded_places", read_at_loaded_places());
    const auto counts_as_inlined = [](const Func &f) { return f.assumed_inlined; };
    EXPECT_TRUE(std::ranges::any_of(all.back().second.build().graph.funcs(), counts_as_inlined));
    for (const auto &[name, p] : all) {
        const BuiltGraph built = p.build();
        const Machine m = machine();
        CostModel model(built.graph, m);
        std::vector<LoopNest> nests{plain_schedule(built.graph, m)};
        SearchOptions options;
        options.beam_size = 2;
        options.num_passes = 1;
        options.tilings_per_placement = 4;
        options.cost_noise = 4;
        for (options.seed = 0; options.seed < 6; options.seed++)
            nests.push_back(search(built.graph, m, options).nest);
        std::shared_ptr<const CostedNest> near;
        for (const LoopNest &nest : nests) {
            if (near)
                near = model.costed(nest, near.get());
            else
                near = model.costed(nest, nullptr);
            for (const LoopNest &other : nests) {
                const ScheduleTime fast = model.evaluate(other, *near);
                const ScheduleTime slow = CostModel(built.graph, m).evaluate(other);
                EXPECT_EQ(fast.seconds, slow.seconds) << name;
                EXPECT_EQ(fast.peak_bytes, slow.peak_bytes) << name;
                EXPECT_EQ(fast.too_large, slow.too_large) << name;
                // And where some of it is undecided yet.
                LoopNest partial(built.graph);
                for (size_t f = 0; f < built.graph.num_scheduled(); f++) {
                    EXPECT_EQ(model.evaluate(partial, *near).seconds,
                              CostModel(built.graph, m).evaluate(partial).seconds)
                        << name;
                    partial = partial.with(other.share(FuncId(f)));
                }
            }
        }
    }
}

}  // namespace
}  // namespace cryolite
