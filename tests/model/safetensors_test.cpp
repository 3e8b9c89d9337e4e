#include "model/safetensors.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cryolite {
namespace {

Safetensors some() {
    Safetensors file;
    file.metadata = {{"a", "text \"quoted\""}, {"b", ""}};
    file.tensors["x"] = {{2, 3}, {1, 2, 3, 4, 5, 6.5f}};
    file.tensors["empty"] = {{0, 4}, {}};
    file.tensors["y"] = {{1}, {-0.0f}};
    return file;
}

std::string with_header(const std::string &header, const std::string &data = "") {
    std::string out(8, '\0');
    out[0] = static_cast<char>(header.size() & 255);
    out[1] = static_cast<char>(header.size() >> 8);
    return out + header + data;
}

std::string error_of(const std::string &bytes) {
    const auto parsed = parse_safetensors(bytes);
    return parsed.ok() ? "" : parsed.error().message;
}

TEST(Safetensors, gives_back_what_was_written) {
    const std::string bytes = safetensors_bytes(some());
    const auto parsed = parse_safetensors(bytes);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, some());
    EXPECT_EQ(safetensors_bytes(*parsed), bytes);
}

TEST(Safetensors, refuses_every_truncation) {
    const std::string bytes = safetensors_bytes(some());
    for (size_t n = 0; n < bytes.size(); n++) EXPECT_NE(error_of(bytes.substr(0, n)), "") << n;
    EXPECT_NE(error_of(bytes + "more"), "");
}

TEST(Safetensors, refuses_headers_that_cannot_be) {
    EXPECT_EQ(error_of(with_header("{}")), "");
    EXPECT_NE(error_of(with_header("[]")), "");
    EXPECT_NE(error_of(with_header("{")), "");
    EXPECT_NE(error_of(with_header("{\"__metadata__\": 3}")), "");
    EXPECT_NE(error_of(with_header("{\"__metadata__\": {\"a\": 3}}")), "");
    EXPECT_NE(error_of(with_header("{\"x\": 3}")), "");
    const auto tensor = [](const std::string &type, const std::string &shape,
                           const std::string &offsets) {
        return error_of(with_header("{\"x\": {\"dtype\": \"" + type + "\", \"shape\": " + shape +
                                        ", \"data_offsets\": " + offsets + "}}",
                                    "12345678"));
    };
    EXPECT_EQ(tensor("F32", "[2]", "[0, 8]"), "");
    EXPECT_EQ(tensor("F32", "[1, 2, 1]", "[0, 8]"), "");
    EXPECT_NE(tensor("F64", "[1]", "[0, 8]"), "");
    EXPECT_NE(tensor("F32", "[3]", "[0, 8]"), "");
    EXPECT_NE(tensor("F32", "[1]", "[0, 4]"), "");   // bytes after it
    EXPECT_NE(tensor("F32", "[1]", "[4, 8]"), "");   // bytes before it
    EXPECT_NE(tensor("F32", "[2]", "[4, 12]"), "");  // outside of the file
    EXPECT_NE(tensor("F32", "[2]", "[8, 0]"), "");
    EXPECT_NE(tensor("F32", "[2]", "[0, 8, 8]"), "");
    EXPECT_NE(tensor("F32", "[-2]", "[0, 8]"), "");
    EXPECT_NE(tensor("F32", "[2.0]", "[0, 8]"), "");
    EXPECT_NE(tensor("F32", "2", "[0, 8]"), "");
    // Products that overflow.
    EXPECT_NE(tensor("F32", "[9223372036854775807, 2]", "[0, 8]"), "");
    EXPECT_NE(tensor("F32", "[4294967296, 4294967296, 2]", "[0, 8]"), "");
    EXPECT_NE(tensor("F32", "[18446744073709551615]", "[0, 8]"), "");
    EXPECT_NE(tensor("F32", "[1,1,1,1,1,1,1,1,2]", "[0, 8]"), "");
    EXPECT_NE(tensor("F32", "[18446744073709551615, 0, 2]", "[0, 8]"), "");
}

TEST(Safetensors, refuses_headers_that_are_nested_deeply) {
    EXPECT_NE(error_of(with_header(std::string(20'000, '['))), "");
}

TEST(Safetensors, refuses_two_tensors_in_one_place) {
    const std::string x = "{\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}";
    EXPECT_NE(error_of(with_header("{\"x\": " + x + ", \"y\": " + x + "}", "12345678")), "");
}

// Whatever is read is written and read again alike. Under a sanitizer this also says that nothing reads past the end.
TEST(Safetensors, takes_or_refuses_random_damage) {
    const std::string sound = safetensors_bytes(some());
    Random random(1);
    for (int i = 0; i < 20'000; i++) {
        std::string bytes = sound;
        for (uint64_t n = 1 + random.below(4); n > 0; n--) {
            const size_t at = random.below(bytes.size());
            switch (random.below(4)) {
                case 0: bytes[at] = static_cast<char>(random.below(256)); break;
                case 1: bytes[at] = "0123456789[]{},:\""[random.below(17)]; break;
                case 2: bytes.erase(at, 1 + random.below(3)); break;
                default: bytes.insert(at, 1, bytes[random.below(bytes.size())]); break;
            }
            if (bytes.empty()) break;
        }
        const auto parsed = parse_safetensors(bytes);
        if (!parsed.ok()) continue;
        for (const auto &[name, tensor] : parsed->tensors) {
            int64_t count = 1;
            for (int64_t extent : tensor.shape) count *= extent;
            EXPECT_EQ(tensor.values.size(), static_cast<size_t>(count));
        }
    }
}

}  // namespace
}  // namespace cryolite
