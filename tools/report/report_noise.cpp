#include "tools/report/report_noise.h"

#include <algorithm>
#include <map>

namespace cryolite::tools {
namespace {

// A schedule with the code of another is not run itself; its message says so (Ledger::same_code).
bool was_run(const Sample &s) {
    return s.status == SampleStatus::Timed && s.message.empty() && !s.seconds.empty() &&
           !s.anchor_seconds.empty();
}

// The anchor's own sample has the ratio 1 by definition.
bool is_anchor(const Sample &s) { return s.seconds == s.anchor_seconds; }

double median_of(const std::vector<double> &values) {
    return values.empty() ? 0 : spread_of(values).median;
}

}  // namespace

ReportedNoise report_noise(std::span<const Sample> samples, const Standings &standings,
                           std::span<const ReportedSample> reported) {
    ReportedNoise out;
    out.anchor_seconds = standings.anchor_seconds();
    std::vector<double> intervals;
    std::map<int64_t, std::vector<size_t>> by_rank;  // samples of each schedule
    std::vector<size_t> longest;  // [group] the sample that knows most of the anchor's turns
    for (size_t i = 0; i < samples.size(); i++) {
        const Sample &s = samples[i];
        if (!was_run(s)) continue;
        out.measured++;
        out.busy += !s.quiet;
        // Those of a group hold the same turns of the anchor; who was cut off holds fewer.
        const bool is_same_group =
            !longest.empty() &&
            samples[longest.back()].anchor_seconds.front() == s.anchor_seconds.front();
        if (!is_same_group)
            longest.push_back(i);
        else if (s.anchor_seconds.size() > samples[longest.back()].anchor_seconds.size())
            longest.back() = i;
        if (is_anchor(s) || s.ratio.median <= 0) continue;
        intervals.push_back((s.ratio.high - s.ratio.low) / 2 / s.ratio.median);
        if (standings.of(s.trace)->status == SampleStatus::Timed)
            by_rank[reported[i].rank].push_back(i);
    }
    std::vector<double> apart;
    for (const auto &[rank, repeats] : by_rank) {
        if (repeats.size() < 2) continue;
        std::vector<double> ratios;
        for (size_t i : repeats) {
            const Sample &s = samples[i];
            const double all = standings.of(s.trace)->ratio.median;
            ratios.push_back(s.ratio.median);
            out.repeats.push_back(
                {reported[i].number,
                 rank,
                 reported[i].elapsed_seconds,
                 {s.ratio.median / all - 1, s.ratio.low / all - 1, s.ratio.high / all - 1}});
        }
        apart.push_back(std::ranges::max(ratios) / std::ranges::min(ratios) - 1);
    }
    double fastest = 0, slowest = 0;
    for (size_t i : longest) {
        const Spread seconds = spread_of(samples[i].anchor_seconds);
        out.anchor.push_back(
            {reported[i].number, reported[i].elapsed_seconds, seconds, samples[i].quiet});
        fastest = out.anchor.size() == 1 ? seconds.median : std::min(fastest, seconds.median);
        slowest = std::max(slowest, seconds.median);
    }
    if (fastest > 0) out.anchor_drift = slowest / fastest - 1;
    out.typical_interval = median_of(intervals);
    out.typical_repeat = median_of(apart);
    return out;
}

}  // namespace cryolite::tools
