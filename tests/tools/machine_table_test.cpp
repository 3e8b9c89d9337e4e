#include "tools/machine_table.h"

#include <sstream>

#include <gtest/gtest.h>

#include "machine/machine_fields.h"
#include "machine/presets.h"

namespace cryolite::tools {
namespace {

std::vector<std::string> lines_of(const std::string &text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

TEST(MachineTable, has_a_line_for_every_value_with_unit_and_source) {
    DescribedMachine d = describe_preset(*machine_preset("x86-avx2"));
    d.sources["hertz"] = {.kind = ValueSource::Kind::Measured, .spread = 0.0123};
    const auto values = values_of(d.machine);
    const auto lines = lines_of(machine_table(d));
    ASSERT_EQ(lines.size(), values.size() + 1);
    for (size_t i = 0; i < values.size(); i++) {
        const std::string &line = lines[i + 1];
        EXPECT_EQ(line.find(values[i].key + " "), 0u) << line;
        EXPECT_NE(line.find(" " + std::string(values[i].text->unit) + " "), line.npos) << line;
        EXPECT_NE(line.find(d.sources.at(values[i].key).text()), line.npos) << line;
        EXPECT_NE(line.back(), ' ');
    }
    EXPECT_NE(machine_table(d).find("measured, spread 1.2 %"), std::string::npos);
}

TEST(MachineTable, shows_whole_numbers_in_full) {
    const DescribedMachine d = describe_preset(*machine_preset("x86-avx512"));
    EXPECT_NE(machine_table(d).find(" 16777216  bytes"), std::string::npos);
}

TEST(GpuTable, has_a_line_for_every_value) {
    Gpu gpu = *gpu_preset("h100");
    const auto lines = lines_of(gpu_table(gpu));
    EXPECT_EQ(lines.size(), values_of(gpu).size() + 1);
    EXPECT_NE(gpu_table(gpu).find("limits.shared_bytes_per_block_opt_in"), std::string::npos);
}

}  // namespace
}  // namespace cryolite::tools
