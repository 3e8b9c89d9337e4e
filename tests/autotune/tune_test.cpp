// The tuner's loop on a made-up pipeline, whose schedules are numbers and take as long as a formula says. Nothing is
// compiled, so that hundreds of runs that are killed and go on take seconds.
#include "autotune/tune/tune.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <set>

#include "autotune/tune/build_task.h"
#include "autotune/tune/generator.h"
#include "autotune/tune/pack_schedules.h"
#include "autotune/tune/tune_budget.h"
#include "base/random.h"
#include "tests/temporary_folder.h"

namespace cryolite {
namespace {

constexpr int plain = 1'000'000, one_shot = 1'000'001;

std::string trace_of(int schedule) { return "schedule " + std::to_string(schedule); }
int schedule_of(const std::string &trace) { return std::stoi(trace.substr(trace.find(' ') + 1)); }

// From 0.5 to 1.5 ms, the least at 777.
double seconds_of(int schedule) {
    if (schedule == plain) return 5e-3;
    if (schedule == one_shot) return 1e-3;
    return 0.5e-3 + 1e-6 * std::abs(schedule - 777);
}

class MadeUp : public Workshop {
public:
    int space = 1000;  // schedules
    std::map<int, SampleStatus> ends;
    std::map<int, std::string> not_built;
    std::map<int, uint64_t> code;
    useconds_t delay_microseconds = 0;
    size_t fit_at_once = 1000;  // candidates in memory; 0: one without the others

    std::map<std::string, int> measured;  // how often, by trace
    std::vector<Lesson> lessons;          // of the latest draw
    int draws = 0;

    Result<DrawnBatch> draw(const std::vector<Lesson> &known_so_far, size_t count,
                            uint64_t seed) override {
        usleep(delay_microseconds);
        lessons = known_so_far;
        DrawnBatch batch;
        batch.problem = {"made_up", "0123456789abcdef", "[]", "{}", "x86-64-linux",
                         "{}",      "21.0.0",           2};
        batch.weights = "{}";
        if (count == 0) return batch;
        draws++;
        if (lessons.empty()) {
            batch.draws.push_back({"plain", trace_of(plain), 5e-3});
            batch.draws.push_back({"one shot", trace_of(one_shot), 1e-3});
        }
        std::set<std::string> known;
        double least = 1;
        int best = 0;
        for (const Lesson &l : lessons) {
            known.insert(l.trace);
            if (l.seconds > 0 && l.seconds < least && schedule_of(l.trace) < plain) {
                least = l.seconds;
                best = schedule_of(l.trace);
            }
        }
        Random random(seed);
        for (int tries = 0; tries < 2000 && batch.draws.size() < count; tries++) {
            const int s =
                lessons.empty() || random.chance(0.5)
                    ? static_cast<int>(random.below(static_cast<uint64_t>(space)))
                    : std::clamp(best + static_cast<int>(random.between(-20, 20)), 0, space - 1);
            if (known.insert(trace_of(s)).second)
                batch.draws.push_back({"greedy", trace_of(s), seconds_of(s)});
        }
        return batch;
    }

    std::vector<Built> build(const std::vector<std::string> &traces,
                             const std::vector<std::string> &) override {
        usleep(delay_microseconds);
        std::vector<Built> all;
        for (const std::string &t : traces) {
            const int s = schedule_of(t);
            Built b;
            if (not_built.contains(s))
                b.message = not_built[s];
            else
                b.library = t;
            b.object_hash = code.contains(s) ? code[s] : static_cast<uint64_t>(s) + 1;
            all.push_back(b);
        }
        return all;
    }

