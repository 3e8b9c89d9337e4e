#include "search/tilings.h"

#include <algorithm>
#include <optional>
#include <set>

#include "code/kernel/channels.h"
#include "code/stage/whole_loops.h"
#include "schedule/func_nest.h"
#include "search/gpu_tilings.h"
#include "search/packed_reads.h"
#include "search/plain_schedule.h"
#include "search/tiling_template.h"
#include "search/transposed_reads.h"

namespace cryolite {
namespace {

constexpr int64_t short_extent = 16;

// Whether the Func sums up products with a factor that may be packed.
bool is_product(const StageGraph &graph, FuncId f) {
    for (StageId s : graph.func(f).stages)
        for (EdgeId e : graph.stage(s).incoming)
            if (is_worth_packing(graph, graph.func(graph.edge(e).producer))) return true;
    return false;
}

bool has_reduction(const StageGraph &graph, FuncId f) {
    return std::ranges::any_of(graph.func(f).stages, [&](StageId s) {
        return std::ranges::any_of(graph.stage(s).loops, &StageLoop::is_reduction);
    });
}

bool has_deciding_loops(const Stage &stage) {
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (decides_copies(stage, l)) return true;
    return false;
}

struct Space {
    const StageGraph &graph;
    const Func &func;
    const FuncNest &nest;
    const Machine &machine;
    const std::vector<int> &order;  // of storage, innermost first
    bool has_reduction = false;
    // The choices that are worth a try.
    std::vector<TilingTemplate::Unrolled> unrolled_reductions = {TilingTemplate::Unrolled::None,
                                                                 TilingTemplate::Unrolled::All};
    // A stage has channels, all of which are computed here.
    bool has_channels = false;
    bool reads_product = false;  // see is_product()
    // It sums up, or it alone reads a Func that does: that Func's sums may be kept in registers inside of its loops.
    bool holds_sums = false;
    // The Func reads a copy that may be transposed inside its loops.
    std::optional<TransposedRead> transposed_read = std::nullopt;
    // The Func is a transposing copy: its dimension that walks along the rows of its source.
    std::optional<int> source_row_dim = std::nullopt;
    double points = 0;  // of the stage with the most, perhaps of one inside

