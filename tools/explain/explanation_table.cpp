#include "tools/explain/explanation_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/text_table.h"

namespace cryolite::tools {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Terms below this share of the whole that dominate no stage stand together under "other".
constexpr double least_share = 0.01;

std::string percent(double part, double whole) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f", whole > 0 ? 100 * part / whole : 0);
    return text;
}

double number_of(const NamedNumbers &numbers, const std::string &name) {
    for (const auto &[n, value] : numbers)
        if (n == name) return value;
    return 0;
}

double seconds_of(const ExplainedStage &stage, const std::string &term) {
    return number_of(stage.terms, term);
}

const ExplainedStage *find(const Explanation &e, const std::string &name) {
    for (const ExplainedStage &s : e.stages)
        if (s.name == name) return &s;
    return nullptr;
}

void append(const ExplainedNode &node, size_t depth, std::vector<NestLine> &lines) {
    lines.push_back(
        {std::string(2 * depth, ' ') + node.text, node.kind == "stage" ? node.of : std::string()});
    for (const ExplainedNode &child : node.children) append(child, depth + 1, lines);
}

std::string nest_table(const Explanation &e, const TimeUnit &unit) {
    Rows rows{{"loops", unit.name(), "%"}};
    for (const NestLine &line : nest_lines(e)) {
        rows.push_back({line.text});
        if (const ExplainedStage *s = line.stage.empty() ? nullptr : find(e, line.stage)) {
            rows.back().push_back(unit.number(s->seconds));
            rows.back().push_back(percent(s->seconds, e.seconds));
        }
    }
    return text_table(rows, {Align::Left, Align::Right});
}

// "*" marks the term that dominates.
std::string cell(double seconds, double whole, bool dominates, const TimeUnit &unit) {
    if (seconds == 0) return "-";
    char share[16];
    std::snprintf(share, sizeof share, " %3.0f%%", whole > 0 ? 100 * seconds / whole : 0);
    return (dominates ? "*" : "") + unit.number(seconds) + share;
}

bool dominates_one(const ExplainedTerm &term, const std::vector<const ExplainedStage *> &stages) {
    return std::ranges::any_of(stages, [&](const auto *s) { return s->dominating == term.name; });
}

// With the terms `shown` in columns of their own, and the others together where there are any.
std::string term_table_of(const Explanation &e, const std::vector<const ExplainedStage *> &stages,
                          const TimeUnit &unit, const std::vector<const ExplainedTerm *> &shown,
                          bool others) {
    Rows rows{{"stage", "bound by", "total", "%"}};
    for (const ExplainedTerm *t : shown) rows[0].push_back(t->name);
    if (others) rows[0].emplace_back("other");
    const auto add = [&](const std::string &name, const std::string &bound, double seconds,
                         const std::string &dominating, auto &&seconds_of_term) {
        rows.push_back({name, bound, unit.number(seconds), percent(seconds, e.seconds)});
        double rest = seconds;
        for (const ExplainedTerm *t : shown) {
            const double part = seconds_of_term(*t);
            rows.back().push_back(cell(part, seconds, t->name == dominating, unit));
            rest -= part;
        }
        // What rounding leaves is nothing.
        if (others)
            rows.back().push_back(cell(rest > 1e-9 * seconds ? rest : 0, seconds, false, unit));
    };
    for (const ExplainedStage *s : stages)
        add(s->name, s->bound_by, s->seconds, s->dominating,
            [&](const ExplainedTerm &t) { return seconds_of(*s, t.name); });
    if (stages.size() == e.stages.size())
        add("all", "", e.seconds, e.dominating, [](const ExplainedTerm &t) { return t.seconds; });
    return text_table(rows, {Align::Left, Align::Left, Align::Right});
}

size_t widest_line(const std::string &text) {
    size_t widest = 0;
    for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
        widest = std::max(widest, end - begin);
    return widest;
}

