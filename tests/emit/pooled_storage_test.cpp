// Many Funcs at root share slots of memory. What they compute stays right at all sizes.
#include "code/kernel/pooled_storage.h"

#include <algorithm>
#include <sstream>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;

// Funcs in a row, each of which reads two points of the one before, all at root.
struct Row {
    Var x{"x"};
    ImageParam in{Int(32), 1, "in"};
    std::vector<Halide::Func> funcs;

    explicit Row(int count) {
        for (int i = 0; i < count; i++) {
            Halide::Func next("f" + std::to_string(i));
            next(x) = i == 0 ? Expr(in(x)) : (funcs.back()(x) + funcs.back()(x + 1)) % 1000;
            funcs.push_back(next);
        }
        test::estimate(out(), {10000});
    }

    Halide::Func &out() { return funcs.back(); }

    std::string schedule() {
        const BuiltGraph built = test::build({out()});
        LoopNest nest(built.graph);
        for (const cryolite::Func &f : built.graph.funcs())
            if (!f.is_input()) nest = *apply(nest, action::ComputeRoot{f.id});
        const auto emitted = emit(built, nest, SmallSizes::Compiled);
        EXPECT_TRUE(emitted.ok()) << emitted.error().message;
        return emitted->source;
    }

    bool is_right_at(int size) {
        const int count = static_cast<int>(funcs.size());
        std::vector<int> values;
        Buffer<int> image(size + count - 1);
        for (int i = 0; i < image.width(); i++) values.push_back(image(i) = 7 * i % 13);
        for (int i = 1; i < count; i++)
            for (size_t k = 0; k + 1 < values.size(); k++)
                values[k] = (values[k] + values[k + 1]) % 1000;
        in.set(image);
        const Buffer<int> result = out().realize({size});
        for (int i = 0; i < size; i++)
            if (result(i) != values[static_cast<size_t>(i)]) return false;
        return true;
    }
};

size_t count(const std::string &text, const std::string &word) {
    size_t found = 0;
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) found++;
    return found;
}

TEST(PooledStorage, IsGivenToManyFuncsAtRootAndKeepsThemRight) {
    Row row(140);
    // All but the output, and the Func that Halide makes of the input.
    EXPECT_EQ(count(row.schedule(), ".store_in(MemoryType::Stack)"), 140u);
    EXPECT_TRUE(row.is_right_at(1));
    EXPECT_TRUE(row.is_right_at(1000));
    // 16 MB a Func: it does not lie on the stack.
    EXPECT_TRUE(row.is_right_at(4'000'000));
}

TEST(PooledStorage, IsNotNeededByFew) {
    Row row(100);
    EXPECT_EQ(count(row.schedule(), "Stack"), 0u);
    EXPECT_TRUE(row.is_right_at(1000));
}

TEST(PooledStorage, IsNotForFuncsOfConstantSize) {
    Row row(140);
    row.out().bound(row.x, 0, 4096);
    EXPECT_EQ(count(row.schedule(), "Stack"), 0u);
    EXPECT_TRUE(row.is_right_at(4096));
}

// Such a Func's slot would grow to the size of the others.
TEST(PooledStorage, IsNotForFuncsThatAreMuchSmallerThanTheLargest) {
    Row row(140);
    Halide::Func small("small"), out("out");
    small(row.x) = row.funcs[40](10 * row.x) + row.funcs[40](10 * row.x + 1);
    out(row.x) = row.out()(row.x) + small(row.x / 10);
    row.funcs.push_back(out);
    test::estimate(out, {10000});
    const std::string text = row.schedule();
    EXPECT_EQ(count(text, ".store_in(MemoryType::Stack)"), 141u);
    EXPECT_EQ(count(text, "small.compute_root();"), 1u);
}

}  // namespace
}  // namespace cryolite
