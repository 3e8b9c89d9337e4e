#include "autotune/runner/run_result.h"

#include <algorithm>
#include <limits>

#include "autotune/runner/json_fields.h"

namespace cryolite {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int64_t most = std::numeric_limits<int32_t>::max();

RunMachine machine_from(const json &value) {
    JsonFields fields(value, "machine");
    RunMachine m;
    int64_t cores = 0, threads = 0;
    fields.take("cpu", m.cpu);
    fields.take("cores", cores, 0, most);
    fields.take("threads", threads, 0, most);
    if (fields.find("other_load") != nullptr) fields.take("other_load", m.other_load.emplace());
    m.cores = static_cast<int>(cores);
    m.threads = static_cast<int>(threads);
    fields.end();
    return m;
}

RunEntry entry_from(const json &value, const std::string &place) {
    JsonFields fields(value, place);
    RunEntry e;
    std::string status;
    for (const char *key : {"id", "status"}) fields.need(key);
    fields.take("id", e.id);
    fields.take("status", status);
    const auto end = end_named(status);
    if (!end) fields.fail("status", "is '" + status + "', which is none that is known");
    e.entry.end = *end;
    fields.take("message", e.entry.message);
    fields.take("seconds", e.entry.seconds);
    fields.take("median", e.entry.spread.median);
    fields.take("low", e.entry.spread.low);
    fields.take("high", e.entry.spread.high);
    fields.take("clock_seconds", e.entry.clock_seconds);
    fields.end();
    if (e.entry.end == Entry::End::Timed && e.entry.seconds.empty())
        fields.fail("seconds", "must hold the times of what was timed");
    return e;
}

RunResult result_from(const json &value) {
    JsonFields fields(value, "");
    int64_t version = 0;
    fields.need("version");
    fields.take("version", version, 0, most);
    if (version != run_result_version)
        fields.fail("version", "is " + std::to_string(version) + ", and this program knows " +
                                   std::to_string(run_result_version));
    RunResult r;
    r.machine = machine_from(fields.need("machine"));
    const json &entries = fields.need("entries");
    if (!entries.is_array()) fields.fail("entries", "must be a list");
    for (const json &entry : entries)
        r.entries.push_back(entry_from(entry, "entries[" + std::to_string(r.entries.size()) + "]"));
    fields.end();
    return r;
}

ordered_json json_of(const RunEntry &e) {
    ordered_json value = {
        {"id", e.id}, {"status", name(e.entry.end)}, {"message", e.entry.message}};
    value["seconds"] = e.entry.seconds;
    if (!e.entry.seconds.empty()) {
        value["median"] = e.entry.spread.median;
        value["low"] = e.entry.spread.low;
        value["high"] = e.entry.spread.high;
    }
    value["clock_seconds"] = e.entry.clock_seconds;
    return value;
}

}  // namespace

const RunEntry *RunResult::find(std::string_view id) const {
    const auto it = std::ranges::find(entries, id, &RunEntry::id);
    return it == entries.end() ? nullptr : &*it;
}

Result<RunResult> parse_run_result(std::string_view text) {
    try {
        return result_from(parsed_json(text));
    } catch (const FieldError &error) {
        return Error{std::string("result of a run: ") + error.what()};
    }
}

std::string to_json_text(const RunResult &r) {
    ordered_json machine = {
        {"cpu", r.machine.cpu}, {"cores", r.machine.cores}, {"threads", r.machine.threads}};
    if (r.machine.other_load) machine["other_load"] = *r.machine.other_load;
    ordered_json value = {{"version", run_result_version}, {"machine", machine}};
    value["entries"] = ordered_json::array();
    for (const RunEntry &e : r.entries) value["entries"].push_back(json_of(e));
    return json_text(value);
}

}  // namespace cryolite
