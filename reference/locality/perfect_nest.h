// A perfect loop nest as chapter 4 of the thesis "Automatic Scheduling of Image Processing
// Pipelines" sees one: loops with bounds, and the arrays that its one statement indexes. And the
// nest after tiling: which parts of which loops stand where.
//
// Plain values, indexed by loop: any order, any tiling, any access set. nest_of_stage.h makes them
// of a schedule's stages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace cryolite::locality {

// Loops are numbered as the algorithm has them, innermost first (as Stage::loops).
struct NestLoop {
    std::string name;
    int64_t bound = 1;  // iterations; >= 1
    // Two loops may change places if either of them is reorderable.
    bool reorderable = true;
    bool parallelizable = true;
    bool vectorizable = true;
};

// One dimension of an array as one reference indexes it:
// index = sum over loops of coefficient * loop + an offset.
struct IndexedDimension {
    int64_t extent = 1;               // of the array, as it is stored
    std::vector<double> coefficient;  // one per loop; fractions where the array is upsampled
    double offset_span = 0;           // largest minus smallest offset: 2 for a stencil of three
};

// All that the statement touches of an array with the same coefficients. An array that is indexed
// in two ways (A[i][k] and A[j][k]) is two references.
struct Reference {
    std::string array;
    int element_bytes = 4;
    std::vector<IndexedDimension> dims;  // as they lie in memory: dims[0] is contiguous, the column
    double loads = 1;  // distinct elements per iteration; more where offsets differ
    bool reads = false;
    bool writes = false;
    // Not affine: the index depends on these loops (one per loop) in a way that is not known, and
    // the coefficients mean nothing. Every iteration of such a loop is taken to touch new lines,
    // each by one element: no reuse, and nothing for a prefetcher to follow. Empty: affine.
    std::vector<bool> gathered_over;

    bool is_gather() const { return !gathered_over.empty(); }
};

struct PerfectNest {
    std::vector<NestLoop> loops;
    std::vector<Reference> references;
};

// What is wrong with a nest; empty if nothing is. All else in this folder asks for a sound one.
std::string defect_of(const PerfectNest &nest);

// How far apart in memory two consecutive iterations of the loop lie, in bytes, >= 0. Nothing for a
// gather over the loop.
std::optional<double> stride_bytes(const Reference &reference, size_t loop);

// Does the address change with the loop?
bool moves_with(const Reference &reference, size_t loop);

// The thesis's column index: the loop that walks the output (the first array that is written) with
// the smallest stride. Where the output is a single element, that of the first array that has one;
// loop 0 if none has. Loops of one iteration do not count.
size_t column_loop(const PerfectNest &nest);

// --- the tiled nest ---

// One loop of the tiled nest: one iteration of it covers `span` iterations of `loop`.
struct NestLevel {
    size_t loop = 0;
    int64_t span = 1;
    bool operator==(const NestLevel &) const = default;
};

// Outermost first. The spans of a loop fall strictly from the outside in, and the last one is 1, so
// that every level has more than one iteration; a loop of bound 1 has no level. Any depth of tiling
// fits, though the optimisers make two levels at most.
struct Tiling {
    std::vector<NestLevel> levels;
    // Levels before this one are inter-tile loops; from here on they walk the inside of a tile. 0:
    // not tiled, the nest is one tile.
    size_t first_intra = 0;
    bool operator==(const Tiling &) const = default;
};

// tile[l]: 1 <= tile <= bound. inter and intra: each loop once, outermost first. Parts with a
// single iteration are left out: a loop with tile == bound has no inter-tile loop, with tile == 1
// no intra-tile loop.
Tiling make_tiling(const PerfectNest &nest, std::span<const int64_t> tile,
                   std::span<const size_t> inter, std::span<const size_t> intra);

// All loops in the algorithm's order, as one tile.
Tiling untiled(const PerfectNest &nest);

// Iterations of levels[level]: the quotient of the spans, not rounded. The last iteration of a loop
// whose tiles do not divide it is a part of one.
double iterations(const PerfectNest &nest, const Tiling &tiling, size_t level);

// The box, in iterations per loop, that one iteration of levels[level] covers; level == -1: the
// nest.
std::vector<int64_t> box_of(const PerfectNest &nest, const Tiling &tiling, int level);

// Loops that are not reorderable stand as the algorithm has them, tiles included.
bool keeps_order(const PerfectNest &nest, const Tiling &tiling);

}  // namespace cryolite::locality
