#include "tests/robustness/findings.h"

#include <algorithm>
#include <cstdio>

namespace cryolite::robustness {

namespace {

// A call of so many seconds is not repeated as often: noise is small against it.
constexpr double long_run_seconds = 1;
constexpr int long_rounds = 2;

std::string text(const char *format, double a, const std::string &b = "") {
    char line[200];
    std::snprintf(line, sizeof line, format, a, b.c_str());
    return line;
}

void keep_least(std::optional<double> &least, std::optional<double> sample) {
    if (sample) least = least ? std::min(*least, *sample) : sample;
}

}  // namespace

std::optional<double> Findings::ratio_to(const Result &other) const {
    if (!ours().run_seconds || !other.run_seconds) return std::nullopt;
    return *ours().run_seconds / *other.run_seconds;
}

std::vector<std::string> Findings::faults() const {
    const LaneReport &r = ours().report;
    std::vector<std::string> all;
    if (!r.failure.empty()) all.push_back("FAILED (" + r.failure + ")");
    if (r.wrong) all.push_back("WRONG");
    for (const Result &other : results)
        if (other.contender.kind == Contender::Kind::Hand && other.report.wrong)
            all.push_back("WRONG by hand");
    if (r.fell_back) all.push_back("FELL BACK");
    if (r.schedule_cpu_seconds > most_cpu_seconds)
        all.push_back(text("scheduling took %.0f CPU s", r.schedule_cpu_seconds));
    if (r.schedule_megabytes > most_megabytes)
        all.push_back(text("scheduling took %.0f MB", r.schedule_megabytes));
    return all;
}

std::vector<std::string> Findings::misses() const {
    const LaneReport &r = ours().report;
    std::vector<std::string> all;
    if (r.schedule_seconds > most_seconds)
        all.push_back(text("scheduling took %.0f s", r.schedule_seconds));
    if (r.lowering_seconds + r.llvm_seconds > most_compile_seconds)
        all.push_back(text("object took %.0f s", r.lowering_seconds + r.llvm_seconds));
    for (const Result &other : results) {
        const bool hand = other.contender.kind == Contender::Kind::Hand;
        const std::optional<double> ratio = ratio_to(other);
        if (ratio && *ratio > (hand ? most_over_hand : most_over_peer))
            all.push_back(text("%.2f times %s", *ratio, other.contender.name));
    }
    if (r.given_up) all.push_back("a simpler one for lack of time");
    if (r.stopped_by_time) all.push_back("stopped by time");
    return all;
}

Findings measure(const WorkloadMaker &maker, const std::vector<Contender> &contenders,
                 const LaneLimits &limits, int rounds) {
    Findings found{maker.theme, maker.name, {}};
    std::vector<std::unique_ptr<Lane>> lanes;
    for (const Contender &c : contenders) {
        if (c.kind == Contender::Kind::Hand && !maker.has_hand_schedule) continue;
        if (c.kind == Contender::Kind::Peer && maker.has_user_schedule) continue;
        lanes.push_back(std::make_unique<Lane>(maker, c, limits));
        found.results.push_back({c, lanes.back()->report(), std::nullopt});
    }
    for (int round = 0; round < rounds; round++) {
        // Every round begins with another.
        for (size_t k = 0; k < lanes.size(); k++) {
            const size_t i = (static_cast<size_t>(round) + k) % lanes.size();
            std::optional<double> &least = found.results[i].run_seconds;
            if (round >= long_rounds && least && *least > long_run_seconds) continue;
            keep_least(least, lanes[i]->sample());
        }
    }
    for (size_t i = 0; i < lanes.size(); i++) found.results[i].report = lanes[i]->report();
    return found;
}

}  // namespace cryolite::robustness
