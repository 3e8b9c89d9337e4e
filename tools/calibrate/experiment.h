// What calibration is made of. A probe times one operation; an experiment asks for a few probes and
// concludes values of the Machine from what they found. All probes of all experiments are run in
// turn, round after round, so that a disturbance falls on all alike and none is left with nothing
// but bad samples.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "tools/calibrate/kernels.h"

namespace cryolite::calibrate {

// A number and how unsure it is, in its own unit. The error of a sum or difference is the sum of
// the errors: disturbances are not independent.
struct Estimate {
    double value = 0;
    double error = 0;

    double spread() const { return value != 0 ? error / (value < 0 ? -value : value) : 0; }
};
Estimate operator+(Estimate a, Estimate b);
Estimate operator-(Estimate a, Estimate b);
Estimate operator*(Estimate a, double factor);
Estimate operator/(Estimate a, Estimate b);

enum class Statistic {
    // For work that other work can only slow down. The error: how much more than the minimum the
    // fastest quarter of the samples took.
    Minimum,
    // For what varies by itself (waking threads), where the usual case counts. The error: half of
    // the distance between the quartiles.
    Median,
};

struct Probe {
    std::string name;   // by which the experiment finds it again
    double operations;  // in one repetition
    std::function<void(int64_t repetitions)> run;
    // Before every sample and not timed: what other probes pushed out of a cache is fetched again.
    std::function<void()> prepare = {};
    Statistic statistic = Statistic::Minimum;
    // A sample repeats until it lasts about this long: long against the clock's own cost, short
    // against a time slice, so that many samples meet no other work.
    double sample_seconds = 2e-4;
};

// The number and error that a probe's samples (seconds per operation) stand for; at least one.
Estimate estimate(std::vector<double> samples, Statistic statistic);

// What all probes found.
class Findings {
public:
    explicit Findings(std::map<std::string, Estimate> seconds) : seconds_(std::move(seconds)) {}

    Estimate seconds(const std::string &probe) const { return seconds_.at(probe); }
    Estimate hertz() const;
    Estimate cycles(const std::string &probe) const;
    // Of a probe whose operations are bytes.
    Estimate bytes_per_cycle(const std::string &probe) const;

private:
    std::map<std::string, Estimate> seconds_;
};

// By key of machine/machine_fields.h.
using Conclusions = std::map<std::string, Estimate>;

// `conclude` leaves out what was disturbed so much that the findings say nothing of it.
struct Experiment {
    std::vector<Probe> probes;
    std::function<void(const Findings &, Conclusions &)> conclude;
};

// The probe whose operations are single dependent additions, from which Findings has its hertz.
inline constexpr const char *clock_probe = "clock";

// `machine` is what is believed before: its cores and caches say how much memory to walk through.
Experiment clock_experiment();
Experiment arithmetic_experiment();
Experiment loop_experiment();
Experiment bandwidth_experiment(const Machine &machine);
Experiment stream_experiment(const Machine &machine);
Experiment parallel_experiment(const Machine &machine);
Experiment allocation_experiment(const Machine &machine);

}  // namespace cryolite::calibrate
