#include "analytical/explain/explanation.h"

#include "analytical/cost_model.h"
#include "analytical/explain/explained_parts.h"
#include "featurize/features.h"

namespace cryolite {
namespace {

std::vector<ExplainedConstant> constants_of(Machine machine) {
    return explained_constants(values_of(machine));
}

ExplainedStage explained(const StageGraph &graph, const StageTime &time,
                         std::span<const double> row) {
    ExplainedStage out;
    out.name = stage_name(graph, time.stage);
    out.seconds = time.seconds;
    out.dominating = largest(time.parts, cost_component_table());
    out.bound_by = name(time.bound_by);
    out.productions = time.realisations;
    out.speedup = time.speedup;
    for (size_t c = 0; c < num_cost_components; c++)
        out.terms.emplace_back(cost_component_table()[c].name, time.parts[c]);
    out.features = explained_features(row);
    return out;
}

void append(const ExplainedNode &node, size_t depth, std::string &text) {
    text += std::string(depth * 2, ' ') + node.text + "\n";
    for (const ExplainedNode &child : node.children) append(child, depth + 1, text);
}

}  // namespace

Explanation explain(const StageGraph &graph, const Machine &machine, const LoopNest &nest,
                    const ExplainedRun &run) {
    const ScheduleTime time = CostModel(graph, machine).explain(nest);
    const Features features = Featurizer(graph, machine, 0).features(nest);

    Explanation out = explained_schedule(nest, run);
    out.machine = machine.name;
    out.constants = constants_of(machine);
    out.seconds = time.seconds;
    out.peak_bytes = time.peak_bytes;
    out.too_large = time.too_large;
    CostBreakdown total{};
    for (const StageTime &t : time.stages) {
        for (size_t c = 0; c < num_cost_components; c++) total[c] += t.parts[c];
        out.stages.push_back(explained(graph, t, features.row(t.stage)));
    }
    for (size_t c = 0; c < num_cost_components; c++)
        out.terms.push_back(explained_term(cost_component_table()[c],
                                           constants_of(static_cast<CostComponent>(c), machine),
                                           total[c]));
    out.dominating = largest(total, cost_component_table());
    return out;
}

std::string stage_name(const StageGraph &graph, StageId stage) {
    return graph.func_of(stage).name + ".s" + std::to_string(graph.stage(stage).index);
}

std::string nest_text(const Explanation &explanation) {
    std::string text, inlined;
    for (const ExplainedNode &node : explanation.nest) append(node, 0, text);
    for (const std::string &func : explanation.inlined)
        inlined += (inlined.empty() ? "" : ", ") + func;
    return inlined.empty() ? text : text + "inlined: " + inlined + "\n";
}

}  // namespace cryolite
