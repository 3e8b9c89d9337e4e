#include "tools/calibrate/run_probes.h"

#include <time.h>

#include <algorithm>
#include <chrono>

namespace cryolite::calibrate {
namespace {

constexpr int least_rounds = 3;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double processor_seconds_of_this_thread() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double time_of(const Probe &probe, int64_t repetitions) {
    if (probe.prepare) probe.prepare();
    const double start = now();
    probe.run(repetitions);
    return now() - start;
}

// How many repetitions last about as long as a sample should. Also the warm-up.
int64_t repetitions_of_a_sample(const Probe &probe) {
    for (int64_t n = 1;; n *= 2) {
        const double seconds = std::min(time_of(probe, n), time_of(probe, n));
        if (seconds >= probe.sample_seconds / 2) return n;
    }
}

}  // namespace

ProbeResults run_probes(const std::vector<Probe> &probes, double seconds,
                        const Progress &progress) {
    const double start = now();
    std::vector<int64_t> repetitions;
    for (const Probe &p : probes) repetitions.push_back(repetitions_of_a_sample(p));
    std::vector<std::vector<double>> samples(probes.size());
    double processor_seconds = 0, clock_seconds = 0;
    ProbeResults results;
    while (results.rounds < least_rounds || now() - start < seconds) {
        for (size_t i = 0; i < probes.size(); i++) {
            const double processor_before = processor_seconds_of_this_thread();
            const double t = time_of(probes[i], repetitions[i]);
            if (probes[i].name == clock_probe) {
                processor_seconds += processor_seconds_of_this_thread() - processor_before;
                clock_seconds += t;
            }
            samples[i].push_back(t / (static_cast<double>(repetitions[i]) * probes[i].operations));
        }
        results.rounds++;
        progress(std::min(1.0, (now() - start) / seconds));
    }
    for (size_t i = 0; i < probes.size(); i++)
        results.seconds[probes[i].name] = estimate(std::move(samples[i]), probes[i].statistic);
    if (clock_seconds > 0) results.processor_share = processor_seconds / clock_seconds;
    return results;
}

}  // namespace cryolite::calibrate
