// What candidates start ends with them, even what has left their process group.
#include "autotune/stray_processes.h"

#ifdef __linux__

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "autotune/contest.h"

namespace cryolite {
namespace {

[[noreturn]] void never_end() {
    for (;;) pause();
}

class Starting : public Runnable {
public:
    explicit Starting(std::function<void()> start) : start_(std::move(start)) {}
    void call() override { start_(); }
    std::vector<Output> outputs() override {
        return {{halide_type_t(halide_type_int, 32), std::vector<std::byte>(4)}};
    }

private:
    std::function<void()> start_;
};

void start_sleeping_child() {
    if (fork() == 0) never_end();
}

// Its parent ends at once, and it leads a session of its own.
void start_daemon() {
    const pid_t child = fork();
    if (child > 0) {
        waitpid(child, nullptr, 0);
        return;
    }
    setsid();
    if (fork() == 0) never_end();
    _exit(0);
}

TEST(StrayProcesses, end_with_what_started_them) {
    adopt_orphans();
    const pid_t kept = fork();
    if (kept == 0) never_end();
    int started[2];
    ASSERT_EQ(pipe(started), 0);
    char byte = 0;
    if (fork() == 0) {
        for (int i = 0; i < 3; i++) start_daemon();
        start_sleeping_child();
        if (write(started[1], &byte, 1) != 1) _exit(1);
        never_end();
    }
    ASSERT_EQ(read(started[0], &byte, 1), 1);
    const int keep[] = {kept};
    EXPECT_EQ(end_strays(keep), 5u);
    EXPECT_EQ(children_of(getpid()), std::vector<int>{kept});
    EXPECT_EQ(end_strays(), 1u);
    EXPECT_TRUE(children_of(getpid()).empty());
}

TEST(StrayProcesses, of_a_candidate_disqualify_it_and_end_at_once) {
    adopt_orphans();
    using Start = std::function<void()>;
    const std::vector<Start> starts = {start_sleeping_child, start_daemon,
                                       [] {
                                           start_daemon();
                                           std::abort();
                                       },
                                       [] { usleep(1000); }};
    ContestRules rules;
    rules.output_bytes = 4;
    rules.seconds = 0.1;
    rules.ends_strays = true;
    const std::vector<Entry> entries = contest(
        starts.size(), starts.size() - 1,
        [&](size_t i) { return std::make_unique<Starting>(starts[i]); }, rules);
    EXPECT_EQ(entries[0].end, Entry::End::Failed);
    EXPECT_EQ(entries[0].message, "it left 1 processes running");
    EXPECT_EQ(entries[1].end, Entry::End::Failed);
    EXPECT_EQ(entries[2].end, Entry::End::Died);
    EXPECT_EQ(entries[3].end, Entry::End::Timed) << entries[3].message;
    EXPECT_TRUE(children_of(getpid()).empty());
}

}  // namespace
}  // namespace cryolite

#endif
