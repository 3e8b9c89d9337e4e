#include "tests/oracle/random_loads.h"

#include <algorithm>

namespace cryolite::oracle {

namespace {

// The builder merges call sites that load the same place.
void add_access(Edge &e, Access a) {
    const auto same_index = [](const IndexMap &x, const IndexMap &y) {
        return x.affine && y.affine && x.coefficient == y.coefficient && x.offset == y.offset;
    };
    for (Access &known : e.accesses) {
        if (known.value == a.value && std::ranges::equal(known.index, a.index, same_index)) {
            known.count += 1;
            return;
        }
    }
    e.accesses.push_back(std::move(a));
}

Access access(const std::vector<IndexRecipe> &recipe, const std::vector<size_t> &tap, size_t value,
              size_t num_loops) {
    Access a;
    a.value = static_cast<int>(value);
    for (size_t d = 0; d < recipe.size(); d++)
        a.index.push_back(index_map(recipe[d], recipe[d].taps[tap[d]], num_loops));
    return a;
}

// Every combination of taps or, now and then, a cross of them.
void add_accesses(Edge &e, const std::vector<IndexRecipe> &recipe, size_t values, size_t num_loops,
                  Random &random) {
    const bool cross = random.chance(0.3);
    const bool all_values = random.chance(0.5);
    std::vector<size_t> tap(recipe.size(), 0);
    bool more = true;
    while (more) {
        size_t inside = 0;  // dimensions in which the tap is no end
        for (size_t d = 0; d < recipe.size(); d++)
            inside += tap[d] != 0 && tap[d] + 1 != recipe[d].taps.size();
        if (!cross || inside == 0) {
            const size_t value = random.below(values);
            for (size_t v = 0; v < values; v++)
                if (all_values || v == value) add_access(e, access(recipe, tap, v, num_loops));
        }
        more = false;
        for (size_t d = 0; d < recipe.size() && !more; d++) {
            more = ++tap[d] < recipe[d].taps.size();
            if (!more) tap[d] = 0;
        }
    }
}

}  // namespace

Box add_loads(Edge &edge, const Recipes &recipes, const Func &producer, size_t num_loops,
              Random &random) {
    const size_t dims = producer.dims.size();
    Box gathered(dims);
    edge.region.dims.resize(dims);
    for (size_t i = 0; i < recipes.size(); i++) {
        for (size_t d = 0; d < dims; d++) {
            const RegionBounds b = bounds(recipes[i][d]);
            edge.region.dims[d] = i == 0 ? b : hull(edge.region.dims[d], b);
            gathered[d] = cryolite::hull(gathered[d], recipes[i][d].gathered);
        }
        add_accesses(edge, recipes[i], producer.values.size(), num_loops, random);
    }
    return gathered;
}

}  // namespace cryolite::oracle
