#include "tools/explain/comparison_table.h"

#include <algorithm>
#include <cmath>

#include "tools/text_table.h"

namespace cryolite::tools {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr size_t few_features = 6;

std::string nests_side_by_side(const Side &first, const Side &second) {
    const auto a = nest_lines(first.explanation), b = nest_lines(second.explanation);
    Rows rows{{"loops of " + first.name, "loops of " + second.name}};
    for (size_t i = 0; i < std::max(a.size(), b.size()); i++)
        rows.push_back({i < a.size() ? a[i].text : "", "| " + (i < b.size() ? b[i].text : "")});
    return text_table(rows, {Align::Left});
}

std::string term_text(const TermDifference &term, const TimeUnit &unit) {
    return term.name.empty() ? "-" : term.name + " " + unit.signed_number(term.seconds);
}

std::string percent_of_first(double difference, double first) {
    if (difference == 0) return "0 %";
    if (first <= 0) return "-";
    const double percent = 100 * difference / first;
    return (percent > 0 ? "+" : "") + readable(std::round(percent * 10) / 10) + " %";
}

std::string stage_rows(const Comparison &c, const std::vector<const StageDifference *> &stages,
                       const Side &first, const Side &second, const TimeUnit &unit) {
    Rows rows{{"stage", first.name, second.name, "difference", "", "term that differs most"}};
    const auto time = [&](const Explanation &e, const StageDifference &d,
                          const std::optional<double> &seconds) {
        if (seconds) return unit.number(*seconds);
        const std::string func = d.name.substr(0, d.name.rfind(".s"));
        const bool inlined = std::find(e.inlined.begin(), e.inlined.end(), func) != e.inlined.end();
        return std::string(inlined ? "inlined" : "-");
    };
    for (const StageDifference *d : stages)
        rows.push_back({d->name, time(first.explanation, *d, d->first),
                        time(second.explanation, *d, d->second), unit.signed_number(d->seconds),
                        percent_of_first(d->seconds, d->first.value_or(0)),
                        term_text(d->term, unit)});
    if (stages.size() == c.stages.size())
        rows.push_back({"all", unit.number(first.explanation.seconds),
                        unit.number(second.explanation.seconds), unit.signed_number(c.seconds),
                        percent_of_first(c.seconds, first.explanation.seconds),
                        term_text(c.term, unit)});
    return text_table(
        rows, {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left});
}

std::string feature_rows(const StageDifference &d, const Side &first, const Side &second,
                         bool all) {
    if (d.features.empty()) return {};
    const size_t n = all ? d.features.size() : std::min(few_features, d.features.size());
    std::string head = "features of " + d.name;
    if (n < d.features.size())
        head +=
            " (" + std::to_string(n) + " of " + std::to_string(d.features.size()) + " that differ)";
    Rows rows{{head, first.name, second.name, "unit"}};
    for (size_t i = 0; i < n; i++)
        rows.push_back({d.features[i].name, readable(d.features[i].first),
                        readable(d.features[i].second), d.features[i].unit});
    return "\n" + text_table(rows, {Align::Left, Align::Right, Align::Right, Align::Left});
}

}  // namespace

Result<std::string> comparison_table(const Side &first, const Side &second, const Shown &shown) {
    const auto comparison = compare(first.explanation, second.explanation);
    if (!comparison.ok()) return comparison.error();
    std::vector<const StageDifference *> stages;
    for (const StageDifference &d : comparison->stages)
        if (shown.stage.empty() || d.name == shown.stage ||
            d.name.substr(0, d.name.rfind(".s")) == shown.stage)
            stages.push_back(&d);
    // The second says what is wrong with a name that neither has.
    if (stages.empty() && !shown.stage.empty())
        return shown_stages(second.explanation, shown).error();

    const TimeUnit unit(std::max(first.explanation.seconds, second.explanation.seconds));
    std::string text = first.name + ": " + heading(first.explanation) + second.name + ": " +
                       heading(second.explanation);
    if (comparison->same_trace) text += "The schedules are the same.\n";
    if (!comparison->same_algorithm)
        text +=
            "The schedule by hand makes Funcs of its own: it is compared stage by stage where "
            "names "
            "agree.\n";
    if (!comparison->same_machine)
        text += "The machines or targets differ: so may seconds, whatever the schedules.\n";
    for (const Side *side : {&first, &second}) text += difference_lines(side->explanation);
    if (shown.stage.empty()) text += "\n" + nests_side_by_side(first, second);
    text += "\n" + unit.name() + " by stage, the most different first\n" +
            stage_rows(*comparison, stages, first, second, unit);
    for (const StageDifference *d : stages) text += feature_rows(*d, first, second, shown.features);
    return text;
}

}  // namespace cryolite::tools
