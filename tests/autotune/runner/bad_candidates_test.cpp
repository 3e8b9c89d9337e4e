// The runner with candidates of every kind: each is told apart, the others are still timed, and nothing is left
// running.
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <set>

#include "autotune/runner/run_request.h"
#include "autotune/runner/run_result.h"
#include "autotune/stray_processes.h"
#include "tests/autotune/runner/runner_program.h"

namespace cryolite {
namespace {

using End = Entry::End;

const std::string made = CANDIDATES_LIBRARY;

RunLibrary library(const std::string &function) { return {function, made, function}; }

RunRequest request(const std::vector<std::string> &functions) {
    RunRequest r;
    r.function = "right";
    r.threads = 1;
    r.reference = library("right");
    for (const std::string &f : functions) r.candidates.push_back(library(f));
    r.rules.seconds = 0.5;
    r.rules.cut_off = 20;  // far more than a busy computer slows a run down
    r.rules.prepare_seconds = 2;
    r.rules.memory_mb = 256;
    return r;
}

Said ran(const RunRequest &r, const TemporaryFolder &folder) {
    const std::string file = folder.file("request.json", to_json_text(r));
    return say({RUNNER, file, "-o", folder.path("result.json").string()}, folder);
}

Result<RunResult> result_in(const TemporaryFolder &folder) {
    return parse_run_result(text_of(folder.path("result.json")));
}

#ifdef __linux__

TEST(BadCandidates, are_told_apart_while_the_others_are_timed_and_nothing_is_left) {
    adopt_orphans();
    const TemporaryFolder folder;
    const std::map<std::string, End> expected = {{"right", End::Timed},
                                                 {"also_right", End::Timed},
                                                 {"talking", End::Timed},
                                                 {"slow", End::TooSlow},
                                                 {"wrong", End::Wrong},
                                                 {"wrong_later", End::Wrong},
                                                 {"idle_later", End::Wrong},
                                                 {"crash", End::Died},
                                                 {"aborting", End::Died},
                                                 {"exit_0", End::Died},
                                                 {"exit_1", End::Died},
                                                 {"recursive", End::Died},
                                                 {"closing", End::Died},
                                                 {"spinning", End::Hung},
                                                 {"sleeping", End::Hung},
                                                 {"stopping", End::Hung},
                                                 {"hanging", End::Hung},
                                                 {"hog", End::OutOfMemory},
                                                 {"sharing_hog", End::OutOfMemory},
                                                 {"killed", End::OutOfMemory},
                                                 {"children", End::Failed},
                                                 {"daemons", End::Failed},
                                                 {"refusing", End::Failed},
                                                 {"throwing", End::Died},
                                                 {"without_memory", End::OutOfMemory},
                                                 {"other", End::Failed},
                                                 {"shorter", End::Failed},
                                                 {"without_metadata", End::Failed},
                                                 {"absent", End::Failed},
                                                 {"no_library", End::Failed},
                                                 {"text", End::Failed}};
    RunRequest r = request({});
    for (const auto &[name, end] : expected)
        if (name != "right") r.candidates.push_back(library(name));
    for (RunLibrary &c : r.candidates) {
        if (c.id == "no_library") c.library = folder.path("none.so");
        if (c.id == "text") c.library = folder.file("text.so", "no library");
        if (c.id == "hanging") c.library = HANGING_LIBRARY;
    }

    const Said said = ran(r, folder);
    EXPECT_EQ(said.status, 0);
    EXPECT_EQ(said.output, "");
    EXPECT_EQ(said.errors, "");
    EXPECT_TRUE(children_of(getpid()).empty());

    const Result<RunResult> result = result_in(folder);
    ASSERT_TRUE(result.ok()) << result.error().message;
    ASSERT_EQ(result->entries.size(), expected.size());
    EXPECT_EQ(result->entries[0].id, "right");
    std::map<std::string, std::string> message;
    for (const RunEntry &e : result->entries) {
        // An exception does not pass everywhere from the library's C++ library into the program's, which is linked in.
        const bool is_failed = e.id == "throwing" && e.entry.end == End::Failed;
        EXPECT_EQ(name(is_failed ? End::Died : e.entry.end), std::string(name(expected.at(e.id))))
            << e.id << ": " << e.entry.message;
        EXPECT_EQ(e.entry.message.empty(), e.entry.end == End::Timed) << e.id;
        message[e.id] = e.entry.message;
    }
    EXPECT_EQ(message["refusing"],
              "the pipeline failed with status -27: Error: the size must be even");
    EXPECT_EQ(
        message["without_memory"],
        "the pipeline failed with status -11: Out of memory (halide_malloc returned nullptr)");
    EXPECT_EQ(message["other"],
              "argument 0 is input 'in' of float32 with 2 dimensions, and the reference has input "
              "'in' of uint8 with 2 dimensions");
    EXPECT_EQ(message["shorter"], "it has 2 arguments, and the reference has 3");
    EXPECT_EQ(message["without_metadata"], "it has no function without_metadata_metadata");
    EXPECT_EQ(message["absent"], "it has no function absent_argv");
    EXPECT_EQ(message["children"], "it left 5 processes running");
    EXPECT_NE(message["wrong"].find("of 65536 values differ"), std::string::npos);

    const Entry &right = result->find("right")->entry, &also = result->find("also_right")->entry;
    EXPECT_GE(right.seconds.size(), 3u);
    EXPECT_EQ(right.seconds.size(), also.seconds.size());
    EXPECT_TRUE(result->machine.other_load);
}

TEST(BadCandidates, as_reference_leave_the_others_unmeasured) {
    const TemporaryFolder folder;
    for (const auto &[name, end] : std::map<std::string, End>{{"crash", End::Died},
                                                              {"refusing", End::Failed},
                                                              {"absent", End::Failed},
                                                              {"hanging", End::Hung}}) {
        RunRequest r = request({"right"});
        r.reference = library(name);
        if (name == "hanging") r.reference.library = HANGING_LIBRARY;
        EXPECT_EQ(ran(r, folder).status, 0);
        const Result<RunResult> result = result_in(folder);
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_EQ(result->find(name)->entry.end, end) << result->find(name)->entry.message;
        EXPECT_EQ(result->find("right")->entry.end, End::NotReady);
    }
}

// The processes so many generations below one.
std::vector<int> descendants(int pid, int generations) {
    std::vector<int> level = {pid};
    for (int g = 0; g < generations; g++) {
        std::vector<int> next;
        for (const int p : level)
            for (const int child : children_of(p)) next.push_back(child);
        level = next;
    }
    return level;
}

bool within(double seconds, const std::function<bool()> &is_so) {
    for (int i = 0; i < seconds * 100; i++) {
        if (is_so()) return true;
        usleep(10000);
    }
    return false;
}

// Whoever of the runner's processes is killed: those that are left end the candidate and what it has started.
TEST(BadCandidates, leave_nothing_when_a_process_of_the_runner_is_killed) {
    adopt_orphans();
    constexpr int daemon_generation = 4;  // runner, guard, worker, candidate, daemon
    for (int killed = 0; killed < 4; killed++) {
        const TemporaryFolder folder;
        const std::string file =
            folder.file("request.json", to_json_text(request({"daemon_and_hang"})));
        const pid_t runner =
            start({RUNNER, file, "-o", folder.path("result.json").string()}, folder);
        ASSERT_TRUE(within(20, [&] { return !descendants(runner, daemon_generation).empty(); }));
        const std::vector<int> victims = descendants(runner, killed);
        for (const int victim : victims) kill(victim, SIGKILL);
        waitpid(runner, nullptr, 0);
        // Ended ones that the runner has not reaped become ours.
        EXPECT_TRUE(within(20,
                           [] {
                               while (waitpid(-1, nullptr, WNOHANG) > 0) {
                               }
                               return children_of(getpid()).empty();
                           }))
            << "killed generation " << killed;
        end_strays();
    }
}

#endif

}  // namespace
}  // namespace cryolite
