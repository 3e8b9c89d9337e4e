#include "analytical/explain/explained_parts.h"

#include <algorithm>
#include <cstdio>

#include "base/hash.h"
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

NamedNumbers by_name(const Terms &terms, TermTarget target) {
    NamedNumbers out;
    for (size_t k = 0; k < num_terms; k++)
        if (resource_of(static_cast<Term>(k), target))
            out.emplace_back(term_table()[k].name, terms[k]);
    return out;
}

// The name of the term with the most seconds, the first of equals; empty if all are 0.
std::string largest(const Terms &terms) {
    const auto most = std::ranges::max_element(terms);
    if (*most <= 0) return {};
    return std::string(term_table()[static_cast<size_t>(most - terms.begin())].name);
}

}  // namespace

Explanation explained_schedule(const LoopNest &nest, const ExplainedRun &run) {
    const StageGraph &graph = nest.graph();
    Explanation out;
    out.pipeline = run.pipeline;
    out.algorithm = hexadecimal(graph.algorithm_hash());
    out.target = run.target;
    out.machine_source = run.machine_source;
    out.is_by_hand = run.is_by_hand;
    out.differences = run.differences;
    out.tensor_cores = run.tensor_cores;
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

NamedNumbers explained_features(std::span<const double> row) {
    NamedNumbers features;
    for (size_t f = 0; f < row.size(); f++) features.emplace_back(feature_table()[f].name, row[f]);
    return features;
}

void explain_roofline(Explanation &out, const Roofline &least) {
    out.least_arithmetic_seconds = least.arithmetic_seconds;
    out.least_traffic_seconds = least.traffic_seconds;
}

ExplainedStage explained_stage(const StageGraph &graph, const StageTime &time,
                               std::span<const double> row) {
    ExplainedStage out;
    out.name = stage_name(graph, time.stage);
    out.seconds = time.seconds();
    out.dominating = largest(time.overlap.exposed);
    out.bound_by = time.raw[index(Term::HostStages)] > 0 ? "host" : name(time.overlap.bound_by);
    out.productions = time.realisations;
    out.speedup = time.speedup;
    out.terms = by_name(time.overlap.exposed, time.target);
    out.raw = by_name(time.raw, time.target);
    out.corrected = by_name(time.corrected, time.target);
    out.trust = time.trust;
    out.features = explained_features(row);
    return out;
}

void explain_terms(Explanation &out, std::span<const StageTime> stages, TermTarget target,
                   const std::function<std::vector<std::string>(Term)> &constants_of) {
    Terms exposed{}, raw{};
    for (const StageTime &t : stages)
        for (size_t k = 0; k < num_terms; k++) {
            exposed[k] += t.overlap.exposed[k];
            raw[k] += t.raw[k];
        }
    for (size_t k = 0; k < num_terms; k++) {
        const Term term = static_cast<Term>(k);
        if (!resource_of(term, target)) continue;
        const TermInfo &i = info(term);
        out.terms.push_back({std::string(i.name), "s", std::string(i.appendix_b),
                             std::string(i.doc), constants_of(term), exposed[k], raw[k]});
    }
    out.dominating = largest(exposed);
}

}  // namespace cryolite
