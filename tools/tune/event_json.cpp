#include "tools/tune/event_json.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/tune/standing_json.h"

namespace cryolite::tools {

using nlohmann::json;

void write_event(const json &event) {
    std::cout << event.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
}

json message_event(const std::string &text) { return {{"event", "message"}, {"text", text}}; }

json sample_event(const Sample &s) {
    return {{"event", "sample"},
            {"trace", s.trace},
            {"origin", s.origin},
            {"status", name(s.status)},
            {"message", s.message},
            {"seconds", spread_json(s.spread)},
            {"ratio", spread_json(s.ratio)},
            {"predicted_seconds", s.predicted_seconds}};
}

json counts_json(const std::map<SampleStatus, int64_t> &by_status) {
    json counts = json::object();
    for (const auto &[status, count] : by_status) counts[std::string(name(status))] = count;
    return counts;
}

}  // namespace cryolite::tools