    int64_t extent(size_t dim) const { return nest.compute_region[dim].extent(); }
};

// Vector widths in lanes: those that fill a register with the widest and with the narrowest type at work.
std::vector<int> widths(const Space &s) {
    int widest = 8, narrowest = 64;
    for (const ScalarType &t : s.func.values) {
        widest = std::max(widest, t.bits);
        narrowest = std::min(narrowest, std::max(8, t.bits));
    }
    for (StageId id : s.func.stages) {
        const OpHistogram &ops = s.graph.stage(id).ops;
        const std::pair<TypeClass, int> classes[] = {
            {TypeClass::Int8, 8},    {TypeClass::Int16, 16},   {TypeClass::Float16, 16},
            {TypeClass::Int32, 32},  {TypeClass::Float32, 32}, {TypeClass::Int64, 64},
            {TypeClass::Float64, 64}};
        for (auto [type, bits] : classes) {
            double count = 0;
            for (size_t k = 0; k < static_cast<size_t>(OpKind::Count); k++)
                count += ops.at(static_cast<OpKind>(k), type);
            if (count >= 1) widest = std::max(widest, bits);
        }
    }
    std::vector<int> out{s.machine.vector_bytes * 8 / widest};
    const int wide = s.machine.vector_bytes * 8 / narrowest;
    if (wide != out[0]) out.push_back(wide);
    if (wide > 2 * out[0]) out.push_back(wide / 2);
    // Squares are transposed in registers of any width: narrower ones need fewer registers and shuffles.
    if (s.transposed_read && !s.has_reduction)
        for (int parts : {2, 4})
            if (const int w = out.back() / parts; w >= 4 && std::ranges::find(out, w) == out.end())
                out.push_back(w);
    return out;
}

// Vector loops as (dimension, width): the innermost dimension of storage, or others if that is too short for a
// vector. A transposing copy may also have vectors along the rows that it reads.
std::vector<std::pair<int, int>> vector_choices(const Space &s) {
    std::vector<std::pair<int, int>> out;
    const int inner = s.order.empty() ? -1 : s.order[0];
    auto add = [&](int dim) {
        if (dim == s.nest.slide_dim) return;  // Halide could not fold the window
        for (int width : widths(s)) {
            int w = width;
            const int64_t e = s.extent(static_cast<size_t>(dim));
            while (w > e && w > 4) w /= 2;
            if (w <= e && w > 1 && std::ranges::find(out, std::pair{dim, w}) == out.end())
                out.emplace_back(dim, w);
        }
    };
    if (inner >= 0) add(inner);
    const bool too_short = inner < 0 || inner == s.nest.slide_dim ||
                           s.extent(static_cast<size_t>(inner)) < widths(s)[0];
    if (too_short)
        for (size_t d = 0; d < s.func.dims.size(); d++)
            if (static_cast<int>(d) != inner && s.extent(d) >= widths(s)[0])
                add(static_cast<int>(d));
    if (s.source_row_dim) add(*s.source_row_dim);
    // Vectors may leave too few iterations for the cores, as where the dimension counts parts of a reduction.
    const bool starves_cores = [&] {
        if (!s.has_reduction || s.nest.placement != Placement::Root || s.machine.cores < 2)
            return false;
        double all = 1;
        for (size_t d = 0; d < s.func.dims.size(); d++) all *= static_cast<double>(s.extent(d));
        return !out.empty() && all / out[0].second < s.machine.cores;
    }();
    if (out.empty() || starves_cores) out.emplace_back(-1, 1);
    return out;
}

std::vector<int64_t> powers(int64_t from, int64_t to, int64_t factor = 2) {
    std::vector<int64_t> out;
    for (int64_t v = from; v <= to; v *= factor) out.push_back(v);
    return out;
}

using Unrolls = std::vector<std::pair<int64_t, int64_t>>;  // (vectors, rows)

Unrolls unroll_choices(const Space &s) {
    Unrolls u{{1, 1}, {1, 2}, {2, 1}, {1, 4}};
    if (s.holds_sums) {
        u.insert(u.end(), {{2, 2}, {1, 8}, {2, 4}, {4, 2}, {4, 4}, {2, 6}, {4, 6}, {2, 8}, {3, 8}});
        // As many single vectors of sums as there are registers for, with some left for the factors.
        for (int64_t rows : {12, 16, 20, 24, 28})
            if (rows + 4 <= s.machine.vector_registers) u.emplace_back(1, rows);
    }
    // Whole squares. The cost model refuses those that make too much code.
    if ((s.transposed_read && !s.has_reduction) || s.source_row_dim)
        for (int64_t rows : {8, 16, 32})
            if (std::ranges::find(u, std::pair<int64_t, int64_t>{1, rows}) == u.end())
                u.emplace_back(1, rows);
    return u;
}

void set_unrolls(const Space &s, TilingTemplate &t, std::pair<int64_t, int64_t> u) {
    t.unroll.assign(s.func.dims.size(), 1);
    if (t.vector_dim >= 0) t.unroll[static_cast<size_t>(t.vector_dim)] = u.first;
    if (s.source_row_dim && t.vector_dim == *s.source_row_dim) {
        const auto row = static_cast<size_t>(s.order[0]);
        t.unroll[row] = std::min(u.second, s.extent(row));
        return;
    }
    // The rows are the first other dimension that is long enough.
    for (size_t d = 0; d < s.func.dims.size(); d++)
        if (static_cast<int>(d) != t.vector_dim && s.extent(d) >= u.second) {
            t.unroll[d] = u.second;
            break;
        }
}

// Calls `emit` with every combination of the choices inside the tiles of `t`.
template <typename F>
void with_inner_choices(const Space &s, TilingTemplate t, F emit) {
    bool has_short = false;
    for (size_t d = 0; d < s.func.dims.size(); d++)
        has_short |= static_cast<int>(d) != t.vector_dim && s.extent(d) <= short_extent &&
                     s.extent(d) > 1 && s.func.dims.size() > 2;
    using Short = TilingTemplate::Short;
    // Where the loops of short dimensions go, and whether those over channels are unrolled.
    std::vector<std::pair<Short, bool>> shorts{{Short::BetweenTiles, false}};
    if (has_short) shorts.insert(shorts.end(), {{Short::Outside, false}, {Short::Inside, false}});
    if (s.has_channels) shorts.emplace_back(Short::BetweenTiles, true);
    for (auto u : unroll_choices(s)) {
        set_unrolls(s, t, u);
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
    }
}

// The dimensions that may be tiled together with the vector's: all long ones; {-1} if there are none. Tiles of
// the first are blocks of neighbouring rows; tiles of an outer one are strips of whole images.
std::vector<int> rows_to_tile(const Space &s, int vector_dim) {
    std::vector<int> rows;
    for (size_t d = 0; d < s.func.dims.size(); d++)
        if (static_cast<int>(d) != vector_dim && s.extent(d) > short_extent)
            rows.push_back(static_cast<int>(d));
    if (rows.empty()) rows.push_back(-1);
    return rows;
}

double points_of(const Intervals &ranges) {
    double points = 1;
    for (const Interval &i : ranges) points *= static_cast<double>(i.extent());
    return points;
}

// Points of the largest stage of a Func that only this one reads, so that it may be computed inside of its loops: a few
// sums may each be of a whole image.
double points_inside(const StageGraph &graph, const Func &func) {
    double most = 0;
    for (StageId reader : func.stages)
        for (EdgeId e : graph.stage(reader).incoming) {
            const Func &producer = graph.func(graph.edge(e).producer);
            if (!graph.only_feeds(producer.id, func.id)) continue;
            for (StageId id : producer.stages) {
                Intervals ranges(graph.stage(id).loops.size());
                graph.loop_ranges(graph.stage(id), producer.root_region, ranges);
                most = std::max(most, points_of(ranges));
            }
        }
    return most;
}

std::vector<TilingTemplate> templates(const Space &s) {
    std::vector<TilingTemplate> out;
    const bool at_root = s.nest.placement == Placement::Root;
    const bool parallel = at_root && s.machine.cores > 1 && s.points >= parallel_threshold_points;
    auto emit = [&](const TilingTemplate &t) {
        for (int p : parallel ? std::vector<int>{1, 2} : std::vector<int>{0}) {
            out.push_back(t);
            out.back().parallel = p;
        }
        if (parallel && s.points < 64 * parallel_threshold_points) {
            out.push_back(t);
            out.back().parallel = 0;
        }
    };
    for (auto [vector_dim, width] : vector_choices(s)) {
        TilingTemplate t;
        t.vector_dim = vector_dim;
        t.width = width;
        t.tile.assign(s.func.dims.size(), 0);
        with_inner_choices(s, t, emit);
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
                    with_inner_choices(s, t, emit);
                    // The order of the tiles says which factor of a product stays in a cache.
                    t.vector_tiles_outside = s.reads_product && r > 0 && v > 0;
                    if (t.vector_tiles_outside) with_inner_choices(s, t, emit);
                    t.vector_tiles_outside = false;
                }
        }
    }
    return out;
}

