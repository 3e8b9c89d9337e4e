#include "tools/tune/results.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/atomic_file.h"
#include "base/hex_bytes.h"
#include "base/text_file.h"
#include "tools/tune/budget.h"
#include "tools/tune/progress_text.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

constexpr double schedule_seconds = 300;  // a generator that only schedules takes a second

// The schedule as a header, made by the generator in a folder of its own and moved to its place whole.
Result<bool> write_schedule(const fs::path &folder, const Generator &generator) {
    const fs::path scratch = folder / "work" / "best";
    std::error_code error;
    fs::create_directories(scratch, error);
    if (error) return Error{"cannot make '" + scratch.string() + "': " + error.message()};
    const std::vector<std::string> command = generator.command(
        scratch.string(), "schedule",
        {"mode=replay", "trace_file=" + (folder / "best.trace").string()}, generator.name);
    if (const auto run = run_or_say_why(command, {schedule_seconds}); !run.ok()) return run.error();
    const auto text =
        read_text_file((scratch / (std::string(tuned_stem) + ".schedule.h")).string());
    if (!text.ok()) return text.error();
    return write_atomically((folder / "best.schedule.h").string(), *text);
}

// Factors of the terms, and the network where one was tuned.
Result<bool> write_weights(const fs::path &folder, const std::string &learned) {
    nlohmann::json weights = nlohmann::json::parse(learned, nullptr, false);
    if (!has_network(learned)) {
        // That of an earlier run with other options would pass for this one's.
        std::error_code none;
        fs::remove(folder / network_file, none);
        return write_atomically((folder / "weights.json").string(), learned);
    }
    const nlohmann::json network = weights["network"];
    weights.erase("network");
    const auto bytes =
        network.is_string() ? bytes_of_hex(network.get<std::string>()) : std::nullopt;
    if (!bytes) return Error{"the network in the store cannot be read"};
    if (const auto w = write_atomically((folder / network_file).string(), *bytes); !w.ok())
        return w;
    return write_atomically((folder / "weights.json").string(), weights.dump(2) + "\n");
}

std::string against(const TuneResult &r, const std::optional<Standing> &other,
                    const char *other_name) {
    if (!other) return "";
    if (other->status != SampleStatus::Timed)
        return "  " + std::string(other_name) + ": " + std::string(name(other->status)) +
               (other->message.empty() ? "" : ": " + other->message) + "\n";
    char text[160];
    std::snprintf(text, sizeof text, "  %-9s %s, %.2f times as long as the best\n", other_name,
                  time_text(other->seconds).c_str(), other->ratio.median / r.best->ratio.median);
    return text;
}

}  // namespace

bool has_network(const std::string &weights) {
    const nlohmann::json value = nlohmann::json::parse(weights, nullptr, false);
    return value.is_object() && value.contains("network");
}

Result<bool> write_results(const std::string &folder, const Generator &generator,
                           const TuneResult &result, const AskedOfTuner &asked) {
    const fs::path place(folder);
    const auto write = [&](const char *file, const std::string &text) {
        return write_atomically((place / file).string(), text);
    };
    if (const auto w = write("machine.json", result.problem.machine); !w.ok()) return w;
    if (const auto w = write_weights(place, result.weights); !w.ok()) return w;
    if (const auto w = write("result.json", result_file_text(result, asked)); !w.ok()) return w;
    if (!result.best) return true;
    if (const auto w = write("best.trace", result.best->trace); !w.ok()) return w;
    return write_schedule(place, generator);
}

std::string result_text(const std::string &folder, const TuneResult &r) {
    std::string text = "ended by: " + r.ended_by + ", after " + duration_text(r.spent_seconds) +
                       "; " + std::to_string(r.samples) + " schedules are in the store\n";
    if (!r.best) return text + "no schedule could be timed\n";
    text += "best:       " + time_text(r.best->seconds) + ", " + r.best->origin + "\n";
    text += against(r, r.one_shot, "one shot") + against(r, r.by_hand, "by hand") +
            against(r, r.plain, "plain");
    text += "in " + folder + ": report.html, best.schedule.h, best.trace, weights.json, " +
            (has_network(r.weights) ? std::string(network_file) + ", " : "") +
            "machine.json, result.json\n";
    return text;
}

}  // namespace cryolite::tools
