// Aligning a burst's frames to the first one, tile by tile, from coarse to fine (Hasinoff et al.,
// "Burst photography for high dynamic range and low-light imaging on mobile cameras", SIGGRAPH Asia
// 2016, section 4). A tile's search begins at what the level above found for the tile around it or
// for one of two neighbours, whichever fits best; of all displacements about there the one with the
// least sum of absolute differences wins. All in whole numbers, so that every schedule decides alike.
//
// Differs from the paper: absolute differences at every level, no fractions of a pixel, the same
// tiles of 16x16 at every level, a smaller search at the ends of the pyramid.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps::burst {

// Level 0 has half of the raw image's pixels along each axis; level j has 1 / factors[j] of those of
// level j - 1. Tiles overlap by half at every level, so tile t begins at pixel t * stride of it.
constexpr int levels = 4, tile = 16, stride = tile / 2;
constexpr std::array<int, levels> factors = {2, 2, 4, 4};
constexpr std::array<int, levels> search_radii = {1, 4, 4, 2};

// The furthest that a level's search can get.
constexpr int furthest(int level) {
    return search_radii[size_t(level)] +
           (level + 1 < levels ? factors[size_t(level) + 1] * furthest(level + 1) : 0);
}

// A sum over all pixels of a tile. For a CPU, the columns are the lanes of a vector that are added up
// at the end.
struct TileSum {
    Func sum;
    RDom pixels{0, tile, 0, tile};

    explicit TileSum(const std::string &name) : sum(name) {}

    void vectorise(const Var &innermost) {
        Var lane("lane");
        Func lanes = sum.update().rfactor(pixels.x, lane);
        lanes.compute_at(sum, innermost).vectorize(lane);
        lanes.update().reorder(lane, pixels.y).vectorize(lane);
        sum.update().atomic().vectorize(pixels.x);
    }
};

// One level's search. Displacements are of the level's own pixels, in Tuples of the score and the
// displacement along x and y.
class LevelSearch {
public:
    // grey(x, y, frame); `coarser`: what the level above found, undefined at the coarsest.
    LevelSearch(int level, const Func &grey, const Func &coarser)
        : limit(furthest(level)),
          score(named("score", level)),
          found(named("found", level)),
          carried_score(named("carried_score", level)),
          carried(named("carried", level)),
          start(named("start", level)) {
        Expr start_x = 0, start_y = 0;
        if (coarser.defined()) {
            carry(level, grey, coarser);
            start_x = start(tx, ty, n)[1];
            start_y = start(tx, ty, n)[2];
        }
        score.sum(dx, dy, tx, ty, n) = cast<uint32_t>(0);
        score.sum(dx, dy, tx, ty, n) += difference(grey, score.pixels, start_x + dx, start_y + dy);

        const int radius = search_radii[size_t(level)], side = 2 * radius + 1;
        const RDom about(-radius, side, -radius, side, "about");
        choose(found, score.sum(about.x, about.y, tx, ty, n), start_x + about.x, start_y + about.y);
    }

    void schedule_cpu() {
        Var task("task");
        found.compute_root().fuse(ty, n, task).parallel(task);
        found.update()
            .fuse(ty, n, task)
            .parallel(task)
            .reorder(found.rvars()[0], found.rvars()[1], tx, task);
        score.sum.compute_at(found, tx);
        score.vectorise(dx);
        if (start.defined()) {
            carried.compute_at(found, tx);
            start.compute_at(found, tx);
            carried_score.sum.compute_at(found, tx);
            carried_score.vectorise(k);
        }
    }

    int limit;
    TileSum score;
    Func found;  // (tile along x, tile along y, frame)

private:
    static std::string named(const std::string &what, int level) {
        return what + "_" + std::to_string(level);
    }

    // Between the tile of the reference and the displaced one of the frame.
    Expr difference(const Func &grey, const RDom &pixels, const Expr &by_x,
                    const Expr &by_y) const {
        const Expr x = tx * stride + pixels.x, y = ty * stride + pixels.y;
        return cast<uint32_t>(absd(grey(x, y, 0), grey(x + clamp(by_x, -limit, limit),
                                                       y + clamp(by_y, -limit, limit), n)));
    }

