// A machine file: what is written is read back to the bit, and what cannot be read is an error that
// names the file, the key and what to do.
#include "machine/machine_file.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "machine/machine_fields.h"
#include "machine/presets.h"

namespace cryolite {
namespace {

namespace fs = std::filesystem;

// Every number different and with all its bits, every kind of source.
DescribedMachine unlike_any_preset() {
    using Kind = ValueSource::Kind;
    DescribedMachine d = describe_preset(*machine_preset("arm-neon"));
    d.machine.name = "mine: \"quoted\", \\ and \xc3\xa9";
    double unlike = 1 / 3.0;
    int kind = 0;
    for (const FieldValue &v : values_of(d.machine)) {
        unlike = std::nextafter(unlike * 1.37, 1e300);
        std::visit(
            [&](auto *at) {
                using Number = std::remove_reference_t<decltype(*at)>;
                if constexpr (std::is_same_v<Number, double>)
                    *at = v.text->unit == "share" ? 1 / (1 + unlike) : unlike;
                else
                    *at = static_cast<Number>(*at * 2 + 1);
            },
            v.number);
        ValueSource &source = d.sources[v.key];
        switch (kind++ % 5) {
            case 0: source = {}; break;
            case 1: source = {.kind = Kind::Preset, .preset = "some other"}; break;
            case 2: source = {.kind = Kind::Detected}; break;
            case 3: source = {.kind = Kind::Measured, .spread = unlike / 7}; break;
            case 4: source = {.kind = Kind::File}; break;
        }
    }
    d.machine.memory_stream_start_lines_max = d.machine.memory_stream_start_lines * 3;
    return d;
}

void expect_same(const DescribedMachine &a, const DescribedMachine &b) {
    EXPECT_EQ(a.machine.name, b.machine.name);
    EXPECT_EQ(a.preset, b.preset);
    EXPECT_EQ(a.sources, b.sources);
    Machine x = a.machine, y = b.machine;
    const auto left = values_of(x), right = values_of(y);
    ASSERT_EQ(left.size(), right.size());
    for (size_t i = 0; i < left.size(); i++) {
        EXPECT_EQ(left[i].key, right[i].key);
        std::visit(
            [&](const auto *at) {
                EXPECT_EQ(
                    *at, *std::get<decltype(at)>(
                             std::variant<const int *, const int64_t *, const double *>(std::visit(
                                 [](auto *p)
                                     -> std::variant<const int *, const int64_t *, const double *> {
                                     return p;
                                 },
                                 right[i].number))))
                    << left[i].key;
            },
            left[i].number);
    }
}

TEST(MachineFile, is_read_back_to_the_bit) {
    const DescribedMachine written = unlike_any_preset();
    const auto read = parse_machine_file(machine_file_text(written), "file.json");
    ASSERT_TRUE(read.ok()) << read.error().message;
    expect_same(written, *read);
    EXPECT_EQ(machine_file_text(*read), machine_file_text(written));
}

TEST(MachineFile, without_a_preset_is_read_back_too) {
    DescribedMachine written = unlike_any_preset();
    written.preset.clear();
    const auto read = parse_machine_file(machine_file_text(written), "file.json");
    ASSERT_TRUE(read.ok()) << read.error().message;
    expect_same(written, *read);
}

TEST(MachineFile, by_hand_may_give_plain_numbers_and_leave_the_rest_to_the_preset) {
    const auto read = parse_machine_file(R"({"cryolite_machine": 1, "preset": "x86-avx2",
        "cores": 6, "hertz": 3.1e9, "vector": {"float_add": 0.25},
        "caches": [{}, {"size_bytes": 2097152.0}]})",
                                         "mine.json");
    ASSERT_TRUE(read.ok()) << read.error().message;
    const Machine preset = *machine_preset("x86-avx2");
    EXPECT_EQ(read->machine.name, "x86-avx2");
    EXPECT_EQ(read->machine.cores, 6);
    EXPECT_EQ(read->machine.hertz, 3.1e9);
    EXPECT_EQ(read->machine.vector.float_add, 0.25);
    EXPECT_EQ(read->machine.vector.float_multiply, preset.vector.float_multiply);
    ASSERT_EQ(read->machine.caches.size(), 2u);
    EXPECT_EQ(read->machine.caches[0].size_bytes, preset.caches[0].size_bytes);
    EXPECT_EQ(read->machine.caches[1].size_bytes, 2097152);
    EXPECT_EQ(read->sources.at("cores").text(), "file");
    EXPECT_EQ(read->sources.at("vector.float_multiply").text(), "preset x86-avx2");
    EXPECT_EQ(read->sources.at("page_fault_seconds").text(), "default");
    EXPECT_FALSE(read->sources.contains("caches[2].size_bytes"));
}

