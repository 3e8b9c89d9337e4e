// cryolite store.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "autotune/store/jsonl.h"
#include "autotune/tune/standings.h"
#include "base/atomic_file.h"
#include "tools/checks.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/store_import.h"
#include "tools/text_table.h"
#include "tools/tune/problem_names.h"
#include "tools/tune/progress_text.h"

namespace cryolite::tools {
namespace {

using nlohmann::json;

struct Options {
    std::string store, file;
    std::vector<std::string> others;
    int64_t problem = 1;
    size_t top = 20;
    size_t trace = 0;  // number of a schedule; 0: none is asked for
    bool as_json = false;
};

Store open(const std::string &path, Store::Access access) {
    return or_fail(Store::open(path, access));
}

Standings standings_of(const Store &store, int64_t problem) {
    Standings standings;
    for (const Sample &s : or_fail(store.samples(problem))) standings.add(s);
    return standings;
}

std::map<SampleStatus, int64_t> by_status(const Standings &standings) {
    std::map<SampleStatus, int64_t> count;
    for (const Standing &s : standings.all()) count[s.status]++;
    return count;
}

std::string ratio_text(double ratio) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", ratio);
    return text;
}

void list(const Options &o) {
    const Store store = open(o.store, Store::Access::Read);
    std::vector<std::vector<std::string>> rows{{"problem", "pipeline", "machine", "threads",
                                                "Halide", "schedules", "best", "of one shot"}};
    json problems = json::array();
    for (const Store::Known &k : or_fail(store.problems())) {
        const Standings standings = standings_of(store, k.number);
        const auto fastest = standings.fastest();
        const Standing *best = fastest.empty() ? nullptr : fastest[0];
        const Standing *one_shot = standings.first("one shot");
        const bool has_ratio = best && one_shot && one_shot->ratio.median > 0;
        const double ratio = has_ratio ? best->ratio.median / one_shot->ratio.median : 0;
        rows.push_back({std::to_string(k.number), k.problem.pipeline, machine_name(k.problem),
                        std::to_string(k.problem.threads), k.problem.halide,
                        std::to_string(standings.all().size()),
                        best ? time_text(standings.comparable(*best).seconds) : "",
                        has_ratio ? ratio_text(ratio) : ""});
        json counts = json::object();
        for (const auto &[status, count] : by_status(standings))
            counts[std::string(name(status))] = count;
        problems.push_back(
            {{"problem", k.number},
             {"pipeline", k.problem.pipeline},
             {"algorithm", k.problem.algorithm},
             {"parameters", json::parse(k.problem.parameters, nullptr, false)},
             {"target", k.problem.target},
             {"machine", machine_name(k.problem)},
             {"threads", k.problem.threads},
             {"halide", k.problem.halide},
             {"by_status", counts},
             {"best_seconds", best ? json(standings.comparable(*best).seconds.median) : json()},
             {"ratio_to_one_shot", has_ratio ? json(ratio) : json()}});
    }
    if (o.as_json)
        std::cout << problems.dump(2) << "\n";
    else
        std::cout << with_bold_head(text_table(rows, {Align::Right, Align::Left}));
}

void show(const Options &o) {
    const Store store = open(o.store, Store::Access::Read);
    const auto problems = or_fail(store.problems());
    if (std::ranges::find(problems, o.problem, &Store::Known::number) == problems.end())
        fail("there is no problem " + std::to_string(o.problem) + " in '" + o.store +
             "'; `cryolite store ls` lists them");
    const Standings standings = standings_of(store, o.problem);
    const auto all = standings.ranked();
    if (o.trace > 0) {
        if (o.trace > all.size())
            fail("schedules have numbers from 1 to " + std::to_string(all.size()));
        std::cout << all[o.trace - 1]->trace;
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"schedule", "status", "time", "ratio", "predicted", "samples", "origin", "message"}};
    json schedules = json::array();
    for (size_t i = 0; i < all.size(); i++) {
        const Standing s = standings.comparable(*all[i]);
        const bool timed = s.status == SampleStatus::Timed;
        char predicted[32];
        std::snprintf(predicted, sizeof predicted, "%.4g ms", s.predicted_seconds * 1e3);
        if (i < o.top)
            rows.push_back({std::to_string(i + 1), std::string(name(s.status)),
                            timed ? time_text(s.seconds) : "",
                            timed ? ratio_text(s.ratio.median) : "",
                            s.predicted_seconds > 0 ? predicted : "", std::to_string(s.samples),
                            s.origin, s.message.substr(0, 60)});
        schedules.push_back({{"schedule", i + 1},
                             {"status", name(s.status)},
                             {"median_seconds", s.seconds.median},
                             {"ratio", s.ratio.median},
                             {"predicted_seconds", s.predicted_seconds},
                             {"samples", s.samples},
                             {"origin", s.origin},
                             {"message", s.message},
                             {"trace", s.trace}});
    }
    if (o.as_json)
        std::cout << schedules.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
    else
        std::cout << with_bold_head(text_table(rows, {Align::Right, Align::Left})) << all.size()
                  << " schedules: " << status_text(by_status(standings)) << "\n";
}

