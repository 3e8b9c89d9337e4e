#include "search/tiling_space.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "code/kernel/channels.h"
#include "schedule/func_nest.h"
#include "search/choices.h"
#include "search/packed_reads.h"
#include "search/plain_schedule.h"
#include "search/shared_vectors.h"

namespace cryolite {
namespace {

constexpr int64_t short_extent = 16;
constexpr int64_t most_channels = 4;

// Whether the Func sums up products with a factor that may be packed.
bool is_product(const StageGraph &graph, FuncId f) {
    for (StageId s : graph.func(f).stages)
        for (EdgeId e : graph.stage(s).incoming)
            if (is_worth_packing(graph, graph.func(graph.edge(e).producer))) return true;
    return false;
}

bool sums_up(const StageGraph &graph, FuncId f) {
    return std::ranges::any_of(graph.func(f).stages, [&](StageId s) {
        return std::ranges::any_of(graph.stage(s).loops, &StageLoop::is_reduction);
    });
}

bool has_deciding_loops(const Stage &stage) {
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (decides_copies(stage, l)) return true;
    return false;
}

// Whether an update of the Func may take its vectors across those of the template.
bool has_updates_across(const StageGraph &graph, const FuncNest &nest, TilingTemplate t) {
    t.updates_across = true;
    return std::ranges::any_of(nest.stages, [&](const StageNest &s) {
        const int dim = vector_dim_of(graph.stage(s.stage), t);
        return dim != t.vector_dim &&
               nest.compute_region[static_cast<size_t>(dim)].extent() >= t.width;
    });
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

// Vectors are made for a type narrower than what is stored where at least this share of the operations is of that type:
// below it, full vectors of it save less than an eighth.
constexpr double narrow_share = 0.25;

// Vector widths in lanes: those that fill a register with the widest and with the narrowest type at work.
std::vector<int> widths(const TilingSpace &s) {
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
            if (count >= 1 && count >= narrow_share * ops.total())
                narrowest = std::min(narrowest, bits);
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

// Lanes of vectors that are as long as the patterns along a dimension, where those are shorter than the machine's
// vectors: of f(x % 8) a vector of 8 lanes is one load, and one of 16 lanes loads each lane by itself. 0: there are
// none, or vectors so narrow would waste most of a register.
int width_of_pattern(const TilingSpace &s, int dim, int narrowest) {
    constexpr int64_t least = 4;
    int64_t common = 0;
    for (StageId id : s.func.stages) {
        const Stage &stage = s.graph.stage(id);
        for (EdgeId e : stage.incoming)
            for (const Access &a : s.graph.edge(e).accesses)
                for (const IndexMap &index : a.index)
                    for (const WrappedIndex &part : index.wrapped)
                        for (size_t l = 0; l < stage.loops.size(); l++)
                            if (const int64_t step = std::abs(part.coefficient[l]);
                                stage.loops[l].func_dim == dim && step > 0)
                                common = std::gcd(
                                    common, part.modulus % step == 0 ? part.modulus / step : 1);
    }
    const bool is_power = common > 0 && (common & (common - 1)) == 0;
    return is_power && common >= least && common < narrowest ? static_cast<int>(common) : 0;
}

// The dimension along which vectors are dense in memory.
int row_dim(const TilingSpace &s) {
    if (s.colours > 1) return cryolite::row_dim(s.func);
    return s.order.empty() ? -1 : s.order[0];
}

// Vector loops: the innermost dimension of storage, or others if that is too short for a
// vector. A transposing copy may also have vectors along the rows that it reads.
struct VectorChoice {
    int dim, width, woven = 1;
    bool joins_rows = false;  // of the innermost dimension of storage: action::Join
    bool operator==(const VectorChoice &) const = default;
};

// Vectors that join several rows, where rows are short, of constant length and no whole number of the machine's
// vectors: one to four of those without a gap.
void add_joined_rows(const TilingSpace &s, std::vector<VectorChoice> &out) {
    constexpr int64_t longest = 32;
    if (s.order.size() < 2 || s.colours > 1 || s.order[0] == s.nest.slide_dim ||
        s.order[1] == s.nest.slide_dim)
        return;
    const auto row = static_cast<size_t>(s.order[0]), across = static_cast<size_t>(s.order[1]);
    const int64_t points = s.extent(row);
    if (!s.func.constant_region[row] || points < 2 || points > longest) return;
    for (int width : widths(s)) {
        if (points % width == 0) continue;  // vectors of a row fill the machine's already
        const int64_t rows = width / std::gcd<int64_t>(width, points);
        for (int64_t times : {1, 2, 4}) {
            const VectorChoice choice{s.order[1], static_cast<int>(rows * times), 1, true};
            if (choice.width > 1 && choice.width <= s.extent(across) &&
                choice.width * points <= 4 * std::max<int64_t>(width, points) &&
                std::ranges::find(out, choice) == out.end())
                out.push_back(choice);
        }
    }
}

// Whether most of what the Func's stages load is gathered by vectors along the dimension: from places that were loaded
// or computed, as a picture is that is warped. Each lane's address is then taken out of a vector and what it loads put
// into another one. Scalars do without both, and may cost less in all.
bool mostly_gathers(const TilingSpace &s, int dim) {
    int loads = 0, gathered = 0;
    for (StageId id : s.func.stages) {
        const Stage &stage = s.graph.stage(id);
        for (EdgeId e : stage.incoming)
            for (const Access &a : s.graph.edge(e).accesses) {
                loads++;
                gathered += std::ranges::any_of(a.index, [&](const IndexMap &index) {
                    for (size_t l = 0; l < index.irregular.size(); l++)
                        if (index.irregular[l] && stage.loops[l].func_dim == dim)
                            return index.data_dependent;
                    return false;
                });
            }
    }
    return 2 * gathered > loads;
}

std::vector<VectorChoice> vector_choices(const TilingSpace &s) {
    std::vector<VectorChoice> out;
    const int inner = row_dim(s);
    auto add = [&](int dim) {
        if (dim == s.nest.slide_dim) return;  // Halide could not fold the window
        for (int width : widths(s)) {
            int w = width;
            const int64_t e = s.extent(static_cast<size_t>(dim));
            while (w > e && w > 4) w /= 2;
            if (w <= e && w > 1 && std::ranges::find(out, VectorChoice{dim, w}) == out.end())
                out.push_back({dim, w});
        }
        if (const int w = width_of_pattern(s, dim, widths(s)[0]);
            w > 0 && w <= s.extent(static_cast<size_t>(dim)) &&
            std::ranges::find(out, VectorChoice{dim, w}) == out.end())
            out.push_back({dim, w});
        const int woven = worth_weaving(s, dim);
        if (woven == 1) return;
        // One width: more dilute what a search draws.
        if (const int w = widths(s)[0] * woven; w <= s.extent(static_cast<size_t>(dim)))
            out.push_back({dim, w, woven});
    };
    if (inner >= 0) add(inner);
    const bool too_short = inner < 0 || inner == s.nest.slide_dim ||
                           s.extent(static_cast<size_t>(inner)) < widths(s)[0];
    if (too_short)
        for (size_t d = 0; d < s.func.dims.size(); d++)
            if (static_cast<int>(d) != inner && s.extent(d) >= widths(s)[0])
                add(static_cast<int>(d));
    if (s.source_row_dim) add(*s.source_row_dim);
    add_joined_rows(s, out);
    // Vectors may leave too few iterations for the cores, as where the dimension counts parts of a reduction.
    const bool starves_cores = [&] {
        if (!s.has_reduction || s.nest.placement != Placement::Root || s.machine.cores < 2)
            return false;
        double all = 1;
        for (size_t d = 0; d < s.func.dims.size(); d++) all *= static_cast<double>(s.extent(d));
        return !out.empty() && all / out[0].width < s.machine.cores;
    }();
    const bool gathers = std::ranges::all_of(
        out, [&](const VectorChoice &choice) { return mostly_gathers(s, choice.dim); });
    if (out.empty() || starves_cores || gathers) out.push_back({-1, 1});
    return out;
}

std::vector<int64_t> powers(int64_t from, int64_t to, int64_t factor = 2) {
    std::vector<int64_t> out;
    for (int64_t v = from; v <= to; v *= factor) out.push_back(v);
    return out;
}

using Unrolls = std::vector<std::pair<int64_t, int64_t>>;  // (vectors, rows)

Unrolls unroll_choices(const TilingSpace &s) {
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

// The dimensions whose rows load the same vectors: see shared_vectors.h.
using RowsThatShare = SmallVector<int, 6>;

RowsThatShare rows_that_share(const TilingSpace &s, int vector_dim) {
    RowsThatShare rows;
    if (s.holds_sums)
        for (int d = 0; d < static_cast<int>(s.func.dims.size()); d++)
            if (share_vectors(s.graph, s.func, vector_dim, d)) rows.push_back(d);
    return rows;
}

// A block of sums in registers: rows of two dimensions, each of which shares other vectors.
struct Block {
    int dims[2];
    int64_t rows[2];
};

// Of each pair of such dimensions, blocks of as many rows as there are registers for. The factors of the shorter rows
// are kept together, and one of the others: few copies stand inside (tiling_template.cpp).
std::vector<Block> blocks_that_share(const TilingSpace &s, int vector_dim,
                                     const RowsThatShare &sharing) {
    constexpr int64_t most_rows = 8;
    std::vector<Block> blocks;
    for (size_t a = 0; a < sharing.size(); a++)
        for (size_t b = a + 1; b < sharing.size(); b++) {
            if (!share_different_vectors(s.graph, s.func, vector_dim, {sharing[a], sharing[b]}))
                continue;
            const auto most = [&](size_t dim) {
                return std::min(most_rows, s.extent(static_cast<size_t>(sharing[dim])));
            };
            for (int64_t rows = 2; rows <= most(a); rows++) {
                int64_t others = most(b);
                while (rows * others + std::min(rows, others) + 1 > s.machine.vector_registers)
                    others--;
                if (others > 1) blocks.push_back({{sharing[a], sharing[b]}, {rows, others}});
            }
        }
    return blocks;
}

// Calls `emit` with every shape of the block that is unrolled. Its rows are the first other dimension that is long
// enough, and the first whose rows share vectors where those do not.
template <typename F>
void with_unrolls(const TilingSpace &s, TilingTemplate &t, const RowsThatShare &sharing,
                  std::pair<int64_t, int64_t> u, F emit) {
    t.unroll.assign(s.func.dims.size(), 1);
    if (t.vector_dim >= 0) t.unroll[static_cast<size_t>(t.vector_dim)] = u.first;
    if (s.source_row_dim && t.vector_dim == *s.source_row_dim) {
        const auto row = static_cast<size_t>(s.order[0]);
        t.unroll[row] = std::min(u.second, s.extent(row));
        return emit();
    }
    const size_t dense = s.colours > 1 ? static_cast<size_t>(s.order[0]) : s.func.dims.size();
    if (s.colours > 1) t.unroll[dense] = s.colours;
    const auto is_possible = [&](size_t d) {
        return static_cast<int>(d) != t.vector_dim && d != dense && s.extent(d) >= u.second;
    };
    const auto with_rows = [&](size_t d) {
        t.unroll[d] = u.second;
        emit();
        t.unroll[d] = 1;
    };
    // Scalars in place of gathers share addresses and weights between all channels.
    if (t.vector_dim < 0 && u == std::pair<int64_t, int64_t>{1, 1} && row_dim(s) >= 0 &&
        mostly_gathers(s, row_dim(s)))
        for (size_t d = 0; d < s.func.dims.size(); d++)
            if (s.extent(d) > 1 && s.extent(d) <= most_channels) {
                t.unroll[d] = s.extent(d);
                emit();
                t.unroll[d] = 1;
            }
    size_t first = 0;
    while (first < s.func.dims.size() && !is_possible(first)) first++;
    if (first == s.func.dims.size()) return emit();
    with_rows(first);
    if (u.second == 1 || std::ranges::find(sharing, static_cast<int>(first)) != sharing.end())
        return;
    const auto other =
        std::ranges::find_if(sharing, [&](int d) { return is_possible(static_cast<size_t>(d)); });
    if (other != sharing.end()) with_rows(static_cast<size_t>(*other));
}

// Calls `emit` with every combination of the choices inside the tiles of `t`.
template <typename F>
void with_inner_choices(const TilingSpace &s, const RowsThatShare &sharing,
                        const std::vector<Block> &blocks, TilingTemplate t, F emit) {
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
    for (auto u : unroll_choices(s)) with_unrolls(s, t, sharing, u, with_loops);
    for (const Block &block : blocks) {
        t.unroll.assign(s.func.dims.size(), 1);
        for (size_t i : {0, 1}) t.unroll[static_cast<size_t>(block.dims[i])] = block.rows[i];
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

TilingSpace::TilingSpace(const LoopNest &loops, FuncId id, const Machine &of)
    : graph(loops.graph()),
      func(graph.func(id)),
      nest(loops.at(id)),
      machine(of),
      order(loops.storage_order(id)) {
    transposed_read = cryolite::transposed_read(graph, func);
    if (const std::optional<int> rows = cryolite::source_row_dim(graph, func);
        rows && nest.placement == Placement::At && *rows != order[0])
        source_row_dim = rows;
    colours = interleaved_colours(func);
    for (const StageNest &s : nest.stages) points = std::max(points, points_of(s.range));
    has_reduction = sums_up(graph, id);
    if (nest.placement == Placement::Root && points < parallel_threshold_points)
        points = std::max(points, points_inside(graph, func));
    holds_sums = has_reduction;
    for (const StageNest &s : nest.stages)
        for (EdgeId e : graph.stage(s.stage).incoming) {
            const FuncId producer = graph.edge(e).producer;
            if (producer == id) continue;
            reads_product |= is_product(graph, producer);
            holds_sums |= graph.only_feeds(producer, id) && sums_up(graph, producer);
        }

    for (const StageNest &s : nest.stages)
        for (size_t l = 0; l < s.range.size(); l++)
            has_channels |= walks_all_channels(graph.stage(s.stage), s.range, l);
    if (std::ranges::any_of(func.stages,
                            [&](StageId s) { return has_deciding_loops(graph.stage(s)); }))
        unrolled_reductions.push_back(TilingTemplate::Unrolled::Deciding);
}

void each_template(const TilingSpace &s, const std::function<void(const TilingTemplate &)> &take) {
    const bool at_root = s.nest.placement == Placement::Root;
    const bool parallel = at_root && s.machine.cores > 1 && s.points >= parallel_threshold_points;
    const auto take_all = [&](TilingTemplate &t) {
        for (int p : {1, 2, 0}) {
            if (p > 0 ? !parallel : parallel && s.points >= 64 * parallel_threshold_points)
                continue;
            t.parallel = p;
            take(t);
        }
    };
    for (auto [vector_dim, width, woven, joins_rows] : vector_choices(s)) {
        TilingTemplate t;
        t.vector_dim = vector_dim;
        t.width = width;
        t.woven = woven;
        if (joins_rows) t.joined_dim = s.order[0];
        if (s.colours > 1) t.colour_dim = s.order[0];
        const RowsThatShare sharing = rows_that_share(s, vector_dim);
        const std::vector<Block> blocks = blocks_that_share(s, vector_dim, sharing);
        const bool goes_across = has_updates_across(s.graph, s.nest, t);
        const auto emit = [&](TilingTemplate &either) {
            take_all(either);
            if (!goes_across) return;
            either.updates_across = true;
            take_all(either);
            either.updates_across = false;
        };
        t.tile.assign(s.func.dims.size(), 0);
        with_inner_choices(s, sharing, blocks, t, emit);
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
                    with_inner_choices(s, sharing, blocks, t, emit);
                    // The order of the tiles says which factor of a product stays in a cache.
                    t.vector_tiles_outside = s.reads_product && r > 0 && v > 0;
                    if (t.vector_tiles_outside) with_inner_choices(s, sharing, blocks, t, emit);
                    t.vector_tiles_outside = false;
                }
        }
    }
}

}  // namespace cryolite
