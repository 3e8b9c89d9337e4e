#include "search/space/templates.h"

#include <algorithm>

#include "schedule/func_nest.h"
#include "search/plain_schedule.h"
#include "search/space/unrolled_blocks.h"
#include "search/space/vector_choices.h"

namespace cryolite {
namespace {

constexpr int64_t short_extent = 16;

// Whether an update of the Func may take its vectors across those of the template.
bool has_updates_across(const StageGraph &graph, const FuncNest &nest, TilingTemplate t) {
    t.updates_across = true;
    return std::ranges::any_of(nest.stages, [&](const StageNest &s) {
        const int dim = vector_dim_of(graph.stage(s.stage), t);
        return dim != t.vector_dim &&
               nest.compute_region[static_cast<size_t>(dim)].extent() >= t.width;
    });
}

std::vector<int64_t> powers(int64_t from, int64_t to, int64_t factor = 2) {
    std::vector<int64_t> out;
    for (int64_t v = from; v <= to; v *= factor) out.push_back(v);
    return out;
}

// Calls `emit` with every combination of the choices inside the tiles of `t`.
template <typename F>
void with_inner_choices(const TilingSpace &s, const std::vector<UnrolledBlock> &blocks,
                        TilingTemplate t, F emit) {
    bool has_short = false;
    for (size_t d = 0; d < s.func.dims.size(); d++)
        has_short |= static_cast<int>(d) != t.vector_dim && s.extent(d) <= short_extent &&
                     s.extent(d) > 1 && s.func.dims.size() > 2;
    using Short = TilingTemplate::Short;
    // Where the loops of short dimensions go, and whether those over channels are unrolled.
    std::vector<std::pair<Short, bool>> shorts{{Short::BetweenTiles, false}};
    if (has_short) shorts.insert(shorts.end(), {{Short::Outside, false}, {Short::Inside, false}});
    if (s.has_channels) shorts.emplace_back(Short::BetweenTiles, true);
    const auto with_loops = [&] {
        for (auto [place, unrolled_channels] : shorts) {
            t.short_loops = place;
            t.unrolled_channels = unrolled_channels;
            if (!s.has_reduction) {
                emit(t);
                continue;
            }
            for (bool outside : {false, true})
                for (TilingTemplate::Unrolled unrolled : s.unrolled_reductions) {
                    t.reduction_outside = outside;
                    t.unrolled_reductions = unrolled;
                    t.reduction_tile = 0;
                    emit(t);
                    if (unrolled != TilingTemplate::Unrolled::None) continue;
                    for (int64_t k : {64, 256}) {
                        t.reduction_tile = k;
                        emit(t);
                    }
                }
        }
    };
    for (const UnrolledBlock &block : blocks) {
        t.unroll = block;
        with_loops();
    }
}

// The dimensions that may be tiled together with the vector's: all long ones; {-1} if there are none. Tiles of
// the first are blocks of neighbouring rows; tiles of an outer one are strips of whole images.
std::vector<int> rows_to_tile(const TilingSpace &s, int vector_dim) {
    std::vector<int> rows;
    for (size_t d = 0; d < s.func.dims.size(); d++)
        if (static_cast<int>(d) != vector_dim && s.extent(d) > short_extent)
            rows.push_back(static_cast<int>(d));
    if (rows.empty()) rows.push_back(-1);
    return rows;
}

}  // namespace

void each_template(const TilingSpace &s, const std::function<void(const TilingTemplate &)> &take) {
    const bool at_root = s.nest.placement == Placement::Root;
    const bool parallel = at_root && s.machine.cores > 1 && s.points >= parallel_threshold_points;
    const auto take_all = [&](TilingTemplate &t) {
        for (int p : {1, 2, 0}) {
            if (p > 0 ? !parallel : parallel && s.points >= 64 * parallel_threshold_points)
                continue;
            t.parallel = p;
            take(t);
            if (p != 1 || !s.has_steps) continue;
            t.parallel_in_steps = true;
            take(t);
            t.parallel_in_steps = false;
        }
    };
    for (auto [vector_dim, width, woven, joins_rows, rounds_up] : vector_choices(s)) {
        TilingTemplate t;
        t.vector_dim = vector_dim;
        t.width = width;
        t.woven = woven;
        t.rounds_up = rounds_up;
        if (joins_rows) t.joined_dim = s.order[0];
        if (s.colours > 1) t.colour_dim = s.order[0];
        t.row_taps = s.row_taps;
        const std::vector<UnrolledBlock> blocks = unrolled_blocks(s, vector_dim);
        const bool goes_across = has_updates_across(s.graph, s.nest, t);
        const auto emit = [&](TilingTemplate &either) {
            take_all(either);
            if (!goes_across) return;
            either.updates_across = true;
            take_all(either);
            either.updates_across = false;
        };
        t.tile.assign(s.func.dims.size(), 0);
        with_inner_choices(s, blocks, t, emit);
        for (int row : rows_to_tile(s, vector_dim)) {
            std::vector<int64_t> row_tiles{0}, vector_tiles{0};
            if (row >= 0) {
                const int64_t e = s.extent(static_cast<size_t>(row));
                for (int64_t v : powers(2, e / 2)) row_tiles.push_back(v);
                if (at_root)
                    for (int64_t share : {1, 2, 4, 8})
                        if (int64_t v =
                                (e + s.machine.cores * share - 1) / (s.machine.cores * share);
                            v > 2 && v < e)
                            row_tiles.push_back(v);
            }
            if (vector_dim >= 0) {
                // If this is the only long dimension, its tiles are also the parallel tasks.
                const int64_t e = s.extent(static_cast<size_t>(vector_dim));
                const int64_t longest = row < 0 ? e : width * 64;
                for (int64_t v : powers(width, std::min(longest, e / 2))) vector_tiles.push_back(v);
                // 32 registers hold the sums of three vectors in eight rows.
                if (s.reads_product && 3 * width <= e / 2) vector_tiles.push_back(3 * width);
            }
            for (int64_t r : row_tiles)
                for (int64_t v : vector_tiles) {
                    if (r == 0 && v == 0) continue;
                    t.tile.assign(s.func.dims.size(), 0);
                    if (row >= 0) t.tile[static_cast<size_t>(row)] = r;
                    if (vector_dim >= 0) t.tile[static_cast<size_t>(vector_dim)] = v;
                    with_inner_choices(s, blocks, t, emit);
                    // The order of the tiles says which factor of a product stays in a cache.
                    t.vector_tiles_outside = s.reads_product && r > 0 && v > 0;
                    if (t.vector_tiles_outside) with_inner_choices(s, blocks, t, emit);
                    t.vector_tiles_outside = false;
                }
        }
    }
}

}  // namespace cryolite