TEST(MachineFile, may_have_more_levels_than_its_preset_if_it_says_all_of_them) {
    const std::string head =
        R"({"cryolite_machine": 1, "preset": "x86-avx2", "caches": [{},{},{},)";
    const auto read = parse_machine_file(
        head + R"({"size_bytes": 99999999, "ways": 16, "line_bytes": 64, "cores_sharing": 8,
                   "core_bytes_per_cycle": 3, "total_bytes_per_cycle": 9}]})",
        "mine.json");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->machine.caches.size(), 4u);
    const auto partial = parse_machine_file(head + R"({"size_bytes": 99999999}]})", "mine.json");
    ASSERT_FALSE(partial.ok());
    EXPECT_NE(partial.error().message.find("lacks key 'caches[3].ways'"), std::string::npos);
}

// What a text is refused with.
std::string refusal(const std::string &text) {
    const auto read = parse_machine_file(text, "some/file.json");
    if (read.ok()) return "accepted: " + text;
    EXPECT_NE(read.error().message.find("some/file.json"), std::string::npos) << text;
    return read.error().message;
}

std::string with(const std::string &members) {
    return R"({"cryolite_machine": 1, "preset": "x86-avx2", )" + members + "}";
}

TEST(MachineFile, of_no_or_another_version_is_refused) {
    EXPECT_NE(refusal("{}").find("no key 'cryolite_machine'"), std::string::npos);
    EXPECT_NE(refusal("[1, 2]").find("does not describe a machine"), std::string::npos);
    EXPECT_NE(refusal("3").find("does not describe a machine"), std::string::npos);
    for (const char *version : {"2", "0", "1.5", "\"1\"", "null", "{}"}) {
        const std::string message =
            refusal(std::string(R"({"cryolite_machine": )") + version + "}");
        EXPECT_NE(message.find(std::string("has version ") + version), std::string::npos)
            << message;
        EXPECT_NE(message.find("calibrate"), std::string::npos);
    }
}

TEST(MachineFile, with_an_unknown_key_is_refused) {
    for (const auto &[members, key] : std::vector<std::pair<std::string, std::string>>{
             {R"("hertzs": 3e9)", "hertzs"},
             {R"("vector": {"float_ad": 1})", "vector.float_ad"},
             {R"("caches": [{}, {"size": 1}, {}])", "caches[1].size"},
             {R"("hertz": {"value": 3e9, "units": "cycles/s"})", "hertz.units"}}) {
        const std::string message = refusal(with(members));
        EXPECT_NE(message.find("unknown key '" + key + "'"), std::string::npos) << message;
        EXPECT_NE(message.find("has the keys"), std::string::npos) << message;
    }
}

TEST(MachineFile, with_a_key_twice_is_refused) {
    EXPECT_NE(refusal(with(R"("hertz": 3e9, "hertz": 4e9)")).find("'hertz' is there twice"),
              std::string::npos);
    EXPECT_NE(refusal(with(R"("scalar": {"load": 1, "load": 1})")).find("twice"),
              std::string::npos);
    // The same key in two objects is no such thing.
    EXPECT_TRUE(
        parse_machine_file(with(R"("scalar": {"load": 1}, "vector": {"load": 1})"), "f").ok());
}

