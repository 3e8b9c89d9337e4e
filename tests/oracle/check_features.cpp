#include <algorithm>
#include <cmath>
#include <functional>

#include "featurize/features.h"
#include "machine/presets.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/findings.h"
#include "tests/oracle/stage_view.h"

namespace cryolite::oracle {

namespace {

using View = StageView;

struct Row {
    Feature feature;
    std::function<View::Count(const View &)> count;
    // What the schema's bounds are not: never less than the count.
    bool exact = true;
};

std::vector<Row> make_rows() {
    std::vector<Row> rows{
        {Feature::points_required, &View::points_required},
        {Feature::points_computed, &View::points_computed, false},
        {Feature::points_per_production, &View::points_per_production},
        {Feature::productions, &View::productions},
        {Feature::realisations, &View::realisations},
        {Feature::allocation_bytes, &View::allocation_bytes},
        {Feature::folded_share, &View::folded_share},
        {Feature::window_new_share, &View::window_new_share},
        {Feature::inlined_calls, &View::inlined_calls},
        {Feature::expanded_loads, &View::expanded_loads},
        {Feature::expanded_gathers, &View::expanded_gathers},
        {Feature::tasks_own, &View::tasks_own},
        {Feature::tasks_enclosing, &View::tasks_enclosing},
        {Feature::parallel_launches, &View::parallel_launches},
        {Feature::innermost_extent, &View::innermost_extent},
        {Feature::loop_iterations, &View::loop_iterations},
        {Feature::vector_lanes, [](const View &v) -> View::Count { return v.lanes(); }},
        {Feature::vectors_per_production, &View::vectors_per_production},
        {Feature::scalar_share, &View::scalar_share},
        {Feature::wasted_share, &View::wasted_share},
        {Feature::loads_dense, &View::loads_dense},
        {Feature::loads_strided, &View::loads_strided},
        {Feature::loads_splat, &View::loads_splat},
        {Feature::loads_gathered, &View::loads_gathered},
        {Feature::unrolled_copies, &View::unrolled_copies},
    };
    for (size_t k = 0; k < static_cast<size_t>(OpKind::Count); k++)
        for (bool is_float : {false, true})
            rows.push_back(
                {static_cast<Feature>(index(Feature::expanded_add_integer) + 2 * k + is_float),
                 [=](const View &v) { return v.expanded_ops(static_cast<OpKind>(k), is_float); }});
    struct Level {
        Feature first;  // input bytes; two further on those of intermediates, then of stores
        size_t (View::*position)() const;
    };
    static constexpr Level levels[] = {
        {Feature::input_bytes_read_per_vector, &View::vector},
        {Feature::input_bytes_read_per_register_block, &View::register_block},
        {Feature::input_bytes_read_per_innermost_run, &View::innermost_run},
        {Feature::input_bytes_read_per_production, &View::production},
        {Feature::input_bytes_read_per_realisation, &View::realisation},
        {Feature::input_bytes_read_per_task, &View::task},
    };
    for (const Level &level : levels)
        for (View::What what : {View::What::Inputs, View::What::Intermediates, View::What::Stores})
            rows.push_back(
                {static_cast<Feature>(index(level.first) + 2 * static_cast<size_t>(what)),
                 [=](const View &v) { return v.bytes(what, (v.*level.position)()); }, false});
    return rows;
}

}  // namespace

std::string check_features(const Subject &subject) {
    static const std::vector<Row> rows = make_rows();
    const StageGraph &graph = subject.graph();
    Findings findings;
    Featurizer featurizer(graph, machine_presets().front().machine);
    const Features features = featurizer.features(subject.nest);
    for (const Stage &s : graph.stages()) {
        const std::span<const double> said = features.row(s.id);
        if (said.empty()) continue;
        const std::string where = describe(graph, s.id) + " ";
        for (size_t f = 0; f < num_features; f++)
            findings.expect(std::isfinite(said[f]) && said[f] >= 0,
                            where + std::string(feature_table()[f].name), said[f],
                            "finite and not negative");
        const StageView view(subject, s.id);
        if (!view.ran()) continue;
        for (const Row &row : rows) {
            const View::Count counted = row.count(view);
            if (!counted) continue;
            const double value = said[index(row.feature)];
            const double slack = 1e-9 * std::max({1.0, value, *counted});
            const bool holds =
                row.exact ? std::abs(value - *counted) <= slack : value + slack >= *counted;
            findings.expect(holds, where + std::string(info(row.feature).name), value, *counted);
        }
    }
    return findings.text();
}

}  // namespace cryolite::oracle
