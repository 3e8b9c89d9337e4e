#include "model/weights_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/network.h"
#include "model/safetensors.h"
#include "tests/model/made_network.h"

namespace cryolite {
namespace {

std::string error_of(const std::string &bytes) {
    const auto parsed = parse_weights(bytes, "my.safetensors");
    if (parsed.ok()) return "";
    EXPECT_NE(parsed.error().message.find("'my.safetensors'"), std::string::npos);
    return parsed.error().message;
}

// The file with something changed, as if whoever wrote it had meant it.
template <typename Change>
std::string error_with(Change change) {
    Weights weights = made_weights();
    change(weights.parameters);
    return error_of(weights_bytes(weights));
}

size_t header_end(const std::string &bytes) {
    size_t n = 0;
    for (size_t i = 0; i < 8; i++)
        n |= static_cast<size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return 8 + n;
}

TEST(WeightsFile, gives_back_every_bit) {
    const Weights weights = made_weights();
    const std::string bytes = weights_bytes(weights);
    EXPECT_TRUE(looks_like_weights(bytes));
    EXPECT_FALSE(looks_like_weights("{\"cryolite_coefficients\": 1}"));
    const auto read = parse_weights(bytes, "w");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(hash_of(read->parameters), hash_of(weights.parameters));
    EXPECT_EQ(read->manifest, weights.manifest);
    EXPECT_EQ(weights_bytes(*read), bytes);
}

TEST(WeightsFile, names_another_schema_other_terms_and_another_version) {
    auto file = parse_safetensors(weights_bytes(made_weights()));
    ASSERT_TRUE(file.ok());
    // Even with its old hash the file says what is wrong with it: something is.
    const auto with = [&](const char *key, const nlohmann::json &value) {
        Safetensors changed = *file;
        auto manifest = nlohmann::json::parse(changed.metadata["cryolite_weights"]);
        manifest[key] = value;
        changed.metadata["cryolite_weights"] = manifest.dump();
        return error_of(safetensors_bytes(changed));
    };
    EXPECT_NE(with("version", 99), "");
    EXPECT_NE(with("schema", "0"), "");
    EXPECT_NE(with("terms", nullptr), "");
    file->metadata.erase("cryolite_weights");
    EXPECT_NE(error_of(safetensors_bytes(*file)).find("holds no weights"), std::string::npos);
}

TEST(WeightsFile, refuses_numbers_that_cannot_be) {
    const float nan = std::nanf("");
    EXPECT_EQ(error_with([](NetworkParameters &) {}), "");
    EXPECT_NE(error_with([&](NetworkParameters &p) { p.members[1].joined.weight[5] = nan; }), "");
    EXPECT_NE(error_with([](NetworkParameters &p) { p.members[0].last.bias[0] = 1e9f; }), "");
    EXPECT_NE(error_with([](NetworkParameters &p) { p.scale[3] = -1; }), "");
    EXPECT_NE(error_with([&](NetworkParameters &p) { p.centre[3] = nan; }), "");
    EXPECT_NE(error_with([](NetworkParameters &p) { std::swap(p.low, p.high); }), "");
    EXPECT_NE(error_with([](NetworkParameters &p) { p.low.pop_back(); }), "");
    EXPECT_NE(error_with([](NetworkParameters &p) { p.machines[0].factors[0] = 1e6; }), "");
    EXPECT_NE(error_with([](NetworkParameters &p) { p.members.clear(); }), "");
    EXPECT_NE(error_with([](NetworkParameters &p) { p.members.resize(9, p.members[0]); }), "");
    EXPECT_NE(error_with([](NetworkParameters &p) {
                  DenseLayer &l = p.members[0].joined;
                  l = {l.inputs, l.outputs + 1, l.weight, l.bias};
                  l.weight.resize(l.inputs * l.outputs);
                  l.bias.resize(l.outputs);
              }),
              "");
}

TEST(WeightsFile, refuses_every_flipped_byte_of_the_header) {
    const std::string sound = weights_bytes(made_weights());
    const size_t end = header_end(sound);
    ASSERT_LT(end, sound.size());
    for (size_t at = 0; at < end; at++) {
        std::string bytes = sound;
        for (const int flip : {1 << (at % 8), 255}) {
            bytes[at] = static_cast<char>(sound[at] ^ flip);
            EXPECT_NE(error_of(bytes), "") << at;
        }
    }
}

TEST(WeightsFile, refuses_flipped_bytes_of_the_tensors) {
    const std::string sound = weights_bytes(made_weights());
    std::string bytes = sound;
    for (size_t at = header_end(sound); at < sound.size(); at += 97) {
        bytes[at] = static_cast<char>(sound[at] ^ (1 << (at % 8)));
        EXPECT_NE(error_of(bytes), "") << at;
        bytes[at] = sound[at];
    }
}

TEST(WeightsFile, refuses_truncations) {
    const std::string sound = weights_bytes(made_weights());
    const size_t end = header_end(sound);
    for (size_t n = 0; n < sound.size(); n += n < 16 || (n + 4 > end && n < end + 4) ? 1 : 101)
        EXPECT_NE(error_of(sound.substr(0, n)), "") << n;
    EXPECT_NE(error_of(sound + std::string(4, '\0')), "");
}

TEST(WeightsFile, random_damage_is_refused_or_harmless) {
    const std::string sound = weights_bytes(made_weights());
    const size_t end = header_end(sound);
    Random random(12);
    for (int i = 0; i < 2'000; i++) {
        std::string bytes = sound;
        for (uint64_t n = 1 + random.below(3); n > 0; n--) {
            const size_t at = random.below(end);
            if (random.chance(0.5))
                bytes[at] = "0123456789[]{},:\""[random.below(17)];
            else if (random.chance(0.5))
                bytes.erase(at, 1);
            else
                bytes.insert(at, 1, bytes[random.below(end)]);
        }
        const auto parsed = parse_weights(bytes, "w");
        if (parsed.ok()) {
            EXPECT_EQ(problem_of(parsed->parameters), "");
            EXPECT_EQ(hash_of(parsed->parameters), hash_of(made_weights().parameters));
        }
    }
}

}  // namespace
}  // namespace cryolite
