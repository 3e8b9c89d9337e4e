#include "autotune/runner/run_request.h"

#include <limits>
#include <set>

#include "autotune/runner/json_fields.h"

namespace cryolite {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// ---- reading -------------------------------------------------------------------------------

InputSource input_from(const json &value, const std::string &place) {
    JsonFields fields(value, place);
    InputSource source;
    fields.take("file", source.file);
    const bool has_low = fields.find("low") != nullptr, has_high = fields.find("high") != nullptr;
    source.has_range = has_low && has_high;
    if (has_low != has_high)
        fields.fail(has_low ? "high" : "low", "is missing: a range has both ends");
    if (source.has_range == !source.file.empty())
        throw FieldError("'" + place + "' must have either 'file' or 'low' and 'high'");
    if (source.has_range) {
        fields.take("low", source.range[0]);
        fields.take("high", source.range[1]);
        if (!(source.range[0] <= source.range[1])) fields.fail("high", "must not be below 'low'");
    }
    fields.end();
    return source;
}

ScalarValue scalar_from(const json &value, const std::string &place) {
    if (value.is_boolean()) return int64_t{value.get<bool>()};
    if (value.is_number_unsigned()) return value.get<uint64_t>();
    if (value.is_number_integer()) return value.get<int64_t>();
    if (value.is_number_float()) return value.get<double>();
    throw FieldError("'" + place + "' must be a number, true or false");
}

std::vector<int32_t> shape_from(const json &value, const std::string &place) {
    std::vector<int32_t> extents;
    if (value.is_array())
        for (const json &extent : value)
            if (extent.is_number_unsigned() && extent.get<uint64_t>() >= 1 &&
                extent.get<uint64_t>() <= std::numeric_limits<int32_t>::max())
                extents.push_back(extent.get<int32_t>());
    if (!value.is_array() || extents.size() != value.size())
        throw FieldError("'" + place + "' must be a list of extents, whole numbers from 1 on");
    return extents;
}

// The values of an object whose keys are names of arguments.
template <typename T>
std::map<std::string, T> by_name(JsonFields &all, const std::string &key,
                                 T (*from)(const json &, const std::string &)) {
    std::map<std::string, T> values;
    const json *object = all.find(key);
    if (object == nullptr) return values;
    if (!object->is_object()) all.fail(key, "must be an object with names of arguments as keys");
    for (const auto &[name, value] : object->items())
        values.emplace(name, from(value, all.place_of(key) + "." + name));
    return values;
}

void take_share(JsonFields &fields, const std::string &key, double &to) {
    fields.take(key, to);
    if (!(to >= 0)) fields.fail(key, "must not be negative");
}

void take_positive(JsonFields &fields, const std::string &key, double &to) {
    fields.take(key, to);
    if (!(to > 0)) fields.fail(key, "must be above 0");
}

Tolerance tolerance_from(const json &value) {
    JsonFields fields(value, "tolerance");
    Tolerance t;
    take_share(fields, "relative", t.relative);
    take_share(fields, "of_largest", t.of_largest);
    take_share(fields, "differing_share", t.differing_share);
    fields.end();
    return t;
}

RunRules rules_from(const json &value) {
    JsonFields fields(value, "rules");
    RunRules r;
    take_share(fields, "seconds", r.seconds);
    take_share(fields, "sample_seconds", r.sample_seconds);
    take_positive(fields, "prepare_seconds", r.prepare_seconds);
    take_positive(fields, "longest_run_seconds", r.longest_run_seconds);
    fields.take("cut_off", r.cut_off);
    if (!(r.cut_off >= 1)) fields.fail("cut_off", "must be at least 1");
    fields.take("memory_mb", r.memory_mb, 1, int64_t{1} << 30);
    fields.end();
    return r;
}

RunLibrary library_from(const json &value, const std::string &place) {
    JsonFields fields(value, place);
    RunLibrary l;
    for (const char *key : {"id", "library"}) fields.need(key);
    fields.take("id", l.id);
    fields.take("library", l.library);
    fields.take("function", l.function);
    if (l.id.empty()) fields.fail("id", "must not be empty");
    if (l.library.empty()) fields.fail("library", "must not be empty");
    fields.end();
    return l;
}

RunRequest request_from(const json &value) {
    JsonFields fields(value, "");
    int64_t version = 0, threads = 0;
    fields.need("version");
    fields.take("version", version, 0, std::numeric_limits<int32_t>::max());
    if (version != run_request_version)
        fields.fail("version", "is " + std::to_string(version) + ", and this runner knows " +
                                   std::to_string(run_request_version) +
                                   ": use the runner that belongs to the request");
    RunRequest r;
    for (const char *key : {"function", "reference", "candidates"}) fields.need(key);
    fields.take("function", r.function);
    if (r.function.empty()) fields.fail("function", "must not be empty");
    fields.take("threads", threads, 0, 1 << 16);
    r.threads = static_cast<int>(threads);
    fields.take("seed", r.seed);
    r.inputs = by_name<InputSource>(fields, "inputs", input_from);
    r.scalars = by_name<ScalarValue>(fields, "scalars", scalar_from);
    r.shapes = by_name<std::vector<int32_t>>(fields, "shapes", shape_from);
    if (const json *t = fields.find("tolerance")) r.tolerance = tolerance_from(*t);
    if (const json *t = fields.find("rules")) r.rules = rules_from(*t);
    r.reference = library_from(fields.need("reference"), "reference");
    const json &candidates = fields.need("candidates");
    if (!candidates.is_array()) fields.fail("candidates", "must be a list");
    std::set<std::string> ids = {r.reference.id};
    for (const json &candidate : candidates) {
        const std::string place = "candidates[" + std::to_string(r.candidates.size()) + "]";
        r.candidates.push_back(library_from(candidate, place));
        if (!ids.insert(r.candidates.back().id).second)
            throw FieldError("'" + place + ".id' is that of another library, too: '" +
                             r.candidates.back().id + "'");
    }
    fields.take("anchor", r.anchor);
    if (!r.anchor.empty() && !ids.contains(r.anchor))
        fields.fail("anchor", "is '" + r.anchor + "', and no library has this id");
    fields.end();
    return r;
}

// ---- writing -------------------------------------------------------------------------------

ordered_json json_of(const RunLibrary &l) {
    ordered_json value = {{"id", l.id}, {"library", l.library}};
    if (!l.function.empty()) value["function"] = l.function;
    return value;
}

ordered_json json_of(const InputSource &source) {
    if (!source.file.empty()) return {{"file", source.file}};
    return {{"low", source.range[0]}, {"high", source.range[1]}};
}

ordered_json json_of(const RunRules &r) {
    return {{"seconds", r.seconds},
            {"sample_seconds", r.sample_seconds},
            {"prepare_seconds", r.prepare_seconds},
            {"longest_run_seconds", r.longest_run_seconds},
            {"cut_off", r.cut_off},
            {"memory_mb", r.memory_mb}};
}

}  // namespace