// Rows that are read transposed lie on different pages. Address translation and prefetchers follow about this
// many pages at once (the first-level tables of pages have 64 to 96 entries). The cost model does not know it.
constexpr int64_t pages_in_sight = 64;
// A visit of a page should read at least this much of it: a quarter of the usual 4 KB.
constexpr int64_t short_visit_bytes = 1024;
// As many rows are written during the visit. Their pages should stay in the second-level table.
constexpr int64_t most_rows_written = 512;

// Keeps the templates that stay for a while on a few of the rows that they read transposed. It applies to a Func
// at root that passes over its data once. If no template stays, all are kept.
void drop_short_visits(const Space &s, std::vector<TilingTemplate> &all) {
    if (!s.transposed_read || s.transposed_read->row_dim < 0 || s.order.empty() ||
        s.has_reduction || s.nest.placement != Placement::Root)
        return;
    const auto along = static_cast<size_t>(s.transposed_read->row_dim),
               across = static_cast<size_t>(s.order[0]);
    const int64_t task = (s.extent(along) + s.machine.cores - 1) / s.machine.cores;
    const int64_t least = std::min(task, short_visit_bytes / std::max(1, s.func.bytes_per_point()));
    const auto span = [&](const TilingTemplate &t, size_t dim) {
        return t.tile[dim] > 0 ? t.tile[dim] : s.extent(dim);
    };
    std::vector<TilingTemplate> kept;
    for (const TilingTemplate &t : all)
        if (span(t, across) <= pages_in_sight && span(t, along) >= least &&
            span(t, along) <= std::max(least, most_rows_written))
            kept.push_back(t);
    if (!kept.empty()) all = std::move(kept);
}

}  // namespace

