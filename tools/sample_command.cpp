// cryolite sample.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "autotune/gather/gather.h"
#include "autotune/tune/local_workshop.h"
#include "base/version.h"
#include "tools/checks.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/generator_run.h"
#include "tools/sample/observers.h"
#include "tools/stop_signal.h"
#include "tools/tune/budget.h"
#include "tools/tune/folder_lock.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char *random_name = "random_pipeline";
// Where the user says neither how many nor which: more than any budget has room for.
constexpr int64_t all_random = 20'000;
// Draws of a quick search: what is learned from needs no best schedule.
const std::vector<std::string> draw_options{"beam_size=16", "num_passes=2", "tilings=24",
                                            "draw_any=0.35", "compile_limit=10"};

struct Options {
    std::string store, budget = "30m", target = "host", machine, plugin, compiler = "c++", launch;
    std::vector<std::string> pipelines, parameters, link;
    int64_t random = 0, from = 0;
    size_t schedules_each = 16;
    uint64_t seed = 0;
    int jobs = 0;
    double compile_seconds = 60, seconds = 0.2;
    int64_t memory_mb = 8192;
    bool json = false, quiet = false;
};

std::vector<std::string> words_of(const std::string &text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

// harris.generator -> harris
std::string name_of(const std::string &program) {
    return fs::path(program).filename().replace_extension().string();
}

Generator generator_of(const Options &o, const std::string &program, const std::string &name,
                       std::vector<std::string> parameters) {
    parameters.insert(parameters.begin(), program);
    Generator g = or_fail(tuned_generator(parameters, name, o.target, o.plugin));
    if (!o.machine.empty()) g.parameters.push_back("autoscheduler.machine=" + o.machine);
    return g;
}

std::vector<Generator> generators_of(const Options &o) {
    std::vector<Generator> all;
    for (const std::string &p : o.pipelines) {
        const std::string program = or_fail(find_generator(p));
        all.push_back(generator_of(o, program, name_of(program), o.parameters));
    }
    if (!o.pipelines.empty() && o.random == 0) return all;
    const std::string program = or_fail(find_generator(random_name));
    const Generator first = generator_of(o, program, random_name, {});
    const int64_t count = o.random > 0 ? o.random : all_random;
    for (int64_t i = 0; i < count; i++) {
        Generator g = first;
        g.parameters.insert(g.parameters.begin(), "seed=" + std::to_string(o.from + i));
        all.push_back(std::move(g));
    }
    return all;
}

LocalRules local_rules(const Options &o, const fs::path &work) {
    LocalRules r;
    r.folder = work.string();
    r.runner_program = or_fail(find_runner());
    r.launch = words_of(o.launch);
    r.draw_options = draw_options;
    r.build.folder = (work / "built").string();
    r.build.compiler = o.compiler;
    r.build.options = {"small_sizes=unchecked"};  // pipelines run at their estimates
    r.build.link = o.link;
    r.build.compile_seconds = o.compile_seconds;
    r.build.memory_bytes = o.memory_mb << 20;
    r.build.jobs =
        o.jobs > 0 ? o.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    r.build.stop = &stop_asked();
    r.request.rules.memory_mb = o.memory_mb;
    r.request.rules.longest_run_seconds = 20;
    return r;
}

// A workshop that leaves nothing of one pipeline to the next.
class OwnFolder : public LocalWorkshop {
public:
    OwnFolder(const Generator &generator, const LocalRules &rules)
        : LocalWorkshop(generator, rules, stop_asked()), folder_(rules.folder) {}
    ~OwnFolder() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

private:
    const fs::path folder_;
};

Result<std::unique_ptr<Workshop>> make_workshop(const Generator &generator,
                                                const LocalRules &rules) {
    std::error_code error;
    fs::remove_all(rules.folder, error);
    fs::create_directories(rules.folder, error);
    if (error) return Error{"cannot make '" + rules.folder + "': " + error.message()};
    auto workshop = std::make_unique<OwnFolder>(generator, rules);
    if (const auto prepared = workshop->prepare(); !prepared.ok()) return prepared.error();
    return std::unique_ptr<Workshop>(std::move(workshop));
}

GatherRules gather_rules(const Options &o) {
    const Budget budget = or_misuse(parse_budget(o.budget));
    GatherRules r;
    r.budget_seconds = budget.seconds;
    r.budget_samples = budget.schedules;
    r.schedules_each = o.schedules_each;
    r.seed = o.seed;
    r.seconds_per_candidate = o.seconds;
    r.anchor_seconds = std::max(0.6, 2 * o.seconds);
    r.cryolite = version();
    return r;
}

void sample(const Options &o) {
    const GatherRules rules = gather_rules(o);
    std::vector<std::string> parameters = o.parameters;
    parameters.insert(parameters.begin(), "");
    or_misuse(check_parameters(parameters, o.target));
    if (!o.parameters.empty() && o.pipelines.empty())
        misuse("parameters are for the generators of --pipelines, and none is named");
    const std::vector<Generator> generators = generators_of(o);
    Store store = or_fail(Store::open(o.store, Store::Access::Write));
    // Beside the store, so that what runs in it is on a disk that the user has chosen.
    const fs::path work = fs::absolute(o.store + ".work");
    std::error_code error;
    fs::create_directories(work, error);
    if (error) fail("cannot make '" + work.string() + "': " + error.message());
    const FolderLock lock = or_fail(FolderLock::take(work.string()));
    stop_on_signals();
    const LocalRules local = local_rules(o, work / "pipeline");
    const Show show = o.json ? Show::Json : o.quiet ? Show::Nothing : usual_show();
    auto observer = make_gather_observer(show);
    const auto result = gather(
        generators, [&](const Generator &g) { return make_workshop(g, local); }, store, rules,
        *observer, stop_asked());
    observer.reset();
    fs::remove_all(work, error);
    if (!result.ok()) fail(result.error().message);
    if (o.json || o.quiet) return;
    const GatherProgress &p = result->progress;
    std::cout << p.samples_in_this_run << " samples";
    if (p.samples_in_this_run > 0)
        std::cout << " in " << duration_text(p.spent_seconds) << ", "
                  << std::llround(p.samples_per_hour()) << " an hour";
    std::cout << "; " << result->complete << " pipelines are complete";
    if (result->failed > 0) std::cout << ", " << result->failed << " failed";
    std::cout << "\nended by: " << result->ended_by << "\n";
}

}  // namespace

