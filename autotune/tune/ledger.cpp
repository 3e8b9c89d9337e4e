#include "autotune/tune/ledger.h"

#include <algorithm>
#include <ctime>

namespace cryolite {

Result<bool> Ledger::open(int64_t problem) {
    problem_ = problem;
    const auto samples = store_.samples(problem);
    if (!samples.ok()) return samples.error();
    for (const Sample &s : *samples) standings_.add(s);
    tried_before_ = tried();
    return true;
}

Sample Ledger::sample_of(const Draw &draw, const Built &built, int64_t round) const {
    Sample s;
    s.trace = draw.trace;
    s.origin = draw.origin;
    s.predicted_seconds = draw.predicted_seconds;
    s.round = round;
    s.seed = seed_;
    s.object_hash = built.object_hash;
    s.build_seconds = built.seconds;
    s.cryolite = cryolite_;
    s.created = std::time(nullptr);
    if (const Standing *known = standings_.of(draw.trace)) s.repeat = known->samples;
    return s;
}

Result<Sample> Ledger::keep(Sample sample) {
    const auto added = store_.add(problem_, sample);
    if (!added.ok()) return added.error();
    standings_.add(sample);
    return sample;
}

Result<Sample> Ledger::measured(const Draw &draw, const Built &built, const Measured &measured,
                                const Measured &anchor, bool quiet, int64_t round) {
    Sample s = sample_of(draw, built, round);
    s.status = measured.status;
    s.message = measured.message;
    s.run_seconds = measured.clock_seconds;
    s.quiet = quiet;
    if (s.status == SampleStatus::Timed || s.status == SampleStatus::TooSlow)
        s.seconds = measured.seconds;
    if (s.status != SampleStatus::Timed) return keep(std::move(s));
    // The turns that both had.
    const size_t turns = std::min(s.seconds.size(), anchor.seconds.size());
    s.seconds.resize(turns);
    s.anchor_seconds.assign(anchor.seconds.begin(),
                            anchor.seconds.begin() + static_cast<ptrdiff_t>(turns));
    if (turns == 0) {
        s.status = SampleStatus::Failed;
        s.message = "it was not timed";
        return keep(std::move(s));
    }
    std::vector<double> ratios;
    for (size_t t = 0; t < turns; t++) ratios.push_back(s.seconds[t] / s.anchor_seconds[t]);
    s.spread = spread_of(s.seconds);
    s.ratio = spread_of(ratios);
    return keep(std::move(s));
}

Result<Sample> Ledger::not_built(const Draw &draw, const Built &built, int64_t round) {
    Sample s = sample_of(draw, built, round);
    s.status = SampleStatus::NotBuilt;
    s.message = built.message;
    return keep(std::move(s));
}

Result<Sample> Ledger::same_code(const Draw &draw, const Built &built, const Standing &other,
                                 int64_t round) {
    Sample s = sample_of(draw, built, round);
    s.status = SampleStatus::Timed;
    s.message = "the same code as a schedule from before";
    s.seconds = {other.seconds.median};
    s.anchor_seconds = {other.seconds.median / other.ratio.median};
    s.spread = {other.seconds.median, other.seconds.median, other.seconds.median};
    s.ratio = {other.ratio.median, other.ratio.median, other.ratio.median};
    return keep(std::move(s));
}

}  // namespace cryolite
