// cryolite tune.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "autotune/tune/far_run.h"
#include "autotune/tune/local_workshop.h"
#include "autotune/tune/shell_line.h"
#include "autotune/tune/slurm_workshop.h"
#include "autotune/tune/tune.h"
#include "base/hash.h"
#include "base/version.h"
#include "model/correction_file.h"
#include "tools/checks.h"
#include "tools/commands.h"
#include "tools/explain/explain_generator.h"
#include "tools/failure.h"
#include "tools/generator_run.h"
#include "tools/report/explain_results.h"
#include "tools/report/write_report.h"
#include "tools/stop_signal.h"
#include "tools/tune/budget.h"
#include "tools/tune/folder_lock.h"
#include "tools/tune/inputs.h"
#include "tools/tune/observers.h"
#include "tools/tune/results.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<std::string> inputs, given, link;
    InputOptions data;
    std::string name, target = "host", plugin, machine, weights, folder, store, budget = "10m",
                      runner, compiler = "c++", launcher = "local";
    std::vector<std::string> sbatch;
    int nodes = 1;
    uint64_t seed = 0;
    size_t batch = 0;
    int jobs = 0, patience = 4;
    double compile_seconds = 120, seconds_per_schedule = 0.3, final_seconds = 10;
    int64_t memory_mb = 8192;
    bool by_hand = false, json = false, quiet = false;
};

void warn(const std::string &message) { std::cerr << "cryolite: warning: " << message << "\n"; }

Generator generator_of(const Options &o) {
    Generator g = or_fail(tuned_generator(o.inputs, o.name, o.target, o.plugin));
    if (!o.machine.empty()) g.parameters.push_back("autoscheduler.machine=" + o.machine);
    return g;
}

// Before anything is made or run.
void check(const Options &o, bool for_slurm) {
    or_misuse(check_parameters(o.inputs, o.target));
    or_misuse(parse_budget(o.budget));
    if (!o.runner.empty()) or_misuse(parse_runner_command(o.runner));
    if (o.launcher != "local" && !o.runner.empty())
        misuse("--runner is for --launcher local: Slurm's nodes measure by themselves");
    if (o.launcher == "local" && for_slurm) misuse("--sbatch and --nodes are for --launcher slurm");
    if (!o.weights.empty()) or_fail(read_network(o.weights));
    RunRequest request;
    or_misuse(add_inputs(o.data, request));
    or_fail(find_input_files(o.data));
}

LocalRules local_rules(const Options &o, const fs::path &work) {
    LocalRules r;
    r.folder = work.string();
    if (!o.runner.empty()) r.runner = or_misuse(parse_runner_command(o.runner));
    r.runner_program = or_fail(find_runner());
    // While it draws alone: what is measured does not depend on them, and other weights are the same problem.
    if (!o.weights.empty()) r.draw_options.push_back("weights=" + fs::absolute(o.weights).string());
    r.build.folder = (work / "built").string();
    r.build.compiler = o.compiler;
    r.build.link = o.link;
    r.build.compile_seconds = o.compile_seconds;
    r.build.memory_bytes = o.memory_mb << 20;
    r.build.jobs =
        o.jobs > 0 ? o.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    r.build.stop = &stop_asked();
    r.request.seed = o.seed;
    r.request.rules.memory_mb = o.memory_mb;
    or_misuse(add_inputs(o.data, r.request));
    return r;
}

ClusterRules cluster_rules(const Options &o, const fs::path &work) {
    ClusterRules r;
    r.slurm.folder = work.string();
    // The same for all tuners of this folder, of which one is at work at a time.
    r.slurm.job_name =
        "cryolite-" + hexadecimal(Hasher().add(std::string_view(work.string())).value());
    r.slurm.options = o.sbatch;
    r.slurm.stop = &stop_asked();
    r.worker = fs::read_symlink("/proc/self/exe").string();
    r.nodes = o.nodes;
    return r;
}

std::unique_ptr<Workshop> make_workshop(const Options &o, const Generator &generator,
                                        const fs::path &work) {
    const LocalRules rules = local_rules(o, work);
    if (o.launcher == "local") {
        auto local = std::make_unique<LocalWorkshop>(generator, rules, stop_asked());
        or_fail(local->prepare());
        return local;
    }
    auto cluster =
        std::make_unique<SlurmWorkshop>(generator, rules, cluster_rules(o, work), stop_asked());
    or_fail(cluster->prepare());
    return cluster;
}

// What the generator schedules by itself, as far as a trace can say it. Nothing, with a warning, where none can.
std::optional<std::string> own_schedule(const Generator &generator) {
    GeneratorRun run;
    run.generator = generator.program;
    run.name = generator.name;
    run.parameters = generator.parameters;
    run.plugin = generator.plugin;
    run.target = generator.target;
    run.as_scheduled = true;
    const auto explanation = explain_generator(run);
    if (explanation.ok() && !explanation->trace.empty()) return explanation->trace;
    warn(
        "the search does not start from the generator's own schedule, which is timed all the same" +
        (explanation.ok() ? std::string() : ": " + explanation.error().message));
    return std::nullopt;
}