TEST(MachineFile, that_lacks_a_key_and_names_no_preset_is_refused) {
    EXPECT_NE(refusal(R"({"cryolite_machine": 1})").find("lacks key 'name'"), std::string::npos);
    EXPECT_NE(refusal(R"({"cryolite_machine": 1, "name": "m"})").find("lacks key 'caches'"),
              std::string::npos);
    const std::string message =
        refusal(R"({"cryolite_machine": 1, "name": "m", "caches": [{}], "cores": 2})");
    EXPECT_NE(message.find("lacks key 'hertz'"), std::string::npos) << message;
    EXPECT_NE(message.find("'preset'"), std::string::npos) << message;
    EXPECT_NE(refusal(R"({"cryolite_machine": 1, "preset": "pdp11"})").find("'pdp11'"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"cryolite_machine": 1, "preset": 3})").find("'preset'"),
              std::string::npos);
}

TEST(MachineFile, with_a_bad_value_is_refused) {
    for (const auto &[members, said] : std::vector<std::pair<std::string, std::string>>{
             {R"("hertz": -3e9)", "key 'hertz' is -3e+09; it must be more than 0"},
             {R"("hertz": 0)", "key 'hertz' is 0"},
             {R"("hertz": "3e9")", "key 'hertz' is \"3e9\"; it must be a number"},
             {R"("hertz": null)", "key 'hertz' is null; it must be a number"},
             {R"("hertz": [])", "key 'hertz' is []; it must be a number"},
             {R"("hertz": true)", "it must be a number"},
             {R"("hertz": {})", "key 'hertz' has no 'value'"},
             {R"("hertz": {"value": 3e9, "unit": "GHz"})", "has the unit \"GHz\""},
             {R"("hertz": {"value": 3e9, "source": "dream"})", "'dream' is no source"},
             {R"("hertz": {"value": 3e9, "source": 7})", "is no source"},
             {R"("hertz": {"value": 3e9, "spread": -1})", "'spread'"},
             {R"("hertz": {"value": 3e9, "spread": "x"})", "'spread'"},
             {R"("cores": 2.5)", "key 'cores' is 2.5; it must be a whole number"},
             {R"("cores": 3000000000)", "key 'cores' is 3000000000; it must be a whole number"},
             {R"("cores": -1)", "key 'cores' is -1"},
             {R"("page_bytes": 18446744073709551615)", "it must be a whole number"},
             {R"("page_bytes": 1e300)", "it must be a whole number"},
             {R"("scalar": {"shuffle": -0.5})",
              "key 'scalar.shuffle' is -0.5; it must be 0 or more"},
             {R"("vector": 3)", "key 'vector' must be an object"},
             {R"("caches": {})", "key 'caches' must be an array"},
             {R"("caches": [])", "key 'caches' must be an array"},
             {R"("caches": [3])", "key 'caches[0]' must be an object"},
             {R"("name": 3)", "key 'name' must be text"},
             {R"("caches": [{"size_bytes": 600000}, {}, {}])", "'caches[1].size_bytes' is 524288"},
             {R"("memory_stream_start_lines": 80)", "memory_stream_start_lines_max"},
         }) {
        const std::string message = refusal(with(members));
        EXPECT_NE(message.find(said), std::string::npos) << members << "\n" << message;
    }
    EXPECT_NE(refusal(with(R"("hertz": -1)")).find("leave it out to have the value of x86-avx2"),
              std::string::npos);
}

TEST(MachineFile, with_a_number_beyond_all_bounds_is_refused) {
    EXPECT_NE(refusal(with(R"("hertz": 1e999)")).find("cannot be understood"), std::string::npos);
    EXPECT_NE(refusal(with(R"("hertz": NaN)")).find("cannot be understood"), std::string::npos);
}

TEST(MachineFile, cut_off_anywhere_is_refused) {
    const std::string whole = machine_file_text(unlike_any_preset());
    for (size_t length = 0; length + 2 < whole.size(); length += 7) {
        const std::string message = refusal(whole.substr(0, length));
        EXPECT_NE(message.find("cannot be understood"), std::string::npos) << message;
    }
}

TEST(MachineFile, of_anything_else_is_refused_without_a_crash) {
    EXPECT_NE(refusal(std::string(1000, '\0')).find("cannot be understood"), std::string::npos);
    EXPECT_NE(refusal(with("\"name\": \"\xff\xfe\"")).find("cannot be understood"),
              std::string::npos);
    EXPECT_NE(refusal("\x7f"
                      "ELF\x02\x01")
                  .find("cannot be understood"),
              std::string::npos);
    // Nesting that would exhaust the stack of whatever follows it recursively.
    EXPECT_NE(refusal(with("\"hertz\": " + std::string(400000, '['))).find("cannot be understood"),
              std::string::npos);
    EXPECT_NE(refusal(with("\"hertz\": " + std::string(400000, '[') + std::string(400000, ']')))
                  .find("nested too deeply"),
              std::string::npos);
}

