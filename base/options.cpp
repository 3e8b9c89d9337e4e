#include "base/options.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/nearest_name.h"

namespace cryolite {
namespace {

std::string print(double v) {
    std::ostringstream s;
    s << v;
    return s.str();
}

std::string join(const std::vector<std::string> &words, const char *separator) {
    std::string out;
    for (const std::string &w : words) out += (out.empty() ? "" : separator) + w;
    return out;
}

template <typename T>
bool parse_number(const std::string &text, T *value) {
    const char *end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, *value);
    return error == std::errc() && rest == end;
}

}  // namespace

OptionTable &OptionTable::integer(std::string name, int64_t *field, int64_t min, int64_t max,
                                  std::string doc) {
    options_.push_back({Kind::Integer,
                        std::move(name),
                        std::move(doc),
                        std::to_string(*field),
                        "integer from " + std::to_string(min) + " to " + std::to_string(max),
                        field,
                        static_cast<double>(min),
                        static_cast<double>(max),
                        {}});
    return *this;
}

OptionTable &OptionTable::real(std::string name, double *field, double min, double max,
                               std::string doc) {
    options_.push_back({Kind::Real,
                        std::move(name),
                        std::move(doc),
                        print(*field),
                        "number from " + print(min) + " to " + print(max),
                        field,
                        min,
                        max,
                        {}});
    return *this;
}

OptionTable &OptionTable::flag(std::string name, bool *field, std::string doc) {
    options_.push_back({Kind::Flag,
                        std::move(name),
                        std::move(doc),
                        *field ? "true" : "false",
                        "true or false",
                        field,
                        0,
                        0,
                        {}});
    return *this;
}

OptionTable &OptionTable::choice(std::string name, std::string *field,
                                 std::vector<std::string> choices, std::string doc) {
    std::string range = "one of " + join(choices, ", ");
    options_.push_back({Kind::Choice, std::move(name), std::move(doc), *field, std::move(range),
                        field, 0, 0, std::move(choices)});
    return *this;
}

OptionTable &OptionTable::text(std::string name, std::string *field, std::string doc) {
    options_.push_back(
        {Kind::Text, std::move(name), std::move(doc), *field, "text", field, 0, 0, {}});
    return *this;
}

const OptionTable::Option *OptionTable::find(std::string_view name) const {
    auto it = std::ranges::find(options_, name, &Option::name);
    return it == options_.end() ? nullptr : &*it;
}

std::string OptionTable::assign(const Option &option, const std::string &value, bool store) {
    switch (option.kind) {
        case Kind::Integer: {
            int64_t v = 0;
            if (!parse_number(value, &v) || static_cast<double>(v) < option.min ||
                static_cast<double>(v) > option.max)
                return option.range_text;
            if (store) *static_cast<int64_t *>(option.field) = v;
            return {};
        }
        case Kind::Real: {
            double v = 0;
            if (!parse_number(value, &v) || !(v >= option.min && v <= option.max))
                return option.range_text;
            if (store) *static_cast<double *>(option.field) = v;
            return {};
        }
        case Kind::Flag: {
            const bool yes = value == "true" || value == "1", no = value == "false" || value == "0";
            if (!yes && !no) return option.range_text;
            if (store) *static_cast<bool *>(option.field) = yes;
            return {};
        }
        case Kind::Choice:
            if (std::ranges::find(option.choices, value) == option.choices.end())
                return option.range_text;
            [[fallthrough]];
        case Kind::Text:
            if (store) *static_cast<std::string *>(option.field) = value;
            return {};
    }
    return {};
}

Result<bool> OptionTable::parse(const std::map<std::string, std::string> &values) {
    for (const auto &[name, value] : values) {
        const Option *option = find(name);
        if (!option) {
            std::vector<std::string> names;
            for (const Option &o : options_) names.push_back(o.name);
            return Error{"unknown option '" + name + "'; did you mean '" +
                         nearest_name(name, names) + "'? The options are: " + join(names, ", ")};
        }
        if (std::string expected = assign(*option, value, false); !expected.empty())
            return Error{"option '" + name + "' is '" + value + "'; it must be " + expected + " (" +
                         option->doc + ")"};
    }
    for (const auto &[name, value] : values) assign(*find(name), value, true);
    return true;
}

std::string OptionTable::markdown() const {
    std::string out = "| option | default | values | what it does |\n|---|---|---|---|\n";
    for (const Option &o : options_)
        out += "| `" + o.name + "` | " +
               (o.default_text.empty() ? "(empty)" : "`" + o.default_text + "`") + " | " +
               o.range_text + " | " + o.doc + " |\n";
    return out;
}

}  // namespace cryolite
