// The option table: one place where an option has its name, default, range and doc, and from which
// parsing, error messages, help and the docs are made.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cryolite {

// Binds names to fields of the caller's settings struct. The struct's values at binding are the
// defaults. Fields must outlive the table.
class OptionTable {
public:
    OptionTable &integer(std::string name, int64_t *field, int64_t min, int64_t max,
                         std::string doc);
    OptionTable &real(std::string name, double *field, double min, double max, std::string doc);
    OptionTable &flag(std::string name, bool *field, std::string doc);
    OptionTable &choice(std::string name, std::string *field, std::vector<std::string> choices,
                        std::string doc);
    OptionTable &text(std::string name, std::string *field, std::string doc);

    // Sets the fields. Errors: an unknown name (with the nearest known one and all names) or a
    // value out of range (with the range). No field is changed on error.
    Result<bool> parse(const std::map<std::string, std::string> &values);

    // A row an option: name, default, range, doc. A Markdown table, for docs/.
    std::string markdown() const;

private:
    enum class Kind { Integer, Real, Flag, Choice, Text };
    struct Option {
        Kind kind;
        std::string name, doc, default_text, range_text;
        void *field;
        double min = 0, max = 0;
        std::vector<std::string> choices;
    };
    // Checks `value`; stores it when `store`. Returns what was expected if it is bad.
    static std::string assign(const Option &option, const std::string &value, bool store);
    const Option *find(std::string_view name) const;
    std::vector<Option> options_;
};

}  // namespace cryolite
