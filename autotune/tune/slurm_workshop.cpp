#include "autotune/tune/slurm_workshop.h"

#include <algorithm>
#include <filesystem>

#include "autotune/tune/build_task.h"
#include "autotune/tune/measuring.h"
#include "base/atomic_file.h"
#include "base/text_file.h"

namespace cryolite {
namespace {

namespace fs = std::filesystem;

// Linking and starting, on top of compiling.
constexpr double build_grace_seconds = 120;

Result<MeasuredGroup> group_in(const std::string &file, size_t libraries) {
    const auto text = read_text_file(file);
    if (!text.ok()) return text.error();
    const auto result = parse_run_result(*text);
    if (!result.ok()) return result.error();
    return measured_group(*result, libraries);
}

MeasuredGroup not_measured(const std::string &why, size_t libraries) {
    MeasuredGroup group;
    group.anchor.message = why;
    group.candidates.resize(libraries);
    return group;
}

}  // namespace

SlurmWorkshop::SlurmWorkshop(const Generator &generator, LocalRules rules, ClusterRules cluster,
                             const std::atomic<bool> &stop)
    : generator_(generator),
      rules_(std::move(rules)),
      cluster_(std::move(cluster)),
      stop_(stop),
      local_(generator, rules_, stop),
      slurm_(cluster_.slurm) {}

Result<bool> SlurmWorkshop::prepare() {
    if (const auto ready = slurm_.prepare(); !ready.ok()) return ready;
    return local_.prepare();
}

std::vector<Built> SlurmWorkshop::build(const std::vector<std::string> &traces,
                                        const std::vector<std::string> &names) {
    std::vector<Built> all(traces.size());
    std::vector<std::vector<std::string>> commands;
    const auto file = [&](size_t i, const char *suffix) {
        return (fs::path(rules_.folder) / ("build" + std::to_string(i) + suffix)).string();
    };
    std::error_code ignored;
    for (size_t i = 0; i < traces.size(); i++) {
        fs::remove(file(i, ".json"), ignored);
        const auto written = write_atomically(
            file(i, ".task"),
            to_json_text(BuildTask{generator_, rules_.build, traces[i], names[i]}));
        if (!written.ok()) {
            for (Built &b : all) b.message = written.error().message;
            return all;
        }
        commands.push_back(
            {cluster_.worker, "build-task", file(i, ".task"), "-o", file(i, ".json")});
    }
    const auto failures =
        slurm_.run(commands, {}, rules_.build.compile_seconds + build_grace_seconds);
    for (size_t i = 0; i < traces.size(); i++) {
        if (stop_.load()) {
            all[i].stopped = true;
        } else if (!failures.ok()) {
            all[i].message = failures.error().message;
        } else if (!(*failures)[i].empty()) {
            all[i].message = (*failures)[i];
        } else {
            const auto text = read_text_file(file(i, ".json"));
            const auto built = text.ok() ? parse_built(*text) : Result<Built>(text.error());
            if (built.ok())
                all[i] = *built;
            else
                all[i].message = built.error().message;
        }
        // Without a build nothing is known of the schedule, which may be drawn again.
        if (all[i].library.empty() && all[i].seconds == 0) all[i].stopped = true;
    }
    return all;
}

Result<MeasuredGroup> SlurmWorkshop::measure(const std::string &anchor,
                                             const std::vector<std::string> &libraries,
                                             const MeasureRules &rules) {
    const size_t parts =
        std::clamp<size_t>(libraries.size(), 1, static_cast<size_t>(cluster_.nodes));
    const auto first_of = [&](size_t part) { return libraries.size() * part / parts; };
    std::vector<std::vector<std::string>> commands;
    std::vector<std::string> answers;
    double seconds = 0;
    for (size_t p = 0; p < parts; p++) {
        const std::vector<std::string> some(
            libraries.begin() + static_cast<ptrdiff_t>(first_of(p)),
            libraries.begin() + static_cast<ptrdiff_t>(first_of(p + 1)));
        MeasureRules its_rules = rules;
        its_rules.seconds *=
            static_cast<double>(some.size() + 1) / static_cast<double>(libraries.size() + 1);
        const RunRequest request =
            measuring_request(rules_.request, local_.threads(), anchor, some, its_rules);
        const fs::path stem = fs::path(rules_.folder) / ("measure" + std::to_string(p));
        answers.push_back(stem.string() + ".json");
        std::error_code ignored;
        fs::remove(answers.back(), ignored);
        const std::string asked = stem.string() + ".task";
        if (const auto w = write_atomically(asked, to_json_text(request)); !w.ok())
            return w.error();
        commands.push_back({rules_.runner_program, asked, "-o", answers.back()});
        seconds = std::max(seconds, longest_seconds(request));
    }
    // Alone on its node: whatever else runs there changes the times.
    const auto failures = slurm_.run(commands, {"--exclusive", "--nodes=1"}, seconds);
    if (!failures.ok()) return failures.error();
    MeasuredGroup all;
    size_t answered = 0;
    for (size_t p = 0; p < parts; p++) {
        const size_t count = first_of(p + 1) - first_of(p);
        auto group = (*failures)[p].empty() ? group_in(answers[p], count)
                                            : Result<MeasuredGroup>(Error{(*failures)[p]});
        if (group.ok())
            answered++;
        else
            group = not_measured(group.error().message, count);
        if (all.anchor.status != SampleStatus::Timed) all.anchor = group->anchor;
        all.anchors.insert(all.anchors.end(), count, group->anchor);
        all.candidates.insert(all.candidates.end(), group->candidates.begin(),
                              group->candidates.end());
        all.quiet = all.quiet && group->quiet;
    }
    if (answered == 0) return Error{all.anchor.message};
    return all;
}

}  // namespace cryolite
