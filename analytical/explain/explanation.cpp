#include "analytical/explain/explanation.h"

#include <algorithm>
#include <cstdio>

#include "analytical/cost_model.h"
#include "featurize/features.h"
#include "machine/machine_fields.h"
#include "schedule/nest_tree.h"
#include "schedule/trace_text.h"

namespace cryolite {
namespace {

// The component with the most seconds, the first of equals; empty if there are none.
std::string largest(const CostBreakdown &parts) {
    const auto most = std::max_element(parts.begin(), parts.end());
    if (*most <= 0) return {};
    return std::string(cost_component_table()[static_cast<size_t>(most - parts.begin())].name);
}

ExplainedNode explained(const StageGraph &graph, const NestNode &node) {
    ExplainedNode out;
    out.kind = name(node.kind);
    out.of = node.stage.valid() ? stage_name(graph, node.stage) : graph.func(node.func).name;
    out.text = node.text;
    if (node.loop) {
        const LoopName &loop = node.loop->name;
        out.loop = graph.stage(node.stage).loops[static_cast<size_t>(loop.dim)].name + "." +
                   std::to_string(loop.level);
        out.run = name(node.loop->kind);
    }
    out.extents = node.extents;
    for (const NestNode &child : node.children) out.children.push_back(explained(graph, child));
    return out;
}

std::vector<ExplainedConstant> constants_of(Machine machine) {
    std::vector<ExplainedConstant> constants;
    for (const FieldValue &v : values_of(machine))
        constants.push_back({v.key, v.as_double(), std::string(v.text->unit)});
    return constants;
}

ExplainedStage explained(const StageGraph &graph, const StageTime &time,
                         std::span<const double> row) {
    ExplainedStage out;
    out.name = stage_name(graph, time.stage);
    out.seconds = time.seconds;
    out.dominating = largest(time.parts);
    out.bound_by = name(time.bound_by);
    out.productions = time.realisations;
    out.speedup = time.speedup;
    for (size_t c = 0; c < num_cost_components; c++)
        out.terms.emplace_back(cost_component_table()[c].name, time.parts[c]);
    for (size_t f = 0; f < row.size(); f++)
        out.features.emplace_back(feature_table()[f].name, row[f]);
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

    Explanation out;
    out.pipeline = run.pipeline;
    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx",
                  static_cast<unsigned long long>(graph.algorithm_hash()));
    out.algorithm = hash;
    out.target = run.target;
    out.machine = machine.name;
    out.machine_source = run.machine_source;
    out.constants = constants_of(machine);
    out.trace = to_text(graph, trace_of(nest));
    for (const NestNode &node : nest_tree(nest)) out.nest.push_back(explained(graph, node));
    for (size_t f = graph.num_scheduled(); f-- > 0;)
        if (nest.decided(FuncId(f)) && nest.at(FuncId(f)).placement == Placement::Inline)
            out.inlined.push_back(graph.func(FuncId(f)).name);
    out.seconds = time.seconds;
    out.peak_bytes = time.peak_bytes;
    out.too_large = time.too_large;

    CostBreakdown total{};
    for (const StageTime &t : time.stages) {
        for (size_t c = 0; c < num_cost_components; c++) total[c] += t.parts[c];
        out.stages.push_back(explained(graph, t, features.row(t.stage)));
    }
    out.dominating = largest(total);
    for (size_t c = 0; c < num_cost_components; c++) {
        const CostComponentInfo &info = cost_component_table()[c];
        out.terms.push_back({std::string(info.name), "s", std::string(info.appendix_b),
                             std::string(info.doc),
                             constants_of(static_cast<CostComponent>(c), machine), total[c]});
    }
    for (const FeatureInfo &f : feature_table())
        out.features.push_back({std::string(f.name), std::string(f.unit), std::string(f.doc)});
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
