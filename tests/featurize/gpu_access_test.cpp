// Memory transactions and footprints on a GPU against enumerating every thread and address.
#include "featurize/gpu/access.h"
#include "featurize/gpu/counts.h"
#include "featurize/gpu/vectors.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "base/random.h"

namespace cryolite {
namespace {

using Role = GpuLoopRole;

// Calls visit with the address (in elements) of every combination of the chosen loops, the others
// standing at `fixed`.
void for_each_address(const GpuMapping &m, const GpuAccess &a, const std::vector<bool> &chosen,
                      const std::vector<int64_t> &fixed,
                      const std::function<void(int64_t)> &visit) {
    std::function<void(size_t, int64_t)> walk = [&](size_t l, int64_t at) {
        if (l == m.loops.size()) {
            for (int64_t o : a.offsets) visit(at + o);
        } else if (chosen[l]) {
            for (int64_t i = 0; i < m.loops[l].extent; i++) walk(l + 1, at + i * a.strides[l]);
        } else {
            walk(l + 1, at + fixed[l] * a.strides[l]);
        }
    };
    walk(0, 0);
}

int64_t floor_divide(int64_t a, int64_t b) { return (a - ((a % b) + b) % b) / b; }

GpuFootprint enumerated_footprint(const GpuMapping &m, const GpuAccess &a,
                                  const std::vector<bool> &inside,
                                  const std::vector<int64_t> &fixed) {
    std::set<int64_t> elements, lines;
    for_each_address(m, a, inside, fixed, [&](int64_t e) {
        elements.insert(e);
        lines.insert(floor_divide(e * a.element_bytes, 128));
    });
    return {static_cast<double>(elements.size()) * a.element_bytes,
            static_cast<double>(lines.size())};
}

// Every warp of the block, one lane at a time.
WarpTraffic enumerated_traffic(const GpuMapping &m, const GpuAccess &a) {
    const auto used = stage_threads(m);
    std::array<int64_t, 3> stride{};
    double serial = 1;
    std::vector<bool> unrolled;
    for (size_t l = 0; l < m.loops.size(); l++) {
        if (m.loops[l].role == Role::Thread)
            stride[static_cast<size_t>(m.loops[l].thread_dim)] = a.strides[l];
        if (m.loops[l].role == Role::Serial) serial *= static_cast<double>(m.loops[l].extent);
        unrolled.push_back(m.loops[l].role == Role::Unrolled);
    }
    std::set<int64_t> copies;
    for_each_address(m, a, unrolled, std::vector<int64_t>(m.loops.size()),
                     [&](int64_t e) { copies.insert(e); });
    WarpTraffic sum;
    const int64_t threads = m.block_threads[0] * m.block_threads[1] * m.block_threads[2];
    for (int64_t copy : copies) {
        for (int64_t first = 0; first < threads; first += 32) {
            std::set<int64_t> elements, sectors, lines;
            std::map<int64_t, std::set<int64_t>> words_of_bank;
            for (int64_t t = first; t < std::min(first + 32, threads); t++) {
                const int64_t x = t % m.block_threads[0];
                const int64_t y = t / m.block_threads[0] % m.block_threads[1];
                const int64_t z = t / m.block_threads[0] / m.block_threads[1];
                if (x >= used[0] || y >= used[1] || z >= used[2]) continue;
                const int64_t e = copy + x * stride[0] + y * stride[1] + z * stride[2];
                elements.insert(e);
                for (int64_t b = 0; b < a.element_bytes; b++) {
                    const int64_t byte = e * a.element_bytes + b;
                    sectors.insert(floor_divide(byte, 32));
                    lines.insert(floor_divide(byte, 128));
                    const int64_t word = floor_divide(byte, 4);
                    words_of_bank[((word % 32) + 32) % 32].insert(word);
                }
            }
            size_t most = 0;
            for (const auto &[bank, words] : words_of_bank) most = std::max(most, words.size());
            sum.add_scaled(
                {static_cast<double>(sectors.size()), static_cast<double>(lines.size()),
                 static_cast<double>(most), static_cast<double>(elements.size()) * a.element_bytes},
                serial);
        }
    }
    return sum;
}

void expect_same(const WarpTraffic &a, const WarpTraffic &b) {
    EXPECT_EQ(a.sectors, b.sectors);
    EXPECT_EQ(a.lines, b.lines);
    EXPECT_EQ(a.bank_transactions, b.bank_transactions);
    EXPECT_EQ(a.useful_bytes, b.useful_bytes);
}

// A block of 32 x 8 threads, one point each, in a 1024 wide image of floats.
GpuMapping tile() {
    GpuMapping m;
    m.loops = {{Role::Block, 4}, {Role::Block, 32}, {Role::Thread, 8, 1}, {Role::Thread, 32, 0}};
    m.block_threads = {32, 8, 1};
    return m;
}

GpuAccess access(std::vector<int64_t> strides, int element_bytes = 4) {
    GpuAccess a;
    a.strides = std::move(strides);
    a.element_bytes = element_bytes;
    return a;
}

WarpTraffic traffic(const GpuMapping &m, const GpuAccess &a) {
    EXPECT_EQ(validate([&] {
                  GpuMapping with = m;
                  with.accesses = {a};
                  return with;
              }()),
              "");
    return block_traffic(m, a, WarpLayout(m));
}

TEST(GpuTraffic, NeighboursShareSectorsAndLines) {
    const WarpTraffic t = traffic(tile(), access({8192, 32, 1024, 1}));
    EXPECT_EQ(t.sectors, 8 * 4);
    EXPECT_EQ(t.lines, 8 * 1);
    EXPECT_EQ(t.bank_transactions, 8 * 1);
    EXPECT_EQ(t.useful_bytes, 8 * 128);
}

TEST(GpuTraffic, OneElementOffTouchesOneSectorMore) {
    GpuAccess a = access({8192, 32, 1024, 1});
    a.offsets = {-1};
    EXPECT_EQ(traffic(tile(), a).sectors, 8 * 5);
    EXPECT_EQ(traffic(tile(), a).lines, 8 * 2);
}

TEST(GpuTraffic, TransposedLanesTouchASectorEachAndCollideInOneBank) {
    const WarpTraffic t = traffic(tile(), access({32, 32768, 1, 1024}));
    EXPECT_EQ(t.sectors, 8 * 32);
    EXPECT_EQ(t.lines, 8 * 32);
    EXPECT_EQ(t.bank_transactions, 8 * 32);
    // A row of 33 words, as shared memory is padded: no conflict.
    EXPECT_EQ(traffic(tile(), access({0, 0, 1, 33})).bank_transactions, 8 * 1);
}

TEST(GpuTraffic, LanesThatReadOneWordShareIt) {
    const WarpTraffic t = traffic(tile(), access({0, 0, 1, 0}));
    EXPECT_EQ(t.sectors, 8);
    EXPECT_EQ(t.bank_transactions, 8);
    EXPECT_EQ(t.useful_bytes, 8 * 4);
    // Four bytes of a word are one access to its bank.
    EXPECT_EQ(traffic(tile(), access({0, 0, 32, 1}, 1)).bank_transactions, 8);
    // Doubles need two words each.
    EXPECT_EQ(traffic(tile(), access({0, 0, 32, 1}, 8)).bank_transactions, 8 * 2);
}

TEST(GpuTraffic, ATailWarpMovesWhatItsLanesNeed) {
    GpuMapping m;
    m.loops = {{Role::Thread, 40, 0}};
    m.block_threads = {40, 1, 1};
    const WarpTraffic t = traffic(m, access({1}));
    EXPECT_EQ(t.sectors, 4 + 1);
    EXPECT_EQ(t.lines, 1 + 1);
    EXPECT_EQ(t.useful_bytes, 160);
}

TEST(GpuTraffic, CopiesOfAnUnrolledLoopShareLoads) {
    GpuMapping m = tile();
    m.loops.push_back({Role::Serial, 10});
    m.loops.push_back({Role::Unrolled, 4});
    // A row of 3 taps along the unrolled loop: 6 distinct loads instead of 12.
    GpuAccess taps = access({8192 * 4, 32, 4096, 1, 0, 1024});
    taps.offsets = {-1024, 0, 1024};
    EXPECT_EQ(traffic(m, taps).sectors, 10 * 6 * 8 * 4);
    // What the loop does not move is loaded once; a serial loop asks again.
    EXPECT_EQ(traffic(m, access({8192, 32, 1024, 1, 0, 0})).sectors, 10 * 8 * 4);
}

TEST(GpuTraffic, AGatherTouchesASectorPerLane) {
    GpuAccess a = access({0, 0, 0, 0});
    a.gather = true;
    EXPECT_EQ(traffic(tile(), a).sectors, 8 * 32);
}

GpuMapping random_mapping(Random &random) {
    GpuMapping m;
    if (random.chance(0.7)) m.loops.push_back({Role::Block, random.between(1, 3)});
    if (random.chance(0.5)) m.loops.push_back({Role::Serial, random.between(1, 3)});
    for (int d = 2; d >= 0; d--) {
        if (d > 0 && random.chance(0.4)) continue;
        const int64_t extent = random.between(1, d == 0 ? 50 : 3);
        m.loops.push_back({Role::Thread, extent, d});
        m.block_threads[static_cast<size_t>(d)] = extent + random.between(0, d == 0 ? 3 : 1);
    }
    if (random.chance(0.6)) m.loops.push_back({Role::Unrolled, random.between(1, 4)});
    if (random.chance(0.3)) m.loops.push_back({Role::Unrolled, random.between(1, 3)});
    return m;
}

GpuAccess random_access(const GpuMapping &m, Random &random) {
    GpuAccess a;
    a.element_bytes = 1 << random.between(0, 4);
    const int64_t row = random.chance(0.5) ? 64 : random.between(30, 70);
    for (size_t l = 0; l < m.loops.size(); l++) {
        const int64_t strides[] = {0, 1, 1, 2, 3, -1, row, row * 8, -row};
        a.strides.push_back(strides[random.below(9)]);
    }
    if (random.chance(0.5)) a.offsets = {-1, 0, 1};
    if (random.chance(0.3)) a.offsets = {0, 1, row, row + 1, 2 * row};
    if (random.chance(0.3)) a.offsets = {random.between(-40, 40)};
    return a;
}

TEST(GpuTraffic, EqualsAnEnumerationOfAllLanes) {
    for (int i = 0; i < 400; i++) {
        Random random(static_cast<uint64_t>(i));
        const GpuMapping m = random_mapping(random);
        const GpuAccess a = random_access(m, random);
        SCOPED_TRACE(i);
        expect_same(traffic(m, a), enumerated_traffic(m, a));
        if (HasFailure()) return;
    }
}

TEST(GpuFootprint, IsNeverLessThanAnEnumeration) {
    for (int i = 0; i < 400; i++) {
        Random random(static_cast<uint64_t>(i));
        const GpuMapping m = random_mapping(random);
        const GpuAccess a = random_access(m, random);
        std::vector<bool> inside;
        std::vector<int64_t> fixed;
        for (const GpuLoop &l : m.loops) {
            inside.push_back(random.chance(0.6));
            fixed.push_back(random.between(0, l.extent - 1));
        }
        const GpuFootprint bound = footprint(m, a, inside);
        const GpuFootprint counted = enumerated_footprint(m, a, inside, fixed);
        SCOPED_TRACE(i);
        EXPECT_GE(bound.bytes, counted.bytes);
        EXPECT_GE(bound.lines, counted.lines);
    }
}

TEST(GpuFootprint, OfAStencilInATileIsExact) {
    const GpuMapping m = tile();
    GpuAccess a = access({8192, 32, 1024, 1});
    a.offsets.clear();
    for (int64_t y = -1; y <= 1; y++)
        for (int64_t x = -1; x <= 1; x++) a.offsets.push_back(1024 * y + x);
    const std::vector<bool> block{false, false, true, true};
    const GpuFootprint f = footprint(m, a, block);
    EXPECT_EQ(f.bytes, 34 * 10 * 4);
    EXPECT_EQ(f.lines, 3 * 10);
    const GpuFootprint thread = footprint(m, a, {false, false, false, false});
    EXPECT_EQ(thread.bytes, 9 * 4);
    EXPECT_EQ(thread.lines, 3 * 2);
}

TEST(GpuFootprint, ContiguousBytesEndAtTheFirstGap) {
    const GpuMapping m = tile();
    const std::vector<bool> block{false, false, true, true};
    EXPECT_EQ(contiguous_bytes(m, access({8192, 32, 1024, 1}), block), 128);
    EXPECT_EQ(contiguous_bytes(m, access({0, 0, 32, 1}), block), 1024);
    EXPECT_EQ(contiguous_bytes(m, access({0, 0, 32, 2}), block), 4);
}

TEST(GpuMapping, WhatIsNoMappingIsExplained) {
    GpuMapping m = tile();
    m.accesses = {access({8192, 32, 1024, 1})};
    EXPECT_EQ(validate(m), "");
    const auto broken = [&](const std::function<void(GpuMapping &)> &edit) {
        GpuMapping copy = m;
        edit(copy);
        return validate(copy);
    };
    EXPECT_NE(broken([](GpuMapping &b) { b.loops[0].extent = 0; }), "");
    EXPECT_NE(broken([](GpuMapping &b) { b.loops[2].thread_dim = 0; }), "");
    EXPECT_NE(broken([](GpuMapping &b) { b.block_threads = {16, 8, 1}; }), "");
    EXPECT_NE(broken([](GpuMapping &b) { b.block_threads = {64, 32, 1}; }), "");
    EXPECT_NE(broken([](GpuMapping &b) { b.realisation_depth = 5; }), "");
    EXPECT_NE(broken([](GpuMapping &b) { b.accesses[0].strides.pop_back(); }), "");
    EXPECT_NE(broken([](GpuMapping &b) { b.accesses[0].element_bytes = 3; }), "");
    EXPECT_NE(broken([](GpuMapping &b) { b.accesses[0].offsets.clear(); }), "");
}

// 16 x 16 threads of 4 x 4 points each. Of a tile of 64 x 64 values in shared memory they load their own points; of one
// with rows of 16 values along a loop they load the row.
GpuMapping staged_product() {
    GpuMapping m;
    m.loops = {{Role::Serial, 4},   {Role::Thread, 16, 1}, {Role::Thread, 16, 0},
               {Role::Unrolled, 4}, {Role::Unrolled, 4},   {Role::Unrolled, 4}};
    m.block_threads = {16, 16, 1};
    return m;
}

GpuAccess in_shared_memory(std::vector<int64_t> strides) {
    GpuAccess a;
    a.memory = GpuMemory::Shared;
    a.strides = std::move(strides);
    return a;
}

TEST(GpuVectors, AreNeighboursThatCopiesLoadFromSharedMemory) {
    GpuMapping m = staged_product();
    m.accesses = {in_shared_memory({64 * 4, 0, 4, 64, 0, 1}),
                  in_shared_memory({4, 4 * 16, 0, 1, 16, 0})};
    const WarpTraffic columns = block_traffic(m, m.accesses[0], WarpLayout(m));
    join_neighbours(m);
    EXPECT_EQ(m.accesses[0].joined, 4);
    EXPECT_EQ(m.accesses[0].joined_loop, 5u);
    EXPECT_EQ(m.accesses[1].joined, 4);
    EXPECT_EQ(m.accesses[1].joined_loop, 3u);
    EXPECT_EQ(validate(m), "");
    // One by one, 16 lanes at steps of 4 words collide in pairs; as vectors, they fill all banks twice.
    EXPECT_EQ(columns.bank_transactions, 8 * 4 * 4 * 4 * 2);
    EXPECT_EQ(block_traffic(m, m.accesses[0], WarpLayout(m)).bank_transactions, 8 * 4 * 4 * 2);
    // Two rows of threads load a vector each, which all lanes of a row share.
    EXPECT_EQ(block_traffic(m, m.accesses[1], WarpLayout(m)).bank_transactions, 8 * 4 * 4 * 2);
    EXPECT_EQ(gpu_counts(m).shared_loads, 4 * (4 + 4));
}

TEST(GpuVectors, AreAligned) {
    GpuMapping m = staged_product();
    GpuAccess off = in_shared_memory({64 * 4, 0, 4, 64, 0, 1});
    off.offsets = {2};
    GpuAccess padded = in_shared_memory({65 * 4, 0, 4, 65, 0, 1});
    GpuAccess global = in_shared_memory({64 * 4, 0, 4, 64, 0, 1});
    global.memory = GpuMemory::Global;
    GpuAccess window = in_shared_memory({64 * 4, 0, 4, 64, 0, 1});
    window.offsets = {0, 4};
    m.accesses = {off, padded, global, window};
    join_neighbours(m);
    EXPECT_EQ(m.accesses[0].joined, 2);
    for (size_t a = 1; a < 4; a++) EXPECT_EQ(m.accesses[a].joined, 1);
}

}  // namespace
}  // namespace cryolite
