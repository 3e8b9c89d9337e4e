// Which kernels of the thesis's table 4.4 are of which kind, and others.
#include "reference/locality/classification.h"

#include <gtest/gtest.h>

#include "tests/reference/locality_nests.h"

namespace cryolite::locality {
namespace {

using namespace testing;

constexpr int line = 64;

TEST(Classification, OfTheThesissKernels) {
    EXPECT_EQ(classify(matmul(2048, 2048, 2048), line), Locality::Temporal);
    EXPECT_EQ(classify(doitgen(256, 256, 256), line), Locality::Temporal);
    EXPECT_EQ(classify(conv_layer(16, 64, 64, 256, 256, 3), line), Locality::Temporal);
    EXPECT_EQ(classify(transpose_and_mask(4096, 4096), line), Locality::Spatial);
    EXPECT_EQ(classify(copy(4096, 4096), line), Locality::Contiguous);
    EXPECT_EQ(classify(stencil(480, 640), line), Locality::Unoptimised);
}

// C[i][j] += A[i][k] * A[j][k].
TEST(Classification, OfRankUpdatesIsTemporal) {
    const PerfectNest nest = NestMaker({{"j", 512}, {"k", 512}, {"i", 512}})
                                 .array("C", Use::Both, {{512, {{0, 1}}}, {512, {{2, 1}}}})
                                 .array("A", Use::Read, {{512, {{1, 1}}}, {512, {{2, 1}}}})
                                 .array("A", Use::Read, {{512, {{1, 1}}}, {512, {{0, 1}}}})
                                 .nest;
    EXPECT_EQ(classify(nest, line), Locality::Temporal);
}

TEST(Classification, OfAnArrayThatStandsStillAlongOneLoopIsTemporal) {
    const PerfectNest nest = NestMaker({{"x", 640}, {"y", 480}})
                                 .array("out", Use::Write, {{640, {{0, 1}}}, {480, {{1, 1}}}})
                                 .array("b", Use::Read, {{640, {{0, 1}}}})
                                 .nest;
    EXPECT_EQ(classify(nest, line), Locality::Temporal);
}

TEST(Classification, LooksAtAllInputsTogether) {
    const PerfectNest nest = NestMaker({{"x", 640}, {"y", 480}})
                                 .array("out", Use::Write, {{640, {{0, 1}}}, {480, {{1, 1}}}})
                                 .array("b", Use::Read, {{640, {{0, 1}}}})
                                 .array("c", Use::Read, {{480, {{1, 1}}}})
                                 .nest;
    EXPECT_EQ(classify(nest, line), Locality::Contiguous);
}

TEST(Classification, LoopsOfOneIterationIndexNothing) {
    EXPECT_EQ(classify(matmul(64, 64, 1), line), Locality::Contiguous);
}

TEST(Classification, OfWhatReadsNothingIsContiguous) {
    PerfectNest nest = copy(64, 64);
    nest.references.pop_back();
    EXPECT_EQ(classify(nest, line), Locality::Contiguous);
}

TEST(Classification, StridesAndGathersStayAsTheyAre) {
    const NestMaker out = NestMaker({{"x", 640}, {"y", 480}})
                              .array("out", Use::Write, {{640, {{0, 1}}}, {480, {{1, 1}}}});
    EXPECT_EQ(
        classify(NestMaker(out).array("A", Use::Read, {{1280, {{0, 2}}}, {480, {{1, 1}}}}).nest,
                 line),
        Locality::Unoptimised);
    EXPECT_EQ(classify(NestMaker(out).gather("table", 256, {0, 1}).nest, line),
              Locality::Unoptimised);
}

// From interleaved to planar: the column leaps 12 bytes, and its lines are used up one after
// another.
TEST(Classification, InterleavedPixelsAreNotTransposed) {
    const PerfectNest nest =
        NestMaker({{"x", 640}, {"y", 480}, {"c", 3}})
            .array("out", Use::Write, {{640, {{0, 1}}}, {480, {{1, 1}}}, {3, {{2, 1}}}})
            .array("A", Use::Read, {{3, {{2, 1}}}, {640, {{0, 1}}}, {480, {{1, 1}}}})
            .nest;
    EXPECT_EQ(classify(nest, line), Locality::Unoptimised);
}

// --- non-temporal stores ---

TEST(NontemporalStores, AreRightForTheThesissLastFourKernelsOnly) {
    for (const Machine &m : {i7_6700(), i7_5930k()}) {
        EXPECT_TRUE(use_nontemporal_stores(transpose_and_mask(4096, 4096), m));
        EXPECT_TRUE(use_nontemporal_stores(copy(4096, 4096), m));
        EXPECT_FALSE(use_nontemporal_stores(matmul(4096, 4096, 4096), m));
        EXPECT_FALSE(use_nontemporal_stores(doitgen(256, 256, 256), m));
    }
}

TEST(NontemporalStores, OfAnOutputThatTheCachesHoldAreNotRight) {
    EXPECT_FALSE(use_nontemporal_stores(copy(512, 512), i7_6700()));
}

TEST(NontemporalStores, NeedWholeLines) {
    PerfectNest nest = NestMaker({{"x", 4096}, {"y", 4096}})
                           .array("out", Use::Write, {{8192, {{0, 2}}}, {4096, {{1, 1}}}})
                           .nest;
    EXPECT_FALSE(output_is_reused(nest));
    EXPECT_FALSE(use_nontemporal_stores(nest, i7_6700()));
}

TEST(NontemporalStores, OfAReductionAreNotRight) {
    // Nothing reads the output, but k writes it again and again.
    PerfectNest nest = matmul(4096, 4096, 64);
    nest.references[0].reads = false;
    EXPECT_TRUE(output_is_reused(nest));
    // Another place of the same array is read.
    nest = copy(4096, 4096);
    nest.references[1].array = "out";
    nest.references[1].dims[1].offset_span = 1;
    EXPECT_TRUE(output_is_reused(nest));
}

}  // namespace
}  // namespace cryolite::locality
