// Which Funcs do the same work, and what is decided for one as a decision of another.
#include "search/refinement/twins.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "machine/presets.h"
#include "search/refinement/refine.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

// Layers of sums over all channels of their neighbours, as networks have.
testing::SmallPipeline network(int layers) {
    using Halide::Float, Halide::ImageParam, Halide::RDom, Halide::Var, Halide::max;
    const Var c("c"), x("x"), y("y");
    const ImageParam input(Float(32), 3, "input"), weights(Float(32), 4, "weights");
    const RDom r(0, 32, -1, 3, "r");
    Halide::Func last("padded");
    last(c, x, y) = Halide::BoundaryConditions::constant_exterior(input, 0.0f)(c, x, y);
    for (int i = 0; i < layers; i++) {
        const std::string number = std::to_string(i);
        Halide::Func sum("sum" + number), layer("layer" + number);
        sum(c, x, y) = 0.0f;
        sum(c, x, y) += weights(c, r.x, r.y + 1, i) * last(r.x, x + r.y, y);
        layer(c, x, y) = max(sum(c, x, y), 0.0f);
        last = layer;
    }
    Halide::Func out("out");
    out(c, x, y) = last(c, x, y) * 2.0f;
    ImageParam(input).set_estimates({{0, 32}, {0, 128}, {0, 128}});
    ImageParam(weights).set_estimates({{0, 32}, {0, 32}, {0, 3}, {0, layers}});
    out.set_estimates({{0, 32}, {0, 128}, {0, 128}});
    return {{out}};
}

// Three pictures treated alike and put together.
testing::SmallPipeline exposures() {
    const Halide::Var x("x"), y("y");
    const Halide::ImageParam input = testing::image(Halide::Float(32), 512, 512);
    Halide::Func out("out");
    Halide::Expr sum = 0.0f;
    for (int i = 0; i < 3; i++) {
        const std::string number = std::to_string(i);
        Halide::Func bright("bright" + number), rows("rows" + number);
        bright(x, y) = input(x, y) * (1.0f + static_cast<float>(i));
        rows(x, y) = bright(x - 1, y) + bright(x, y) + bright(x + 1, y);
        sum = sum + rows(x, y - 1) + rows(x, y) + rows(x, y + 1);
    }
    out(x, y) = sum;
    out.set_estimates({{0, 512}, {0, 512}});
    return {{out}};
}

struct Built {
    BuiltGraph built;
    const StageGraph &graph;
    Twins twins;

    explicit Built(const testing::SmallPipeline &p)
        : built(p.build()), graph(built.graph), twins(graph) {}

    FuncId func(const char *name) const {
        // Halide numbers the names that another test has taken.
        for (const Func &f : graph.funcs())
            if (f.name.substr(0, f.name.find('$')) == name) return f.id;
        ADD_FAILURE() << name;
        return {};
    }
};

TEST(Twins, are_funcs_that_do_the_same_work_nearest_first) {
    const Built b(network(4));
    const std::vector<FuncId> of_first = b.twins.of(b.func("sum3"));
    EXPECT_EQ(of_first, (std::vector{b.func("sum2"), b.func("sum1"), b.func("sum0")}));
    const std::vector<FuncId> of_last = b.twins.of(b.func("sum0"));
    EXPECT_EQ(of_last, (std::vector{b.func("sum1"), b.func("sum2"), b.func("sum3")}));
    EXPECT_EQ(b.twins.of(b.func("layer1")).size(), 3u);
    EXPECT_TRUE(b.twins.of(b.func("out")).empty());
}

TEST(Twins, differ_by_what_they_read_and_compute) {
    const Halide::Var x("x"), y("y");
    const Halide::ImageParam input = testing::image(Halide::Float(32), 512, 512);
    Halide::Func along("along"), across("across"), product("product"), out("out");
    along(x, y) = input(x, y) + input(x + 1, y);
    across(x, y) = input(x, y) + input(2 * x, y);
    product(x, y) = input(x, y) * input(x + 1, y);
    out(x, y) = along(x, y) + across(x, y) + product(x, y);
    out.set_estimates({{0, 128}, {0, 128}});
    const Built b({{out}});
    for (const char *name : {"along", "across", "product"})
        EXPECT_TRUE(b.twins.of(b.func(name)).empty()) << name;
}

