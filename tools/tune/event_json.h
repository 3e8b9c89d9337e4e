// What --json of `cryolite tune` and `cryolite sample` writes: an event per line on standard output.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "autotune/store/sample.h"

namespace cryolite::tools {

// Bytes that are no UTF-8, as in what a generator says, are replaced.
void write_event(const nlohmann::json &event);

// The event "message".
nlohmann::json message_event(const std::string &text);
// The event "sample", for all that both commands say of one.
nlohmann::json sample_event(const Sample &sample);

// {"timed": 30, "wrong": 4}
nlohmann::json counts_json(const std::map<SampleStatus, int64_t> &by_status);

}  // namespace cryolite::tools
