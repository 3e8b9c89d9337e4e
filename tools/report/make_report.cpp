#include "tools/report/make_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "autotune/tune/standings.h"
#include "model/fit.h"
#include "tools/report/report_noise.h"
#include "tools/tune/problem_names.h"

namespace cryolite::tools {
namespace {

using nlohmann::json;

constexpr size_t fewest_to_rank = 3;  // as for rank_correlation()
constexpr size_t most_messages = 5;   // of a class of failures

// "1536x2560"; a region that does not begin at 0 says where it does.
std::string region_text(const json &region) {
    std::string sizes, from;
    bool begins_at_0 = true;
    for (const json &side : region) {
        if (!side.is_array() || side.size() != 2) return region.dump();
        from += (from.empty() ? "" : ",") + side[0].dump();
        sizes += (sizes.empty() ? "" : "x") + side[1].dump();
        begins_at_0 = begins_at_0 && side[0] == 0;
    }
    if (sizes.empty()) return "one value";
    return begins_at_0 ? sizes : sizes + " from " + from;
}

std::string value_text(const json &value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

// A line for each input, output and parameter, then what was asked for instead.
std::vector<std::string> workload_lines(const std::string &text) {
    std::vector<std::string> lines;
    const json work = json::parse(text, nullptr, false);
    if (!work.is_object()) return lines;
    const auto members = [&work](const char *key) {
        return work.contains(key) && work[key].is_object() ? work[key] : json::object();
    };
    const json inputs = members("inputs"), outputs = members("outputs");
    const json scalars = members("scalars"), asked = members("asked");
    for (const auto &[name, region] : inputs.items())
        lines.push_back(name + " " + region_text(region) + " (input)");
    for (const auto &[name, region] : outputs.items())
        lines.push_back(name + " " + region_text(region) + " (output)");
    for (const auto &[name, value] : scalars.items())
        lines.push_back(name + " = " + value_text(value));
    for (const auto &[kind, all] : asked.items())
        for (const auto &[name, value] : all.items())
            lines.push_back("asked for, " + kind + ": " + name + " " + value.dump());
    return lines;
}

ReportedProblem problem_of(int64_t number, const Problem &p, std::span<const Sample> samples) {
    ReportedProblem out;
    out.number = number;
    out.pipeline = p.pipeline;
    out.algorithm = p.algorithm;
    out.target = p.target;
    out.machine = machine_name(p);
    out.halide = p.halide;
    out.threads = p.threads;
    out.parameters = parameters_of(p);
    out.workload = workload_lines(p.workload);
    for (const Sample &s : samples)
        if (std::ranges::find(out.versions, s.cryolite) == out.versions.end())
            out.versions.push_back(s.cryolite);
    return out;
}

double over(double a, double b) { return b > 0 ? a / b : 0; }

class Maker {
public:
    Maker(std::span<const Sample> samples, std::span<const TuneRound> rounds)
        : samples_(samples), rounds_(rounds) {
        for (const Sample &s : samples) standings_.add(s);
        for (const Standing *s : standings_.ranked())
            rank_.emplace(s->trace, static_cast<int64_t>(rank_.size()) + 1);
        anchor_seconds_ = standings_.anchor_seconds();
        start_ = samples.front().created;
        if (!rounds.empty()) start_ = std::min(start_, rounds.front().created);
    }

    void fill(Report &out) const {
        out.first_created = start_;
        for (const Sample &s : samples_) out.last_created = std::max(out.last_created, s.created);
        for (const Standing &s : standings_.all()) out.by_status[s.status]++;
        out.schedules = schedules();
        out.samples = all_samples();
        out.timed = timed();
        out.rounds = rounds(out.timed);
        out.prediction_correlation = correlation(out.timed);
        out.prediction_bias = bias(out.timed);
        out.failures = failures();
        out.noise = report_noise(samples_, standings_, out.samples);
    }

private:
    Spread comparable_seconds(const Standing &s) const {
        return Standings::comparable_seconds(s, anchor_seconds_);
    }
    double elapsed(int64_t created) const { return static_cast<double>(created - start_); }

    ReportedSchedule schedule(const char *name, const Standing &s, const Standing *best) const {
        const bool is_timed = s.status == SampleStatus::Timed;
        ReportedSchedule out;
        out.name = name;
        out.origin = s.origin;
        out.status = s.status;
        out.message = s.message;
        if (is_timed) out.seconds = comparable_seconds(s);
        if (is_timed && best)
            out.times_best = &s == best ? Spread{1, 1, 1}
                                        : Spread{over(s.ratio.median, best->ratio.median),
                                                 over(s.ratio.low, best->ratio.high),
                                                 over(s.ratio.high, best->ratio.low)};
        out.predicted_seconds = s.predicted_seconds;
        out.rank = rank_.at(s.trace);
        out.samples = s.samples;
        out.trace = s.trace;
        return out;
    }

    std::vector<ReportedSchedule> schedules() const {
        const auto fastest = standings_.fastest();
        const Standing *best = fastest.empty() ? nullptr : fastest.front();
        std::vector<ReportedSchedule> all;
        if (best) all.push_back(schedule("best", *best, best));
        for (const char *origin : {"one shot", "plain", "by hand"})
            if (const Standing *s = standings_.first(origin))
                all.push_back(schedule(origin, *s, best));
        return all;
    }

    std::vector<ReportedSample> all_samples() const {
        std::vector<ReportedSample> all;
        for (const Sample &s : samples_)
            all.push_back({std::ssize(all) + 1, rank_.at(s.trace), elapsed(s.created), s.round,
                           s.repeat, s.origin, s.status, s.message, s.spread, s.ratio,
                           std::ssize(s.seconds), s.predicted_seconds, s.build_seconds,
                           s.run_seconds, s.quiet});
        return all;
    }

    std::vector<TimedSchedule> timed() const {
        std::vector<TimedSchedule> all;
        std::unordered_set<std::string> seen;
        double best = 0;
        int64_t number = 0;
        for (const Sample &s : samples_) {
            number++;
            const Standing &standing = *standings_.of(s.trace);
            if (s.status != SampleStatus::Timed || standing.status != SampleStatus::Timed ||
                standing.ratio.median <= 0 || !seen.insert(s.trace).second)
                continue;
            const Spread seconds = comparable_seconds(standing);
            // What nobody could emit is no best (Standings::fastest).
            const bool is_best = !s.trace.empty() && (best == 0 || seconds.median < best);
            if (is_best) best = seconds.median;
            all.push_back({number, rank_.at(s.trace), elapsed(s.created), s.round, s.origin,
                           seconds, standing.predicted_seconds, is_best});
        }
        return all;
    }

    static std::optional<double> correlation(std::span<const TimedSchedule> timed) {
        std::vector<double> predicted, measured;
        for (const TimedSchedule &t : timed) {
            if (t.predicted_seconds <= 0) continue;
            predicted.push_back(t.predicted_seconds);
            measured.push_back(t.seconds.median);
        }
        if (predicted.size() < fewest_to_rank) return std::nullopt;
        return rank_correlation(predicted, measured);
    }

    static double bias(std::span<const TimedSchedule> timed) {
        std::vector<double> factors;
        for (const TimedSchedule &t : timed)
            if (t.predicted_seconds > 0) factors.push_back(t.seconds.median / t.predicted_seconds);
        return factors.empty() ? 0 : spread_of(factors).median;
    }

    // Those that the store holds, and those that only samples name, as in a store that was imported in parts.
    std::vector<ReportedRound> rounds(std::span<const TimedSchedule> timed) const {
        std::map<int64_t, ReportedRound> by_number;
        for (const Sample &s : samples_) {
            const auto [at, is_new] = by_number.try_emplace(s.round);
            if (is_new) at->second.elapsed_seconds = elapsed(s.created);
            at->second.tried += s.repeat == 0;
        }
        for (const TuneRound &r : rounds_) {
            ReportedRound &round = by_number[r.number];
            round.elapsed_seconds = elapsed(r.created);
            round.fit_correlation = r.rank_correlation;
        }
        std::vector<ReportedRound> all;
        double best = 0;
        for (auto &[number, round] : by_number) {
            round.number = number;
            std::vector<TimedSchedule> own;
            for (const TimedSchedule &t : timed)
                if (t.round == number) own.push_back(t);
            round.timed = std::ssize(own);
            round.prediction_correlation = correlation(own);
            for (const TimedSchedule &t : own)
                if (t.is_best_so_far && (best == 0 || t.seconds.median < best))
                    best = t.seconds.median;
            round.best_seconds = best;
            all.push_back(round);
        }
        return all;
    }

    std::vector<FailureClass> failures() const {
        std::map<SampleStatus, std::map<std::string, int64_t>> said;
        for (const Standing &s : standings_.all())
            if (s.status != SampleStatus::Timed) said[s.status][s.message]++;
        std::vector<FailureClass> all;
        for (const auto &[status, messages] : said) {
            FailureClass c{status, 0, {messages.begin(), messages.end()}, 0};
            for (const auto &[message, count] : messages) c.schedules += count;
            std::ranges::stable_sort(c.messages, std::ranges::greater(),
                                     &std::pair<std::string, int64_t>::second);
            if (c.messages.size() > most_messages) {
                c.other_messages = static_cast<int64_t>(c.messages.size() - most_messages);
                c.messages.resize(most_messages);
            }
            all.push_back(std::move(c));
        }
        std::ranges::stable_sort(all, std::ranges::greater(), &FailureClass::schedules);
        return all;
    }

    const std::span<const Sample> samples_;
    const std::span<const TuneRound> rounds_;
    Standings standings_;
    std::unordered_map<std::string, int64_t> rank_;  // by trace
    double anchor_seconds_ = 0;
    int64_t start_ = 0;
};

}  // namespace

Report make_report(int64_t number, const Problem &problem, std::span<const Sample> samples,
                   std::span<const TuneRound> rounds) {
    Report out;
    out.problem = problem_of(number, problem, samples);
    Maker(samples, rounds).fill(out);
    return out;
}

}  // namespace cryolite::tools