    Result<MeasuredGroup> measure(const std::string &anchor,
                                  const std::vector<std::string> &libraries,
                                  const MeasureRules &) override {
        usleep(delay_microseconds);
        Random noise(measured.size());
        const double load = 1 + noise.unit();  // the same for all in a group
        const auto run = [&](const std::string &library) {
            measured[library]++;
            Measured m;
            const int s = schedule_of(library);
            m.status = ends.contains(s) ? ends[s] : SampleStatus::Timed;
            if (m.status == SampleStatus::Timed)
                m.seconds.assign(5, seconds_of(s) * load);
            else
                m.message = "as told";
            if (m.status == SampleStatus::TooSlow) m.seconds = {seconds_of(s) * load};
            return m;
        };
        MeasuredGroup group;
        group.anchor = run(anchor);
        for (const std::string &l : libraries) group.candidates.push_back(run(l));
        // As many as fit; the last of them do not.
        for (size_t i = std::max<size_t>(1, fit_at_once); i < group.candidates.size(); i++)
            group.candidates[i] = {SampleStatus::OutOfMemory, "no room", {}, 0};
        if (fit_at_once == 0 && libraries.size() > 1)
            group.anchor = {SampleStatus::OutOfMemory, "no room", {}, 0};
        return group;
    }

    void forget(const std::string &) override {}
};

// A runner that is out of reach now and then.
class Unreliable : public MadeUp {
public:
    int every = 3;  // call that fails
    Result<MeasuredGroup> measure(const std::string &anchor,
                                  const std::vector<std::string> &libraries,
                                  const MeasureRules &rules) override {
        if (++calls_ > 1 && calls_ % every == 0) return Error{"no route to the board"};
        return MadeUp::measure(anchor, libraries, rules);
    }

private:
    int calls_ = 0;
};

// Two computers that measure the halves of a group; the second is lost at times.
class InParts : public MadeUp {
public:
    std::set<std::string> lost;

    Result<MeasuredGroup> measure(const std::string &anchor,
                                  const std::vector<std::string> &libraries,
                                  const MeasureRules &rules) override {
        const auto half = libraries.begin() + static_cast<ptrdiff_t>(libraries.size() / 2);
        auto all = MadeUp::measure(anchor, {libraries.begin(), half}, rules);
        auto second = MadeUp::measure(anchor, {half, libraries.end()}, rules);
        all->anchors.assign(all->candidates.size(), all->anchor);
        if (++calls_ % 3 == 0) {
            second->anchor = {SampleStatus::Failed, "its node was lost", {}, 0};
            lost.insert(half, libraries.end());
        }
        all->anchors.resize(libraries.size(), second->anchor);
        for (const Measured &m : second->candidates) all->candidates.push_back(m);
        return all;
    }

private:
    int calls_ = 0;
};

class Tune : public ::testing::Test {
protected:
    Tune() {
        rules_.batch = 40;
        rules_.budget_samples = 100;
        rules_.patience = 0;
    }

    std::string path() const { return folder_.path("tune.sqlite"); }
    Store open() { return Store::open(path(), Store::Access::Write).value(); }

    TuneResult run() {
        Store store = open();
        auto result = tune(workshop_, store, rules_, observer_, stop_);
        EXPECT_TRUE(result.ok()) << result.error().message;
        return result.ok() ? std::move(*result) : TuneResult{};
    }

    std::vector<Sample> samples() { return open().samples(1).value(); }

