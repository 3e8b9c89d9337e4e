#include "search/reads/gathered_rows.h"

#include <cstdlib>

#include "search/reads/index_walks.h"

namespace cryolite {
namespace {

// The widest stride that vectors of loads and shuffles still cover.
constexpr int64_t largest_stride = 4;

// x, 2 * x and x / 2 are vectors, with a shuffle or two.
bool is_vector(const Rational &step) {
    return (step.denominator == 1 && std::abs(step.numerator) <= largest_stride) ||
           std::abs(step.numerator) == 1;
}

bool is_gathered(const Access &access, size_t loop) {
    for (const IndexMap &index : access.index)
        if (moves(index, loop) &&
            !(is_affine_in(index, loop) && is_vector(index.coefficient[loop])))
            return true;
    return false;
}

enum class Walk { Stays, PointByPoint, Otherwise };

Walk walk_of(const Access &access, size_t loop) {
    Walk walk = Walk::Stays;
    for (const IndexMap &index : access.index) {
        if (!moves(index, loop)) continue;
        if (walk != Walk::Stays || !moves_by_one(index, loop)) return Walk::Otherwise;
        walk = Walk::PointByPoint;
    }
    return walk;
}

// Whether the stage gathers along the loop `rows`, and `across` walks what it gathers point by point and all else so or
// not at all.
struct Stages {
    bool gather = false, suit = true;

    void add(const StageGraph &graph, const Stage &stage, size_t rows, size_t across) {
        for (EdgeId e : stage.incoming) {
            const Edge &edge = graph.edge(e);
            if (edge.is_self) continue;
            for (const Access &a : edge.accesses) {
                const Walk walk = walk_of(a, across);
                suit = suit && walk != Walk::Otherwise;
                // What does not move across the rows, such as a table of weights, is one value for a vector there.
                if (walk == Walk::PointByPoint) gather |= is_gathered(a, rows);
            }
        }
    }
};

}  // namespace

std::optional<int> dim_without_gathers(const StageGraph &graph, const Func &func) {
    if (func.is_input() || func.is_extern || func.storage_order.empty()) return std::nullopt;
    for (int d = 0; d < static_cast<int>(func.dims.size()); d++) {
        if (d == func.storage_order[0]) continue;
        Stages stages;
        for (StageId s : func.stages) {
            const Stage &stage = graph.stage(s);
            const auto rows = loop_over(stage, func.storage_order[0]), across = loop_over(stage, d);
            stages.suit = stages.suit && rows && across && !stage.has_predicate;
            if (stages.suit) stages.add(graph, stage, *rows, *across);
        }
        if (stages.gather && stages.suit) return d;
    }
    return std::nullopt;
}

}  // namespace cryolite
