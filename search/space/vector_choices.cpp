#include "search/space/vector_choices.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "code/stage/split_tails.h"
#include "search/space/choices.h"

namespace cryolite {
namespace {

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

// Whether all loops along a dimension may compute points past the end.
bool may_round_up_along(const TilingSpace &s, int dim) {
    return std::ranges::all_of(s.func.stages, [&](StageId id) {
        return std::ranges::all_of(s.graph.stage(id).loops, [&](const StageLoop &loop) {
            return loop.func_dim != dim || may_round_up(s.func, loop);
        });
    });
}

// The vector along a dimension of so many points for which the machine has `width` lanes. Where a vector is longer, two
// of half its lanes compute as many points as the vector, if they round up as it does.
VectorChoice vector_along(const TilingSpace &s, int dim, int width, int64_t points) {
    constexpr int narrowest = 4;
    while (width > points && width > narrowest) {
        if (width < 2 * points && may_round_up_along(s, dim)) return {dim, width, 1, false, true};
        width /= 2;
    }
    return {dim, width};
}

}  // namespace

int dense_dim(const TilingSpace &s) {
    if (s.colours > 1) return row_dim(s.func);
    return s.order.empty() ? -1 : s.order[0];
}

bool lanes_come_apart(const TilingSpace &s, int dim) {
    int loads = 0, gathered = 0;
    for (StageId id : s.func.stages) {
        const Stage &stage = s.graph.stage(id);
        const auto is_along = [&](size_t l) { return stage.loops[l].func_dim == dim; };
        bool branches = false;
        for (size_t l = 0; l < stage.loops.size(); l++)
            branches |= is_along(l) && stage.loops[l].in_predicate && stage.loaded_share < 1;
        for (EdgeId e : stage.incoming)
            for (const Access &a : s.graph.edge(e).accesses) {
                const bool gathers = std::ranges::any_of(a.index, [&](const IndexMap &index) {
                    for (size_t l = 0; l < index.irregular.size(); l++)
                        if (index.irregular[l] && is_along(l)) return index.data_dependent;
                    return false;
                });
                if (gathers && branches) return true;
                loads++;
                gathered += gathers;
            }
    }
    return 2 * gathered > loads;
}

std::vector<VectorChoice> vector_choices(const TilingSpace &s) {
    std::vector<VectorChoice> out;
    const int inner = dense_dim(s);
    auto add = [&](int dim) {
        if (dim == s.nest.slide_dim) return;  // Halide could not fold the window
        for (int width : widths(s)) {
            const int64_t points = s.extent(static_cast<size_t>(dim));
            const VectorChoice choice = vector_along(s, dim, width, points);
            if ((choice.width <= points || choice.rounds_up) && choice.width > 1 &&
                std::ranges::find(out, choice) == out.end())
                out.push_back(choice);
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
        out, [&](const VectorChoice &choice) { return lanes_come_apart(s, choice.dim); });
    if (out.empty() || starves_cores || gathers) out.push_back({-1, 1});
    return out;
}

}  // namespace cryolite
