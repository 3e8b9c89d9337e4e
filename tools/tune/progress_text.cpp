#include "tools/tune/progress_text.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "tools/text_table.h"
#include "tools/tune/budget.h"

namespace cryolite::tools {
namespace {

std::string number(const char *format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string milliseconds(double seconds) { return number("%.4g", seconds * 1e3); }

// How the best compares with another schedule, by their ratios to the anchor.
std::string ratio_text(const std::optional<Standing> &best, const std::optional<Standing> &other,
                       const char *name) {
    if (!best || !other || other->status != SampleStatus::Timed || other->ratio.median <= 0)
        return "";
    return number("%.3f of ", best->ratio.median / other->ratio.median) + name;
}

std::string ratios(const TuneProgress &p) {
    std::string text;
    for (const std::string &ratio :
         {ratio_text(p.best, p.one_shot, "one shot"), ratio_text(p.best, p.plain, "plain"),
          ratio_text(p.best, p.by_hand, "by hand")})
        if (!ratio.empty()) text += (text.empty() ? "" : ", ") + ratio;
    return text;
}

std::string budget_text(const TuneProgress &p) {
    std::string text = duration_text(p.spent_seconds);
    if (p.budget_seconds > 0)
        text += " of " + duration_text(p.budget_seconds) + ", " +
                duration_text(p.budget_seconds - p.spent_seconds) + " left";
    if (p.budget_samples > 0)
        text += ", " + std::to_string(p.tried_in_this_run) + " of " +
                std::to_string(p.budget_samples) + " schedules";
    return text;
}

}  // namespace

std::string time_text(const Spread &s) {
    return milliseconds(s.median) + " ms (" + milliseconds(s.low) + " to " + milliseconds(s.high) +
           ")";
}

std::string status_text(const std::map<SampleStatus, int64_t> &by_status) {
    std::string text;
    for (const auto &[status, count] : by_status)
        if (count > 0)
            text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
                    std::string(name(status));
    return text;
}

std::string progress_table(const std::string &pipeline, const TuneProgress &p) {
    std::vector<std::vector<std::string>> rows{
        {pipeline, "round " + std::to_string(p.round) + ", " + p.doing},
        {"time", budget_text(p)},
        {"tried", std::to_string(p.tried) + (p.tried > 0 ? ": " + status_text(p.by_status) : "")}};
    if (p.best) {
        rows.push_back({"best", time_text(p.best->seconds) + ", " + p.best->origin});
        rows.push_back({"", ratios(p)});
    }
    if (p.rank_correlation != 0)
        rows.push_back({"model", "rank correlation " + number("%.2f", p.rank_correlation)});
    if (!p.quiet) rows.push_back({"machine", "busy with other work: times are less sure"});
    return text_table(rows, {Align::Left});
}

std::string cut_to_width(const std::string &text, size_t columns) {
    if (columns == 0) return text;
    std::istringstream lines(text);
    std::string cut;
    for (std::string line; std::getline(lines, line);) cut += line.substr(0, columns) + "\n";
    return cut;
}

std::string progress_line(const TuneProgress &p) {
    std::string line = duration_text(p.spent_seconds) + ": round " + std::to_string(p.round) +
                       ", " + std::to_string(p.tried) + " tried";
    if (p.best) {
        line += ", best " + time_text(p.best->seconds);
        if (const std::string r = ratios(p); !r.empty()) line += ", " + r;
    }
    return line + "; " + p.doing;
}

}  // namespace cryolite::tools