TuneRules tune_rules(const Options &o, const Generator &generator) {
    const Budget budget = or_misuse(parse_budget(o.budget));
    TuneRules r;
    r.budget_seconds = budget.seconds;
    r.budget_samples = budget.schedules;
    r.batch = o.batch;
    r.seed = o.seed;
    r.seconds_per_candidate = o.seconds_per_schedule;
    r.final_seconds = o.final_seconds;
    r.patience = o.patience;
    for (const std::string &file : o.given) r.given.push_back(or_fail(read_trace(file)));
    r.by_hand = o.by_hand;
    if (o.by_hand)
        if (auto own = own_schedule(generator)) r.given.push_back(std::move(*own));
    r.cryolite = version();
    return r;
}

// The command that tunes again. Options that are at their defaults are left out.
std::string command_of(const Options &o) {
    const Options usual;
    std::vector<std::string> words{"cryolite", "tune"};
    // A value that begins with a dash would else be read as an option.
    const auto append = [&words](const char *option, const std::string &value) {
        if (value.starts_with("-"))
            words.push_back(option + ("=" + value));
        else
            words.insert(words.end(), {option, value});
    };
    const auto add = [&append](const char *option, const std::string &value,
                               const std::string &otherwise) {
        if (value != otherwise) append(option, value);
    };
    const auto add_number = [&add](const char *option, auto value, auto otherwise) {
        add(option, nlohmann::json(value).dump(), nlohmann::json(otherwise).dump());
    };
    const auto add_all = [&append](const char *option, const std::vector<std::string> &values) {
        for (const std::string &v : values) append(option, v);
    };
    words.insert(words.end(), o.inputs.begin(), o.inputs.end());
    words.insert(words.end(), {"-g", o.name, "--target", o.target, "--budget", o.budget, "--seed",
                               std::to_string(o.seed)});
    add("--store", o.store, usual.store);
    add("--machine", o.machine, usual.machine);
    add("--plugin", o.plugin, usual.plugin);
    add("--weights", o.weights, usual.weights);
    add("--compiler", o.compiler, usual.compiler);
    add_all("--link", o.link);
    add("--runner", o.runner, usual.runner);
    add("--launcher", o.launcher, usual.launcher);
    add_all("--sbatch", o.sbatch);
    add_number("--nodes", o.nodes, usual.nodes);
    if (o.by_hand) words.emplace_back("--by-hand");
    add_all("--from", o.given);
    add_all("--input", o.data.files);
    add_all("--range", o.data.ranges);
    add_all("--scalar", o.data.scalars);
    add_all("--shape", o.data.shapes);
    add_number("--batch", o.batch, usual.batch);
    add_number("--patience", o.patience, usual.patience);
    add_number("--jobs", o.jobs, usual.jobs);
    add_number("--compile-seconds", o.compile_seconds, usual.compile_seconds);
    add_number("--memory-mb", o.memory_mb, usual.memory_mb);
    add_number("--seconds", o.seconds_per_schedule, usual.seconds_per_schedule);
    add_number("--final-seconds", o.final_seconds, usual.final_seconds);
    words.insert(words.end(), {"-o", o.folder});
    return shell_line(words);
}

// The command that makes a library of the best.
std::string replay_of(const Options &o) {
    std::vector<std::string> words{"cryolite", "replay"};
    words.insert(words.end(), o.inputs.begin(), o.inputs.end());
    words.insert(words.end(), {"-g", o.name, "--target", o.target});
    if (!o.plugin.empty()) words.insert(words.end(), {"--plugin", o.plugin});
    words.insert(words.end(), {"--trace", (fs::path(o.folder) / "best.trace").string(), "-o", "out",
                               "-e", "static_library,c_header,schedule"});
    return shell_line(words);
}

// The results are in the folder already: what goes wrong with the report is told and no more.
void leave_report(const Options &o, const Generator &generator, const TuneResult &result) {
    if (const auto w = write_explanations(o.folder, generator, result); !w.ok())
        warn("the schedules are not explained: " + w.error().message);
    const std::string to = (fs::path(o.folder) / "report.html").string();
    if (const auto w = write_report(o.folder, 0, to); !w.ok())
        warn("there is no report: " + w.error().message);
}

