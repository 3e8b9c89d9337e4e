// The store keeps what it was given, through kills, full disks and other programs' files.
#include "autotune/store/store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "autotune/store/batch_file.h"
#include "autotune/store/jsonl.h"
#include "autotune/store/schema.h"
#include "base/random.h"
#include "tests/temporary_folder.h"

namespace cryolite {
namespace {

Problem problem(const std::string &pipeline = "harris") {
    return {pipeline,       "0123456789abcdef", "[\"n=3\"]", "{}",
            "x86-64-linux", "{\"a\": 1}",       "21.0.0",    2};
}

Sample sample(int i) {
    Sample s;
    s.trace = "trace " + std::to_string(i) + " \u00e4 'quoted' \"too\"\n";
    s.status = SampleStatus::Timed;
    s.seconds = {1.0 / 3, 0.1 + i, 5e-324, 1.7976931348623157e308};
    s.anchor_seconds = {1.0 / 7};
    s.spread = spread_of(s.seconds);
    s.ratio = {0.1, 0.2, 0.3};
    s.predicted_seconds = M_PI;
    s.origin = "greedy";
    s.round = 3;
    s.seed = std::numeric_limits<uint64_t>::max();
    s.object_hash = uint64_t{1} << 63;
    s.build_seconds = 1.5;
    s.run_seconds = 0.25;
    s.quiet = false;
    s.cryolite = "0.1.0";
    s.created = 1'800'000'000;
    return s;
}

void expect_equal(const Sample &a, const Sample &b) {
    EXPECT_EQ(a.trace, b.trace);
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.message, b.message);
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(a.anchor_seconds, b.anchor_seconds);
    EXPECT_EQ(a.spread.median, b.spread.median);
    EXPECT_EQ(a.ratio.high, b.ratio.high);
    EXPECT_EQ(a.predicted_seconds, b.predicted_seconds);
    EXPECT_EQ(a.origin, b.origin);
    EXPECT_EQ(a.round, b.round);
    EXPECT_EQ(a.repeat, b.repeat);
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.object_hash, b.object_hash);
    EXPECT_EQ(a.build_seconds, b.build_seconds);
    EXPECT_EQ(a.run_seconds, b.run_seconds);
    EXPECT_EQ(a.quiet, b.quiet);
    EXPECT_EQ(a.cryolite, b.cryolite);
    EXPECT_EQ(a.created, b.created);
}

class StoreFile : public ::testing::Test {
protected:
    std::string path(const char *name = "tune.sqlite") const { return folder_.path(name); }
    Store open(const char *name = "tune.sqlite") const {
        return Store::open(path(name), Store::Access::Write).value();
    }
    std::string bytes(const char *name = "tune.sqlite") const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string refusal(const char *name = "tune.sqlite") const {
        const auto store = Store::open(path(name), Store::Access::Write);
        return store.ok() ? "" : store.error().message;
    }

    const TemporaryFolder folder_;
};

TEST_F(StoreFile, gives_back_what_it_was_given_to_the_bit) {
    Sample failed = sample(2);
    failed.status = SampleStatus::OutOfMemory;
    failed.message = "8 GB";
    failed.seconds = failed.anchor_seconds = {};
    {
        Store store = open();
        const int64_t number = store.number_of(problem()).value();
        EXPECT_TRUE(store.add(number, sample(1)).value());
        EXPECT_TRUE(store.add(number, failed).value());
        EXPECT_TRUE(store.add_round(number, {0, 7, "[1]", "{}", 0.5, 9}).value());
    }
    const Store store = Store::open(path(), Store::Access::Read).value();
    const auto problems = store.problems().value();
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].problem, problem());
    const auto samples = store.samples(problems[0].number).value();
    ASSERT_EQ(samples.size(), 2u);
    expect_equal(samples[0], sample(1));
    expect_equal(samples[1], failed);
    const auto rounds = store.rounds(problems[0].number).value();
    ASSERT_EQ(rounds.size(), 1u);
    EXPECT_EQ(rounds[0].seed, 7u);
    EXPECT_EQ(rounds[0].draws, "[1]");
    EXPECT_TRUE(store.check().empty());
}