class MachineFileOnDisk : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("cryolite_machine_" + std::to_string(getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string path(const std::string &name) const { return (folder_ / name).string(); }
    size_t files() const {
        return static_cast<size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    fs::path folder_;
};

TEST_F(MachineFileOnDisk, is_written_and_read) {
    const DescribedMachine written = unlike_any_preset();
    ASSERT_TRUE(write_machine_file(path("m.json"), written).ok());
    const auto read = load_machine(path("m.json"));
    ASSERT_TRUE(read.ok()) << read.error().message;
    expect_same(written, *read);
    EXPECT_EQ(files(), 1u);
}

TEST_F(MachineFileOnDisk, that_could_not_be_read_back_is_not_written) {
    DescribedMachine bad = unlike_any_preset();
    bad.machine.hertz = std::nan("");
    const auto written = write_machine_file(path("m.json"), bad);
    ASSERT_FALSE(written.ok());
    EXPECT_NE(written.error().message.find("'hertz'"), std::string::npos);
    EXPECT_EQ(files(), 0u);
}

TEST_F(MachineFileOnDisk, that_is_not_there_or_no_file_is_an_error) {
    const auto missing = read_machine_file(path("none.json"));
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().message.find("none.json"), std::string::npos);
    EXPECT_NE(missing.error().message.find("calibrate"), std::string::npos);
    const auto folder = read_machine_file(folder_.string());
    ASSERT_FALSE(folder.ok());
    EXPECT_NE(folder.error().message.find("folder"), std::string::npos);
    const auto endless = read_machine_file("/dev/zero");
    ASSERT_FALSE(endless.ok());
    EXPECT_NE(endless.error().message.find("longer than any"), std::string::npos);
}

TEST(MachineFile, is_meant_where_the_name_is_a_path) {
    EXPECT_TRUE(names_machine_file("mine.json"));
    EXPECT_TRUE(names_machine_file("./mine"));
    EXPECT_TRUE(names_machine_file("/etc/mine"));
    EXPECT_FALSE(names_machine_file("auto"));
    for (const MachinePreset &p : machine_presets()) EXPECT_FALSE(names_machine_file(p.name));
    EXPECT_TRUE(load_machine("x86-avx2").ok());
    EXPECT_FALSE(load_machine("pdp11").ok());
}

TEST(ValueSource, is_text_and_back) {
    for (const char *text : {"default", "detected", "measured", "file", "preset x86-avx2"}) {
        const auto source = parse_source(text);
        ASSERT_TRUE(source.ok()) << text;
        EXPECT_EQ(source->text(), text);
    }
    EXPECT_FALSE(parse_source("preset ").ok());
    EXPECT_FALSE(parse_source("").ok());
}

TEST(DescribedMachine, tells_what_was_detected_from_what_the_preset_says) {
    const Machine preset = *machine_preset("x86-avx2");
    Detection detection{preset, "", {"cores", "caches[1].size_bytes"}};
    detection.machine.cores = 3;
    detection.machine.caches[1].size_bytes = 1 << 20;
    const DescribedMachine d = describe_detection(preset.name, detection);
    EXPECT_EQ(d.machine.cores, 3);
    EXPECT_EQ(d.sources.at("cores").text(), "detected");
    EXPECT_EQ(d.sources.at("caches[1].size_bytes").text(), "detected");
    EXPECT_EQ(d.sources.at("caches[1].ways").text(), "preset x86-avx2");
    EXPECT_EQ(d.sources.at("hertz").text(), "preset x86-avx2");
    EXPECT_EQ(d.sources.at("page_fault_seconds").text(), "default");
    Machine machine = d.machine;
    EXPECT_EQ(d.sources.size(), values_of(machine).size());
}

}  // namespace
}  // namespace cryolite
