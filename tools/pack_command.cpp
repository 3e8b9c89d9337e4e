// cryolite pack.
#include <atomic>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "autotune/runner/pack.h"
#include "autotune/tune/build.h"
#include "autotune/tune/local_workshop.h"
#include "autotune/tune/pack_schedules.h"
#include "base/atomic_file.h"
#include "base/text_file.h"
#include "tools/checks.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/generator_run.h"
#include "tools/scratch_folder.h"
#include "tools/tune/inputs.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<std::string> inputs, traces, link;
    InputOptions data;
    std::string name, target = "host", plugin, folder, compiler = "c++";
    uint64_t seed = 0;
    int threads = 0;
    double seconds = 3;
    bool by_hand = false;
};

// The plugin makes it without a trace.
Built build_plain(const Generator &generator, const BuildRules &rules) {
    Generator plain = generator;
    plain.parameters.emplace_back("autoscheduler.mode=plain");
    Builder builder(plain, rules);
    or_fail(builder.prepare());
    return builder.build_plugins_choice("plain");
}

// What the schedules are, for whoever takes the results. Nothing where the plugin cannot say it: of a target with a
// GPU.
std::optional<PackSchedules> described(const Generator &generator, const Options &o,
                                       const RunRequest &request, const std::string &folder) {
    const std::atomic<bool> stop{false};
    LocalRules rules;
    rules.folder = folder;
    rules.request = request;
    LocalWorkshop workshop(generator, rules, stop);
    const auto drawn = workshop.draw({}, 1, o.seed);
    if (!drawn.ok() || drawn->draws.empty()) return std::nullopt;
    PackSchedules pack{drawn->problem, {{"plain", drawn->draws.front(), 0}}};
    if (o.threads > 0) pack.problem.threads = o.threads;
    return pack;
}

void pack(const Options &o) {
    or_misuse(check_parameters(o.inputs, o.target));
    RunRequest request;
    or_misuse(add_inputs(o.data, request));
    or_fail(find_input_files(o.data));
    const Generator generator = or_fail(tuned_generator(o.inputs, o.name, o.target, o.plugin));
    const std::string runner = or_fail(find_runner());
    const ScratchFolder scratch;
    if (!scratch.exists()) fail("cannot make a temporary folder");
    BuildRules rules;
    rules.folder = scratch.path();
    rules.compiler = o.compiler;
    rules.link = o.link;
    rules.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::string> traces, names;
    for (const std::string &file : o.traces) {
        traces.push_back(or_fail(read_trace(file)));
        names.push_back(std::to_string(names.size()));
    }
    if (o.by_hand) {
        traces.emplace_back();
        names.emplace_back("by-hand");
    }
    const Built plain = build_plain(generator, rules);
    if (plain.library.empty()) fail("the plain schedule cannot be built: " + plain.message);
    Builder builder(generator, rules);
    const std::vector<Built> built = builder.build(traces, names);

    request.function = tuned_function;
    request.threads = o.threads;
    request.seed = o.seed;
    request.rules.seconds = o.seconds;
    request.rules.cut_off = no_cut_off;  // whoever packs few schedules wants to see all times
    auto schedules = described(generator, o, request, scratch.path());
    request.reference = {"plain", plain.library, ""};
    for (size_t i = 0; i < built.size(); i++) {
        const std::string id = traces[i].empty() ? "by hand" : o.traces[i];
        if (built[i].library.empty()) fail(id + " cannot be built: " + built[i].message);
        request.candidates.push_back({id, built[i].library, ""});
        const Draw draw{traces[i].empty() ? "by hand" : "given", traces[i], 0};
        if (schedules) schedules->schedules.push_back({id, draw, built[i].object_hash});
    }
    or_fail(write_pack(o.folder, request, runner));
    if (schedules)
        or_fail(write_atomically((fs::path(o.folder) / pack_schedules_file).string(),
                                 to_json_text(*schedules)));
    std::cout << o.folder << ": " << request.candidates.size() + 1 << " schedules; run "
              << (fs::path(o.folder) / "run").string()
              << " on the computer that is to measure them, and read results.json\n";
}

}  // namespace

void add_pack_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *pack_command = app.add_subcommand(
        "pack", "Schedules, inputs and the runner in a folder that runs on another computer");
    pack_command->footer(
        "cryolite pack ./harris.generator -g harris --trace best.trace -o pack\n"
        "The other computer needs the same processor family, and neither Halide nor a compiler.");
    pack_command->add_option("inputs", o->inputs, "a Halide generator and its parameters")
        ->required();
    pack_command->add_option("-g", o->name, "the name of the pipeline in the generator")
        ->required();
    pack_command->add_option("-o", o->folder, "the folder to make")->required();
    pack_command->add_option("--trace", o->traces, "a schedule; may be given several times")
        ->allow_extra_args(false);
    pack_command->add_flag("--by-hand", o->by_hand, "what the generator schedules by itself, too");
    pack_command->add_option("--target", o->target, "the Halide target")->capture_default_str();
    pack_command->add_option("--plugin", o->plugin,
                             "libautoschedule_cryolite.so (default: that beside this program)");
    pack_command->add_option("--threads", o->threads, "of each run (default: the cores there)")
        ->check(from_0());
    pack_command->add_option("--seconds", o->seconds, "of timing all of them together")
        ->check(above_0())
        ->capture_default_str();
    pack_command->add_option("--seed", o->seed, "of the inputs")
        ->check(from_0())
        ->capture_default_str();
    add_input_options(*pack_command, o->data);
    pack_command->add_option("--compiler", o->compiler, "links")->capture_default_str();
    pack_command->add_option("--link", o->link, "a file or an option for the linker")
        ->allow_extra_args(false);
    pack_command->callback([o] { pack(*o); });
}

}  // namespace cryolite::tools
