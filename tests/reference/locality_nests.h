// The loop nests of the thesis's chapter 4 as plain values, and its machines (table 4.3).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "machine/machine.h"
#include "reference/locality/perfect_nest.h"

namespace cryolite::locality::testing {

// One dimension: its extent and the loops that walk it, {loop, coefficient}.
struct Dim {
    int64_t extent;
    std::vector<std::pair<size_t, double>> walked_by;
    double offset_span = 0;
};

enum class Use { Read, Write, Both };

struct NestMaker {
    PerfectNest nest;

    // Innermost first.
    explicit NestMaker(const std::vector<std::pair<std::string, int64_t>> &loops) {
        for (const auto &[name, bound] : loops) nest.loops.push_back({name, bound});
    }
    // Dimensions as they lie in memory, the contiguous one first.
    NestMaker &array(const std::string &name, Use use, const std::vector<Dim> &dims,
                     double loads = 1, int element_bytes = 4) {
        Reference r;
        r.array = name;
        r.element_bytes = element_bytes;
        r.loads = loads;
        r.reads = use != Use::Write;
        r.writes = use != Use::Read;
        for (const Dim &d : dims) {
            IndexedDimension dim;
            dim.extent = d.extent;
            dim.offset_span = d.offset_span;
            dim.coefficient.assign(nest.loops.size(), 0);
            for (const auto &[loop, coefficient] : d.walked_by)
                dim.coefficient[loop] += coefficient;
            r.dims.push_back(dim);
        }
        nest.references.push_back(r);
        return *this;
    }
    // Reads `name` at a place that is not known, another one for every iteration of the loops.
    NestMaker &gather(const std::string &name, int64_t extent, const std::vector<size_t> &over) {
        array(name, Use::Read, {{extent, {}}});
        std::vector<bool> &g = nest.references.back().gathered_over;
        g.assign(nest.loops.size(), false);
        for (size_t l : over) g[l] = true;
        return *this;
    }
};

// Listing 4.1: C[i][j] += A[i][k] * B[k][j], in the order i, k, j.
inline constexpr size_t mm_j = 0, mm_k = 1, mm_i = 2;
inline PerfectNest matmul(int64_t bi, int64_t bj, int64_t bk) {
    PerfectNest nest = NestMaker({{"j", bj}, {"k", bk}, {"i", bi}})
                           .array("C", Use::Both, {{bj, {{mm_j, 1}}}, {bi, {{mm_i, 1}}}})
                           .array("A", Use::Read, {{bk, {{mm_k, 1}}}, {bi, {{mm_i, 1}}}})
                           .array("B", Use::Read, {{bj, {{mm_j, 1}}}, {bk, {{mm_k, 1}}}})
                           .nest;
    nest.loops[mm_k].parallelizable = nest.loops[mm_k].vectorizable = false;
    return nest;
}

// Listing 4.2: out[y][x] = A[x][y] & B[y][x].
inline constexpr size_t tm_x = 0, tm_y = 1;
inline PerfectNest transpose_and_mask(int64_t by, int64_t bx) {
    return NestMaker({{"x", bx}, {"y", by}})
        .array("out", Use::Write, {{bx, {{tm_x, 1}}}, {by, {{tm_y, 1}}}})
        .array("A", Use::Read, {{by, {{tm_y, 1}}}, {bx, {{tm_x, 1}}}})
        .array("B", Use::Read, {{bx, {{tm_x, 1}}}, {by, {{tm_y, 1}}}})
        .nest;
}

// out[y][x] = A[y][x].
inline PerfectNest copy(int64_t by, int64_t bx) {
    return NestMaker({{"x", bx}, {"y", by}})
        .array("out", Use::Write, {{bx, {{0, 1}}}, {by, {{1, 1}}}})
        .array("A", Use::Read, {{bx, {{0, 1}}}, {by, {{1, 1}}}})
        .nest;
}

// out[y][x] = sum of A[y-1..y+1][x-1..x+1], unrolled.
inline PerfectNest stencil(int64_t by, int64_t bx) {
    return NestMaker({{"x", bx}, {"y", by}})
        .array("out", Use::Write, {{bx, {{0, 1}}}, {by, {{1, 1}}}})
        .array("A", Use::Read, {{bx + 2, {{0, 1}}, 2}, {by + 2, {{1, 1}}, 2}}, 9)
        .nest;
}

// sum[r][q][p] += A[r][q][s] * C4[s][p], 4 loops.
inline PerfectNest doitgen(int64_t r, int64_t q, int64_t p) {
    PerfectNest nest = NestMaker({{"p", p}, {"s", p}, {"q", q}, {"r", r}})
                           .array("sum", Use::Both, {{p, {{0, 1}}}, {q, {{2, 1}}}, {r, {{3, 1}}}})
                           .array("A", Use::Read, {{p, {{1, 1}}}, {q, {{2, 1}}}, {r, {{3, 1}}}})
                           .array("C4", Use::Read, {{p, {{0, 1}}}, {p, {{1, 1}}}})
                           .nest;
    nest.loops[1].parallelizable = nest.loops[1].vectorizable = false;
    return nest;
}

// out[n][o][y][x] += in[n][c][y+ky][x+kx] * w[o][c][ky][kx], 7 loops.
inline PerfectNest conv_layer(int64_t n, int64_t o, int64_t c, int64_t y, int64_t x, int64_t k) {
    enum : size_t { X, KX, KY, C, Y, O, N };
    PerfectNest nest =
        NestMaker({{"x", x}, {"kx", k}, {"ky", k}, {"c", c}, {"y", y}, {"o", o}, {"n", n}})
            .array("out", Use::Both, {{x, {{X, 1}}}, {y, {{Y, 1}}}, {o, {{O, 1}}}, {n, {{N, 1}}}})
            .array("in", Use::Read,
                   {{x + k - 1, {{X, 1}, {KX, 1}}},
                    {y + k - 1, {{Y, 1}, {KY, 1}}},
                    {c, {{C, 1}}},
                    {n, {{N, 1}}}})
            .array("w", Use::Read, {{k, {{KX, 1}}}, {k, {{KY, 1}}}, {c, {{C, 1}}}, {o, {{O, 1}}}})
            .nest;
    for (size_t l : {KX, KY, C}) nest.loops[l].parallelizable = nest.loops[l].vectorizable = false;
    return nest;
}

// Table 4.3. Machine::cores counts hardware threads, and so does cores_sharing.
inline Machine machine_of(const std::string &name, int threads, CacheLevel l1, CacheLevel l2,
                          CacheLevel l3) {
    Machine m;
    m.name = name;
    m.cores = threads;
    m.caches = {l1, l2, l3};
    return m;
}
inline Machine i7_6700() {
    return machine_of("i7 6700", 8, {32 << 10, 8, 64, 2, 64, 64}, {256 << 10, 8, 64, 2, 32, 32},
                      {8 << 20, 16, 64, 8, 16, 64});
}
inline Machine i7_5930k() {
    return machine_of("i7 5930k", 12, {32 << 10, 8, 64, 2, 64, 64}, {256 << 10, 8, 64, 2, 32, 32},
                      {15 << 20, 20, 64, 12, 16, 64});
}
// No L3; the four cores share L2.
inline Machine cortex_a15() {
    Machine m;
    m.name = "Cortex A15";
    m.cores = 4;
    m.caches = {{32 << 10, 2, 64, 1, 16, 16}, {512 << 10, 16, 64, 4, 8, 16}};
    return m;
}

inline int64_t tiles_of(const PerfectNest &nest, const std::vector<int64_t> &tile, size_t loop) {
    return (nest.loops[loop].bound + tile[loop] - 1) / tile[loop];
}

}  // namespace cryolite::locality::testing
