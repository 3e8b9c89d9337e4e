#include "tools/report/explained_sides.h"

#include <algorithm>
#include <map>

namespace cryolite::tools {
namespace {

void append(const ExplainedNode &node, int64_t depth, std::vector<ExplainedSide::Line> &lines) {
    lines.push_back({depth, node.text, node.kind == "stage" ? node.of : ""});
    for (const ExplainedNode &child : node.children) append(child, depth + 1, lines);
}

double number_named(const NamedNumbers &numbers, const std::string &name) {
    const auto at = std::ranges::find(numbers, name, &NamedNumbers::value_type::first);
    return at == numbers.end() ? 0 : at->second;
}

ExplainedSide side_of(const SideToExplain &side, const std::vector<std::string> &terms) {
    const Explanation &e = side.explanation;
    ExplainedSide out{side.name, e.seconds, side.measured_seconds, {}, e.inlined, {}};
    for (const ExplainedNode &node : e.nest) append(node, 0, out.nest);
    for (const ExplainedStage &s : e.stages) {
        out.stages.push_back({s.name, s.bound_by, s.seconds, {}});
        for (const std::string &term : terms)
            out.stages.back().terms.push_back(number_named(s.terms, term));
    }
    return out;
}

}  // namespace

ReportedExplanation explained_sides(const std::vector<SideToExplain> &sides) {
    ReportedExplanation out;
    std::map<std::string, double> seconds;
    std::map<std::string, std::string> docs;
    for (const SideToExplain &side : sides)
        for (const ExplainedTerm &t : side.explanation.terms) {
            seconds[t.name] += t.seconds;
            docs[t.name] = t.doc;
        }
    for (const auto &[term, total] : seconds)
        if (total > 0) out.terms.push_back(term);
    std::ranges::stable_sort(out.terms, std::ranges::greater(),
                             [&](const std::string &term) { return seconds[term]; });
    for (const std::string &term : out.terms) out.docs.push_back(docs[term]);
    for (const SideToExplain &side : sides) out.sides.push_back(side_of(side, out.terms));
    if (!sides.empty())
        out.least_seconds = std::max(sides[0].explanation.least_arithmetic_seconds,
                                     sides[0].explanation.least_traffic_seconds);
    return out;
}

}  // namespace cryolite::tools