TEST_F(StoreFile, keeps_each_sample_and_round_once) {
    Store store = open();
    const int64_t number = store.number_of(problem()).value();
    EXPECT_EQ(store.number_of(problem()).value(), number);
    EXPECT_TRUE(store.add(number, sample(1)).value());
    EXPECT_FALSE(store.add(number, sample(1)).value());
    Sample again = sample(1);
    again.repeat = 1;
    EXPECT_TRUE(store.add(number, again).value());
    EXPECT_TRUE(store.add_round(number, {0, 1, "a", "", 0, 0}).value());
    EXPECT_FALSE(store.add_round(number, {0, 2, "b", "", 0, 0}).value());
    EXPECT_EQ(store.rounds(number).value()[0].draws, "a");
    EXPECT_EQ(store.samples(number).value().size(), 2u);
}

TEST_F(StoreFile, keeps_problems_apart_that_differ_in_anything) {
    Store store = open();
    std::set<int64_t> numbers{store.number_of(problem()).value()};
    for (auto field : {&Problem::pipeline, &Problem::algorithm, &Problem::parameters,
                       &Problem::workload, &Problem::target, &Problem::machine, &Problem::halide}) {
        Problem other = problem();
        other.*field += "!";
        EXPECT_TRUE(numbers.insert(store.number_of(other).value()).second);
    }
    Problem other = problem();
    other.threads++;
    EXPECT_TRUE(numbers.insert(store.number_of(other).value()).second);
    EXPECT_TRUE(store.add(*numbers.begin(), sample(1)).value());
    EXPECT_TRUE(store.add(*numbers.rbegin(), sample(1)).value());
}

TEST_F(StoreFile, never_changes_or_deletes_a_sample) {
    Store store = open();
    EXPECT_TRUE(store.add(store.number_of(problem()).value(), sample(1)).value());
    EXPECT_FALSE(store.database().run("UPDATE samples SET median = 1").ok());
    EXPECT_FALSE(store.database().run("DELETE FROM samples").ok());
}

TEST_F(StoreFile, keeps_numbers_that_are_none_as_zero) {
    Store store = open();
    const int64_t number = store.number_of(problem()).value();
    Sample s = sample(1);
    s.predicted_seconds = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(store.add(number, s).value());
    EXPECT_EQ(store.samples(number).value()[0].predicted_seconds, 0);
}

