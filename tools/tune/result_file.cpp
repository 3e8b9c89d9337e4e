#include "tools/tune/result_file.h"

#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "base/version.h"
#include "tools/tune/standing_json.h"

namespace cryolite::tools {
namespace {

using nlohmann::json;

// Null: there is none.
json member(const json &object, const char *key) {
    return object.is_object() && object.contains(key) ? object[key] : json();
}

std::string text_of(const json &object, const char *key) {
    const json value = member(object, key);
    return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace

std::string result_file_text(const TuneResult &result, const AskedOfTuner &asked) {
    const json file{{"cryolite", version()},
                    {"command", asked.command},
                    {"replay", asked.replay},
                    {"budget", asked.budget},
                    {"store", asked.store},
                    {"problem", result.problem_number},
                    {"algorithm", result.problem.algorithm},
                    {"ended_by", result.ended_by},
                    {"schedules", result.samples},
                    {"spent_seconds", result.spent_seconds},
                    {"rank_correlations", result.rank_correlations},
                    {"best", standing_json(result.best)},
                    {"one_shot", standing_json(result.one_shot)},
                    {"plain", standing_json(result.plain)},
                    {"by_hand", standing_json(result.by_hand)}};
    return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<ResultFile> read_result_file(const std::string &path) {
    const auto text = read_text_file(path);
    if (!text.ok()) return text.error();
    const json file = json::parse(*text, nullptr, false);
    if (!file.is_object()) return Error{"'" + path + "' is no result of `cryolite tune`"};
    ResultFile result;
    result.asked = {text_of(file, "command"), text_of(file, "replay"), text_of(file, "budget"),
                    text_of(file, "store")};
    if (const json n = member(file, "problem"); n.is_number_integer()) result.problem = n;
    result.algorithm = text_of(file, "algorithm");
    result.ended_by = text_of(file, "ended_by");
    if (const json s = member(file, "spent_seconds"); s.is_number()) result.spent_seconds = s;
    result.best_trace = text_of(member(file, "best"), "trace");
    result.one_shot_trace = text_of(member(file, "one_shot"), "trace");
    return result;
}

}  // namespace cryolite::tools
