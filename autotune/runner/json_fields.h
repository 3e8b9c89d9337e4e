// The fields of a JSON object, read by name. What is missing, unknown or of another kind is an error that names the
// field with its place: 'rules.seconds'.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cryolite {

// Stays inside of a parsing function, which makes a Result of it.
class FieldError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The value of a text that holds JSON. Throws FieldError.
nlohmann::json parsed_json(std::string_view text);

// Text that any JSON reader takes: bytes that are no UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json &value);

class JsonFields {
public:
    // place: of the object, as "rules"; empty: the whole file. Throws FieldError where `value` is no object.
    JsonFields(const nlohmann::json &value, std::string place);

    // Null where it is not there; it may be of any kind.
    const nlohmann::json *find(const std::string &key);
    const nlohmann::json &need(const std::string &key);

    // Leave `to` as it is where the field is not there.
    void take(const std::string &key, std::string &to);
    void take(const std::string &key, double &to);
    void take(const std::string &key, std::vector<double> &to);
    // A whole number from `least` to `most`.
    void take(const std::string &key, int64_t &to, int64_t least, int64_t most);
    void take(const std::string &key, uint64_t &to);

    std::string place_of(const std::string &key) const;
    [[noreturn]] void fail(const std::string &key, const std::string &what) const;
    // Throws if there are fields that nobody has asked for.
    void end() const;

private:
    const nlohmann::json &value_;
    std::string place_;
    std::set<std::string> known_;
};

}  // namespace cryolite
