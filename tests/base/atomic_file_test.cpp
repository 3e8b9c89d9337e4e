#include "base/atomic_file.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace cryolite {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("cryolite_atomic_" + std::to_string(getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string path(const std::string &name) const { return (folder_ / name).string(); }
    static std::string contents(const std::string &path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    size_t files() const {
        return static_cast<size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    fs::path folder_;
};

TEST_F(AtomicFile, holds_the_new_text_and_nothing_lies_beside_it) {
    ASSERT_TRUE(write_atomically(path("a"), "a long first text").ok());
    ASSERT_TRUE(write_atomically(path("a"), "second").ok());
    EXPECT_EQ(contents(path("a")), "second");
    EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, follows_a_link) {
    ASSERT_TRUE(write_atomically(path("place"), "old").ok());
    fs::create_symlink("place", path("link"));
    ASSERT_TRUE(write_atomically(path("link"), "new").ok());
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(contents(path("place")), "new");
}

TEST_F(AtomicFile, says_where_it_cannot_be_written) {
    const auto nowhere = write_atomically(path("no/such/folder/a"), "text");
    ASSERT_FALSE(nowhere.ok());
    EXPECT_NE(nowhere.error().message.find("no/such/folder/a"), std::string::npos);
    EXPECT_NE(nowhere.error().message.find("No such file"), std::string::npos);
    const auto folder = write_atomically(folder_.string(), "text");
    ASSERT_FALSE(folder.ok());
    EXPECT_NE(folder.error().message.find("directory"), std::string::npos);
    EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFile, on_a_device_without_room_is_an_error) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
    const auto full = write_atomically("/dev/full", "text");
    ASSERT_FALSE(full.ok());
    EXPECT_NE(full.error().message.find("No space left"), std::string::npos);
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

// A limit on the size of files stands for a full disk.
TEST_F(AtomicFile, leaves_the_old_text_where_the_new_does_not_fit) {
    ASSERT_TRUE(write_atomically(path("a"), "old").ok());
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = write_atomically(path("a"), std::string(10000, 'x'));
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, old_handler);
    ASSERT_FALSE(written.ok());
    EXPECT_NE(written.error().message.find("cannot write"), std::string::npos);
    EXPECT_EQ(contents(path("a")), "old");
    EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace cryolite
