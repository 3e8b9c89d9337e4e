#include "autotune/tune/local_workshop.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>

#include "autotune/tune/far_run.h"
#include "autotune/tune/file_hash.h"
#include "autotune/tune/measuring.h"
#include "base/atomic_file.h"
#include "base/text_file.h"

namespace cryolite {
namespace {

namespace fs = std::filesystem;

// Beyond its own limit a generator that draws needs time to start and to describe the pipeline.
constexpr double draw_grace_seconds = 120;

// The work at the estimates, with what was asked for instead of them: other contents or sizes are another problem.
std::string with_inputs(const std::string &workload, const RunRequest &request) {
    if (request.inputs.empty() && request.scalars.empty() && request.shapes.empty())
        return workload;
    nlohmann::json all = nlohmann::json::parse(workload, nullptr, false), inputs, scalars;
    for (const auto &[name, source] : request.inputs) {
        if (!source.file.empty()) inputs[name]["contents"] = hash_of_file(source.file);
        if (source.has_range) inputs[name]["range"] = source.range;
    }
    for (const auto &[name, value] : request.scalars)
        std::visit([&, &n = name](auto v) { scalars[n] = v; }, value);
    all["asked"] = {{"inputs", inputs}, {"scalars", scalars}, {"shapes", request.shapes}};
    return all.dump();
}

}  // namespace

LocalWorkshop::LocalWorkshop(const Generator &generator, LocalRules rules,
                             const std::atomic<bool> &stop)
    : generator_(generator),
      rules_(std::move(rules)),
      stop_(stop),
      builder_(generator, rules_.build) {}

Result<DrawnBatch> LocalWorkshop::draw(const std::vector<Lesson> &lessons, size_t count,
                                       uint64_t seed) {
    ProgramLimits limits;
    limits.seconds = rules_.draw_seconds + draw_grace_seconds;
    limits.stop = &stop_;
    auto batch = cryolite::draw(
        generator_, {lessons, count, seed, rules_.draw_seconds, rules_.folder, rules_.draw_options},
        limits);
    if (!batch.ok()) return batch;
    threads_ = batch->problem.threads;
    batch->problem.workload = with_inputs(batch->problem.workload, rules_.request);
    batch->problem.parameters = nlohmann::json(generator_.parameters).dump();
    return batch;
}

std::vector<Built> LocalWorkshop::build(const std::vector<std::string> &traces,
                                        const std::vector<std::string> &names) {
    return builder_.build(traces, names);
}

Result<RunResult> LocalWorkshop::run_here(const RunRequest &request,
                                          const ProgramLimits &limits) const {
    const std::string asked = (fs::path(rules_.folder) / "request.json").string();
    const std::string answered = (fs::path(rules_.folder) / "result.json").string();
    if (const auto written = write_atomically(asked, to_json_text(request)); !written.ok())
        return written.error();
    std::error_code ignored;
    fs::remove(answered, ignored);
    std::vector<std::string> words = rules_.launch;
    words.insert(words.end(), {rules_.runner_program, asked, "-o", answered});
    const auto run = run_or_say_why(words, limits);
    if (!run.ok()) return run.error();
    const auto text = read_text_file(answered);
    if (!text.ok()) return text.error();
    return parse_run_result(*text);
}

Result<MeasuredGroup> LocalWorkshop::measure(const std::string &anchor,
                                             const std::vector<std::string> &libraries,
                                             const MeasureRules &rules) {
    const RunRequest request =
        measuring_request(rules_.request, threads_, anchor, libraries, rules);
    ProgramLimits limits;
    limits.seconds = longest_seconds(request);
    limits.stop = &stop_;
    const auto result = rules_.runner.empty() ? run_here(request, limits)
                                              : run_far_away(request, rules_.runner_program,
                                                             rules_.runner, rules_.folder, limits);
    if (!result.ok()) return result.error();
    return measured_group(*result, libraries.size());
}

}  // namespace cryolite
