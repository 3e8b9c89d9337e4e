// What several accesses load together, against enumerating every address.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/random.h"
#include "featurize/gpu/access.h"

namespace cryolite {
namespace {

using Role = GpuLoopRole;

// Iterations of the loops on the host, then of the kernel's.
using Iterations = std::vector<int64_t>;

int64_t element_of(const GpuMapping &m, const GpuAccess &a, int64_t offset, const Iterations &at) {
    const size_t hosts = m.host_loops.size();
    int64_t element = offset;
    for (const GpuHostWalk &w : a.host_walks) element += w.step * at[w.loop];
    for (size_t l = 0; l < m.loops.size(); l++) element += a.strides[l] * at[hosts + l];
    for (const GpuFraction &f : a.fractions) {
        int64_t position = f.offset;
        for (size_t l = 0; l < m.loops.size(); l++) position += f.strides[l] * at[hosts + l];
        element += f.step * floor_divide(position, f.divisor);
    }
    return element;
}

GpuFootprint enumerated(const GpuMapping &m, const std::vector<bool> &inside,
                        const Iterations &fixed) {
    std::set<std::pair<int, int64_t>> elements, lines;
    const size_t hosts = m.host_loops.size();
    Iterations at = fixed;
    std::function<void(size_t)> walk = [&](size_t l) {
        if (l == at.size()) {
            for (const GpuAccess &a : m.accesses)
                for (int64_t o : a.offsets) {
                    const int64_t byte = element_of(m, a, o, at) * a.element_bytes;
                    elements.insert({a.buffer, byte});
                    lines.insert({a.buffer, floor_divide(byte, gpu_line_bytes)});
                }
        } else if (inside[l]) {
            const int64_t extent = l < hosts ? m.host_loops[l] : m.loops[l - hosts].extent;
            for (at[l] = 0; at[l] < extent; at[l]++) walk(l + 1);
        } else {
            walk(l + 1);
        }
    };
    walk(0);
    return {static_cast<double>(elements.size()) * m.accesses[0].element_bytes,
            static_cast<double>(lines.size())};
}

// Loads of one buffer or two. Some of them differ in their constants alone.
GpuMapping draw(Random &random) {
    static constexpr int64_t strides[] = {0, 0, 1, 1, -1, 2, 8, 32, 33};
    GpuMapping m;
    const size_t hosts = random.below(3), loops = 2 + random.below(2);
    for (size_t l = 0; l < hosts; l++) m.host_loops.push_back(random.between(1, 4));
    for (size_t l = 0; l < loops; l++)
        m.loops.push_back({random.chance(0.5) ? Role::Block : Role::Serial, random.between(1, 9)});
    const size_t kinds = 1 + random.below(2);
    const int element_bytes = 1 << random.below(4);
    for (size_t k = 0; k < kinds; k++) {
        GpuAccess a;
        a.buffer = static_cast<int>(random.below(2));
        a.element_bytes = element_bytes;
        for (size_t l = 0; l < loops; l++) a.strides.push_back(strides[random.below(9)]);
        for (size_t l = 0; l < hosts; l++)
            if (random.chance(0.6))
                a.host_walks.push_back({l, random.between(-40, 40), m.host_loops[l]});
        if (random.chance(0.6)) {
            GpuFraction f;
            f.step = int64_t{1} << random.below(5);
            f.divisor = random.between(2, 4);
            for (size_t l = 0; l < loops; l++)
                f.strides.push_back(random.chance(0.6) ? random.between(-3, 6) : 0);
            a.fractions.push_back(f);
        }
        const size_t phases = 1 + random.below(3);
        for (size_t p = 0; p < phases; p++) {
            a.offsets = {random.between(0, 40)};
            if (random.chance(0.3)) a.offsets.push_back(a.offsets[0] + random.between(1, 5));
            for (GpuFraction &f : a.fractions) f.offset = random.between(-4, 9);
            m.accesses.push_back(a);
        }
    }
    return m;
}

TEST(GpuLoadUnion, IsNeverLessThanWhatIsLoaded) {
    for (uint64_t seed = 0; seed < 20000; seed++) {
        Random random(seed);
        const GpuMapping m = draw(random);
        ASSERT_EQ(validate(m), "") << seed;
        std::vector<bool> inside;
        Iterations fixed;
        for (size_t l = 0; l < m.host_loops.size() + m.loops.size(); l++) {
            const int64_t extent =
                l < m.host_loops.size() ? m.host_loops[l] : m.loops[l - m.host_loops.size()].extent;
            inside.push_back(random.chance(0.6));
            fixed.push_back(inside.back() ? 0 : random.between(0, extent - 1));
        }
        const GpuFootprint loaded = enumerated(m, inside, fixed);
        const GpuFootprint said = union_of_loads(m, GpuMemory::Global, inside);
        ASSERT_GE(said.bytes, loaded.bytes) << seed;
        ASSERT_GE(said.lines, loaded.lines) << seed;
        if (!m.host_loops.empty()) continue;
        GpuFootprint sum;
        for (const GpuAccess &a : m.accesses) {
            const GpuFootprint f = footprint(m, a, inside);
            sum.bytes += f.bytes;
            sum.lines += f.lines;
        }
        ASSERT_LE(said.bytes, sum.bytes) << seed;
        ASSERT_LE(said.lines, sum.lines) << seed;
    }
}

GpuAccess load_of_row() {
    GpuAccess a;
    a.strides = {1};
    return a;
}

double bytes_of_run(const std::vector<GpuAccess> &accesses) {
    GpuMapping m;
    m.loops = {{Role::Serial, 32}};
    m.accesses = accesses;
    EXPECT_EQ(validate(m), "");
    return union_of_loads(m, GpuMemory::Global, {true}).bytes;
}

// f(x) and f(2 * x): 32 elements, and 32 spread over 63, which hold half of the first.
TEST(GpuLoadUnion, OfTwoWalksIsNoMoreThanTheirHull) {
    GpuAccess doubled = load_of_row();
    doubled.strides = {2};
    EXPECT_EQ(bytes_of_run({load_of_row(), doubled}), 63 * 4);
}

TEST(GpuLoadUnion, OfFarWalksIsTheirSum) {
    GpuAccess far = load_of_row();
    far.strides = {2};
    far.offsets = {1000};
    EXPECT_EQ(bytes_of_run({load_of_row(), far}), (32 + 32) * 4);
}

TEST(GpuLoadUnion, OfAnAllocationIsNoMoreThanTheAllocation) {
    GpuAccess a = load_of_row(), b = load_of_row();
    b.strides = {3};
    b.offsets = {64};
    a.allocation_bytes = b.allocation_bytes = 40 * 4;
    EXPECT_EQ(bytes_of_run({a, b}), 40 * 4);
}

TEST(GpuLoadUnion, BuffersAreApart) {
    GpuAccess other = load_of_row();
    other.buffer = 1;
    EXPECT_EQ(bytes_of_run({load_of_row(), other}), 2 * 32 * 4);
}

}  // namespace
}  // namespace cryolite