TEST_F(StoreFile, is_shared_by_several_writers) {
    constexpr int writers = 4, each = 25;
    { EXPECT_TRUE(open().number_of(problem()).ok()); }
    std::vector<pid_t> children;
    for (int w = 0; w < writers; w++) {
        const pid_t child = fork();
        if (child == 0) {
            Store store = open();
            const int64_t number = store.number_of(problem()).value();
            bool all = true;
            // Half of them are everybody's.
            for (int i = 0; i < each; i++)
                all = store.add(number, sample(i % 2 ? i : 1000 * (w + 1) + i)).ok() && all;
            _exit(all ? 0 : 1);
        }
        children.push_back(child);
    }
    for (pid_t child : children) {
        int status = 1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    Store store = open();
    EXPECT_EQ(store.samples(1).value().size(), size_t{writers * 13 + 12});
    EXPECT_TRUE(store.check().empty());
}

TEST_F(StoreFile, is_made_once_by_several_who_open_it_at_the_same_time) {
    for (int turn = 0; turn < 40; turn++) {
        const std::string name = "new" + std::to_string(turn);
        std::vector<pid_t> children;
        for (int w = 0; w < 4; w++) {
            const pid_t child = fork();
            if (child == 0) {
                auto store = Store::open(path(name.c_str()), Store::Access::Write);
                const bool well =
                    store.ok() && store->number_of(problem()).ok() && store->add(1, sample(w)).ok();
                _exit(well ? 0 : 1);
            }
            children.push_back(child);
        }
        for (pid_t child : children) {
            int status = 1;
            waitpid(child, &status, 0);
            EXPECT_EQ(status, 0);
        }
        EXPECT_EQ(open(name.c_str()).samples(1).value().size(), 4u);
    }
}

TEST_F(StoreFile, loses_nothing_when_a_writer_is_killed) {
    Random random(4);
    int reported = 0;
    for (int kills = 0; kills < 100; kills++) {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            Store store = open();
            const int64_t number = store.number_of(problem()).value();
            for (int i = 0;; i++) {
                if (!store.add(number, sample(10'000 * kills + i)).ok()) _exit(1);
                if (write(ends[1], "x", 1) != 1) _exit(1);
            }
        }
        close(ends[1]);
        usleep(static_cast<useconds_t>(random.below(20'000)));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        char chunk[4096];
        int count = 0;
        for (ssize_t n = 0; (n = read(ends[0], chunk, sizeof chunk)) > 0;) count += n;
        close(ends[0]);
        const auto kept = open().samples(1);
        if (count > 0) {
            const std::string last = sample(10'000 * kills + count - 1).trace;
            EXPECT_TRUE(
                std::ranges::any_of(*kept, [&](const Sample &s) { return s.trace == last; }));
        }
        reported += count;
    }
    Store store = open();
    const size_t kept = store.samples(1).value().size();
    EXPECT_GE(kept, static_cast<size_t>(reported));
    EXPECT_LE(kept, static_cast<size_t>(reported + 100));  // those in flight
    EXPECT_TRUE(store.check().empty());
}

TEST_F(StoreFile, is_whole_after_the_disk_was_full) {
    {
        Store store = open();
        const int64_t number = store.number_of(problem()).value();
        for (int i = 0; i < 5; i++) EXPECT_TRUE(store.add(number, sample(i)).value());
    }
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        // Files may grow to so many bytes: the system says then what it says when a disk is full.
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{64 << 10, 64 << 10};
        setrlimit(RLIMIT_FSIZE, &limit);
        Store store = open();
        for (int i = 100;; i++) {
            Sample large = sample(i);
            large.message.assign(10'000, 'm');
            const auto added = store.add(1, large);
            if (added.ok()) continue;
            const std::string &text = added.error().message;
            if (write(ends[1], text.data(), text.size()) < 0) _exit(2);
            _exit(0);
        }
    }
    close(ends[1]);
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    char text[1000] = {};
    EXPECT_GT(read(ends[0], text, sizeof text - 1), 0);
    close(ends[0]);
    EXPECT_NE(std::string(text).find(path()), std::string::npos) << text;
    Store store = open();
    EXPECT_TRUE(store.check().empty());
    EXPECT_GE(store.samples(1).value().size(), 5u);
    EXPECT_TRUE(store.add(1, sample(77)).value());
}

TEST_F(StoreFile, refuses_what_is_no_store_and_leaves_it_as_it_is) {
    std::ofstream(path()) << "a text of somebody's, long enough to be taken for a header of SQLite "
                             "by those who look at its length alone\n";
    const std::string before = bytes();
    EXPECT_NE(refusal().find("no store"), std::string::npos) << refusal();
    EXPECT_EQ(bytes(), before);

    auto foreign = Database::open(path("foreign"), Database::Access::Write).value();
    EXPECT_TRUE(foreign.run("CREATE TABLE theirs (a)").ok());
    EXPECT_NE(refusal("foreign").find("another program"), std::string::npos) << refusal("foreign");

    { (void)open("later"); }
    auto later = Database::open(path("later"), Database::Access::Write).value();
    EXPECT_TRUE(later.run("PRAGMA user_version = 99").ok());
    EXPECT_NE(refusal("later").find("version 99"), std::string::npos) << refusal("later");
    const auto read = Store::open(path("later"), Store::Access::Read);
    EXPECT_FALSE(read.ok());

    EXPECT_FALSE(Store::open(folder_.path(), Store::Access::Write).ok());
    EXPECT_FALSE(Store::open("", Store::Access::Write).ok());
    EXPECT_FALSE(Store::open(":memory:", Store::Access::Write).ok());
    EXPECT_FALSE(Store::open(path("missing"), Store::Access::Read).ok());
    EXPECT_FALSE(Store::open("/nowhere/at/all", Store::Access::Write).ok());
}

TEST_F(StoreFile, says_that_it_is_damaged_and_writes_nothing) {
    {
        Store store = open();
        const int64_t number = store.number_of(problem()).value();
        for (int i = 0; i < 50; i++) EXPECT_TRUE(store.add(number, sample(i)).value());
    }
    std::string damaged = bytes();
    ASSERT_GT(damaged.size(), 20'000u);
    std::fill(damaged.begin() + 8192, damaged.end(), '\x5a');
    std::ofstream(path(), std::ios::binary) << damaged;
    const auto store = Store::open(path(), Store::Access::Write);
    std::string why = store.ok() ? "" : store.error().message;
    if (store.ok()) {
        const auto samples = store->samples(1);
        const auto checked = store->check();
        EXPECT_FALSE(samples.ok() && checked.empty());
        if (!samples.ok()) why = samples.error().message;
    }
    if (!why.empty()) {
        EXPECT_NE(why.find("store check"), std::string::npos) << why;
    }
    EXPECT_EQ(bytes(), damaged);
}

TEST_F(StoreFile, gives_what_can_be_read_of_a_damaged_file) {
    constexpr int count = 300;
    {
        Store store = open();
        const int64_t first = store.number_of(problem()).value(),
                      second = store.number_of(problem("resize")).value();
        for (int i = 0; i < count; i++)
            EXPECT_TRUE(store.add(i % 2 ? first : second, sample(i)).value());
        EXPECT_TRUE(store.add_round(first, {0, 1, "draws", "model", 0.1, 2}).value());
    }
    const std::string whole = bytes();
    constexpr size_t page = 4096;
    int nothing_left = 0;
    // Each page but the first, which says what the file is, and the file without its last pages.
    for (size_t at = page; at <= whole.size(); at += page) {
        const bool cut = at == whole.size();
        std::string damaged = whole;
        if (cut)
            damaged.resize(whole.size() - 3 * page);
        else
            std::fill_n(damaged.begin() + static_cast<ptrdiff_t>(at), page, '\x5a');
        const std::string name = "damaged" + std::to_string(at);
        std::ofstream(path(name.c_str()), std::ios::binary) << damaged;
        const auto store = Store::open(path(name.c_str()), Store::Access::Read);
        ASSERT_TRUE(store.ok()) << at << ": " << store.error().message;
        EXPECT_FALSE(store->check().empty()) << at;

        std::stringstream lines;
        const auto exported = export_store(*store, lines);
        ASSERT_TRUE(exported.ok()) << at << ": " << exported.error().message;
        if (exported->whole) {  // the page is one of an index that nobody asked
            EXPECT_EQ(exported->samples, count) << at;
        }
        Store saved = open(("saved" + std::to_string(at)).c_str());
        const auto imported = import_lines(saved, lines, "lines");
        ASSERT_TRUE(imported.ok()) << at << ": " << imported.error().message;
        EXPECT_EQ(imported->samples, exported->samples);
        const auto problems = saved.problems().value();
        for (const Store::Known &k : problems) {
            const auto samples = saved.samples(k.number).value();
            for (const Sample &s : samples) {
                const int i = std::stoi(s.trace.substr(6));
                EXPECT_EQ(k.problem.pipeline, i % 2 ? "harris" : "resize");
                expect_equal(s, sample(i));
            }
        }
        if (!exported->whole) {
            EXPECT_FALSE(merge_store(saved, *store).ok());
        }
        EXPECT_EQ(bytes(name.c_str()), damaged);
        nothing_left += exported->samples == 0;
        if (exported->samples > 0 && !cut) {
            EXPECT_GE(exported->samples, count * 9 / 10) << at;
        }
    }
    // The first pages of problems, traces and samples lead to all others.
    EXPECT_LE(nothing_left, 3);
}

TEST_F(StoreFile, leaves_nothing_beside_the_file_when_it_is_read) {
    { EXPECT_TRUE(open().number_of(problem()).ok()); }
    { EXPECT_TRUE(Store::open(path(), Store::Access::Read).value().problems().ok()); }
    EXPECT_TRUE(std::filesystem::exists(path()));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(StoreFile, is_read_where_nothing_may_be_written) {
    const std::string folder = path("50% of #1?");
    ASSERT_TRUE(std::filesystem::create_directory(folder));
    const std::string file = folder + "/tune.sqlite";
    {
        Store store = Store::open(file, Store::Access::Write).value();
        EXPECT_TRUE(store.add(store.number_of(problem()).value(), sample(1)).value());
    }
    using std::filesystem::perms;
    std::filesystem::permissions(folder_.path(), perms(0755));
    std::filesystem::permissions(folder, perms(0555));
    const pid_t child = fork();
    if (child == 0) {
        // Root may write everywhere; any other user will do.
        if (getuid() == 0 && setuid(65534) != 0) _exit(2);
        const auto store = Store::open(file, Store::Access::Read);
        const bool is_read = store.ok() && store->samples(1).ok() &&
                             store->samples(1).value().size() == 1 && store->check().empty();
        const auto made = Store::open(folder + "/new", Store::Access::Write);
        const bool is_refused =
            !made.ok() && made.error().message.find("cannot be written") != std::string::npos;
        const auto opened = Store::open(file, Store::Access::Write);
        _exit((is_read ? 0 : 4) + (is_refused ? 0 : 8) + (opened.ok() ? 16 : 0));
    }
    int status = 1;
    waitpid(child, &status, 0);
    std::filesystem::permissions(folder, perms(0755));
    EXPECT_EQ(status, 0);
}

TEST_F(StoreFile, finds_samples_that_cannot_be_understood) {
    const std::pair<const char *, const char *> changes[] = {
        {"seconds = 'garbage'", "no list of numbers"},
        {"anchor_seconds = '[1, null]'", "no list of numbers"},
        {"status = 'unheard of'", "no status"},
        {"seconds = '[]'", "has no times"},
        {"median = 7", "the centre"}};
    for (const auto &[change, why] : changes) {
        const std::string name = why + std::string(change).substr(0, 4);
        Store store = open(name.c_str());
        EXPECT_TRUE(store.add(store.number_of(problem()).value(), sample(1)).value());
        EXPECT_TRUE(store.check().empty());
        EXPECT_TRUE(store.database()
                        .run(std::string("DROP TRIGGER samples_stay; UPDATE samples SET ") + change)
                        .ok());
        const auto found = store.check();
        ASSERT_EQ(found.size(), 1u) << change;
        EXPECT_NE(found[0].find(why), std::string::npos) << found[0];
    }
}

TEST_F(StoreFile, brings_an_older_store_up_to_date_whole_or_not_at_all) {
    const std::array<const char *, 1> first{"CREATE TABLE a (x); INSERT INTO a VALUES (1)"};
    const std::array<const char *, 2> second{first[0], "ALTER TABLE a ADD y"};
    const std::array<const char *, 3> broken{second[0], second[1], "CREATE TABLE b (z); nonsense"};
    auto database = Database::open(path(), Database::Access::Write).value();
    EXPECT_TRUE(migrate(database, first).ok());
    EXPECT_FALSE(check_version(database, second).ok());
    EXPECT_TRUE(migrate(database, second).ok());
    EXPECT_TRUE(check_version(database, second).ok());
    EXPECT_FALSE(migrate(database, broken).ok());
    EXPECT_TRUE(check_version(database, second).ok());  // as it was
    EXPECT_FALSE(database.run("SELECT * FROM b").ok());
    EXPECT_TRUE(database.run("SELECT x, y FROM a").ok());
}

TEST_F(StoreFile, is_exported_imported_and_merged_without_loss) {
    Store store = open();
    const int64_t first = store.number_of(problem()).value(),
                  second = store.number_of(problem("resize")).value();
    for (int i = 0; i < 6; i++) EXPECT_TRUE(store.add(i % 2 ? first : second, sample(i)).value());
    EXPECT_TRUE(store.add_round(first, {0, 1, "draws", "model", 0.1, 2}).value());
    std::stringstream lines;
    EXPECT_TRUE(export_store(store, lines).ok());

    Store other = open("other");
    const auto imported = import_lines(other, lines, "lines");
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    EXPECT_EQ(imported->samples, 6);
    EXPECT_EQ(imported->rounds, 1);
    std::stringstream again;
    EXPECT_TRUE(export_store(other, again).ok());
    EXPECT_EQ(again.str(), lines.str());

    EXPECT_TRUE(other.add(first, sample(100)).value());
    const auto merged = merge_store(store, other);
    ASSERT_TRUE(merged.ok()) << merged.error().message;
    EXPECT_EQ(merged->samples, 1);
    EXPECT_EQ(merged->duplicates, 6);
}

TEST_F(StoreFile, imports_nothing_of_a_file_with_a_bad_line) {
    Store store = open();
    const int64_t number = store.number_of(problem()).value();
    EXPECT_TRUE(store.add(number, sample(1)).value());
    std::stringstream lines;
    EXPECT_TRUE(export_store(store, lines).ok());
    Store other = open("other");
    for (const auto &[text, why] :
         {std::pair<std::string, std::string>{lines.str() + "{\"sample\": {}}\n", "line 4"},
          {lines.str() + "nonsense\n", "line 4"},
          {"", "is empty"},
          {"{}\n", "no export"},
          {"{\"cryolite_store\": 9}\n", "version 9"},
          {"{\"cryolite_store\": 1}\n{\"sample\": {}}\n", "no problem before"}}) {
        std::stringstream in(text);
        const auto imported = import_lines(other, in, "lines");
        ASSERT_FALSE(imported.ok());
        EXPECT_NE(imported.error().message.find(why), std::string::npos)
            << imported.error().message;
        EXPECT_TRUE(other.problems().value().empty());
    }
}

std::string batch(const std::string &samples) {
    return R"({"key": "k", "value": {"app": "blur", "threads": 2, "machine": {"name": "zen5"}, "date": "2026-11-22",
        "samples": [)" +
           samples + "]}}";
}

std::string drawn(const std::string &trace, const std::string &times, const std::string &failure,
                  const std::string &kind) {
    return R"({"trace": "cryolite-trace 1\nalgorithm 0123456789abcdef\n)" + trace +
           R"(", "beam_size": 64, "times": )" + times + R"(, "failure": ")" + failure +
           R"(", "kind": ")" + kind + "\"}";
}

TEST_F(StoreFile, takes_batches_that_the_benchmark_has_measured) {
    const std::string text = batch(
        drawn("a", "[[0.002, 0.002], [0.002]]", "", "") + "," + drawn("b", "[[0.001]]", "", "") +
        "," + drawn("c", "[]", "there was no time left for it", "not measured") + "," +
        drawn("d", "[[0.001]]", "wrong output: 3 %", "wrong output") + "," +
        drawn("e", "[]", "running: it crashed", "crash") + "," +
        drawn("f", "[]", "it was killed after 60 s", "timeout"));
    EXPECT_TRUE(is_batch(text));
    EXPECT_FALSE(is_batch("{\"cryolite_store\": 1}"));
    Store store = open();
    const auto first = import_batch(store, text, "zen5/blur"),
               again = import_batch(store, text, "zen5/blur"),
               other = import_batch(store, text, "zen5-seed1/blur");
    ASSERT_TRUE(first.ok()) << first.error().message;
    EXPECT_EQ(first->samples, 5);
    EXPECT_EQ(again->samples, 0);
    EXPECT_EQ(again->duplicates, 5);
    EXPECT_EQ(other->samples, 5);
    const auto problems = store.problems().value();
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].problem.pipeline, "blur");
    EXPECT_EQ(problems[0].problem.algorithm, "0123456789abcdef");
    EXPECT_EQ(problems[0].problem.threads, 2);
    const auto samples = store.samples(1).value();
    ASSERT_EQ(samples.size(), 5u);
    const SampleStatus expected[] = {SampleStatus::Timed, SampleStatus::Timed, SampleStatus::Wrong,
                                     SampleStatus::Crashed, SampleStatus::NotBuilt};
    for (size_t i = 0; i < samples.size(); i++) EXPECT_EQ(samples[i].status, expected[i]) << i;
    EXPECT_EQ(samples[0].seconds.size(), 3u);
    EXPECT_EQ(samples[0].ratio.median, 1);
    EXPECT_EQ(samples[1].ratio.median, 0.5);
    EXPECT_EQ(samples[0].created, 1795305600);
    EXPECT_TRUE(store.check().empty());
}

TEST_F(StoreFile, refuses_a_batch_that_lacks_something_and_keeps_nothing_of_it) {
    Store store = open();
    const std::string text = batch(drawn("a", "[[0.002]]", "", "") + R"(,{"trace": "b"})");
    const auto done = import_batch(store, text, "zen5/blur");
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message.find("zen5/blur"), std::string::npos);
    EXPECT_TRUE(store.problems().value().empty());
}

}  // namespace
}  // namespace cryolite
