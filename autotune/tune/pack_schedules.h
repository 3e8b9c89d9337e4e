// What a pack's libraries are, for a tuner that takes the results: the file schedules.json beside the request.
#pragma once

#include <string>
#include <vector>

#include "autotune/runner/run_result.h"
#include "autotune/store/jsonl.h"
#include "autotune/tune/draws.h"

namespace cryolite {

inline constexpr const char *pack_schedules_file = "schedules.json";

struct PackedSchedule {
    std::string id;  // in the request
    Draw draw;       // without a trace: what the generator schedules itself
    uint64_t object_hash = 0;
};

struct PackSchedules {
    Problem problem;
    std::vector<PackedSchedule> schedules;  // the reference, which is the plain schedule, first
};

std::string to_json_text(const PackSchedules &schedules);
Result<PackSchedules> parse_pack_schedules(const std::string &text);

// Adds the results to the store as samples. All were timed beside the plain schedule. Where the store compares this
// problem's schedules with another anchor, the plain schedule's known ratio leads from one to the other; where it knows
// none of them the plain schedule becomes the anchor. The same results a second time are duplicates. Errors: those of
// the store, results of another pack, a plain schedule that was not timed here or is not known there.
Result<Imported> import_pack(Store &store, const PackSchedules &pack, const RunResult &result,
                             const std::string &cryolite);

}  // namespace cryolite
