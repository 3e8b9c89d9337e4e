// Which updates are sums of products of small integers.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::stage;
using Kind = ScalarType::Kind;

struct DotProducts : testing::Test {
    Var x{"x"}, y{"y"};
    RDom r{0, 16, "r"};
    ImageParam bytes{UInt(8), 2, "bytes"}, small{Int(8), 2, "small"}, words{Int(16), 2, "words"},
        unsigned_words{UInt(16), 2, "unsigned_words"}, floats{Float(32), 2, "floats"};

    std::optional<DotProduct> found(const Expr &product, bool sum_first = true, bool start = true) {
        Halide::Func f("f");
        f(x, y) = cast(product.type(), start ? 0 : 5);
        f(x, y) = sum_first ? f(x, y) + product : product + f(x, y);
        estimate(f, {64, 48});
        return stage(build({f}), f, 1).dot;
    }
    static Expr i32(const Expr &e) { return cast<int32_t>(e); }
};

TEST_F(DotProducts, HaveFactorsOfAtMost16Bits) {
    const Expr a = bytes(r, y), b = small(r, x), w = words(r, x);
    const ScalarType byte{Kind::UInt, 8}, signed_byte{Kind::Int, 8}, word{Kind::Int, 16};
    EXPECT_EQ(found(i32(a) * i32(b)), (DotProduct{byte, signed_byte}));
    EXPECT_EQ(found(i32(b) * i32(a), false, false), (DotProduct{signed_byte, byte}));
    EXPECT_EQ(found(i32(w) * i32(b)), (DotProduct{word, signed_byte}));
    // A zero point makes it a word, as does a product of bytes.
    EXPECT_EQ(found(i32(cast<int16_t>(a) - cast<int16_t>(7)) * i32(b)),
              (DotProduct{word, signed_byte}));
    EXPECT_EQ(found(i32(a) * 3), (DotProduct{byte, byte}));
    // What both have in common gets a name in Halide.
    const Expr k = r + 4 * y;
    EXPECT_EQ(found(i32(bytes(k, y)) * i32(small(k, x))), (DotProduct{byte, signed_byte}));
    EXPECT_EQ(found(i32(a) * i32(a)), (DotProduct{byte, byte}));
}

TEST_F(DotProducts, AreNoOtherSums) {
    const Expr a = bytes(r, y), b = small(r, x), w = words(r, x), f = floats(r, x);
    EXPECT_FALSE(found(f * f));
    EXPECT_FALSE(found(cast<int16_t>(a) * cast<int16_t>(b))) << "sums of 16 bits";
    EXPECT_FALSE(found(i32(a) + i32(b)));
    EXPECT_FALSE(found(i32(a) * i32(f)));
    EXPECT_FALSE(found(i32(unsigned_words(r, x)) * i32(b))) << "no instruction has them";
    RDom some(0, 16, "some");
    some.where(some < 5);
    EXPECT_FALSE(found(i32(bytes(some, y)) * i32(small(some, x)))) << "under a predicate";
}

TEST_F(DotProducts, AddToWhereTheyWrite) {
    Halide::Func f("f");
    f(x, y) = 0;
    f(r, y) = f(0, y) + i32(bytes(r, y)) * i32(small(r, 3));
    estimate(f, {64, 48});
    EXPECT_FALSE(stage(build({f}), f, 1).dot);
}

}  // namespace
}  // namespace cryolite