TEST(Twins, have_counterparts_among_readers_and_producers) {
    const Built b(network(4));
    const FuncId from = b.func("sum2"), to = b.func("sum1");
    EXPECT_EQ(b.twins.counterpart(from, from, to), to);
    EXPECT_EQ(b.twins.counterpart(b.func("layer2"), from, to), b.func("layer1"));
    EXPECT_EQ(b.twins.counterpart(b.func("sum3"), from, to), b.func("sum2"));
    EXPECT_EQ(b.twins.counterpart(b.func("layer1"), from, to), b.func("layer0"));
    // What reads the last layer has no like, nor has what the first layer reads.
    EXPECT_FALSE(b.twins.counterpart(b.func("out"), from, to));
    EXPECT_FALSE(b.twins.counterpart(b.func("sum0"), from, to));
}

TEST(Twins, share_a_reader) {
    const Built b(exposures());
    const FuncId out = b.func("out");
    EXPECT_EQ(b.twins.counterpart(out, b.func("rows0"), b.func("rows2")), out);
    EXPECT_EQ(b.twins.counterpart(out, b.func("bright0"), b.func("bright2")), out);
    EXPECT_EQ(b.twins.counterpart(b.func("bright0"), b.func("rows0"), b.func("rows2")),
              b.func("bright2"));
    // Neither reads the other.
    EXPECT_FALSE(b.twins.counterpart(b.func("rows1"), b.func("rows0"), b.func("rows2")));
}

TEST(Twins, repeat_what_was_decided_for_one) {
    const Built b(exposures());
    LoopNest nest(b.graph);
    const StageId out = b.graph.func(b.func("out")).stages[0];
    const FuncId rows0 = b.func("rows0"), rows1 = b.func("rows1");
    const StageId stage0 = b.graph.func(rows0).stages[0], stage1 = b.graph.func(rows1).stages[0];
    for (const Action &a : std::vector<Action>{
             action::ComputeRoot{b.func("out")}, action::Tile{out, 1, {32}},
             action::ComputeAt{rows0, {out, 1, 0}}, action::Vectorize{stage0, 0, 8}})
        ASSERT_TRUE(try_apply(nest, a));
    const std::optional<Decision> d = b.twins.decision(nest, rows0, rows1);
    ASSERT_TRUE(d);
    EXPECT_EQ(d->where, (std::vector<Action>{action::ComputeAt{rows1, {out, 1, 0}}}));
    EXPECT_TRUE(std::ranges::find(d->how, Action(action::Vectorize{stage1, 0, 8})) != d->how.end());
    EXPECT_EQ(b.twins.decisions(nest, rows1), std::vector{*d});
    // bright0 is not decided, so that nothing is known for its twins.
    EXPECT_TRUE(b.twins.decisions(nest, b.func("bright1")).empty());
}

Machine machine() { return *machine_preset("x86-avx2"); }

TEST(Twins, take_whole_groups_in_refinement) {
    const Built b(network(3));
    const Machine m = machine();
    SearchOptions options;
    options.beam_size = 2;
    options.num_passes = 1;
    options.threads = 1;
    const LoopNest found = search(b.graph, m, options).nest;
    const Refinement refinement(found, m, b.twins, 4, Redraw::PlacesAndLoops);
    size_t tried = 0;
    for (size_t i = 0; i < b.graph.num_scheduled(); i++)
        for (const Change &c : refinement.changes_by_twins(FuncId(i)))
            if (const std::optional<LoopNest> nest = refinement.with(c)) {
                EXPECT_TRUE(nest->complete());
                EXPECT_EQ(validate(*nest), "");
                tried++;
            }
    // Of a schedule in which all layers are alike there would be none. One that is plain but for a layer has some.
    LoopNest plain = plain_schedule(b.graph, m);
    const FuncId sum = b.func("sum1");
    const StageId update = b.graph.func(sum).stages[1];
    plain = plain.without(sum);
    ASSERT_TRUE(try_apply(plain, action::ComputeRoot{sum}));
    ASSERT_TRUE(try_apply(plain, action::Tile{update, 2, {4}}));
    const Refinement of_plain(plain, m, b.twins, 4, Redraw::PlacesAndLoops);
    const std::vector<Change> changes = of_plain.changes_by_twins(b.func("sum2"));
    ASSERT_FALSE(changes.empty());
    const std::optional<LoopNest> nest = of_plain.with(changes[0]);
    ASSERT_TRUE(nest);
    EXPECT_EQ(b.twins.decision(*nest, sum, b.func("sum2")), decision_of(*nest, b.func("sum2")));
}

}  // namespace
}  // namespace cryolite