    const TemporaryFolder folder_;
    MadeUp workshop_;
    TuneRules rules_;
    TuneObserver observer_;
    std::atomic<bool> stop_{false};
};

TEST_F(Tune, gets_better_than_one_shot_and_says_by_how_much) {
    rules_.budget_samples = 200;
    const TuneResult result = run();
    ASSERT_TRUE(result.best && result.one_shot && result.plain);
    EXPECT_EQ(result.ended_by, "budget");
    EXPECT_NEAR(result.one_shot->ratio.median, 1, 1e-9);
    EXPECT_NEAR(result.plain->ratio.median, 5, 1e-9);
    // Whatever the load of the machine was.
    EXPECT_NEAR(result.best->ratio.median, seconds_of(schedule_of(result.best->trace)) / 1e-3,
                1e-9);
    EXPECT_LT(result.best->ratio.median, 0.53);
    EXPECT_GE(result.samples, 200);
}

TEST_F(Tune, measures_no_schedule_twice_but_the_fastest) {
    run();
    std::set<std::string> first;
    for (const Sample &s : samples()) {
        if (s.repeat == 0) {
            EXPECT_TRUE(first.insert(s.trace).second);
        }
    }
    int often = 0;
    for (const auto &[trace, times] : workshop_.measured) often += times > 1;
    EXPECT_LT(often, 30);
}

TEST_F(Tune, goes_on_where_it_ended) {
    rules_.budget_samples = 30;
    const TuneResult before = run();
    const int draws = workshop_.draws;
    const TuneResult after = run();
    EXPECT_EQ(workshop_.draws, draws + 1);  // the first round was of 40
    EXPECT_GE(after.samples, before.samples + 30);
    EXPECT_LE(after.best->ratio.median, before.best->ratio.median + 1e-9);
    std::set<std::string> seen;
    for (const Sample &s : samples()) {
        if (s.repeat == 0) {
            EXPECT_TRUE(seen.insert(s.trace).second);
        }
    }
}

TEST_F(Tune, keeps_failures_by_class_with_their_messages) {
    for (int s = 0; s < 1000; s++) {
        if (s % 7 == 0) workshop_.ends[s] = SampleStatus::Wrong;
        if (s % 7 == 1) workshop_.ends[s] = SampleStatus::Crashed;
        if (s % 7 == 2) workshop_.ends[s] = SampleStatus::Hung;
        if (s % 7 == 3) workshop_.not_built[s] = "the compiler said no";
    }
    const TuneResult result = run();
    std::map<SampleStatus, int> count;
    for (const Sample &s : samples()) {
        count[s.status]++;
        if (s.status != SampleStatus::Timed) {
            EXPECT_NE(s.message, "");
        }
    }
    for (SampleStatus status : {SampleStatus::Timed, SampleStatus::Wrong, SampleStatus::Crashed,
                                SampleStatus::Hung, SampleStatus::NotBuilt})
        EXPECT_GT(count[status], 3) << name(status);
    EXPECT_GT(schedule_of(result.best->trace) % 7, 3);
}

TEST_F(Tune, takes_plain_as_the_anchor_where_one_shot_fails) {
    workshop_.ends[one_shot] = SampleStatus::Wrong;
    const TuneResult result = run();
    EXPECT_EQ(result.one_shot->status, SampleStatus::Wrong);
    EXPECT_NEAR(result.plain->ratio.median, 1, 1e-9);
    EXPECT_LT(result.best->ratio.median, 0.2);
}

TEST_F(Tune, is_an_error_where_the_plain_schedule_cannot_run) {
    workshop_.ends[plain] = SampleStatus::Crashed;
    Store store = open();
    const auto crashed = tune(workshop_, store, rules_, observer_, stop_);
    ASSERT_FALSE(crashed.ok());
    EXPECT_NE(crashed.error().message.find("as told"), std::string::npos);
    workshop_.not_built[plain] = "no memory";
    const auto missing = tune(workshop_, store, rules_, observer_, stop_);
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().message.find("no memory"), std::string::npos);
}

TEST_F(Tune, ends_with_an_error_where_the_anchor_stops_running_and_keeps_what_was_measured) {
    run();
    const size_t before = samples().size();
    workshop_.ends[one_shot] = SampleStatus::Hung;
    const TuneResult result = run();
    EXPECT_EQ(result.ended_by, "an error");
    EXPECT_NE(result.failure.find("hung: as told"), std::string::npos) << result.failure;
    EXPECT_TRUE(result.best.has_value());
    EXPECT_EQ(samples().size(), before);
}

TEST_F(Tune, measures_alone_what_does_not_fit_beside_others) {
    for (size_t fit : {0, 5}) {
        workshop_.fit_at_once = fit;
        const TuneResult result = run();
        for (const Sample &s : samples()) EXPECT_EQ(s.status, SampleStatus::Timed) << s.message;
        EXPECT_TRUE(result.best.has_value());
    }
}

TEST_F(Tune, goes_on_where_a_measurement_fails_and_gives_up_where_all_do) {
    rules_.group = 4;
    Unreliable sometimes;
    Store store = open();
    const auto result = tune(sometimes, store, rules_, observer_, stop_);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->ended_by, "budget");
    Unreliable always;
    always.every = 1;
    Store other = Store::open(path() + "2", Store::Access::Write).value();
    const auto none = tune(always, other, rules_, observer_, stop_);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(none->failure, "no route to the board");
}

