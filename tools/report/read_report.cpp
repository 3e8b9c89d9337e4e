#include "tools/report/read_report.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "analytical/explain/explanation_json.h"
#include "autotune/store/store.h"
#include "autotune/tune/shell_line.h"
#include "tools/report/explained_sides.h"
#include "tools/report/make_report.h"
#include "tools/tune/problem_names.h"
#include "tools/tune/result_file.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char *store_name = "tune.sqlite";

struct Place {
    fs::path folder, store;
    std::optional<ResultFile> result;
};

// Where the store is. A run with --store keeps its samples elsewhere, and result.json says where.
Result<Place> find_place(const std::string &path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return Error{"there is no '" + path + "'; give a folder of `cryolite tune`, or a store"};
    Place place;
    const bool is_folder = fs::is_directory(path, ignored);
    place.folder = is_folder ? fs::path(path) : fs::path(path).parent_path();
    place.store = is_folder ? place.folder / store_name : fs::path(path);
    if (const fs::path file = place.folder / "result.json"; fs::exists(file, ignored)) {
        auto result = read_result_file(file.string());
        if (!result.ok()) return result.error();
        place.result = std::move(*result);
    }
    if (!is_folder) return place;
    if (place.result && !place.result->asked.store.empty())
        place.store = place.result->asked.store;
    else if (!fs::exists(place.store, ignored))
        return Error{"there is no " + std::string(store_name) + " in '" + path +
                     "': it is no folder of `cryolite tune`"};
    return place;
}

struct Content {
    Store::Known known;
    std::vector<Sample> samples;
};

// Those that have samples.
Result<std::vector<Content>> contents_of(const Store &store) {
    const auto problems = store.problems();
    if (!problems.ok()) return problems.error();
    std::vector<Content> all;
    for (const Store::Known &k : *problems) {
        auto samples = store.samples(k.number);
        if (!samples.ok()) return samples.error();
        if (!samples->empty()) all.push_back({k, std::move(*samples)});
    }
    return all;
}

int64_t latest(const Content &c) {
    return std::ranges::max_element(c.samples, {}, &Sample::created)->created;
}

std::string list_of(std::span<const Content> contents) {
    std::string list;
    for (const Content &c : contents)
        list += (list.empty() ? "" : ", ") + std::to_string(c.known.number) + " (" +
                c.known.problem.pipeline + " on " + machine_name(c.known.problem) + ", " +
                std::to_string(c.samples.size()) + " samples)";
    return list;
}

bool is_of(const ResultFile &result, const Store::Known &known) {
    return result.problem == known.number && result.algorithm == known.problem.algorithm;
}

Result<size_t> choose(std::span<const Content> contents, int64_t problem, const Place &place) {
    const std::string store = place.store.string();
    if (contents.empty()) return Error{"store '" + store + "' holds no samples yet"};
    size_t chosen = 0;
    for (size_t i = 0; i < contents.size(); i++) {
        if (contents[i].known.number == problem) return i;
        if (latest(contents[i]) >= latest(contents[chosen])) chosen = i;
    }
    if (problem != 0)
        return Error{"there is no problem " + std::to_string(problem) + " with samples in '" +
                     store + "'; there are: " + list_of(contents)};
    if (place.result)
        for (size_t i = 0; i < contents.size(); i++)
            if (is_of(*place.result, contents[i].known)) return i;
    return chosen;
}

// Commands for a store without the tuner's result: the generator's program is not known, nor where the trace is.
ReportedRun run_of(const Problem &p) {
    const auto command = [&](std::vector<std::string> words, std::vector<std::string> options) {
        for (const std::string &parameter : parameters_of(p)) words.push_back(parameter);
        words.insert(words.end(), options.begin(), options.end());
        return shell_line(words);
    };
    // The tuner adds this to whatever target it is given (Generator::command).
    std::string target = p.target;
    const std::string added = "-no_runtime";
    if (const size_t at = target.find(added); at != target.npos) target.erase(at, added.size());
    ReportedRun run;
    run.tune_command = command({"cryolite", "tune", "GENERATOR", "-g", p.pipeline},
                               {"--target", target, "-o", "tuned"});
    run.replay_command = command({"cryolite", "replay", "GENERATOR", "-g", p.pipeline},
                                 {"--target", target, "--trace", "best.trace", "-o", "out", "-e",
                                  "static_library,c_header,schedule"});
    return run;
}

const ReportedSchedule *named(const Report &report, const std::string &name) {
    const auto at = std::ranges::find(report.schedules, name, &ReportedSchedule::name);
    return at == report.schedules.end() ? nullptr : &*at;
}

// The explanations that are of the schedules that the report shows. A trace that a user gave may be written otherwise
// in the explanation; result.json says then which it was.
ReportedExplanation explanation_of(const Report &report, const Place &place) {
    std::vector<SideToExplain> sides;
    std::string missing;
    for (const auto &[name, file] :
         {std::pair{"best", best_explanation_file}, {"one shot", one_shot_explanation_file}}) {
        const ReportedSchedule *schedule = named(report, name);
        const std::string path = (place.folder / file).string();
        std::error_code ignored;
        // The best may be the one-shot schedule itself.
        const bool is_shown =
            !sides.empty() && schedule && schedule->trace == report.schedules[0].trace;
        if (!schedule || is_shown || !fs::exists(path, ignored)) continue;
        auto explanation = read_explanation(path);
        if (!explanation.ok()) {
            missing += explanation.error().message + ". ";
            continue;
        }
        const std::string told = !place.result              ? ""
                                 : schedule->name == "best" ? place.result->best_trace
                                                            : place.result->one_shot_trace;
        if (explanation->algorithm != report.problem.algorithm ||
            (explanation->trace != schedule->trace && told != schedule->trace)) {
            missing +=
                "'" + path +
                "' is of another schedule than the report's; `cryolite tune` writes it anew. ";
            continue;
        }
        sides.push_back({name, std::move(*explanation), schedule->seconds.median});
    }
    ReportedExplanation out = explained_sides(sides);
    if (sides.empty() && missing.empty())
        missing =
            "No explanations lie beside the store. `cryolite tune` leaves them in its folder.";
    out.missing = missing;
    return out;
}

}  // namespace

Result<ReadReport> read_report(const std::string &path, int64_t problem) {
    const auto place = find_place(path);
    if (!place.ok()) return place.error();
    const auto store = Store::open(place->store.string(), Store::Access::Read);
    if (!store.ok()) return store.error();
    const auto contents = contents_of(*store);
    if (!contents.ok()) return contents.error();
    const auto chosen = choose(*contents, problem, *place);
    if (!chosen.ok()) return chosen.error();
    const Content &content = (*contents)[*chosen];
    const auto rounds = store->rounds(content.known.number);
    if (!rounds.ok()) return rounds.error();

    ReadReport out;
    out.store = place->store.string();
    out.report = make_report(content.known.number, content.known.problem, content.samples, *rounds);
    out.report.problem.others = std::ssize(*contents) - 1;
    out.report.run = run_of(content.known.problem);
    if (place->result && is_of(*place->result, content.known)) {
        const ResultFile &r = *place->result;
        out.report.run = {r.asked.budget, r.ended_by, r.spent_seconds, r.asked.command,
                          r.asked.replay};
    }
    out.report.explanation = explanation_of(out.report, *place);
    if (contents->size() > 1 && problem == 0)
        out.notes.push_back("the store holds several problems: " + list_of(*contents) +
                            ". The report is of problem " + std::to_string(content.known.number) +
                            "; --problem takes another");
    return out;
}

}  // namespace cryolite::tools
