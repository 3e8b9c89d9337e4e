#include "tools/machine_table.h"

#include <cstdio>
#include <vector>

#include "machine/machine_fields.h"
#include "tools/text_table.h"

namespace cryolite::tools {
namespace {

using Rows = std::vector<std::vector<std::string>>;
const std::vector<Align> columns{Align::Left, Align::Right, Align::Left};

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
    Rows rows{{"value of " + machine.name, "", "unit", "source"}};
    for (const FieldValue &v : values_of(machine)) {
        const auto source = described.sources.find(v.key);
        rows.push_back(
            {v.key, readable(v), std::string(v.text->unit),
             source_text(source == described.sources.end() ? ValueSource{} : source->second)});
    }
    return text_table(rows, columns);
}

std::string gpu_table(const Gpu &gpu) {
    Gpu copy = gpu;
    Rows rows{{"value of " + gpu.name, "", "unit", "meaning"}};
    for (const FieldValue &v : values_of(copy))
        rows.push_back({v.key, readable(v), std::string(v.text->unit), std::string(v.text->doc)});
    return text_table(rows, columns);
}

}  // namespace cryolite::tools
