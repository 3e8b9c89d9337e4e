// The search inside its limits: time by a clock that the test turns, memory by what is counted and by what
// the system says.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "base/memory_use.h"
#include "code/legality/validate.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/memory_plan.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::machine;

// Moves on by a second whenever it is asked: time is the number of questions.
struct CountingClock {
    std::shared_ptr<std::atomic<int64_t>> questions = std::make_shared<std::atomic<int64_t>>(0);
    Deadline after(double count) const {
        return Deadline::after(count,
                               [q = questions] { return static_cast<double>(q->fetch_add(1)); });
    }
};

// Whoever works on a state asks for the time first: so there are no more states than questions.
TEST(SearchDeadline, is_asked_before_every_state) {
    const BuiltGraph built = testing::shifted_chain(12, 2000).build();
    for (double questions : {1, 10, 100, 1000, 5000}) {
        for (int64_t threads : {1, 3}) {
            const CountingClock clock;
            SearchOptions options;
            options.threads = threads;
            options.num_passes = 3;
            options.time_limit_seconds = 1e6;
            options.deadline = clock.after(questions);
            const SearchResult r = search(built.graph, machine(), options);
            EXPECT_TRUE(r.nest.complete());
            EXPECT_EQ(validate(r.nest), "") << to_tree_text(r.nest);
            EXPECT_LE(static_cast<double>(r.statistics.states_generated), questions);
            if (questions >= 100) {
                EXPECT_GT(r.statistics.states_generated, 0u) << questions << " questions";
            }
            EXPECT_TRUE(r.statistics.hit_time_limit) << questions << " questions";
        }
    }
}

// Once a deadline has passed, each loop that asks for it ends.
TEST(SearchDeadline, ends_the_search_within_a_few_questions) {
    const BuiltGraph built = testing::shifted_chain(12, 2000).build();
    for (double questions : {1, 10, 100, 1000, 5000}) {
        const CountingClock clock;
        SearchOptions options;
        options.threads = 1;
        options.num_passes = 3;
        options.time_limit_seconds = 1e6;
        options.deadline = clock.after(questions);
        search(built.graph, machine(), options);
        // A question for each state of a beam that is not expanded any more.
        EXPECT_LE(static_cast<double>(clock.questions->load()), questions + 300);
    }
}

TEST(SearchMemory, is_kept_by_letting_states_go_early_on_any_number_of_threads) {
    const BuiltGraph built = testing::shifted_chain(5, 2000).build();
    SearchOptions options;
    options.time_limit_seconds = 1e6;
    options.beam_size = 128;
    options.num_passes = 1;
    options.memory_limit_bytes = 2 << 20;
    options.threads = 1;
    const SearchResult one = search(built.graph, machine(), options);
    EXPECT_TRUE(one.statistics.beam_narrowed);
    EXPECT_TRUE(one.nest.complete());
    EXPECT_EQ(validate(one.nest), "");
    for (int64_t threads : {2, 3}) {
        options.threads = threads;
        const SearchResult r = search(built.graph, machine(), options);
        EXPECT_EQ(r.nest.hash(), one.nest.hash()) << threads << " threads";
        EXPECT_EQ(r.statistics.states_generated, one.statistics.states_generated);
    }
}

TEST(SearchMemory, by_default_lets_no_state_go) {
    const BuiltGraph built = testing::shifted_chain(16, 2000).build();
    SearchOptions options;
    options.time_limit_seconds = 1e6;
    options.num_passes = 1;
    EXPECT_FALSE(search(built.graph, machine(), options).statistics.beam_narrowed);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Of /proc/self/status, in bytes; 0 where there is no such line.
double resident(const char *field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind(field, 0) == 0)
            return std::strtod(line.c_str() + std::strlen(field), nullptr) * 1024;
    return 0;
}

TEST(SearchMemory, is_that_of_the_process_to_within_a_fifth) {
    const BuiltGraph built = testing::shifted_chain(8, 2000).build();
    SearchOptions options;
    options.time_limit_seconds = 1e6;
    options.beam_size = 512;  // takes 90 MB without a limit
    options.num_passes = 1;
    options.memory_limit_bytes = 20 << 20;
    options.threads = 4;
    // The code that a search runs is mapped page by page, which is no matter of the search's size.
    SearchOptions small = options;
    small.beam_size = 1;
    search(testing::shifted_chain(3, 2000).build().graph, machine(), small);
    return_free_memory();
    std::ofstream("/proc/self/clear_refs") << "5";  // the highest size is counted anew
    const double before = resident("VmRSS:");
    const SearchResult r = search(built.graph, machine(), options);
    const double grown = resident("VmHWM:") - before;
    EXPECT_LT(grown, 1.2 * static_cast<double>(options.memory_limit_bytes));
    EXPECT_TRUE(r.statistics.beam_narrowed);
}
#endif

TEST(MemoryPlan, takes_on_no_more_states_than_have_room_for_children) {
    MemoryPlan plan(3000, std::nullopt);  // 1000 bytes of children
    plan.begin_step();
    EXPECT_EQ(plan.states_at_once(50), 1u) << "nothing is known of their number";
    plan.add(10, 100);
    EXPECT_EQ(plan.states_at_once(50), 9u);
    EXPECT_EQ(plan.states_at_once(3), 3u);
    for (int i = 0; i < 9; i++) plan.add(10, 100);
    EXPECT_TRUE(plan.is_full());
    EXPECT_EQ(plan.kept_when_full(), 50u);
    EXPECT_EQ(plan.widest_beam(), 25u);
    plan.thinned_to(50);
    EXPECT_FALSE(plan.is_full());
    EXPECT_EQ(plan.states_at_once(50), 5u);
    plan.begin_step();
    EXPECT_EQ(plan.states_at_once(50), 10u) << "as many children each as in the step before";
}

TEST(MemoryPlan, forgets_memos_when_the_process_has_grown_and_not_again_at_once) {
    MemoryPlan plan(900, 5000);
    EXPECT_FALSE(plan.is_near_limit(5700));
    EXPECT_TRUE(plan.is_near_limit(5900));
    plan.note_memos_forgotten(5850);
    EXPECT_FALSE(plan.is_near_limit(5900));
    EXPECT_TRUE(plan.is_near_limit(6200));
    EXPECT_FALSE(MemoryPlan(900, std::nullopt).is_near_limit(1 << 20));
    EXPECT_FALSE(plan.is_near_limit(std::nullopt));
}

}  // namespace
}  // namespace cryolite
