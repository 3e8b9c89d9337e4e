#include "tests/oracle/index_recipe.h"

#include <algorithm>

namespace cryolite::oracle {

IndexMap index_map(const IndexRecipe &recipe, int64_t tap, size_t num_loops) {
    IndexMap map;
    map.depends_on.resize(num_loops);
    if (recipe.gather) {
        map.affine = false;
        map.data_dependent = true;
        for (int l : recipe.depends_on) map.depends_on[static_cast<size_t>(l)] = true;
        return map;
    }
    map.coefficient.resize(num_loops);
    for (const IndexRecipe::Term &t : recipe.terms) {
        Rational &c = map.coefficient[static_cast<size_t>(t.loop)];
        c = c + make_rational(t.factor, recipe.divisor);
    }
    for (size_t l = 0; l < num_loops; l++) map.depends_on[l] = !map.coefficient[l].is_zero();
    map.offset = make_rational(tap, recipe.divisor);
    return map;
}

namespace {

RegionExpression end(const IndexRecipe &recipe, bool upper) {
    if (recipe.gather) {
        return RegionExpression::constant(upper ? recipe.gathered.max : recipe.gathered.min);
    }
    const auto [low, high] = std::minmax_element(recipe.taps.begin(), recipe.taps.end());
    std::vector<RegionInstruction> code{{RegionOp::Constant, upper ? *high : *low}};
    for (const IndexRecipe::Term &t : recipe.terms) {
        const bool of_max = upper == (t.factor > 0);
        code.push_back({of_max ? RegionOp::LoopMax : RegionOp::LoopMin, t.loop});
        if (t.factor != 1) {
            code.push_back({RegionOp::Constant, t.factor});
            code.push_back({RegionOp::Mul});
        }
        code.push_back({RegionOp::Add});
    }
    if (recipe.divisor != 1) {
        code.push_back({RegionOp::Constant, recipe.divisor});
        code.push_back({RegionOp::Div});
    }
    return RegionExpression(std::move(code));
}

RegionExpression joined(const RegionExpression &a, const RegionExpression &b, RegionOp op) {
    std::vector<RegionInstruction> code = a.code();
    code.insert(code.end(), b.code().begin(), b.code().end());
    code.push_back({op});
    return RegionExpression(std::move(code));
}

}  // namespace

RegionBounds bounds(const IndexRecipe &recipe) { return {end(recipe, false), end(recipe, true)}; }

RegionBounds hull(const RegionBounds &a, const RegionBounds &b) {
    return {joined(a.min, b.min, RegionOp::Min), joined(a.max, b.max, RegionOp::Max)};
}

}  // namespace cryolite::oracle
