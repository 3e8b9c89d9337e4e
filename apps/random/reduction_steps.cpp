// Steps that reduce whole dimensions.
#include "apps/random/step_builder.h"

namespace cryolite::apps {

using namespace Halide;  // NOLINT(google-build-using-namespace)

Func StepBuilder::row_sum() {
    const auto v = vars(dims());
    const auto d = static_cast<size_t>(step_.dimension);
    std::vector<Var> rest = v;
    rest.erase(rest.begin() + step_.dimension);
    const int n = step_.extents[d];
    RDom r(0, n, domain_name("row"));
    Func sum = func("sum"), f = func();
    sum(rest) = 0.0f;
    sum(rest) += abs(read_float(0, with(as_exprs(v), d, r))) * (1.0f / static_cast<float>(n));
    f(v) = result(read_float(0, as_exprs(v)) / (sum(rest) + 0.5f));
    return f;
}

Func StepBuilder::full_reduction() {
    const auto v = vars(dims());
    const Step &s = source(1);
    std::vector<Range> all;
    for (const int e : s.extents) all.emplace_back(0, e);
    RDom r(all, domain_name("all"));
    Exprs at;
    for (int d = 0; d < r.dimensions(); d++) at.push_back(Expr(r[d]));
    Func total = func("total"), f = func();
    const Expr value = abs(read_float(1, at));
    if (step_.choice == 0) {
        // Row by row, and then the rows: a sum of millions of floats in one would lose their last bits.
        Func rows = func("rows");
        Var i("i");
        RDom along(0, s.extents[0], domain_name("along"));
        std::vector<Var> rest = vars(s.extents.size());
        rest.erase(rest.begin());
        Exprs in_row{along};
        for (const Var &u : rest) in_row.emplace_back(u);
        rows(rest) = 0.0f;
        rows(rest) += abs(read_float(1, in_row)) * (1.0f / static_cast<float>(s.extents[0]));
        if (rest.empty()) {
            total() = rows();
        } else {
            std::vector<Range> others(all.begin() + 1, all.end());
            RDom o(others, domain_name("rows"));
            Exprs row;
            for (int d = 0; d < o.dimensions(); d++) row.push_back(Expr(o[d]));
            const float scale = static_cast<float>(s.extents[0]) / static_cast<float>(s.points());
            total() = 0.0f;
            total() += rows(row) * scale;
        }
    } else {
        total() = 0.0f;
        total() = max(total(), value);
    }
    f(v) = result(read_float(0, as_exprs(v)) * (0.6f / (total() + 0.4f)));
    return f;
}

Func StepBuilder::argmax() {
    const auto v = vars(dims());
    const auto d = static_cast<size_t>(step_.dimension);
    const int n = source(0).extents[d];
    RDom r(0, n, domain_name("choices"));
    Exprs at = as_exprs(v);
    at.insert(at.begin() + step_.dimension, r);
    const Expr value = read_float(0, at);
    Func best = func("best"), f = func();
    best(v) = Tuple(0, -1e10f);
    const Tuple old = best(v);
    const Expr better = value > old[1];
    best(v) = Tuple(select(better, r, old[0]), select(better, value, old[1]));
    if (step_.choice == 0)
        f(v) = cast<uint8_t>(Expr(best(v)[0]) * (255 / std::max(1, std::min(255, n - 1))));
    else
        f(v) = result(Expr(best(v)[1]));
    return f;
}

}  // namespace cryolite::apps
