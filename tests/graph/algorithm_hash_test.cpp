// The hash must not move when names, schedules or estimates do, and must move with anything else.
#include "graph/hash/algorithm_hash.h"

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;

struct Options {
    int offset = 1;
    bool maximum = false;
    int extent = 8;
    bool shared = true;
    Type type = Float(32);
    bool predicate = false;
    std::string name = "f";
    bool scheduled = false;
};

Pipeline make(const Options &o) {
    Var x(o.name == "f" ? "x" : "u"), y;
    ImageParam input(Float(32), 2, "input");
    Param<float> gain("gain");
    Halide::Func f(o.name), twin("twin"), sum, out;
    f(x, y) = cast(o.type, input(x + o.offset, y) * gain);
    twin(x, y) = cast(o.type, input(x + o.offset, y) * gain);
    RDom r(0, o.extent);
    if (o.predicate) r.where(r % 2 == 0);
    sum(x, y) = cast(o.type, 0);
    const Expr a = f(x + r, y), b = o.shared ? f(x, y) : twin(x, y);
    sum(x, y) += o.maximum ? max(a, b) : a + b;
    out(x, y) = sum(x, y);
    if (o.scheduled) {
        f.compute_root().vectorize(x, 4);
        sum.compute_at(out, y).update().reorder(x, r);
        f.in(sum).compute_root();
        out.parallel(y);
        out.set_estimate(x, 0, 10).set_estimate(y, 0, 20);
        input.dim(0).set_estimate(0, 4);
    }
    return Pipeline(out);
}

std::vector<Internal::Function> functions(const Pipeline &p) {
    return test::functions_of(p.outputs());
}

uint64_t hash(const Options &o) { return algorithm_hash(functions(make(o))); }

TEST(AlgorithmHash, TheSameAlgorithmBuiltTwiceHashesAlike) {
    const uint64_t first = hash({});
    for (int i = 0; i < 12; i++) EXPECT_EQ(hash({}), first);
}

TEST(AlgorithmHash, NamesSchedulesAndEstimatesDoNotMatter) {
    Options renamed, scheduled;
    renamed.name = "another";
    scheduled.scheduled = true;
    EXPECT_EQ(hash(renamed), hash({}));
    EXPECT_EQ(hash(scheduled), hash({}));
}

TEST(AlgorithmHash, AnyChangeOfTheAlgorithmMatters) {
    std::vector<Options> changed(6);
    changed[0].offset = 2;
    changed[1].maximum = true;
    changed[2].extent = 9;
    changed[3].shared = false;  // a copy of a Func is not that Func
    changed[4].type = Float(64);
    changed[5].predicate = true;
    std::vector<uint64_t> hashes = {hash({})};
    for (const Options &o : changed) hashes.push_back(hash(o));
    for (size_t i = 0; i < hashes.size(); i++) {
        for (size_t j = 0; j < i; j++) EXPECT_NE(hashes[i], hashes[j]) << i << " " << j;
    }
}

TEST(AlgorithmHash, WhichInputIsReadWhereMatters) {
    const auto pipeline = [](bool crossed) {
        Var x;
        ImageParam a(Float(32), 1, "a"), b(Float(32), 1, "b");
        Halide::Func f, g, out;
        f(x) = a(x) - b(x);
        g(x) = crossed ? b(x) - a(x) : a(x) - b(x);
        out(x) = f(x) * g(x);
        return algorithm_hash({out.function()});
    };
    EXPECT_EQ(pipeline(false), pipeline(false));
    EXPECT_NE(pipeline(false), pipeline(true));
}

TEST(AlgorithmHash, TheGraphCarriesIt) {
    Options o;
    o.scheduled = true;
    const Pipeline p = make(o);
    // Parameter `gain` bounds nothing: no estimate is needed.
    const Result<BuiltGraph> built = build_graph(functions(p), get_host_target());
    ASSERT_TRUE(built.ok()) << built.error().message;
    EXPECT_EQ(built->graph.algorithm_hash(), hash({}));
}

TEST(AlgorithmHash, FuncsAreKnownByWhatTheyAre) {
    Var x;
    Halide::Func a, b, c, out;
    a(x) = x + 1;
    b(x) = a(x) * 2;
    c(x) = a(x) * 2;
    out(x) = b(x) + c(x + 1);
    const std::vector<uint64_t> hashes = func_hashes(
        {out.function(), b.function(), c.function(), a.function(), Internal::Function()});
    ASSERT_EQ(hashes.size(), 5u);
    EXPECT_EQ(hashes[1], hashes[2]);
    EXPECT_NE(hashes[0], hashes[1]);
    EXPECT_NE(hashes[1], hashes[3]);
    EXPECT_EQ(hashes[4], 0u);
}

TEST(AlgorithmHash, ItsTextIsItsSource) {
    const std::string_view text = algorithm_hash_source();
    EXPECT_NE(text.find("inline uint64_t algorithm_hash("), text.npos);
    EXPECT_NE(text.find("#include <Halide.h>"), text.npos);
    EXPECT_EQ(text.find("#include \""), text.npos);
}

TEST(AlgorithmHash, DefinitionsOfExponentialSizeHashQuickly) {
    Var x;
    Halide::Func f;
    Expr e = x;
    for (int i = 0; i < 80; i++) e = e * e + e;
    f(x) = e;
    EXPECT_NE(algorithm_hash({f.function()}), 0u);
}

}  // namespace
}  // namespace cryolite