    // Three displacements of the level above, of which the tile's search starts at the best.
    void carry(int level, const Func &grey, const Func &coarser) {
        const int factor = factors[size_t(level) + 1], most = factor * furthest(level + 1);
        const auto beside = [&](const Expr &t) {
            return t / factor + select(t % factor < factor / 2, -1, 1);
        };
        const Expr coarse_x = select(k == 1, beside(tx), tx / factor);
        const Expr coarse_y = select(k == 2, beside(ty), ty / factor);
        const auto enlarged = [&](int element) {
            return clamp(coarser(coarse_x, coarse_y, n)[element] * factor, -most, most);
        };
        carried(k, tx, ty, n) = Tuple(enlarged(1), enlarged(2));
        carried_score.sum(k, tx, ty, n) = cast<uint32_t>(0);
        carried_score.sum(k, tx, ty, n) += difference(
            grey, carried_score.pixels, carried(k, tx, ty, n)[0], carried(k, tx, ty, n)[1]);
        const RDom which(0, 3, "which");
        choose(start, carried_score.sum(which, tx, ty, n), carried(which, tx, ty, n)[0],
               carried(which, tx, ty, n)[1]);
    }

    // The first of the least scores.
    void choose(Func &best, const Expr &candidate, const Expr &by_x, const Expr &by_y) {
        best(tx, ty, n) = Tuple(UInt(32).max(), 0, 0);
        const Expr better = candidate < best(tx, ty, n)[0];
        best(tx, ty, n) = Tuple(select(better, candidate, best(tx, ty, n)[0]),
                                select(better, by_x, best(tx, ty, n)[1]),
                                select(better, by_y, best(tx, ty, n)[2]));
    }

    Var k{"k"}, dx{"dx"}, dy{"dy"}, tx{"tx"}, ty{"ty"}, n{"n"};
    TileSum carried_score;
    Func carried, start;
};

class Alignment {
public:
    // raw(x, y, frame), behind a boundary condition that keeps the mosaic's parity.
    explicit Alignment(const Func &raw) {
        for (int j = 0; j < levels; j++) {
            grey.emplace_back("grey_" + std::to_string(j));
            across.emplace_back("grey_across_" + std::to_string(j));
        }
        const auto wide = [](const Expr &e) { return cast<uint32_t>(e); };
        grey[0](x, y, n) =
            cast<uint16_t>((wide(raw(2 * x, 2 * y, n)) + raw(2 * x + 1, 2 * y, n) +
                            raw(2 * x, 2 * y + 1, n) + raw(2 * x + 1, 2 * y + 1, n) + 2) /
                           4);
        for (int j = 1; j < levels; j++) {
            const Func &fine = grey[size_t(j) - 1], &halfway = across[size_t(j)];
            const int factor = factors[size_t(j)];
            across[size_t(j)](x, y, n) =
                shrunk(factor, [&](int d) { return wide(fine(x * factor + d, y, n)); });
            grey[size_t(j)](x, y, n) =
                shrunk(factor, [&](int d) { return wide(halfway(x, y * factor + d, n)); });
        }
        for (int j = levels - 1; j >= 0; j--) {
            const Func coarser = searches.empty() ? Func() : searches.back().found;
            searches.emplace_back(j, grey[size_t(j)], coarser);
        }
    }

    // What the finest level found, in its pixels: half of the displacement in the raw image.
    const Func &found() const { return searches.back().found; }
    static constexpr int limit = furthest(0);

    void schedule_cpu(int vec) {
        grey[0].compute_root().vectorize(x, vec).parallel(y, 16);
        for (int j = 1; j < levels; j++) {
            Func &level = grey[size_t(j)];
            level.compute_root().vectorize(x, vec).parallel(y, 8);
            across[size_t(j)].compute_at(level, y).vectorize(x, vec);
        }
        for (LevelSearch &search : searches) {
            search.schedule_cpu();
        }
    }

private:
    // A filter with the shape of a tent over twice as many pixels as become one: (1 3 3 1) / 8 or
    // (1 3 5 7 7 5 3 1) / 32.
    template <typename At>
    static Expr shrunk(int factor, At at) {
        Expr sum = cast<uint32_t>(factor * factor);  // for rounding: half of the weights' sum
        for (int i = 0; i < 2 * factor; i++) {
            const int weight = 2 * (i < factor ? i : 2 * factor - 1 - i) + 1;
            sum += cast<uint32_t>(weight) * at(i - factor / 2);
        }
        return cast<uint16_t>(sum / (2 * factor * factor));
    }

    Var x{"x"}, y{"y"}, n{"n"};
    std::vector<Func> grey, across;
    std::vector<LevelSearch> searches;  // the coarsest first
};

}  // namespace cryolite::apps::burst
