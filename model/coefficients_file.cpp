#include "model/coefficients_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text_file.h"

namespace cryolite {
namespace {

using nlohmann::json;
constexpr const char *version_key = "cryolite_coefficients";

}  // namespace

std::string coefficients_text(const LearnedCoefficients &learned) {
    json factors = json::object();
    for (size_t k = 0; k < num_terms; k++)
        if (learned.coefficients.factors()[k] != 1)
            factors[std::string(term_table()[k].name)] = learned.coefficients.factors()[k];
    return json{{version_key, coefficients_version},
                {"machine", learned.machine},
                {"samples", learned.samples},
                {"rank_correlation", learned.rank_correlation},
                {"factors", factors}}
               .dump(2) +
           "\n";
}

Result<LearnedCoefficients> parse_coefficients(std::string_view text, const std::string &path) {
    const auto wrong = [&](const std::string &what) { return Error{"'" + path + "' " + what}; };
    const json file = json::parse(text, nullptr, false);
    if (!file.is_object() || !file.contains(version_key))
        return wrong("holds no coefficients; `cryolite tune` writes such files (weights.json)");
    if (file[version_key] != coefficients_version)
        return wrong("has version " + file[version_key].dump() + " of coefficients, and this is " +
                     std::to_string(coefficients_version) + "; tune again with this Cryolite");
    LearnedCoefficients learned;
    std::array<double, num_terms> factors;
    factors.fill(1);
    try {
        learned.machine = file.value("machine", "");
        learned.samples = file.value("samples", int64_t{0});
        learned.rank_correlation = file.value("rank_correlation", 0.0);
        for (const auto &[name, value] : file.at("factors").items()) {
            const auto &table = term_table();
            const auto term = std::ranges::find(table, name, &TermInfo::name);
            if (term == table.end())
                return wrong("names a term '" + name +
                             "', which this Cryolite does not have; tune again");
            const double factor = value.get<double>();
            if (!std::isfinite(factor) || factor <= 0)
                return wrong("gives '" + name + "' the factor " + value.dump() +
                             "; factors are positive numbers");
            factors[static_cast<size_t>(term - table.begin())] = factor;
        }
    } catch (const json::exception &error) {
        return wrong(std::string("is no file of coefficients: ") + error.what());
    }
    learned.coefficients = Coefficients(factors);
    return learned;
}

Result<LearnedCoefficients> read_coefficients(const std::string &path) {
    const auto text = read_text_file(path);
    if (!text.ok()) return text.error();
    return parse_coefficients(*text, path);
}

}  // namespace cryolite