void tune_generator(const Options &o) {
    const Generator generator = generator_of(o);
    const fs::path folder(o.folder), work = folder / "work";
    std::error_code error;
    fs::create_directories(work, error);
    if (error) fail("cannot make '" + work.string() + "': " + error.message());
    const FolderLock lock = or_fail(FolderLock::take(folder.string()));
    const TuneRules rules = tune_rules(o, generator);
    Store store = or_fail(Store::open(o.store.empty() ? (folder / "tune.sqlite").string() : o.store,
                                      Store::Access::Write));
    stop_on_signals();
    const auto workshop = make_workshop(o, generator, fs::absolute(work));
    const Show show = o.json ? Show::Json : o.quiet ? Show::Nothing : usual_show();
    const auto observer = make_observer(show, o.name);
    const auto result = tune(*workshop, store, rules, *observer, stop_asked());
    if (!result.ok()) fail(result.error().message);
    or_fail(write_results(o.folder, generator, *result,
                          {command_of(o), replay_of(o), o.budget,
                           o.store.empty() ? "" : fs::absolute(o.store).string()}));
    leave_report(o, generator, *result);
    fs::remove_all(work, error);
    if (!o.json && !o.quiet) std::cout << result_text(o.folder, *result);
    if (!result->failure.empty()) fail(result->failure);
}

}  // namespace

void add_tune_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *tune = app.add_subcommand(
        "tune", "Searches, builds, measures and learns, again and again, for the fastest schedule");
    tune->footer(
        "cryolite tune ./harris.generator -g harris --budget 10m -o tuned\n"
        "A second run with the same folder goes on where the first ended. Ctrl-C keeps the best.");
    tune->add_option("inputs", o->inputs, "a Halide generator and its parameters (KEY=VALUE)")
        ->required();
    tune->add_option("-g", o->name, "the name of the pipeline in the generator")->required();
    tune->add_option("-o", o->folder, "the folder for the store and the results")->required();
    tune->add_option("--budget", o->budget,
                     "how long to tune: a time (90s, 10m, 8h), or a number of schedules (200)")
        ->capture_default_str();
    tune->add_option(
        "--store", o->store,
        "the store of samples (default: tune.sqlite in the folder); several tuners may "
        "share one");
    tune->add_option("--target", o->target, "the Halide target")->capture_default_str();
    tune->add_option("--machine", o->machine,
                     "a preset or a machine file (default: this computer)");
    tune->add_option("--plugin", o->plugin,
                     "libautoschedule_cryolite.so (default: that beside this program)");
    tune->add_option("--weights", o->weights,
                     "a network of `cryolite train` to start from; every round trains it further");
    tune->add_option("--seed", o->seed, "of all that is drawn, inputs included")
        ->check(from_0())
        ->capture_default_str();
    tune->add_option("--from", o->given, "a trace to try first; may be given several times")
        ->allow_extra_args(false);
    tune->add_flag("--by-hand", o->by_hand,
                   "time what the generator schedules by itself without an autoscheduler, too, and "
                   "start from it");
    add_input_options(*tune, o->data);
    tune->add_option("--batch", o->batch,
                     "schedules of a round (default: 80, fewer for a short budget)")
        ->check(CLI::Range(1, 100000));
    tune->add_option("--patience", o->patience,
                     "rounds in a row that gain next to nothing before it ends early; 0: never")
        ->check(from_0())
        ->capture_default_str();
    tune->add_option("--jobs", o->jobs, "schedules built at once (default: the cores)")
        ->check(from_0());
    tune->add_option("--compile-seconds", o->compile_seconds,
                     "a schedule that takes longer to compile is given up")
        ->check(above_0())
        ->capture_default_str();
    tune->add_option("--memory-mb", o->memory_mb, "memory of a compiler and of a running schedule")
        ->check(from_1())
        ->capture_default_str();
    tune->add_option("--seconds", o->seconds_per_schedule, "of timing each schedule")
        ->check(CLI::Range(0.01, 3600.0))
        ->capture_default_str();
    tune->add_option("--final-seconds", o->final_seconds, "of timing the fastest at the end")
        ->check(CLI::Range(0.01, 36000.0))
        ->capture_default_str();
    tune->add_option("--runner", o->runner,
                     "a command that measures on another computer, as \"ssh box {}\" "
                     "(docs/tune.md)");
    tune->add_option("--launcher", o->launcher,
                     "where schedules are built and measured: on this computer, or by Slurm's jobs "
                     "(docs/tune.md)")
        ->check(CLI::IsMember({"local", "slurm"}))
        ->capture_default_str();
    auto *sbatch =
        tune->add_option("--sbatch", o->sbatch,
                         "an option for sbatch, as \"--partition=bench\"; may be repeated")
            ->allow_extra_args(false);
    auto *nodes =
        tune->add_option("--nodes", o->nodes, "Slurm's nodes that measure at once, all of one kind")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
    tune->add_option("--compiler", o->compiler, "links the schedules")->capture_default_str();
    tune->add_option("--link", o->link, "a file or an option for the linker; may be repeated")
        ->allow_extra_args(false);
    auto *json = tune->add_flag("--json", o->json, "an event per line on standard output");
    tune->add_flag("--quiet", o->quiet, "say nothing but errors")->excludes(json);
    tune->callback([o, sbatch, nodes] {
        check(*o, *sbatch || *nodes);
        tune_generator(*o);
    });
}

}  // namespace cryolite::tools
