#include "autotune/tune/standings.h"

#include <algorithm>
#include <limits>

namespace cryolite {

void Standings::add(const Sample &sample) {
    const auto [at, is_new] = index_.emplace(sample.trace, all_.size());
    if (is_new) {
        all_.push_back({sample.trace,
                        sample.origin,
                        sample.status,
                        sample.message,
                        {},
                        {},
                        0,
                        sample.predicted_seconds,
                        sample.object_hash});
        turns_.emplace_back();
    }
    Standing &standing = all_[at->second];
    Turns &turns = turns_[at->second];
    standing.samples++;
    // A schedule that was wrong once is never right again. Else what it was timed at counts.
    const bool was_wrong = standing.status == SampleStatus::Wrong;
    if (!was_wrong &&
        (sample.status == SampleStatus::Timed || sample.status == SampleStatus::Wrong)) {
        standing.status = sample.status;
        standing.message = sample.message;
    }
    if (sample.status == SampleStatus::TooSlow && !sample.seconds.empty() && turns.seconds.empty())
        standing.seconds = spread_of(sample.seconds);
    if (sample.status != SampleStatus::Timed) return;
    for (size_t t = 0; t < std::min(sample.seconds.size(), sample.anchor_seconds.size()); t++)
        turns.ratios.push_back(sample.seconds[t] / sample.anchor_seconds[t]);
    turns.seconds.insert(turns.seconds.end(), sample.seconds.begin(), sample.seconds.end());
    anchor_.insert(anchor_.end(), sample.anchor_seconds.begin(), sample.anchor_seconds.end());
    if (!turns.ratios.empty()) standing.ratio = spread_of(turns.ratios);
    if (!turns.seconds.empty()) standing.seconds = spread_of(turns.seconds);
}

const Standing *Standings::of(const std::string &trace) const {
    const auto at = index_.find(trace);
    return at == index_.end() ? nullptr : &all_[at->second];
}

const Standing *Standings::first(std::string_view origin) const {
    const auto at = std::ranges::find(all_, origin, &Standing::origin);
    return at == all_.end() ? nullptr : &*at;
}

const Standing *Standings::same_code(uint64_t object_hash) const {
    if (object_hash == 0) return nullptr;
    const auto at = std::ranges::find_if(all_, [&](const Standing &s) {
        return s.object_hash == object_hash && s.status == SampleStatus::Timed;
    });
    return at == all_.end() ? nullptr : &*at;
}

std::vector<const Standing *> Standings::fastest() const {
    std::vector<const Standing *> timed;
    for (const Standing &s : all_)
        if (s.status == SampleStatus::Timed && !s.trace.empty() && s.ratio.median > 0)
            timed.push_back(&s);
    std::ranges::stable_sort(timed, {}, [](const Standing *s) { return s->ratio.median; });
    return timed;
}

std::vector<const Standing *> Standings::ranked() const {
    std::vector<const Standing *> all;
    for (const Standing &s : all_) all.push_back(&s);
    std::ranges::stable_sort(all, {}, [](const Standing *s) {
        return s->status == SampleStatus::Timed ? s->ratio.median
                                                : std::numeric_limits<double>::infinity();
    });
    return all;
}

Standing Standings::comparable(const Standing &standing) const {
    Standing out = standing;
    out.seconds = comparable_seconds(standing, anchor_seconds());
    return out;
}

Spread Standings::comparable_seconds(const Standing &standing, double anchor_seconds) {
    if (standing.status != SampleStatus::Timed || standing.ratio.median <= 0)
        return standing.seconds;
    return {standing.ratio.median * anchor_seconds, standing.ratio.low * anchor_seconds,
            standing.ratio.high * anchor_seconds};
}

double Standings::anchor_seconds() const { return anchor_.empty() ? 0 : spread_of(anchor_).median; }

}  // namespace cryolite