void export_lines(const Options &o) {
    const Store store = open(o.store, Store::Access::Read);
    std::ostringstream lines;
    const Exported done = or_fail(export_store(store, lines));
    if (o.file.empty() || o.file == "-")
        std::cout << lines.str() << std::flush;
    else
        or_fail(write_atomically(o.file, lines.str()));
    if (!done.whole)
        fail("'" + o.store + "' is damaged: " + std::to_string(done.samples) + " samples and " +
             std::to_string(done.rounds) + " rounds of " + std::to_string(done.problems) +
             " problems could be read and were written");
}

std::string imported_text(const Imported &i) {
    return std::to_string(i.samples) + " samples and " + std::to_string(i.rounds) + " rounds of " +
           std::to_string(i.problems) + " problems; " + std::to_string(i.duplicates) +
           " samples were there already\n";
}

void import(const Options &o) {
    Store store = open(o.store, Store::Access::Write);
    for (const std::string &file : o.others)
        std::cout << (o.others.size() > 1 ? file + ": " : "")
                  << imported_text(or_fail(import_file(store, file)));
}

void merge(const Options &o) {
    Store store = open(o.store, Store::Access::Write);
    for (const std::string &other : o.others)
        std::cout << other << ": "
                  << imported_text(or_fail(merge_store(store, open(other, Store::Access::Read))));
}

void check(const Options &o) {
    const auto wrong = open(o.store, Store::Access::Read).check();
    for (const std::string &w : wrong) std::cout << w << "\n";
    if (!wrong.empty())
        fail("'" + o.store + "' is damaged; `cryolite store export` saves what can be read");
    std::cout << "'" << o.store << "' is whole\n";
}

}  // namespace

void add_store_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *store = app.add_subcommand("store", "What tuners have measured");
    store->require_subcommand(1);
    const auto add = [&](const char *name, const char *doc, void (*run)(const Options &)) {
        CLI::App *command = store->add_subcommand(name, doc);
        command->add_option("store", o->store, "the file (tune.sqlite)")->required();
        command->callback([o, run] { run(*o); });
        return command;
    };
    CLI::App *ls = add("ls", "Its problems, with the best of each", list);
    ls->add_flag("--json", o->as_json, "as JSON");
    CLI::App *shown = add("show", "The schedules of a problem, the fastest first", show);
    shown->add_option("problem", o->problem, "its number")->check(from_1())->capture_default_str();
    auto *top =
        shown->add_option("--top", o->top, "how many")->check(from_0())->capture_default_str();
    auto *trace =
        shown->add_option("--trace", o->trace, "print the trace of the schedule of this number")
            ->check(from_1())
            ->excludes(top);
    shown->add_flag("--json", o->as_json, "all of them, as JSON")->excludes(top)->excludes(trace);
    add("export", "All of it as lines of JSON", export_lines)
        ->add_option("-o", o->file, "a file (default: standard output)");
    add("import", "Adds what was exported, or measured elsewhere", import)
        ->add_option("files", o->others,
                     "lines of JSON, a pack's folder with its results, a batch.json, or an "
                     "archive of batches (.tar.xz)")
        ->required();
    add("merge", "Adds what other stores hold", merge)
        ->add_option("others", o->others, "their files")
        ->required();
    add("check", "Whether it is whole", check);
}

}  // namespace cryolite::tools