std::string term_table(const Explanation &e, const std::vector<const ExplainedStage *> &stages,
                       const TimeUnit &unit, int columns) {
    std::vector<const ExplainedTerm *> shown;
    bool others = false;
    for (const ExplainedTerm &t : e.terms) {
        if (dominates_one(t, stages) || t.seconds >= least_share * e.seconds)
            shown.push_back(&t);
        else
            others |= t.seconds > 0;
    }
    std::stable_sort(shown.begin(), shown.end(),
                     [](const auto *a, const auto *b) { return a->seconds > b->seconds; });
    // Where a terminal is too narrow for all, the smallest go to the others. Those that dominate a stage stay.
    std::string text = term_table_of(e, stages, unit, shown, others);
    while (columns > 0 && widest_line(text) > static_cast<size_t>(columns)) {
        const auto least = std::find_if(shown.rbegin(), shown.rend(), [&](const ExplainedTerm *t) {
            return !dominates_one(*t, stages) && t->name != e.dominating;
        });
        if (least == shown.rend()) break;
        shown.erase(std::next(least).base());
        others = true;
        text = term_table_of(e, stages, unit, shown, others);
    }
    return text;
}

// Every term of a stage, what it means, and the machine's values behind it.
std::string stage_text(const Explanation &e, const ExplainedStage &s, const TimeUnit &unit) {
    std::string text = "\n" + s.name + ": " + readable(s.productions) + " productions, speed-up " +
                       readable(s.speedup) + ", bound by " + s.bound_by + "\n";
    std::vector<const ExplainedTerm *> terms;
    for (const ExplainedTerm &t : e.terms)
        if (seconds_of(s, t.name) > 0) terms.push_back(&t);
    std::stable_sort(terms.begin(), terms.end(), [&](const auto *a, const auto *b) {
        return seconds_of(s, a->name) > seconds_of(s, b->name);
    });
    Rows rows{
        {"term", "counted " + unit.name(), "x", unit.name(), "%", "appendix B", "what it is"}};
    std::vector<std::string> keys;
    double all_corrected = 0;
    for (const ExplainedTerm *t : terms) {
        const double seconds = seconds_of(s, t->name);
        const double raw = number_of(s.raw, t->name), corrected = number_of(s.corrected, t->name);
        rows.push_back({(t->name == s.dominating ? "*" : " ") + t->name, unit.number(raw),
                        raw > 0 ? readable(std::round(100 * corrected / raw) / 100) : "-",
                        unit.number(seconds), percent(seconds, s.seconds), t->appendix_b, t->doc});
        all_corrected += corrected;
        for (const std::string &key : t->constants)
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    text += text_table(rows, {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right,
                              Align::Left}) +
            "\n";
    text += "One after the other " + unit.text(all_corrected) + "; side by side " +
            unit.text(s.seconds) + "\n";
    if (s.trust < 1)
        text += "Beyond what was learned from: " + percent(s.trust, 1) +
                " % of the learned correction (its logarithm) is applied\n";
    if (s.spread > 0)
        text += "Members of the network differ by " + percent(s.spread, 1) +
                " % (a standard deviation)\n";
    text += "\n";
    Rows values{{"machine's value", "", "unit", "in"}};
    for (const ExplainedConstant &c : e.constants) {
        if (std::find(keys.begin(), keys.end(), c.key) == keys.end()) continue;
        std::string in;
        for (const ExplainedTerm *t : terms)
            if (std::find(t->constants.begin(), t->constants.end(), c.key) != t->constants.end())
                in += (in.empty() ? "" : ", ") + t->name;
        values.push_back({c.key, readable(c.value), c.unit, in});
    }
    return text + text_table(values, {Align::Left, Align::Right, Align::Left});
}

std::string feature_table_of(const Explanation &e, const ExplainedStage &s) {
    Rows rows{{"features of " + s.name, "", "unit"}};
    for (const ExplainedFeature &f : e.features)
        for (const auto &[name, value] : s.features)
            if (name == f.name && value != 0) rows.push_back({name, readable(value), f.unit});
    return "\n" + text_table(rows, {Align::Left, Align::Right, Align::Left});
}

}  // namespace

TimeUnit::TimeUnit(double largest) {
    const bool is_s = largest >= 10, is_ms = largest >= 1e-4;
    name_ = is_s ? "s" : is_ms ? "ms" : "us";
    seconds_ = is_s ? 1 : is_ms ? 1e-3 : 1e-6;
}

std::string TimeUnit::number(double seconds) const {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds / seconds_);
    return text;
}

std::string TimeUnit::signed_number(double seconds) const {
    char text[32];
    std::snprintf(text, sizeof text, "%+.3f", seconds / seconds_);
    return text;
}