std::vector<std::vector<Action>> tilings(const LoopNest &nest, FuncId id, Hardware hardware,
                                         const TilingLimits &limits, Random random) {
    const StageGraph &graph = nest.graph();
    const Func &func = graph.func(id);
    const FuncNest &placed = nest.at(id);
    if (is_left_alone(func, placed) || func.is_extern || placed.stages.empty()) return {{}};
    if (hardware.gpu) return gpu_tilings(nest, id, hardware, limits, random);
    const Machine &machine = *hardware.cpu;
    Space space{graph, func, placed, machine, nest.storage_order(id)};
    space.transposed_read = transposed_read(graph, func);
    if (const std::optional<int> rows = source_row_dim(graph, func);
        rows && placed.placement == Placement::At && *rows != space.order[0])
        space.source_row_dim = rows;
    for (const StageNest &s : placed.stages)
        space.points = std::max(space.points, points_of(s.range));
    space.has_reduction = has_reduction(graph, id);
    if (placed.placement == Placement::Root && space.points < parallel_threshold_points)
        space.points = std::max(space.points, points_inside(graph, func));
    space.holds_sums = space.has_reduction;
    for (const StageNest &s : placed.stages)
        for (EdgeId e : graph.stage(s.stage).incoming) {
            const FuncId producer = graph.edge(e).producer;
            if (producer == id) continue;
            space.reads_product |= is_product(graph, producer);
            space.holds_sums |= graph.only_feeds(producer, id) && has_reduction(graph, producer);
        }

    for (const StageNest &s : placed.stages)
        for (size_t l = 0; l < s.range.size(); l++)
            space.has_channels |= walks_all_channels(graph.stage(s.stage), s.range, l);
    if (std::ranges::any_of(func.stages,
                            [&](StageId s) { return has_deciding_loops(graph.stage(s)); }))
        space.unrolled_reductions.push_back(TilingTemplate::Unrolled::Deciding);

    std::vector<TilingTemplate> all = templates(space);
    if (!limits.exhaustive) drop_short_visits(space, all);
    // Draw before spelling out: there are many templates, and their actions take time to make.
    if (!limits.exhaustive && all.size() > 4 * limits.count) {
        for (size_t i = 1; i < 4 * limits.count; i++)
            std::swap(all[i], all[i + random.below(all.size() - i)]);
        all.resize(4 * limits.count);
    }
    // Per stage and loop. Only loops that may not be split need the answer.
    std::vector<std::vector<bool>> whole_of_tile;
    for (const StageNest &s : placed.stages) {
        whole_of_tile.emplace_back();
        for (size_t l = 0; l < s.range.size(); l++)
            whole_of_tile.back().push_back(
                graph.stage(s.stage).loops[l].in_predicate &&
                is_whole_of_tile(nest, {s.stage, static_cast<int16_t>(l), 0}));
    }
    std::vector<std::vector<Action>> out;
    std::set<uint64_t> seen;
    for (const TilingTemplate &t : all) {
        std::vector<Action> actions;
        uint64_t h = 0;
        for (size_t i = 0; i < placed.stages.size(); i++) {
            const StageNest &s = placed.stages[i];
            if (graph.stage(s.stage).is_undefined) continue;
            for (Action &a : to_actions(graph.stage(s.stage), s.range, t, whole_of_tile[i])) {
                h = mix_bits(h ^ hash(a));
                actions.push_back(std::move(a));
            }
        }
        if (seen.insert(h).second) out.push_back(std::move(actions));
        if (!limits.exhaustive && out.size() >= limits.count) break;
    }
    return out;
}

}  // namespace cryolite
