#include "model/correction_file.h"

#include <gtest/gtest.h>

#include "model/coefficients_file.h"
#include "tests/model/made_network.h"
#include "tests/temporary_folder.h"

namespace cryolite {
namespace {

std::string error_of(const std::string &path) {
    const auto read = read_correction(path, "m");
    return read.ok() ? "" : read.error().message;
}

TEST(CorrectionFile, reads_factors_and_networks) {
    const TemporaryFolder folder;
    const auto factors = read_correction(folder.file("w.json", coefficients_text({})), "m");
    ASSERT_TRUE(factors.ok());
    EXPECT_FALSE((*factors)->reads_rows());
    const auto network =
        read_correction(folder.file("w.safetensors", weights_bytes(made_weights())), "m");
    ASSERT_TRUE(network.ok());
    EXPECT_TRUE((*network)->reads_rows());
}

TEST(CorrectionFile, names_the_file_that_it_refuses) {
    const TemporaryFolder folder;
    const std::string bytes = weights_bytes(made_weights());
    for (const std::string &path :
         {folder.file("cut", bytes.substr(0, bytes.size() / 2)),
          folder.file("short", bytes.substr(0, 12)), folder.file("empty", ""),
          folder.file("text", "hello"), std::string("/nowhere/w")})
        EXPECT_NE(error_of(path).find("'" + path + "'"), std::string::npos) << error_of(path);
}

}  // namespace
}  // namespace cryolite