Result<RunRequest> parse_run_request(std::string_view text) {
    try {
        return request_from(parsed_json(text));
    } catch (const FieldError &error) {
        return Error{std::string("request: ") + error.what()};
    }
}

std::string to_json_text(const RunRequest &r) {
    ordered_json value = {{"version", run_request_version},
                          {"function", r.function},
                          {"threads", r.threads},
                          {"seed", r.seed}};
    ordered_json inputs = ordered_json::object(), scalars = ordered_json::object();
    for (const auto &[name, source] : r.inputs) inputs[name] = json_of(source);
    for (const auto &[name, scalar] : r.scalars)
        std::visit([&, &name = name](auto v) { scalars[name] = v; }, scalar);
    value["inputs"] = inputs;
    value["scalars"] = scalars;
    value["shapes"] = r.shapes;
    value["tolerance"] = {{"relative", r.tolerance.relative},
                          {"of_largest", r.tolerance.of_largest},
                          {"differing_share", r.tolerance.differing_share}};
    value["rules"] = json_of(r.rules);
    if (!r.anchor.empty()) value["anchor"] = r.anchor;
    value["reference"] = json_of(r.reference);
    value["candidates"] = ordered_json::array();
    for (const RunLibrary &c : r.candidates) value["candidates"].push_back(json_of(c));
    return json_text(value);
}

void resolve_paths(RunRequest &request, const std::filesystem::path &folder) {
    const auto resolve = [&](std::string &path) {
        if (!path.empty()) path = std::filesystem::absolute(folder / path).string();
    };
    for (auto &[name, source] : request.inputs) resolve(source.file);
    resolve(request.reference.library);
    for (RunLibrary &candidate : request.candidates) resolve(candidate.library);
}

}  // namespace cryolite
