#include "autotune/tune/draws.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/text_file.h"

namespace cryolite {
namespace {

using nlohmann::json;

constexpr uint64_t largest_seed = (uint64_t{1} << 62) - 1;  // that the plugin takes

std::vector<Draw> draws_of(const json &list) {
    std::vector<Draw> draws;
    for (const json &d : list)
        draws.push_back({d.at("origin").get<std::string>(), d.at("trace").get<std::string>(),
                         d.at("predicted_seconds").get<double>()});
    return draws;
}

}  // namespace

Result<DrawnBatch> parse_drawn_batch(const std::string &text) {
    try {
        const json file = json::parse(text);
        if (file.at("cryolite_draw") != 1)
            return Error{
                "the plugin draws in another version than this program reads; use the "
                "plugin that came with it"};
        const json &p = file.at("problem");
        DrawnBatch batch;
        batch.problem.algorithm = p.at("algorithm");
        batch.problem.workload = p.at("workload").dump();
        batch.problem.target = p.at("target");
        batch.problem.machine = p.at("machine");
        batch.problem.halide = p.at("halide");
        batch.problem.threads = p.at("threads");
        batch.machine_name = p.at("machine_name");
        batch.cryolite = p.at("cryolite");
        batch.weights = file.at("weights").dump(2) + "\n";
        batch.learned_correlation = file.at("rank_correlation").at("learned");
        batch.analytical_correlation = file.at("rank_correlation").at("analytical");
        batch.draws = draws_of(file.at("draws"));
        return batch;
    } catch (const json::exception &error) {
        return Error{std::string("the plugin's batch cannot be read: ") + error.what()};
    }
}

std::string draws_text(std::span<const Draw> draws) {
    json list = json::array();
    for (const Draw &d : draws)
        list.push_back(
            {{"origin", d.origin}, {"trace", d.trace}, {"predicted_seconds", d.predicted_seconds}});
    return list.dump();
}

Result<std::vector<Draw>> parse_draws(const std::string &text) {
    try {
        return draws_of(json::parse(text));
    } catch (const json::exception &error) {
        return Error{std::string("a round of the store cannot be read: ") + error.what()};
    }
}

std::string samples_text(std::span<const Lesson> lessons) {
    json list = json::array();
    for (const Lesson &l : lessons)
        list.push_back({{"trace", l.trace}, {"seconds", l.seconds > 0 ? json(l.seconds) : json()}});
    return json{{"samples", list}}.dump();
}

Result<DrawnBatch> draw(const Generator &generator, const DrawRequest &request,
                        const ProgramLimits &limits) {
    namespace fs = std::filesystem;
    const std::string drawn = (fs::path(request.folder) / "draws.json").string();
    const std::string samples = (fs::path(request.folder) / "samples.json").string();
    std::error_code ignored;
    fs::remove(drawn, ignored);
    std::vector<std::string> options{"mode=draw", "draw_file=" + drawn,
                                     "draws=" + std::to_string(request.count),
                                     "draw_seconds=" + std::to_string(request.seconds),
                                     "seed=" + std::to_string(request.seed & largest_seed)};
    options.insert(options.end(), request.options.begin(), request.options.end());
    if (!request.lessons.empty()) {
        const auto written = write_atomically(samples, samples_text(request.lessons));
        if (!written.ok()) return written.error();
        options.push_back("samples_file=" + samples);
    }
    const auto run = run_or_say_why(generator.command(request.folder, "schedule", options), limits);
    if (!run.ok()) return run.error();
    if (!fs::exists(drawn))
        return Error{"generator '" + generator.program +
                     "' ran without asking Cryolite for schedules; is its pipeline scheduled by "
                     "hand even with an autoscheduler, or the plugin older than this program?"};
    const auto text = read_text_file(drawn);
    if (!text.ok()) return text.error();
    auto batch = parse_drawn_batch(*text);
    if (batch.ok()) batch->problem.pipeline = generator.name;
    return batch;
}

}  // namespace cryolite
