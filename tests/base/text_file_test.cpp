#include "base/text_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace cryolite {
namespace {

class TextFile : public ::testing::Test {
protected:
    void SetUp() override {
        path_ = (std::filesystem::temp_directory_path() /
                 ("cryolite_text_file_" + std::to_string(getpid())))
                    .string();
    }
    void TearDown() override { std::filesystem::remove(path_); }
    std::string refused(const std::string &path, size_t most = longest_text_bytes) const {
        const auto text = read_text_file(path, most);
        return text.ok() ? "accepted" : text.error().message;
    }
    std::string path_;
};

TEST_F(TextFile, is_read_whole) {
    for (const std::string &text :
         {std::string(), std::string("a\nb\r\n\0c", 7), std::string(200000, 'x')}) {
        std::ofstream(path_, std::ios::binary) << text;
        const auto read = read_text_file(path_);
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_EQ(*read, text);
    }
}

TEST_F(TextFile, that_is_longer_than_allowed_is_refused) {
    std::ofstream(path_) << "12345";
    EXPECT_TRUE(read_text_file(path_, 5).ok());
    EXPECT_EQ(refused(path_, 4), "'" + path_ + "' is longer than 4 bytes");
    if (access("/dev/zero", R_OK) == 0) {
        EXPECT_EQ(refused("/dev/zero", 1000), "'/dev/zero' is longer than 1000 bytes");
    }
}

TEST_F(TextFile, that_is_none_is_refused) {
    EXPECT_EQ(refused(path_), "there is no file '" + path_ + "'");
    const std::string folder = std::filesystem::temp_directory_path().string();
    EXPECT_EQ(refused(folder), "'" + folder + "' is a folder");
}

}  // namespace
}  // namespace cryolite
