#include "reference/strategy.h"

#include <algorithm>
#include <sstream>

#include "code/legality/apply.h"
#include "reference/strategies.h"

namespace cryolite {
namespace {

struct Row {
    Strategy strategy;
    const char *name;
    StrategyResult (*schedule)(const StageGraph &, const Machine &);
};
constexpr Row table[] = {{Strategy::Temporal, "temporal", strategies::temporal_strategy},
                         {Strategy::Spatial, "spatial", strategies::spatial_strategy},
                         {Strategy::Reuse, "reuse", strategies::reuse_strategy}};

const Row &row_of(Strategy strategy) { return *std::ranges::find(table, strategy, &Row::strategy); }

}  // namespace

const char *name(Strategy strategy) { return row_of(strategy).name; }

std::optional<Strategy> strategy_named(std::string_view name) {
    const auto *row = std::ranges::find(table, name, &Row::name);
    if (row == std::end(table)) return std::nullopt;
    return row->strategy;
}

std::vector<std::string> strategy_names() {
    std::vector<std::string> names;
    for (const Row &row : table) names.emplace_back(row.name);
    return names;
}

std::string StrategyReport::text() const {
    std::ostringstream s;
    s << "stages: " << stages_as_planned << " as planned, " << stages_adapted << " adapted, "
      << stages_plain << " plain; Funcs moved: " << funcs_moved;
    for (size_t i = 0; i < rejected.size(); i++)
        if (rejected[i])
            s << "; rejected as " << cryolite::name(static_cast<Reason>(i)) << ": " << rejected[i];
    return s.str();
}

StrategyResult schedule_by(Strategy strategy, const StageGraph &graph, const Machine &machine) {
    return row_of(strategy).schedule(graph, machine);
}

}  // namespace cryolite
