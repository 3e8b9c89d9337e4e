#include "analytical/explain/explained_parts.h"

#include <cstdio>

#include "featurize/schema.h"
#include "schedule/nest_tree.h"
#include "schedule/trace_text.h"

namespace cryolite {
namespace {

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

}  // namespace

Explanation explained_schedule(const LoopNest &nest, const ExplainedRun &run) {
    const StageGraph &graph = nest.graph();
    Explanation out;
    out.pipeline = run.pipeline;
    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx",
                  static_cast<unsigned long long>(graph.algorithm_hash()));
    out.algorithm = hash;
    out.target = run.target;
    out.machine_source = run.machine_source;
    out.trace = to_text(graph, trace_of(nest));
    for (const NestNode &node : nest_tree(nest)) out.nest.push_back(explained(graph, node));
    for (size_t f = graph.num_scheduled(); f-- > 0;)
        if (nest.decided(FuncId(f)) && nest.at(FuncId(f)).placement == Placement::Inline)
            out.inlined.push_back(graph.func(FuncId(f)).name);
    for (const FeatureInfo &f : feature_table())
        out.features.push_back({std::string(f.name), std::string(f.unit), std::string(f.doc)});
    return out;
}

std::vector<ExplainedConstant> explained_constants(const std::vector<FieldValue> &values) {
    std::vector<ExplainedConstant> constants;
    for (const FieldValue &v : values)
        constants.push_back({v.key, v.as_double(), std::string(v.text->unit)});
    return constants;
}

ExplainedTerm explained_term(const CostComponentInfo &info, std::vector<std::string> constants,
                             double seconds) {
    return {std::string(info.name), "s",    std::string(info.appendix_b), std::string(info.doc),
            std::move(constants),   seconds};
}

NamedNumbers explained_features(std::span<const double> row) {
    NamedNumbers features;
    for (size_t f = 0; f < row.size(); f++) features.emplace_back(feature_table()[f].name, row[f]);
    return features;
}

}  // namespace cryolite
