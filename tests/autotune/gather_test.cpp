// The gathering of samples on made-up pipelines whose schedules are numbers. Nothing is compiled.
#include "autotune/gather/gather.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/temporary_folder.h"

namespace cryolite {
namespace {

// What happens in all workshops of a test.
struct World {
    int draws = 0, measurements = 0;
    std::set<std::string> broken;          // pipelines whose plain schedule cannot be built
    std::map<std::string, uint64_t> code;  // by trace
    std::atomic<bool> stop{false};
    int stop_after_measurements = -1;
};

class MadeUp : public Workshop {
public:
    MadeUp(World &world, const Generator &generator) : world_(world), generator_(generator) {}

    Result<DrawnBatch> draw(const std::vector<Lesson> &, size_t count, uint64_t seed) override {
        world_.draws++;
        DrawnBatch batch;
        batch.problem.pipeline = generator_.name;
        batch.problem.parameters = "[\"" + generator_.parameters.at(0) + "\"]";
        batch.problem.workload = "{}";
        batch.problem.machine = "{}";
        batch.weights = "{}";
        batch.draws = {{"plain", trace("plain"), 5e-3}, {"one shot", trace("one shot"), 1e-3}};
        for (size_t i = 1; i < count; i++)
            batch.draws.push_back({"any", trace(std::to_string(seed % 1000 + i)), 1e-3});
        return batch;
    }
    std::vector<Built> build(const std::vector<std::string> &traces,
                             const std::vector<std::string> &) override {
        std::vector<Built> all;
        for (const std::string &t : traces) {
            Built b;
            b.object_hash = world_.code.contains(t) ? world_.code[t] : std::hash<std::string>()(t);
            if (world_.broken.contains(generator_.parameters.at(0)))
                b.message = "as told";
            else
                b.library = t;
            all.push_back(b);
        }
        return all;
    }
    Result<MeasuredGroup> measure(const std::string &, const std::vector<std::string> &libraries,
                                  const MeasureRules &) override {
        if (++world_.measurements == world_.stop_after_measurements) world_.stop = true;
        MeasuredGroup group;
        group.anchor = {SampleStatus::Timed, "", {1e-3, 1e-3, 1e-3}, 0.1};
        for (size_t i = 0; i < libraries.size(); i++)
            group.candidates.push_back({SampleStatus::Timed, "", {2e-3, 2e-3, 2e-3}, 0.1});
        return group;
    }
    void forget(const std::string &) override {}

private:
    std::string trace(const std::string &what) const {
        return generator_.parameters.at(0) + " " + what;
    }

    World &world_;
    const Generator &generator_;
};

class Listener : public GatherObserver {
public:
    std::vector<std::string> said;
    void say(const std::string &text) override { said.push_back(text); }
};

class Gather : public testing::Test {
protected:
    Gather() {
        for (int i = 0; i < 4; i++) {
            Generator g;
            g.name = "made_up";
            g.parameters = {"seed=" + std::to_string(i)};
            generators.push_back(g);
        }
        rules.schedules_each = 6;
    }
    Result<GatherResult> run() {
        auto store = Store::open(path, Store::Access::Write);
        EXPECT_TRUE(store.ok());
        const auto make = [this](const Generator &g) -> Result<std::unique_ptr<Workshop>> {
            return std::unique_ptr<Workshop>(std::make_unique<MadeUp>(world, g));
        };
        auto result = gather(generators, make, *store, rules, listener, world.stop);
        EXPECT_TRUE(store->check().empty());
        return result;
    }
    // By pipeline: how many schedules it has.
    std::map<std::string, size_t> schedules() const {
        const auto store = Store::open(path, Store::Access::Read);
        std::map<std::string, size_t> found;
        const auto problems = store->problems();
        for (const auto &p : *problems)
            found[p.problem.parameters] = store->samples(p.number)->size();
        return found;
    }

    TemporaryFolder folder;
    std::string path = (folder.path() / "samples.sqlite").string();
    std::vector<Generator> generators;
    GatherRules rules;
    World world;
    Listener listener;
};

TEST_F(Gather, takes_so_many_schedules_of_each_pipeline_and_then_no_more) {
    const auto result = run();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->ended_by, "all is there");
    EXPECT_EQ(result->complete, 4u);
    ASSERT_EQ(schedules().size(), 4u);
    for (const auto &[pipeline, count] : schedules()) EXPECT_EQ(count, 6u) << pipeline;
    // Again: nothing is drawn or measured, and it says what is there.
    world.draws = world.measurements = 0;
    const auto again = run();
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->complete, 4u);
    EXPECT_EQ(again->progress.samples_in_this_run, 0);
    EXPECT_EQ(world.draws + world.measurements, 0);
    ASSERT_FALSE(listener.said.empty());
    EXPECT_NE(listener.said.back().find("24 samples of 4 problems"), std::string::npos);
}

TEST_F(Gather, goes_on_with_the_pipeline_at_which_it_was_stopped) {
    world.stop_after_measurements = 3;  // the anchor of the second pipeline
    const auto stopped = run();
    ASSERT_TRUE(stopped.ok());
    EXPECT_EQ(stopped->ended_by, "stopped");
    EXPECT_EQ(stopped->complete, 1u);
    world.stop = false;
    world.stop_after_measurements = -1;
    const auto result = run();
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->complete, 4u);
    for (const auto &[pipeline, count] : schedules()) EXPECT_EQ(count, 6u) << pipeline;
}

TEST_F(Gather, ends_at_its_number_of_samples) {
    rules.budget_samples = 9;
    const auto result = run();
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->ended_by, "budget");
    EXPECT_EQ(result->progress.samples_in_this_run, 12);  // whole pipelines
    EXPECT_EQ(schedules().size(), 2u);
}

TEST_F(Gather, passes_over_a_pipeline_that_cannot_be_run) {
    world.broken = {"seed=1"};
    const auto result = run();
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->failed, 1u);
    EXPECT_EQ(result->complete, 3u);
    ASSERT_FALSE(listener.said.empty());
    EXPECT_NE(listener.said.front().find("made_up:seed=1: passed over: the plain schedule"),
              std::string::npos);
}

TEST_F(Gather, does_not_measure_equal_code_again) {
    generators.resize(1);
    const auto first = run();
    ASSERT_TRUE(first.ok());
    const auto store = Store::open(path, Store::Access::Read);
    const auto samples = store->samples(1);
    const std::string same_as_one_shot = samples->at(3).trace;
    path += "2";
    world.code = {{"seed=0 one shot", 7}, {same_as_one_shot, 7}};
    ASSERT_TRUE(run().ok());
    const auto again = Store::open(path, Store::Access::Read);
    const auto found = again->samples(1);
    int same = 0;
    for (const Sample &s : *found) same += s.message.starts_with("the same code") ? 1 : 0;
    EXPECT_EQ(same, 1);
    EXPECT_EQ(found->size(), 6u);
}

TEST_F(Gather, measures_again_where_other_programs_drew) {
    generators.resize(1);
    generators[0].program = folder.file("generator", "one");
    ASSERT_TRUE(run().ok());
    world.draws = 0;
    folder.file("generator", "another");
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(world.draws, 1);  // it asks, and finds that all is measured
    for (const auto &[pipeline, count] : schedules()) EXPECT_EQ(count, 6u);
}

}  // namespace
}  // namespace cryolite
