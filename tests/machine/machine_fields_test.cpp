// That the tables name every field, once: a field without a line does not compile (machine_fields.cpp),
// and these find a line that is there twice or reaches another field than its name says.
#include "machine/machine_fields.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "machine/presets.h"

namespace cryolite {
namespace {

Machine preset() { return *machine_preset("x86-avx2"); }

FieldValue value(Machine &machine, const std::string &key) {
    for (const FieldValue &v : values_of(machine))
        if (v.key == key) return v;
    ADD_FAILURE() << "no key " << key;
    return {};
}

TEST(MachineFields, reach_every_number_once) {
    Machine machine = preset();
    std::set<std::string> keys;
    std::set<const void *> places;
    for (const FieldValue &v : values_of(machine)) {
        EXPECT_TRUE(keys.insert(v.key).second) << v.key;
        EXPECT_TRUE(
            places.insert(std::visit([](auto *at) -> const void * { return at; }, v.number)).second)
            << v.key;
        EXPECT_FALSE(v.text->doc.empty()) << v.key;
        EXPECT_FALSE(v.text->unit.empty()) << v.key;
    }
    // The plain ones, two sets of arithmetic, those of a core, three levels.
    EXPECT_EQ(keys.size(), machine_fields().size() + 2 * arithmetic_fields().size() +
                               core_fields().size() + 3 * cache_fields().size());
    EXPECT_TRUE(keys.contains("memory_core_bytes_per_cycle"));
    EXPECT_TRUE(keys.contains("scalar.gather_element"));
    EXPECT_TRUE(keys.contains("core.spill_cycles"));
    EXPECT_TRUE(keys.contains("caches[2].cores_sharing"));
}

TEST(MachineFields, are_named_as_the_members_that_they_reach) {
    Machine m = preset();
    EXPECT_EQ(std::get<double *>(value(m, "hertz").number), &m.hertz);
    EXPECT_EQ(std::get<int *>(value(m, "cores").number), &m.cores);
    EXPECT_EQ(std::get<double *>(value(m, "memory_total_bytes_per_cycle").number),
              &m.memory_total_bytes_per_cycle);
    EXPECT_EQ(std::get<double *>(value(m, "vector.integer_multiply_16").number),
              &m.vector.integer_multiply_16);
    EXPECT_EQ(std::get<double *>(value(m, "scalar.integer_multiply_16").number),
              &m.scalar.integer_multiply_16);
    EXPECT_EQ(std::get<double *>(value(m, "vector.float_divide").number), &m.vector.float_divide);
    EXPECT_EQ(std::get<double *>(value(m, "caches[1].total_bytes_per_cycle").number),
              &m.caches[1].total_bytes_per_cycle);
    EXPECT_EQ(std::get<int64_t *>(value(m, "caches[0].size_bytes").number),
              &m.caches[0].size_bytes);
    EXPECT_EQ(std::get<int64_t *>(value(m, "arena_kept_bytes").number), &m.arena_kept_bytes);
    EXPECT_EQ(std::get<double *>(value(m, "memory_stream_start_lines_max").number),
              &m.memory_stream_start_lines_max);
}

TEST(MachineFields, of_a_gpu_reach_every_number_once) {
    Gpu gpu = *gpu_preset("a100");
    std::set<const void *> places;
    for (const FieldValue &v : values_of(gpu)) {
        EXPECT_EQ(v.complaint(), "") << v.key;
        places.insert(std::visit([](auto *at) -> const void * { return at; }, v.number));
    }
    EXPECT_EQ(places.size(), values_of(gpu).size());
    EXPECT_EQ(places.size(), 1u + 38u + 16u);  // its own, the speeds, the limits
}

TEST(MachineFields, digits_are_read_back_to_the_bit) {
    Machine m;
    for (double d : {0.1, 1 / 3.0, 5e-324, 1.7976931348623157e308, 3.664e9, 4e-7, 123456789.0}) {
        m.hertz = d;
        EXPECT_EQ(std::strtod(value(m, "hertz").digits().c_str(), nullptr), d);
    }
}

TEST(MachineFields, what_is_wrong_names_the_key) {
    for (const MachinePreset &p : machine_presets()) EXPECT_EQ(what_is_wrong(p.machine), "");
    const auto wrong = [](auto change) {
        Machine m = preset();
        change(m);
        return what_is_wrong(m);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_NE(wrong([&](Machine &m) { m.hertz = nan; }).find("'hertz' is nan"), std::string::npos);
    EXPECT_NE(wrong([&](Machine &m) { m.hertz = infinite; }).find("'hertz'"), std::string::npos);
    EXPECT_NE(wrong([](Machine &m) { m.vector.cast = 0; }).find("'vector.cast' is 0"),
              std::string::npos);
    EXPECT_EQ(wrong([](Machine &m) { m.scalar.shuffle = 0; }), "");
    EXPECT_NE(wrong([](Machine &m) { m.overlap_sharpness = 0.5; }).find("must be 1 or more"),
              std::string::npos);
    EXPECT_NE(wrong([](Machine &m) { m.core_exposed_share = 1.5; }).find("must be 1 or less"),
              std::string::npos);
    EXPECT_NE(wrong([](Machine &m) { m.scalar.shuffle = -1; }).find("0 or more"),
              std::string::npos);
    EXPECT_NE(wrong([](Machine &m) { m.caches.clear(); }).find("'caches'"), std::string::npos);
    EXPECT_NE(wrong([](Machine &m) {
                  m.caches[2].size_bytes = m.caches[1].size_bytes;
              }).find("'caches[2].size_bytes'"),
              std::string::npos);
    // The cost model clamps between the two.
    EXPECT_NE(wrong([](Machine &m) {
                  m.memory_stream_start_lines_max = m.memory_stream_start_lines / 2;
              }).find("memory_stream_start_lines_max"),
              std::string::npos);
}

TEST(MachineFields, are_all_in_the_document) {
    std::ifstream file(CRYOLITE_MACHINE_DOCUMENT);
    const std::string document{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(document.find("\n\n" + machine_fields_markdown()), document.npos)
        << "docs/machine.md should hold this table, after an empty line:\n\n"
        << machine_fields_markdown();
}

}  // namespace
}  // namespace cryolite
