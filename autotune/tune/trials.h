// Schedules built side by side, then measured alone, by turns, beside the anchor; each outcome goes into the ledger.
#pragma once

#include <atomic>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "autotune/tune/ledger.h"
#include "autotune/tune/workshop.h"

namespace cryolite {

// A schedule and its folder have one name as long as the folder lives.
std::string folder_of(const std::string &trace);

class Trials {
public:
    // What whoever looks on is told.
    struct Hooks {
        std::function<void(const std::string &)> doing, say;
        std::function<void(const Sample &)> kept;
    };
    Trials(Workshop &workshop, Ledger &ledger, const std::atomic<bool> &stop, Hooks hooks)
        : workshop_(workshop), ledger_(ledger), stop_(stop), hooks_(std::move(hooks)) {}

    // The library that all are measured beside from now on.
    void set_anchor(const std::string &library) { anchor_ = library; }

    // seconds_each: of timing, for each and for the anchor. Errors: those of the store, and measurements that failed
    // several times in a row. A single one that fails is told and passed over: a computer may be out of reach for a
    // while.
    Result<bool> run(std::span<const Draw> draws, double seconds_each, double cut_off,
                     int64_t round);

    // Tells of a sample that was kept.
    Result<bool> kept(const Result<Sample> &sample) const;

private:
    struct Runnables {
        std::vector<Draw> draws;
        std::vector<Built> built;
    };
    Result<Runnables> build(std::span<const Draw> draws, int64_t round);
    Result<bool> measure(std::span<const Draw> draws, std::span<const Built> built,
                         double seconds_each, double cut_off, int64_t round);
    void forget_but_fastest();

    Workshop &workshop_;
    Ledger &ledger_;
    const std::atomic<bool> &stop_;
    const Hooks hooks_;
    std::string anchor_;
    std::set<std::string> on_disk_;  // folders of built schedules
    int failures_in_a_row_ = 0;
};

}  // namespace cryolite
