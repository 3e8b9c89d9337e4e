// Programs that end, fail, crash, hang, eat memory or leave children behind.
#include "base/program.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

namespace cryolite {
namespace {

using End = ProgramResult::End;

ProgramResult shell(const std::string &script, const ProgramLimits &limits = {}) {
    auto result = run_program({"/bin/sh", "-c", script}, limits);
    EXPECT_TRUE(result.ok());
    return std::move(result).value();
}

// A killed process that nobody has reaped yet is gone, too. Waits a moment for it.
bool is_gone(pid_t pid) {
    for (int i = 0; i < 100; i++) {
        std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
        std::string id, name, state;
        if (!(file >> id >> name >> state) || state == "Z") return true;
        usleep(20'000);
    }
    return false;
}

TEST(RunProgram, keeps_what_was_said_and_how_it_ended) {
    const ProgramResult well = shell("echo out; echo err >&2");
    EXPECT_TRUE(well.succeeded());
    EXPECT_EQ(well.ending, "");
    EXPECT_NE(well.output.find("out\n"), std::string::npos);
    EXPECT_NE(well.output.find("err\n"), std::string::npos);
    EXPECT_EQ(shell("exit 3").end, End::Failed);
    EXPECT_EQ(shell("exit 3").ending, "exit status 3");
    EXPECT_EQ(shell("kill -SEGV $$").end, End::Died);
    EXPECT_EQ(shell("cat").output, "");  // nothing to read
}

TEST(RunProgram, hands_arguments_on_as_they_are) {
    const auto result = run_program({"printf", "%s|", "a b", "$HOME", "*", ""});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->output, "a b|$HOME|*||");
}

TEST(RunProgram, reads_and_writes_files) {
    const std::string folder =
        ::testing::TempDir() + "cryolite-program-" + std::to_string(getpid());
    std::ofstream(folder + ".in") << "given\n";
    const auto result =
        run_program({"/bin/sh", "-c", "cat; echo said >&2"}, {}, {folder + ".in", folder + ".out"});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->output, "said\n");
    std::string line;
    std::getline(std::ifstream(folder + ".out"), line);
    EXPECT_EQ(line, "given");
    unlink((folder + ".in").c_str());
    unlink((folder + ".out").c_str());
    EXPECT_FALSE(run_program({"/bin/cat"}, {}, {"/nowhere/in", ""}).ok());
}

TEST(RunProgram, says_that_a_program_cannot_be_started) {
    const auto missing = run_program({"/nowhere/program"});
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().message.find("'/nowhere/program'"), std::string::npos);
    EXPECT_FALSE(run_program({"/etc"}).ok());
}

TEST(RunProgram, keeps_the_end_of_long_output) {
    const ProgramResult result = shell("yes 0123456789 | head -c 1000000; echo the end");
    EXPECT_TRUE(result.succeeded());
    EXPECT_LT(result.output.size(), size_t{200'000});
    EXPECT_TRUE(result.output.ends_with("the end\n"));
}

TEST(RunProgram, ends_what_hangs_with_all_its_children) {
    ProgramLimits limits;
    limits.seconds = 0.3;
    const ProgramResult result = shell("sleep 1000 & echo $!; wait", limits);
    EXPECT_EQ(result.end, End::TimedOut);
    const pid_t child = std::stoi(result.output);
    EXPECT_TRUE(is_gone(child));
}

TEST(RunProgram, does_not_wait_for_a_child_that_is_left_behind) {
    const ProgramResult result = shell("sleep 1000 & echo $!");
    EXPECT_TRUE(result.succeeded());
    const pid_t child = std::stoi(result.output);
    EXPECT_TRUE(is_gone(child));
}

TEST(RunProgram, ends_what_takes_too_much_memory) {
    ProgramLimits limits;
    limits.seconds = 60;
    limits.memory_bytes = int64_t{64} << 20;
    // A string that doubles until somebody stops it.
    const ProgramResult result = shell("x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", limits);
    EXPECT_EQ(result.end, End::OutOfMemory) << result.ending;
}

TEST(RunProgram, ends_what_is_no_longer_wanted) {
    std::atomic<bool> stop{false};
    ProgramLimits limits;
    limits.stop = &stop;
    std::thread stopper([&] {
        usleep(100'000);
        stop = true;
    });
    EXPECT_EQ(shell("sleep 1000", limits).end, End::Stopped);
    stopper.join();
}

}  // namespace
}  // namespace cryolite