TEST_F(Tune, compares_each_part_of_a_group_with_its_own_anchor_and_keeps_nothing_of_a_lost_one) {
    rules_.group = 8;
    InParts computers;
    Store store = open();
    const auto result = tune(computers, store, rules_, observer_, stop_);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->ended_by, "budget");
    EXPECT_FALSE(computers.lost.empty());
    for (const Sample &s : samples()) {
        EXPECT_EQ(s.status, SampleStatus::Timed) << s.message;
        EXPECT_NEAR(s.ratio.median, seconds_of(schedule_of(s.trace)) / 1e-3, 1e-9);
    }
}

TEST(BuildTask, is_read_as_it_was_written) {
    BuildTask task;
    task.generator = {"./gen", "blur", {"n=3", "autoscheduler.beam_size=4"}, "plugin.so", "host"};
    task.rules.folder = "built";
    task.rules.link = {"-lz"};
    task.rules.compile_seconds = 7.5;
    task.trace = "cryolite-trace 1\n";
    task.name = "s1";
    const auto again = parse_build_task(to_json_text(task));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(to_json_text(*again), to_json_text(task));
    EXPECT_EQ(again->generator.parameters, task.generator.parameters);
    EXPECT_EQ(again->rules.compile_seconds, 7.5);
    const Built built{"a.so", "said \xff", false, UINT64_MAX, 1.5};
    EXPECT_EQ(parse_built(to_json_text(built))->object_hash, UINT64_MAX);
    EXPECT_FALSE(parse_build_task("{}").ok());
    EXPECT_FALSE(parse_built("nothing").ok());
}

// The results of a pack of these schedules, on a computer that is ten times as slow; the plain one comes first.
RunResult measured_elsewhere(const std::vector<int> &schedules) {
    RunResult result;
    for (const int s : schedules) {
        Entry entry;
        entry.end = Entry::End::Timed;
        entry.seconds.assign(5, 10 * seconds_of(s));
        entry.spread = spread_of(entry.seconds);
        result.entries.push_back({trace_of(s), entry});
    }
    return result;
}

PackSchedules pack_of(const Problem &problem, const std::vector<int> &schedules) {
    PackSchedules pack{problem, {}};
    for (const int s : schedules)
        pack.schedules.push_back(
            {trace_of(s), {s == plain ? "plain" : "given", trace_of(s), 0}, 0});
    return *parse_pack_schedules(to_json_text(pack));
}

TEST_F(Tune, takes_results_of_a_pack_beside_its_own_anchor) {
    const Problem problem = run().problem;
    const std::vector<int> schedules{plain, 777, 5};
    Store store = open();
    const auto done =
        import_pack(store, pack_of(problem, schedules), measured_elsewhere(schedules), "");
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->samples, 3);
    EXPECT_EQ(import_pack(store, pack_of(problem, schedules), measured_elsewhere(schedules), "")
                  ->duplicates,
              3);
    for (const Sample &s : samples())
        EXPECT_NEAR(s.ratio.median, seconds_of(schedule_of(s.trace)) / 1e-3, 1e-9) << s.trace;
    EXPECT_EQ(run().best->trace, trace_of(777));
}

TEST_F(Tune, goes_on_from_a_pack_with_the_plain_schedule_as_the_anchor) {
    MadeUp first;
    const Problem problem = first.draw({}, 0, 0)->problem;
    const std::vector<int> schedules{plain, 777};
    {
        Store store = open();
        ASSERT_TRUE(
            import_pack(store, pack_of(problem, schedules), measured_elsewhere(schedules), "")
                .ok());
    }
    const TuneResult result = run();
    EXPECT_EQ(result.best->trace, trace_of(777));
    EXPECT_NEAR(result.one_shot->ratio.median, 0.2, 1e-9);
    for (const Sample &s : samples())
        EXPECT_NEAR(s.ratio.median, seconds_of(schedule_of(s.trace)) / 5e-3, 1e-9) << s.trace;
}

