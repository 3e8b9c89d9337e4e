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

}  // namespace

Measurement measure(const std::function<void()> &call, const MeasureOptions &options) {
    // The warm-up faults pages in and starts the threads; its fastest call sizes the samples.
    double fastest = INFINITY;
    const double warm_up_start = seconds_now();
    do {
        const double start = seconds_now();
        call();
        fastest = std::min(fastest, seconds_now() - start);
    } while (seconds_now() - warm_up_start < options.warm_up_seconds);

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
    } while (int(result.seconds_per_call.size()) < options.min_samples ||
             seconds_now() - samples_start < options.seconds);
    return result;
}

}  // namespace cryolite::bench
