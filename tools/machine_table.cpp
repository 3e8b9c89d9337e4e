#include "tools/machine_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "machine/machine_fields.h"

namespace cryolite::tools {
namespace {

using Row = std::array<std::string, 4>;

// Numbers to the right, text to the left, two spaces between.
std::string table(const std::vector<Row> &rows) {
    std::array<size_t, 4> width{};
    for (const Row &r : rows)
        for (size_t c = 0; c < r.size(); c++) width[c] = std::max(width[c], r[c].size());
    std::string text;
    for (const Row &r : rows) {
        std::string line;
        for (size_t c = 0; c < r.size(); c++) {
            const std::string space(width[c] - r[c].size(), ' ');
            line += (c == 1 ? space + r[c] : r[c] + space) + "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

// Four digits of what was measured, and whole numbers in full: the file has every digit.
std::string readable(const FieldValue &value) {
    if (!std::holds_alternative<double *>(value.number)) return value.digits();
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value.as_double());
    return text;
}

std::string source_text(const ValueSource &source) {
    if (!source.spread) return source.text();
    char text[32];
    std::snprintf(text, sizeof text, ", spread %.1f %%", *source.spread * 100);
    return source.text() + text;
}

}  // namespace

std::string machine_table(const DescribedMachine &described) {
    Machine machine = described.machine;
    std::vector<Row> rows{{"value of " + machine.name, "", "unit", "source"}};
    for (const FieldValue &v : values_of(machine)) {
        const auto source = described.sources.find(v.key);
        rows.push_back(
            {v.key, readable(v), std::string(v.text->unit),
             source_text(source == described.sources.end() ? ValueSource{} : source->second)});
    }
    return table(rows);
}

std::string gpu_table(const Gpu &gpu) {
    Gpu copy = gpu;
    std::vector<Row> rows{{"value of " + gpu.name, "", "unit", "meaning"}};
    for (const FieldValue &v : values_of(copy))
        rows.push_back({v.key, readable(v), std::string(v.text->unit), std::string(v.text->doc)});
    return table(rows);
}

}  // namespace cryolite::tools