TEST_F(Tune, refuses_results_that_it_cannot_compare) {
    Store store = open();
    MadeUp workshop;
    const Problem problem = workshop.draw({}, 0, 0)->problem;
    const auto other =
        import_pack(store, pack_of(problem, {plain, 3}), measured_elsewhere({plain, 4}), "");
    ASSERT_FALSE(other.ok());
    EXPECT_NE(other.error().message.find("another pack"), std::string::npos);
    RunResult broken = measured_elsewhere({plain, 3});
    broken.entries[0].entry.end = Entry::End::Died;
    EXPECT_FALSE(import_pack(store, pack_of(problem, {plain, 3}), broken, "").ok());
    EXPECT_FALSE(parse_pack_schedules("{}").ok());
}

TEST_F(Tune, learns_from_what_was_timed_and_from_what_was_too_slow) {
    for (int s = 0; s < 1000; s += 2) workshop_.ends[s] = SampleStatus::TooSlow;
    for (int s = 1; s < 1000; s += 4) workshop_.ends[s] = SampleStatus::Crashed;
    run();
    ASSERT_GT(workshop_.lessons.size(), 30u);
    for (const Lesson &l : workshop_.lessons) {
        const int s = schedule_of(l.trace);
        const bool crashed = s < plain && s % 4 == 1;
        EXPECT_EQ(l.seconds > 0, !crashed) << s;
    }
}

TEST_F(Tune, does_not_mix_anchors_where_one_shot_cannot_be_built_again) {
    rules_.budget_samples = 30;
    run();
    workshop_.not_built[one_shot] = "no compiler";
    Store store = open();
    const auto result = tune(workshop_, store, rules_, observer_, stop_);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("no compiler"), std::string::npos);
}

TEST_F(Tune, measures_equal_code_once) {
    for (int s = 0; s < 1000; s++) workshop_.code[s] = 7 + static_cast<uint64_t>(s) / 100;
    run();
    int measured = 0, same = 0;
    for (const Sample &s : samples()) {
        if (s.repeat > 0) continue;
        same += s.message.find("same code") != std::string::npos;
        measured += s.message.empty();
    }
    EXPECT_GT(same, 60);
    EXPECT_LT(measured, 40);
}

TEST_F(Tune, ends_on_a_plateau_and_when_there_is_nothing_left) {
    rules_.budget_samples = 100'000;
    workshop_.space = 60;
    EXPECT_EQ(run().ended_by, "no more schedules");
    EXPECT_GE(samples().size(), 62u);
    rules_.patience = 3;
    workshop_.space = 1000;
    EXPECT_EQ(run().ended_by, "plateau");
}

// Cuts the schedule by hand off, as long as there is a limit.
class CutsOffByHand : public MadeUp {
public:
    std::vector<Built> build(const std::vector<std::string> &traces,
                             const std::vector<std::string> &names) override {
        std::vector<std::string> known = traces;
        std::ranges::replace(known, std::string(), trace_of(4321));
        return MadeUp::build(known, names);
    }
    Result<MeasuredGroup> measure(const std::string &anchor,
                                  const std::vector<std::string> &libraries,
                                  const MeasureRules &rules) override {
        ends.clear();
        if (rules.cut_off < no_cut_off) ends[4321] = SampleStatus::TooSlow;
        return MadeUp::measure(anchor, libraries, rules);
    }
};

TEST_F(Tune, times_the_schedule_by_hand_at_the_end_where_it_was_cut_off) {
    rules_.by_hand = true;
    CutsOffByHand workshop;
    Store store = open();
    const auto result = tune(workshop, store, rules_, observer_, stop_);
    ASSERT_TRUE(result.ok());
    ASSERT_TRUE(result->by_hand.has_value());
    EXPECT_EQ(result->by_hand->status, SampleStatus::Timed);
    EXPECT_NEAR(result->by_hand->ratio.median, seconds_of(4321) / 1e-3, 1e-9);
}

TEST_F(Tune, tries_what_was_given_first) {
    rules_.given = {trace_of(777)};
    rules_.budget_samples = 20;
    const TuneResult result = run();
    EXPECT_EQ(result.best->trace, trace_of(777));
    EXPECT_EQ(result.best->origin, "given");
}

