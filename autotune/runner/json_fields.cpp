#include "autotune/runner/json_fields.h"

#include <limits>

namespace cryolite {

using nlohmann::json;

json parsed_json(std::string_view text) {
    try {
        return json::parse(text);
    } catch (const json::exception &e) {
        const std::string what = e.what();
        const size_t end_of_id = what.find("] ");
        throw FieldError("it is no JSON: " +
                         (end_of_id == what.npos ? what : what.substr(end_of_id + 2)));
    }
}

namespace {

// A member or an element per line down to here; what lies deeper is one line.
constexpr int lines_to_depth = 2;

std::string lines_of(const nlohmann::ordered_json &value, int depth) {
    const auto compact = [](const nlohmann::ordered_json &v) {
        return v.dump(-1, ' ', false, json::error_handler_t::replace);
    };
    if (depth == lines_to_depth || !value.is_structured() || value.empty()) return compact(value);
    const std::string indent(static_cast<size_t>(2 * depth + 2), ' ');
    std::string text;
    for (const auto &[key, member] : value.items())
        text += (text.empty() ? "\n" : ",\n") + indent +
                (value.is_object() ? compact(key) + ": " : "") + lines_of(member, depth + 1);
    return (value.is_object() ? "{" : "[") + text + "\n" +
           std::string(static_cast<size_t>(2 * depth), ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string json_text(const nlohmann::ordered_json &value) { return lines_of(value, 0) + "\n"; }

JsonFields::JsonFields(const json &value, std::string place)
    : value_(value), place_(std::move(place)) {
    if (!value_.is_object())
        throw FieldError((place_.empty() ? "it" : "'" + place_ + "'") + " must be an object");
}

std::string JsonFields::place_of(const std::string &key) const {
    return place_.empty() ? key : place_ + "." + key;
}

void JsonFields::fail(const std::string &key, const std::string &what) const {
    throw FieldError("'" + place_of(key) + "' " + what);
}

const json *JsonFields::find(const std::string &key) {
    known_.insert(key);
    const auto it = value_.find(key);
    return it == value_.end() ? nullptr : &*it;
}

const json &JsonFields::need(const std::string &key) {
    const json *value = find(key);
    if (value == nullptr) fail(key, "is missing");
    return *value;
}

void JsonFields::take(const std::string &key, std::string &to) {
    const json *value = find(key);
    if (value == nullptr) return;
    if (!value->is_string()) fail(key, "must be text");
    to = value->get<std::string>();
}

void JsonFields::take(const std::string &key, double &to) {
    const json *value = find(key);
    if (value == nullptr) return;
    if (!value->is_number()) fail(key, "must be a number");
    to = value->get<double>();
}

void JsonFields::take(const std::string &key, std::vector<double> &to) {
    const json *value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) fail(key, "must be a list of numbers");
    to.clear();
    for (const json &element : *value) {
        if (!element.is_number()) fail(key, "must be a list of numbers");
        to.push_back(element.get<double>());
    }
}

void JsonFields::take(const std::string &key, int64_t &to, int64_t least, int64_t most) {
    const json *value = find(key);
    if (value == nullptr) return;
    const bool is_whole =
        value->is_number_integer() &&
        (!value->is_number_unsigned() || value->get<uint64_t>() <= uint64_t{1} << 62);
    if (!is_whole || value->get<int64_t>() < least || value->get<int64_t>() > most)
        fail(key, "must be a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most));
    to = value->get<int64_t>();
}

void JsonFields::take(const std::string &key, uint64_t &to) {
    const json *value = find(key);
    if (value == nullptr) return;
    if (!value->is_number_unsigned()) fail(key, "must be a whole number that is not negative");
    to = value->get<uint64_t>();
}

void JsonFields::end() const {
    for (const auto &[key, value] : value_.items())
        if (!known_.contains(key)) fail(key, "is unknown: correct its name or leave it out");
}

}  // namespace cryolite
