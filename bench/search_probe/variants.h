// The search as it is and the same with one idea less, or more: what ./dev bench search compares. A new
// idea is a line in variants.cpp.
#pragma once

#include <span>
#include <string_view>

#include "search/effort.h"
#include "search/options.h"

namespace cryolite::bench {

struct Variant {
    const char *name;
    const char *doc;
    // An idea that saves time alone: schedule and states must be those of the full search.
    bool same_result;
    void (*change)(SearchOptions &, Effort &);  // of what the full search is given
    bool has_plans = false;                     // SearchOptions::plans are those of all strategies
};

// The first is the full search, on one thread, so that the counts of remembered kernels do not
// depend on which thread met a kernel first.
std::span<const Variant> variants();

// nullptr if there is none of that name.
const Variant *find_variant(std::string_view name);

}  // namespace cryolite::bench
