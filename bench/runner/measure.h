// Timing of one variant. Noise only ever adds time, so the harness looks at the minimum first; the
// single samples are kept for the median and the spread. A sample repeats a short pipeline until
// the clock's and the thread pool's jitter are small against it.
#pragma once

#include <functional>
#include <vector>

namespace cryolite::bench {

struct MeasureOptions {
    double warm_up_seconds = 0.1;    // at least one call
    double seconds = 0.6;            // time to spend on samples, unless min_samples needs more
    double sample_seconds = 0.02;    // a sample lasts at least this long
    int min_samples = 3;             // unless that takes four times as long
    double slow_call_seconds = 2.0;  // a call that takes longer is its own warm-up and a sample
};

struct Measurement {
    std::vector<double> seconds_per_call;  // one per sample
    int calls_per_sample = 1;
};

// One call, for whoever wants the output and not the time.
Measurement time_once(const std::function<void()> &call);

Measurement measure(const std::function<void()> &call, const MeasureOptions &options);

}  // namespace cryolite::bench
