#include "tools/tune/standing_json.h"

#include <nlohmann/json.hpp>

namespace cryolite::tools {

nlohmann::json spread_json(const Spread &s) {
    return {{"median", s.median}, {"low", s.low}, {"high", s.high}};
}

nlohmann::json standing_json(const std::optional<Standing> &s) {
    if (!s) return nullptr;
    return {{"origin", s->origin},
            {"status", name(s->status)},
            {"message", s->message},
            {"seconds", spread_json(s->seconds)},
            {"ratio", spread_json(s->ratio)},
            {"predicted_seconds", s->predicted_seconds},
            {"trace", s->trace}};
}

}  // namespace cryolite::tools
