#include "reference/reuse/tiled_nest.h"

#include <algorithm>
#include <cassert>

namespace cryolite::reuse {
namespace {

int64_t round_up_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct LoopPiece {
    Interval range;
    double count;
};

// What the iterations of one loop are made of, seen from inside a level.
std::vector<LoopPiece> pieces_of_loop(const Interval &whole, int64_t tile, int64_t step,
                                      int64_t span) {
    const int64_t extent = whole.extent();
    if (span >= extent) return {{whole, 1}};
    const int64_t tiles = extent / tile, rest = extent % tile;
    const int64_t middle = whole.min + std::max<int64_t>(0, (tiles - 1) / 2) * tile;
    const int64_t last = whole.min + tiles * tile;
    std::vector<LoopPiece> out;
    const auto add = [&](int64_t min, int64_t size, int64_t count) {
        if (size <= 0 || count <= 0) return;
        for (LoopPiece &p : out) {
            if (p.range.extent() == size) {
                p.count += static_cast<double>(count);
                return;
            }
        }
        out.push_back({{min, min + size - 1}, static_cast<double>(count)});
    };
    if (span >= tile) {
        add(middle, tile, tiles);
        add(last, rest, 1);
        return out;
    }
    const int64_t steps = tile / step;
    add(middle + (steps - 1) / 2 * step, step, tiles * steps);
    add(middle + steps * step, tile % step, tiles);
    add(last, step, rest / step);
    add(last + rest / step * step, rest % step, rest > 0 ? 1 : 0);
    return out;
}

}  // namespace

int TiledNest::tile_level() const {
    for (size_t p = 0; p < order.size(); p++) {
        if (order[p].between_tiles) return static_cast<int>(p);
    }
    return root_level();
}

int64_t TiledNest::extent(int level) const {
    const TiledLoop &at = order[static_cast<size_t>(level)];
    const auto l = static_cast<size_t>(at.loop);
    if (at.between_tiles) return round_up_divide(ranges[l].extent(), tile[l]);
    return round_up_divide(tile[l], level == vector_level ? vector_width : 1);
}

int64_t TiledNest::span(int loop, int level) const {
    const auto l = static_cast<size_t>(loop);
    int64_t covered = 1;
    if (vector_level >= 0 && order[static_cast<size_t>(vector_level)].loop == loop) {
        covered = std::min(vector_width, tile[l]);
    }
    bool tiled = false;
    for (size_t p = 0; p < order.size(); p++) {
        if (order[p].loop != loop) continue;
        tiled |= order[p].between_tiles;
        if (static_cast<int>(p) >= level) continue;
        covered = std::max(covered, order[p].between_tiles ? ranges[l].extent() : tile[l]);
    }
    assert(tiled || tile[l] >= ranges[l].extent());
    return std::min(covered, ranges[l].extent());
}

Intervals TiledNest::iteration(int level, int64_t iteration) const {
    Intervals out = ranges;
    for (size_t p = order.size(); p-- > 0;) {
        if (static_cast<int>(p) < level) break;
        const auto l = static_cast<size_t>(order[p].loop);
        const int64_t step = order[p].between_tiles                ? tile[l]
                             : static_cast<int>(p) == vector_level ? vector_width
                                                                   : 1;
        const int64_t count = round_up_divide(out[l].extent(), step);
        const int64_t at = static_cast<int>(p) == level && iteration >= 0
                               ? std::min(iteration, count - 1)
                               : (count - 1) / 2;
        out[l].min += at * step;
        out[l].max = std::min(out[l].min + step - 1, out[l].max);
    }
    return out;
}

std::vector<Piece> pieces(const TiledNest &nest, int level) {
    std::vector<Piece> all{{{}, 1}};
    for (size_t l = 0; l < nest.ranges.size(); l++) {
        const int64_t step =
            nest.vector_level >= 0 &&
                    nest.order[static_cast<size_t>(nest.vector_level)].loop == static_cast<int>(l)
                ? std::min(nest.vector_width, nest.tile[l])
                : 1;
        const std::vector<LoopPiece> here = pieces_of_loop(nest.ranges[l], nest.tile[l], step,
                                                           nest.span(static_cast<int>(l), level));
        std::vector<Piece> longer;
        for (const Piece &p : all) {
            for (const LoopPiece &q : here) {
                longer.push_back({p.ranges, p.count * q.count});
                longer.back().ranges.push_back(q.range);
            }
        }
        all = std::move(longer);
    }
    return all;
}

}  // namespace cryolite::reuse
