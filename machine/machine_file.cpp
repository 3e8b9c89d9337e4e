#include "machine/machine_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/atomic_file.h"
#include "machine/machine_fields.h"
#include "machine/presets.h"

namespace cryolite {
namespace {

using nlohmann::json;

constexpr const char *version_key = "cryolite_machine";
// Far more than any description: what is longer is some other file, or a device without an end.
constexpr size_t largest_file_bytes = 1 << 20;

std::string json_string(const std::string &text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// ---- writing -------------------------------------------------------------------------------

std::string value_text(const FieldValue &value, const ValueSource *source) {
    std::string text = "{\"value\": " + value.digits();
    if (!value.text->unit.empty())
        text += ", \"unit\": " + json_string(std::string(value.text->unit));
    if (source) text += ", \"source\": " + json_string(source->text());
    if (source && source->spread) text += ", \"spread\": " + json(*source->spread).dump();
    return text + "}";
}

// "caches[1].size_bytes" is the member "size_bytes" of the group "caches[1]".
std::string group_of(const std::string &key) { return key.substr(0, key.rfind('.') + 1); }

// The values as members of a JSON object, groups as objects in it and numbered groups as arrays.
std::string members_text(const std::vector<FieldValue> &values,
                         const std::map<std::string, ValueSource> *sources) {
    std::string text, group;
    bool first = true;
    auto close = [&](const std::string &next) {
        if (group.empty()) return;
        text += "}";
        if (group.find('[') != group.npos && next.find('[') == next.npos) text += "]";
        first = false;
    };
    for (const FieldValue &v : values) {
        const std::string here = group_of(v.key);
        if (here != group) {
            close(here);
            if (!first) text += ",";
            const size_t bracket = here.find('[');
            const bool continues = bracket != here.npos && group.find('[') != group.npos;
            text += continues
                        ? "\n  {"
                        : "\n  " + json_string(here.substr(0, std::min(bracket, here.size() - 1))) +
                              (bracket != here.npos ? ": [{" : ": {");
            group = here;
            first = true;
        }
        const ValueSource *source = nullptr;
        if (sources)
            if (const auto it = sources->find(v.key); it != sources->end()) source = &it->second;
        text += std::string(first ? "" : ",") + (group.empty() ? "\n  " : "\n    ") +
                json_string(v.key.substr(group.size())) + ": " + value_text(v, source);
        first = false;
    }
    close("");
    return text;
}

// ---- reading -------------------------------------------------------------------------------

// No description is nested deeper, and what is could exhaust the stack.
constexpr int deepest = 8;

// Parsed, or why it cannot be.
Result<json> parse_json(std::string_view text) {
    std::string problem;
    std::map<int, std::set<std::string>> keys;  // of the open object at each depth
    const auto check = [&](int depth, json::parse_event_t event, json &parsed) {
        if (depth > deepest) problem = "it is nested too deeply";
        if (event == json::parse_event_t::object_start) keys[depth + 1].clear();
        if (event == json::parse_event_t::key &&
            !keys[depth].insert(parsed.get<std::string>()).second)
            problem = "key '" + parsed.get<std::string>() + "' is there twice";
        return depth <= deepest;
    };
    try {
        json parsed = json::parse(text, check);
        if (!problem.empty()) return Error{problem};
        return parsed;
    } catch (const json::exception &e) {
        const std::string what = e.what();
        const size_t end_of_id = what.find("] ");
        return Error{end_of_id == what.npos ? what : what.substr(end_of_id + 2)};
    }
}

class Reader {
public:
    explicit Reader(const std::string &path) : path_(path) {}

    Result<DescribedMachine> read(std::string_view text) {
        Result<json> parsed = parse_json(text);
        if (!parsed.ok())
            return fail("cannot be understood: " + parsed.error().message +
                        "; if it is damaged or cut off, write it anew with `cryolite machine "
                        "calibrate --output FILE`");
        root_ = std::move(*parsed);
        if (!root_.is_object() || !root_.contains(version_key))
            return fail("does not describe a machine: it has no key '" + std::string(version_key) +
                        "', which holds the version of the format");
        if (root_[version_key] != machine_file_version)
            return fail("has version " + root_[version_key].dump() +
                        " of the format, and this "
                        "Cryolite reads version " +
                        std::to_string(machine_file_version) +
                        ": write it anew with `cryolite machine calibrate --output FILE`");
        if (!read_preset() || !read_name()) return Error{error_};
        if (!read_groups()) return Error{error_};
        if (const std::string wrong = what_is_wrong(out_.machine); !wrong.empty())
            return fail("describes no machine: key " + wrong);
        return out_;
    }

private:
    Error fail(const std::string &what) {
        error_ = "machine file '" + path_ + "' " + what;
        return Error{error_};
    }
    bool bad(const std::string &key, const std::string &what) {
        std::string help = "correct it";
        if (!out_.preset.empty()) help += " or leave it out to have the value of " + out_.preset;
        fail("has a bad value: key '" + key + "' " + what + "; " + help);
        return false;
    }

    bool read_preset() {
        if (!root_.contains("preset")) return true;
        if (!root_["preset"].is_string()) return bad("preset", "must be the name of a preset");
        const auto preset = machine_preset(root_["preset"].get<std::string>());
        if (!preset.ok()) {
            fail("names an " + preset.error().message);
            return false;
        }
        out_ = describe_preset(*preset);
        return true;
    }

    bool read_name() {
        if (root_.contains("name")) {
            if (!root_["name"].is_string()) return bad("name", "must be text");
            out_.machine.name = root_["name"].get<std::string>();
        } else if (out_.preset.empty()) {
            fail(missing("name"));
            return false;
        }
        return true;
    }

    std::string missing(const std::string &key) const {
        return "lacks key '" + key +
               "': add it, or name under 'preset' whose values to take for "
               "what is left out";
    }

    bool read_groups() {
        // Everything that may stand in the file, by group.
        if (root_.contains("caches")) {
            const json &caches = root_["caches"];
            if (!caches.is_array() || caches.empty())
                return bad("caches", "must be an array with one object per level, L1 first");
            for (size_t i = out_.machine.caches.size(); i > caches.size(); i--)
                for (const auto &f : cache_fields())
                    out_.sources.erase("caches[" + std::to_string(i - 1) + "]." +
                                       std::string(f.text.name));
            out_.machine.caches.resize(caches.size());
        } else if (out_.preset.empty()) {
            fail(missing("caches"));
            return false;
        }
        // The text of the keys in each object, to refuse what is not known.
        std::map<std::string, std::set<std::string>> known{
            {"", {version_key, "name", "preset", "vector", "scalar", "core", "caches"}}};
        for (const FieldValue &v : values_of(out_.machine)) {
            const std::string group = group_of(v.key);
            const std::string member = v.key.substr(group.size());
            known[group].insert(member);
            const json *object = group_object(group);
            if (!object) return false;
            if (!object->contains(member)) {
                if (out_.sources.contains(v.key)) continue;
                fail(missing(v.key));
                return false;
            }
            if (!read_value((*object)[member], v)) return false;
        }
        for (const auto &[group, members] : known)
            for (const auto &[key, value] : group_object(group)->items())
                if (!members.contains(key)) return unknown(group + key, group, members);
        return true;
    }

    // The object that holds a group's members; an empty one if the file has none. Null: an error.
    const json *group_object(const std::string &group) {
        if (group.empty()) return &root_;
        const std::string name = group.substr(0, std::min(group.find('['), group.size() - 1));
        if (!root_.contains(name)) return &nothing_;
        const json *object = &root_[name];
        if (const size_t bracket = group.find('['); bracket != group.npos)
            object = &(*object)[static_cast<size_t>(std::stoul(group.substr(bracket + 1)))];
        if (object->is_object()) return object;
        bad(group.substr(0, group.size() - 1), "must be an object with a key per value");
        return nullptr;
    }

    bool unknown(const std::string &key, const std::string &group,
                 const std::set<std::string> &members) {
        std::string list;
        for (const std::string &m : members) list += (list.empty() ? "" : ", ") + m;
        fail("has an unknown key '" + key + "': remove or correct it; " +
             (group.empty() ? "a machine" : "'" + group.substr(0, group.size() - 1) + "'") +
             " has the keys " + list);
        return false;
    }

    bool read_value(const json &entry, const FieldValue &into) {
        ValueSource source{.kind = ValueSource::Kind::File};
        const json *number = &entry;
        if (entry.is_object()) {
            for (const auto &[key, value] : entry.items())
                if (key != "value" && key != "unit" && key != "source" && key != "spread")
                    return unknown(into.key + "." + key, into.key + ".",
                                   {"value", "unit", "source", "spread"});
            if (!entry.contains("value")) return bad(into.key, "has no 'value'");
            number = &entry["value"];
            if (entry.contains("unit") && entry["unit"] != into.text->unit)
                return bad(into.key, "has the unit " + entry["unit"].dump() + " and must be in " +
                                         std::string(into.text->unit));
            if (entry.contains("source")) {
                const auto parsed = entry["source"].is_string()
                                        ? parse_source(entry["source"].get<std::string>())
                                        : parse_source(entry["source"].dump());
                if (!parsed.ok())
                    return bad(into.key, "has a bad source: " + parsed.error().message);
                source = *parsed;
            }
            if (entry.contains("spread")) {
                if (!entry["spread"].is_number() || !(entry["spread"].get<double>() >= 0))
                    return bad(into.key, "has a 'spread' that is no number of 0 or more");
                source.spread = entry["spread"].get<double>();
            }
        }
        if (!number->is_number())
            return bad(into.key, "is " + number->dump() + "; it must be a number");
        if (!std::visit([&](auto *at) { return assign(*number, at); }, into.number))
            return bad(into.key, "is " + number->dump() + "; it must be a whole number in range");
        if (const std::string complaint = into.complaint(); !complaint.empty())
            return bad(into.key, complaint);
        out_.sources[into.key] = source;
        return true;
    }

    static bool assign(const json &number, double *at) {
        *at = number.get<double>();
        return true;
    }
    template <typename Integer>
    static bool assign(const json &number, Integer *at) {
        using Limits = std::numeric_limits<Integer>;
        if (number.is_number_float()) {
            const double v = number.get<double>();
            // Past 2^53 a float stands for many whole numbers.
            if (v != std::floor(v) || std::abs(v) > std::min(0x1p53, double(Limits::max())))
                return false;
            *at = static_cast<Integer>(v);
            return true;
        }
        if (number.is_number_unsigned() && number.get<uint64_t>() > uint64_t{Limits::max()})
            return false;
        const int64_t v = number.get<int64_t>();
        if (v < Limits::min() || v > Limits::max()) return false;
        *at = static_cast<Integer>(v);
        return true;
    }

    std::string path_, error_;
    json root_;
    const json nothing_ = json::object();
    DescribedMachine out_;
};

}  // namespace

bool names_machine_file(std::string_view name) {
    return name.find('/') != name.npos || name.ends_with(".json");
}

std::string machine_file_text(const DescribedMachine &described) {
    Machine machine = described.machine;
    std::string text = "{\n  " + json_string(version_key) + ": " +
                       std::to_string(machine_file_version) +
                       ",\n  \"name\": " + json_string(machine.name);
    if (!described.preset.empty()) text += ",\n  \"preset\": " + json_string(described.preset);
    return text + "," + members_text(values_of(machine), &described.sources) + "\n}\n";
}

std::string gpu_text(const Gpu &gpu) {
    Gpu copy = gpu;
    return "{\n  \"name\": " + json_string(gpu.name) + "," +
           members_text(values_of(copy), nullptr) + "\n}\n";
}

Result<DescribedMachine> parse_machine_file(std::string_view text, const std::string &path) {
    return Reader(path).read(text);
}

Result<DescribedMachine> read_machine_file(const std::string &path) {
    const Error unreadable{"machine file '" + path + "' cannot be read"};
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return Error{"there is no machine file '" + path +
                     "': write one with `cryolite machine calibrate --output FILE`"};
    if (std::filesystem::is_directory(path, ignored))
        return Error{unreadable.message + ": it is a folder"};
    std::ifstream file(path, std::ios::binary);
    std::string text(largest_file_bytes, '\0');
    if (!file) return unreadable;
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) return unreadable;
    if (!file.eof())
        return Error{"machine file '" + path + "' is longer than any description of a machine"};
    text.resize(static_cast<size_t>(file.gcount()));
    return parse_machine_file(text, path);
}

Result<bool> write_machine_file(const std::string &path, const DescribedMachine &machine) {
    if (const std::string wrong = what_is_wrong(machine.machine); !wrong.empty())
        return Error{"nothing is written to '" + path + "': " + wrong};
    return write_atomically(path, machine_file_text(machine));
}

Result<DescribedMachine> load_machine(const std::string &name) {
    if (names_machine_file(name)) return read_machine_file(name);
    const auto preset = machine_preset(name);
    if (!preset.ok()) return preset.error();
    return describe_preset(*preset);
}

}  // namespace cryolite
