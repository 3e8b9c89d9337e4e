// The schedule that all others of a problem are measured beside: what one shot gives, or else the plain one.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "autotune/tune/ledger.h"
#include "autotune/tune/trials.h"
#include "autotune/tune/workshop.h"

namespace cryolite {

class Anchor {
public:
    Anchor(Workshop &workshop, Ledger &ledger, Trials &trials, const std::atomic<bool> &stop,
           std::function<void(const std::string &)> doing)
        : workshop_(workshop),
          ledger_(ledger),
          trials_(trials),
          stop_(stop),
          doing_(std::move(doing)) {}

    // Builds both, checks one shot against plain, and hands the anchor to the trials. What the store knows of them is
    // not measured again. one_shot: its trace is empty where there is none. seconds: of timing. Errors: the plain
    // schedule cannot be built or run, or the anchor of the store cannot be built again.
    Result<bool> measure(const Draw &plain, const Draw &one_shot, double seconds);

private:
    bool is_plain_the_anchor(const Draw &plain, const Draw &one_shot) const;

    Workshop &workshop_;
    Ledger &ledger_;
    Trials &trials_;
    const std::atomic<bool> &stop_;
    const std::function<void(const std::string &)> doing_;
};

}  // namespace cryolite
