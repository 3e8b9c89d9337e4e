// How a schedule stands, as JSON for other programs: in the events of --json and in result.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "autotune/tune/standings.h"

namespace cryolite::tools {

// {"origin", "status", "message", "seconds": {"median", "low", "high"}, "ratio": {...}, "predicted_seconds", "trace"};
// null where there is none.
nlohmann::json standing_json(const std::optional<Standing> &standing);
nlohmann::json spread_json(const Spread &spread);

}  // namespace cryolite::tools