TEST(LastWords, are_the_line_that_names_the_error) {
    ProgramResult result;
    result.output =
        "warning\nCryolite: unknown option 'beams'; the options are:\n  mode=draw\n  log_level  "
        "standard error\n";
    EXPECT_EQ(last_words(result), "Cryolite: unknown option 'beams'; the options are:");
    result.output = "a.cpp:3: Error: no such thing\n1 failed\n\n";
    EXPECT_EQ(last_words(result), "a.cpp:3: Error: no such thing");
    result.output = "one\n  two\n";
    EXPECT_EQ(last_words(result), "  two");
}

TEST(TuneBudget, makes_rounds_and_groups_that_it_has_room_for) {
    const TuneBudget endless({.group = 16});
    EXPECT_EQ(endless.batch(), 80u);
    EXPECT_EQ(endless.group(1'000'000), 16u);
    EXPECT_FALSE(endless.is_spent(1'000'000));

    const TuneBudget some({.schedules = 200, .group = 16});
    EXPECT_EQ(some.batch(), 33u);  // six rounds
    EXPECT_EQ(some.group(190), 10u);
    EXPECT_FALSE(some.is_spent(199));
    EXPECT_TRUE(some.is_spent(200));

    TuneBudget hour({.seconds = 3600, .final_seconds = 10, .group = 16});
    EXPECT_EQ(hour.batch(), 80u);
    EXPECT_EQ(hour.group(0), 8u);  // the first is small: nobody knows yet how long it takes
    hour.note_group(8, 800);
    EXPECT_EQ(hour.group(0), 16u);
    EXPECT_EQ(hour.batch(), 24u);
    hour.note_group(8, 8000);
    EXPECT_EQ(hour.group(0), 3u);

    EXPECT_EQ(TuneBudget({.seconds = 10, .batch = 7, .group = 1}).batch(), 7u);
    EXPECT_TRUE(TuneBudget({.seconds = 1e-9, .group = 1}).is_spent(0));
}

TEST_F(Tune, stops_when_it_is_told_to) {
    stop_ = true;
    Store store = open();
    const auto result = tune(workshop_, store, rules_, observer_, stop_);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->ended_by, "stopped");
    EXPECT_TRUE(workshop_.measured.empty());
}

class Reporter : public TuneObserver {
public:
    explicit Reporter(int pipe) : pipe_(pipe) {}
    void sampled(const Sample &s) override {
        const std::string line = s.trace + "#" + std::to_string(s.repeat) + "\n";
        if (write(pipe_, line.data(), line.size()) < 0) _exit(1);
    }

private:
    const int pipe_;
};

// 100 tuners and more are killed at random moments, each going on where the one before was. What a tuner said that it
// had kept is there, once.
TEST_F(Tune, loses_nothing_when_it_is_killed) {
    rules_.budget_samples = 100'000;
    workshop_.delay_microseconds = 200;
    Random random(1);
    std::set<std::string> reported;
    // On a slow computer some die before they begin.
    for (int kills = 0; kills < 100 || (reported.size() < 100 && kills < 2000); kills++) {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            Reporter reporter(ends[1]);
            auto store = Store::open(path(), Store::Access::Write);
            if (store.ok()) (void)tune(workshop_, *store, rules_, reporter, stop_).ok();
            _exit(0);
        }
        close(ends[1]);
        usleep(static_cast<useconds_t>(random.below(30'000)));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        std::string said;
        char chunk[4096];
        for (ssize_t n = 0; (n = read(ends[0], chunk, sizeof chunk)) > 0;)
            said.append(chunk, static_cast<size_t>(n));
        close(ends[0]);
        for (size_t start = 0, end = 0; (end = said.find('\n', start)) != said.npos;
             start = end + 1)
            EXPECT_TRUE(reported.insert(said.substr(start, end - start)).second);
    }
    std::set<std::string> kept;
    for (const Sample &s : samples())
        EXPECT_TRUE(kept.insert(s.trace + "#" + std::to_string(s.repeat)).second);
    for (const std::string &r : reported) EXPECT_TRUE(kept.contains(r)) << r;
    EXPECT_GE(reported.size(), size_t{100});
    workshop_.delay_microseconds = 0;
    rules_.budget_samples = 10;
    EXPECT_TRUE(run().best.has_value());
}

}  // namespace
}  // namespace cryolite
