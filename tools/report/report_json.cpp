#include "tools/report/report_json.h"

#include <nlohmann/json.hpp>

#include "tools/tune/standing_json.h"

namespace cryolite::tools {
namespace {

using nlohmann::json;

json number_or_null(const std::optional<double> &value) { return value ? json(*value) : json(); }

template <typename T>
json list_of(const std::vector<T> &values, json (*one)(const T &)) {
    json list = json::array();
    for (const T &v : values) list.push_back(one(v));
    return list;
}

json problem_json(const ReportedProblem &p) {
    return {{"number", p.number},       {"others", p.others},    {"pipeline", p.pipeline},
            {"algorithm", p.algorithm}, {"target", p.target},    {"machine", p.machine},
            {"halide", p.halide},       {"threads", p.threads},  {"parameters", p.parameters},
            {"workload", p.workload},   {"versions", p.versions}};
}

json run_json(const ReportedRun &r) {
    return {{"budget", r.budget},
            {"ended_by", r.ended_by},
            {"spent_seconds", r.spent_seconds},
            {"tune_command", r.tune_command},
            {"replay_command", r.replay_command}};
}

json schedule_json(const ReportedSchedule &s) {
    return {{"name", s.name},
            {"origin", s.origin},
            {"status", name(s.status)},
            {"message", s.message},
            {"seconds", spread_json(s.seconds)},
            {"times_best", spread_json(s.times_best)},
            {"predicted_seconds", s.predicted_seconds},
            {"rank", s.rank},
            {"samples", s.samples},
            {"trace", s.trace}};
}

json sample_json(const ReportedSample &s) {
    return {{"number", s.number},
            {"rank", s.rank},
            {"elapsed", s.elapsed_seconds},
            {"round", s.round},
            {"repeat", s.repeat},
            {"origin", s.origin},
            {"status", name(s.status)},
            {"message", s.message},
            {"seconds", spread_json(s.seconds)},
            {"ratio", spread_json(s.ratio)},
            {"turns", s.turns},
            {"predicted_seconds", s.predicted_seconds},
            {"build_seconds", s.build_seconds},
            {"run_seconds", s.run_seconds},
            {"quiet", s.quiet}};
}

json timed_json(const TimedSchedule &t) {
    return {{"sample", t.sample},
            {"rank", t.rank},
            {"elapsed", t.elapsed_seconds},
            {"round", t.round},
            {"origin", t.origin},
            {"seconds", spread_json(t.seconds)},
            {"predicted_seconds", t.predicted_seconds},
            {"is_best_so_far", t.is_best_so_far}};
}

json round_json(const ReportedRound &r) {
    return {{"number", r.number},
            {"elapsed", r.elapsed_seconds},
            {"tried", r.tried},
            {"timed", r.timed},
            {"best_seconds", r.best_seconds},
            {"fit_correlation", r.fit_correlation},
            {"prediction_correlation", number_or_null(r.prediction_correlation)}};
}

json failure_json(const FailureClass &f) {
    json messages = json::array();
    for (const auto &[message, count] : f.messages)
        messages.push_back({{"message", message}, {"schedules", count}});
    return {{"status", name(f.status)},
            {"schedules", f.schedules},
            {"messages", messages},
            {"other_messages", f.other_messages}};
}

json noise_json(const ReportedNoise &n) {
    json anchor = json::array(), repeats = json::array();
    for (const auto &a : n.anchor)
        anchor.push_back({{"sample", a.sample},
                          {"elapsed", a.elapsed_seconds},
                          {"seconds", spread_json(a.seconds)},
                          {"quiet", a.quiet}});
    for (const auto &r : n.repeats)
        repeats.push_back({{"sample", r.sample},
                           {"rank", r.rank},
                           {"elapsed", r.elapsed_seconds},
                           {"deviation", spread_json(r.deviation)}});
    return {{"anchor", anchor},
            {"anchor_seconds", n.anchor_seconds},
            {"repeats", repeats},
            {"anchor_drift", n.anchor_drift},
            {"typical_interval", n.typical_interval},
            {"typical_repeat", n.typical_repeat},
            {"busy", n.busy},
            {"measured", n.measured}};
}

json line_json(const ExplainedSide::Line &l) {
    return {{"depth", l.depth}, {"text", l.text}, {"stage", l.stage}};
}

json stage_json(const ExplainedSide::Stage &s) {
    return {{"name", s.name}, {"bound_by", s.bound_by}, {"seconds", s.seconds}, {"terms", s.terms}};
}

json side_json(const ExplainedSide &s) {
    return {{"name", s.name},
            {"predicted_seconds", s.predicted_seconds},
            {"measured_seconds", s.measured_seconds},
            {"nest", list_of(s.nest, line_json)},
            {"inlined", s.inlined},
            {"stages", list_of(s.stages, stage_json)}};
}

json explanation_json_of(const ReportedExplanation &e) {
    return {{"terms", e.terms},
            {"docs", e.docs},
            {"sides", list_of(e.sides, side_json)},
            {"least_seconds", e.least_seconds},
            {"missing", e.missing}};
}

json report_value(const Report &r) {
    json by_status = json::object();
    for (const auto &[status, count] : r.by_status) by_status[std::string(name(status))] = count;
    return {{"problem", problem_json(r.problem)},
            {"run", run_json(r.run)},
            {"first_created", r.first_created},
            {"last_created", r.last_created},
            {"by_status", by_status},
            {"schedules", list_of(r.schedules, schedule_json)},
            {"timed", list_of(r.timed, timed_json)},
            {"rounds", list_of(r.rounds, round_json)},
            {"prediction_correlation", number_or_null(r.prediction_correlation)},
            {"prediction_bias", r.prediction_bias},
            {"failures", list_of(r.failures, failure_json)},
            {"noise", noise_json(r.noise)},
            {"explanation", explanation_json_of(r.explanation)},
            {"samples", list_of(r.samples, sample_json)}};
}

// In JSON these characters stand only inside of texts, where an escape means the same.
std::string safe_in_script(const std::string &text) {
    std::string safe;
    safe.reserve(text.size());
    for (size_t i = 0; i < text.size(); i++) {
        if (text[i] == '<') {
            safe += "\\u003c";
        } else if (text[i] == '>') {
            safe += "\\u003e";
        } else if (text[i] == '&') {
            safe += "\\u0026";
        } else if (text.compare(i, 3, "\xe2\x80\xa8") == 0) {
            safe += "\\u2028";
            i += 2;
        } else if (text.compare(i, 3, "\xe2\x80\xa9") == 0) {
            safe += "\\u2029";
            i += 2;
        } else {
            safe += text[i];
        }
    }
    return safe;
}

}  // namespace

std::string report_json(const Report &report) {
    return safe_in_script(
        report_value(report).dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace cryolite::tools
