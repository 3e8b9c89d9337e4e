#include "bench/runner/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cryolite::bench {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

bool more_samples(int taken, double seconds, const MeasureOptions &options) {
    if (taken < options.min_samples) {
        return seconds < 4 * options.seconds;
    }
    return seconds < options.seconds;
}

}  // namespace

Measurement time_once(const std::function<void()> &call) {
    const double start = seconds_now();
    call();
    return {{seconds_now() - start}, 1};
}

Measurement measure(const std::function<void()> &call, const MeasureOptions &options) {
    // The warm-up faults pages in and starts the threads; its fastest call sizes the samples.
    double fastest = INFINITY;
    const double warm_up_start = seconds_now();
    do {
        const double start = seconds_now();
        call();
        fastest = std::min(fastest, seconds_now() - start);
    } while (seconds_now() - warm_up_start < options.warm_up_seconds);

    if (fastest > options.slow_call_seconds) {
        return {{fastest}, 1};
    }
    Measurement result;
    constexpr double shortest_call_seconds = 1e-8;  // below the clock's resolution
    result.calls_per_sample = std::max(
        1, int(std::ceil(options.sample_seconds / std::max(fastest, shortest_call_seconds))));
    const double samples_start = seconds_now();
    do {
        const double start = seconds_now();
        for (int i = 0; i < result.calls_per_sample; i++) {
            call();
        }
        result.seconds_per_call.push_back((seconds_now() - start) / result.calls_per_sample);
    } while (
        more_samples(int(result.seconds_per_call.size()), seconds_now() - samples_start, options));
    return result;
}

}  // namespace cryolite::bench