std::string readable(double value) {
    char text[32];
    const bool whole = value == std::floor(value) && std::abs(value) < 1e9;
    std::snprintf(text, sizeof text, whole ? "%.0f" : "%.4g", value);
    return text;
}

std::string heading(const Explanation &e) {
    const TimeUnit unit(e.seconds);
    std::string text = e.pipeline + " (algorithm " + e.algorithm + ") for " + e.target +
                       "\nmachine " + e.machine + ", " + e.machine_source + "\npredicted " +
                       unit.text(e.seconds) + " a run at the estimates, not measured";
    for (const ExplainedTerm &t : e.terms)
        if (t.name == e.dominating)
            text += "; " + t.name + " dominates with " + percent(t.seconds, e.seconds) + " %";
    text += "\n";
    if (e.spread > 0)
        text += "members of the network differ by " + percent(e.spread, 1) +
                " % about it (a standard deviation)\n";
    const double least = std::max(e.least_arithmetic_seconds, e.least_traffic_seconds);
    if (least > 0)
        text += "at least " + unit.text(least) + " by " +
                (e.least_arithmetic_seconds >= e.least_traffic_seconds
                     ? "arithmetic"
                     : "the traffic of inputs and outputs") +
                " alone; predicted " + readable(std::round(100 * e.seconds / least) / 100) +
                " times that\n";
    if (e.too_large)
        text +=
            "Inlining or unrolling multiplies the work beyond reason: the prediction leaves out "
            "what could not be counted\n";
    return text;
}

std::string difference_lines(const Explanation &e) {
    if (!e.is_by_hand) return {};
    if (e.differences.empty()) return "The schedule by hand is expressed as a whole.\n";
    std::string text = "Not as in the schedule by hand:\n";
    for (const std::string &line : e.differences) text += "  " + line + "\n";
    return text;
}

std::string tensor_lines(const Explanation &e) {
    std::string text;
    for (const std::string &line : e.tensor_cores) text += "  " + line + "\n";
    return text.empty() ? text : "Tensor cores:\n" + text;
}

std::vector<NestLine> nest_lines(const Explanation &e) {
    std::vector<NestLine> lines;
    for (const ExplainedNode &node : e.nest) append(node, 0, lines);
    std::string inlined;
    for (const std::string &func : e.inlined) inlined += (inlined.empty() ? "" : ", ") + func;
    if (!inlined.empty()) lines.push_back({"inlined: " + inlined, ""});
    return lines;
}

Result<std::vector<const ExplainedStage *>> shown_stages(const Explanation &e, const Shown &shown) {
    std::vector<const ExplainedStage *> stages;
    for (const ExplainedStage &s : e.stages)
        if (shown.stage.empty() || s.name == shown.stage ||
            s.name.substr(0, s.name.rfind(".s")) == shown.stage)
            stages.push_back(&s);
    if (stages.empty() && !shown.stage.empty()) {
        if (std::find(e.inlined.begin(), e.inlined.end(), shown.stage) != e.inlined.end())
            return Error{"'" + shown.stage +
                         "' is inlined: it counts in the stages that read it and has no time of "
                         "its own"};
        std::string all;
        for (const ExplainedStage &s : e.stages) all += (all.empty() ? "" : ", ") + s.name;
        return Error{"there is no stage '" + shown.stage + "'; the stages are: " + all};
    }
    std::stable_sort(stages.begin(), stages.end(),
                     [](const auto *a, const auto *b) { return a->seconds > b->seconds; });
    return stages;
}

Result<std::string> explanation_table(const Explanation &e, const Shown &shown) {
    const auto stages = shown_stages(e, shown);
    if (!stages.ok()) return stages.error();
    const TimeUnit unit(e.seconds);
    std::string text = heading(e) + difference_lines(e) + tensor_lines(e);
    if (shown.stage.empty()) {
        text += "\n" + nest_table(e, unit);
        text += "\n" + unit.name() + " by stage and term; * marks the term that dominates\n";
        text += term_table(e, *stages, unit, shown.columns);
    }
    for (const ExplainedStage *s : *stages) {
        if (!shown.stage.empty()) text += stage_text(e, *s, unit);
        if (shown.features) text += feature_table_of(e, *s);
    }
    return text;
}

}  // namespace cryolite::tools