void add_sample_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *sample_command = app.add_subcommand(
        "sample", "Gathers measured schedules of many pipelines, for the learned model");
    sample_command->footer(
        "cryolite sample -o samples.sqlite --budget 8h\n"
        "The same command goes on where it ended. Ctrl-C keeps all that was measured.");
    sample_command->add_option("parameters", o->parameters,
                               "KEY=VALUE, for the generators of --pipelines");
    sample_command->add_option("-o", o->store, "the store of samples")->required();
    sample_command
        ->add_option("--budget", o->budget,
                     "how long to gather: a time (30m, 8h), or a number of samples (2000)")
        ->capture_default_str();
    sample_command
        ->add_option("--pipelines", o->pipelines,
                     "generators, as paths NAME.generator, or names of apps of the build tree")
        ->delimiter(',');
    sample_command
        ->add_option("--random", o->random,
                     "random pipelines (default: until the budget ends, if there are no others)")
        ->check(CLI::Range(int64_t{1}, all_random));
    sample_command->add_option("--from", o->from, "seed of the first random pipeline")
        ->check(from_0())
        ->capture_default_str();
    sample_command->add_option("--schedules-each", o->schedules_each, "schedules of a pipeline")
        ->check(CLI::Range(2, 10000))
        ->capture_default_str();
    sample_command->add_option("--seed", o->seed, "of the schedules that are drawn")
        ->check(from_0())
        ->capture_default_str();
    sample_command->add_option("--target", o->target, "the Halide target")->capture_default_str();
    sample_command->add_option("--machine", o->machine,
                               "a preset or a machine file (default: this computer)");
    sample_command->add_option("--plugin", o->plugin,
                               "libautoschedule_cryolite.so (default: that beside this program)");
    sample_command->add_option("--jobs", o->jobs, "schedules built at once (default: the cores)")
        ->check(from_0());
    sample_command
        ->add_option("--compile-seconds", o->compile_seconds,
                     "a schedule that takes longer to compile is given up")
        ->check(above_0())
        ->capture_default_str();
    sample_command
        ->add_option("--memory-mb", o->memory_mb, "memory of a compiler and of a running schedule")
        ->check(from_1())
        ->capture_default_str();
    sample_command->add_option("--seconds", o->seconds, "of timing each schedule")
        ->check(CLI::Range(0.01, 3600.0))
        ->capture_default_str();
    sample_command->add_option(
        "--launch", o->launch,
        "a command that starts what measures, as \"chrt -f 5\", so that other work disturbs less");
    sample_command->add_option("--compiler", o->compiler, "links the schedules")
        ->capture_default_str();
    sample_command
        ->add_option("--link", o->link, "a file or an option for the linker; may be repeated")
        ->allow_extra_args(false);
    auto *json =
        sample_command->add_flag("--json", o->json, "an event per line on standard output");
    sample_command->add_flag("--quiet", o->quiet, "say nothing but errors")->excludes(json);
    sample_command->callback([o] { sample(*o); });
}

}  // namespace cryolite::tools
