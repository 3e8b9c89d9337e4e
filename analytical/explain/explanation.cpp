#include "analytical/explain/explanation.h"

#include "analytical/cost_model.h"
#include "analytical/explain/explained_parts.h"
#include "analytical/log_spread.h"
#include "featurize/features.h"

namespace cryolite {
namespace {

void append(const ExplainedNode &node, size_t depth, std::string &text) {
    text += std::string(depth * 2, ' ') + node.text + "\n";
    for (const ExplainedNode &child : node.children) append(child, depth + 1, text);
}

// What each member of the ensemble says of the whole and of each stage, as spreads.
void explain_spread(CostModel &model, const LoopNest &nest, const Correction &correction,
                    Explanation &out) {
    std::vector<double> whole;
    std::vector<std::vector<double>> stages(out.stages.size());
    for (const auto &member : correction.members()) {
        model.correct_by(member);
        const ScheduleTime time = model.explain(nest);
        whole.push_back(time.seconds);
        for (size_t s = 0; s < stages.size(); s++) stages[s].push_back(time.stages[s].seconds());
    }
    out.spread = log_spread(whole);
    for (size_t s = 0; s < stages.size(); s++) out.stages[s].spread = log_spread(stages[s]);
}

}  // namespace

Explanation explain(const StageGraph &graph, const Machine &machine, const LoopNest &nest,
                    const ExplainedRun &run, const std::shared_ptr<const Correction> &correction) {
    CostModel model(graph, machine);
    model.correct_by(correction);
    const ScheduleTime time = model.explain(nest);
    const Features features = Featurizer(graph, machine, 0).features(nest);

    Explanation out = explained_schedule(nest, run);
    out.machine = machine.name;
    Machine described = machine;
    out.constants = explained_constants(values_of(described));
    out.seconds = time.seconds;
    out.peak_bytes = time.peak_bytes;
    out.too_large = time.too_large;
    for (const StageTime &t : time.stages)
        out.stages.push_back(explained_stage(graph, t, features.row(t.stage)));
    explain_roofline(out, roofline(graph, machine));
    explain_terms(out, time.stages, TermTarget::Cpu,
                  [&](Term term) { return constants_of(term, machine); });
    if (correction) explain_spread(model, nest, *correction, out);
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
