#include "tools/train/store_samples.h"

#include <algorithm>
#include <filesystem>

#include "autotune/gather/gather.h"
#include "autotune/store/store.h"
#include "autotune/tune/draws.h"
#include "autotune/tune/standings.h"
#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/text_file.h"
#include "machine/presets.h"
#include "tools/generator_run.h"
#include "tools/scratch_folder.h"
#include "tools/tune/problem_names.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

constexpr double count_seconds = 600;  // of one problem
// What a host of a preset is to Halide: batches of the benchmark do not say their target (docs/store.md).
constexpr const char *not_said = "unknown";

Result<std::string> target_of(const Problem &problem) {
    if (problem.target != not_said) return problem.target;
    const std::string machine = machine_name(problem);
    for (const MachinePreset &preset : machine_presets())
        if (machine == preset.name) return preset.target;
    return Error{"its target is not known, and its machine '" + machine + "' is no preset"};
}

std::vector<std::string> own_parameters(const Problem &problem) {
    std::vector<std::string> parameters = parameters_of(problem);
    std::erase_if(parameters, [](const std::string &p) { return p.starts_with("autoscheduler."); });
    return parameters;
}

Result<std::string> program_of(const Problem &problem, const CountRules &rules) {
    for (const std::string &path : rules.generators)
        if (fs::path(path).filename().replace_extension() == problem.pipeline) return path;
    const auto found = find_generator(problem.pipeline);
    if (found.ok()) return found;
    return Error{"there is no generator '" + problem.pipeline +
                 "'; name its path with --generators PATH/" + problem.pipeline + ".generator"};
}

TrainingSample sample_of(const Standing &standing, double anchor_seconds) {
    const Spread &ratio = standing.ratio;
    return {hexadecimal(Hasher().add(std::string_view(standing.trace)).value()),
            ratio.median * anchor_seconds,
            (ratio.high - ratio.low) / ratio.median,
            {}};
}

// Schedules with their times, and what the plugin counts of them.
class Problems {
public:
    Problems(const CountRules &rules, StoreSamples &out) : rules_(rules), out_(out) {}

    Result<bool> add(const Problem &problem, const Standings &standings, SampleGroup group) {
        std::vector<Lesson> left;
        for (const Standing *s : standings.fastest())
            // What has the code of another was not measured: its time would count twice.
            if (s->message.empty())
                left.push_back({s->trace, s->ratio.median * standings.anchor_seconds()});
        if (left.empty()) return true;
        const auto generator = generator_of(problem);
        if (!generator.ok()) return generator.error();
        // Schedules that divide other reductions are of another graph, which takes a run of its own.
        while (!left.empty()) {
            auto counted = count(*generator, problem, left);
            if (!counted.ok()) return counted.error();
            group.machine = counted->machine;
            group.overlap = counted->overlap;
            if (counted->found.size() != left.size())
                return Error{"the plugin has counted another number of schedules"};
            std::vector<Lesson> others;
            for (size_t i = 0; i < left.size(); i++) {
                CountedSchedules::Schedule &found = counted->found[i];
                if (found.is_of_another_graph) {
                    others.push_back(left[i]);
                } else if (!found.refused.empty()) {
                    out_.refused++;
                } else {
                    TrainingSample &sample = group.samples.emplace_back(
                        sample_of(*standings.of(left[i].trace), standings.anchor_seconds()));
                    sample.stages = std::move(found.stages);
                }
            }
            if (others.size() == left.size()) return Error{"its schedules have no graph"};
            left = std::move(others);
        }
        if (group.samples.empty()) return Error{"no schedule fits the pipeline of today"};
        out_.groups.push_back(std::move(group));
        return true;
    }

private:
    Result<Generator> generator_of(const Problem &problem) const {
        const auto program = program_of(problem, rules_);
        if (!program.ok()) return program.error();
        const auto target = target_of(problem);
        if (!target.ok()) return target.error();
        std::vector<std::string> words = own_parameters(problem);
        words.insert(words.begin(), *program);
        return tuned_generator(words, problem.pipeline, *target, rules_.plugin);
    }

    Result<CountedSchedules> count(const Generator &generator, const Problem &problem,
                                   const std::vector<Lesson> &lessons) const {
        const ScratchFolder scratch;
        if (!scratch.exists()) return Error{"cannot make a temporary folder"};
        const std::string samples = scratch.file("samples.json"),
                          machine = scratch.file("machine.json"),
                          counts = scratch.file("counts.json");
        if (const auto w = write_atomically(samples, samples_text(lessons)); !w.ok())
            return w.error();
        if (const auto w = write_atomically(machine, problem.machine); !w.ok()) return w.error();
        ProgramLimits limits{count_seconds, 0, rules_.stop};
        const auto run = run_or_say_why(
            generator.command(
                scratch.path(), "schedule",
                {"mode=count", "verify=false", "samples_file=" + samples, "draw_file=" + counts,
                 "machine=" + machine, "parallelism=" + std::to_string(problem.threads)}),
            limits);
        if (!run.ok()) return run.error();
        const auto text = read_text_file(counts, size_t{1} << 31);
        if (!text.ok())
            return Error{"generator '" + generator.program +
                         "' ran without asking Cryolite; is its pipeline scheduled by hand even "
                         "with an autoscheduler?"};
        return parse_counted(*text);
    }

    const CountRules &rules_;
    StoreSamples &out_;
};

}  // namespace

Result<StoreSamples> samples_of_store(const std::string &path, const CountRules &rules,
                                      const std::function<void(const CountProgress &)> &progress) {
    const auto store = Store::open(path, Store::Access::Read);
    if (!store.ok()) return store.error();
    const auto known = store->problems();
    if (!known.ok()) return known.error();
    StoreSamples out;
    Problems problems(rules, out);
    for (size_t i = 0; i < known->size(); i++) {
        if (rules.stop && rules.stop->load()) return Error{"stopped"};
        const Problem &problem = (*known)[i].problem;
        const std::string title = title_of(problem.pipeline, own_parameters(problem));
        progress({i + 1, known->size(), title});
        const auto samples = store->samples((*known)[i].number);
        if (!samples.ok()) return samples.error();
        Standings standings;
        for (const cryolite::Sample &s : *samples) standings.add(s);
        const auto done =
            problems.add(problem, standings, {title, fs::path(path).stem().string(), "", {}, {}});
        if (rules.stop && rules.stop->load()) return Error{"stopped"};
        if (done.ok()) continue;
        // A generator that is missing is missing for all of its problems.
        const std::string why = program_of(problem, rules).ok()
                                    ? title + ": " + done.error().message
                                    : problem.pipeline + ": " + done.error().message;
        if (std::ranges::find(out.passed_over, why) == out.passed_over.end())
            out.passed_over.push_back(why);
    }
    return out;
}

}  // namespace cryolite::tools
