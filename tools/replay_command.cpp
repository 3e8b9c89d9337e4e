// cryolite replay.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/generator_run.h"

namespace cryolite::tools {
namespace {

struct Options {
    std::vector<std::string> inputs;
    GeneratorRun run;
    std::string folder = ".", products = "static_library,c_header,schedule", function, stem;
};

void replay_trace(Options o) {
    or_misuse(check_parameters(o.inputs, o.run.target));
    o.run.generator = o.inputs[0];
    o.run.parameters.assign(o.inputs.begin() + 1, o.inputs.end());
    if (o.run.plugin.empty()) o.run.plugin = or_fail(find_plugin(o.run.generator));
    std::error_code error;
    std::filesystem::create_directories(o.folder, error);
    if (error) fail("cannot make '" + o.folder + "': " + error.message());
    const std::string said =
        or_fail(run_generator(o.run, {o.folder, o.products, o.function, o.stem, {}}));
    if (!said.empty()) std::cerr << said << "\n";
}

}  // namespace

void add_replay_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *replay = app.add_subcommand(
        "replay", "A recorded schedule as a library or a schedule header, with no search");
    replay->footer(
        "cryolite replay GENERATOR -g NAME [KEY=VALUE...] --trace best.trace -o DIR\n"
        "A trace of another algorithm is refused; the message names what changed.");
    replay->add_option("inputs", o->inputs, "a Halide generator and its parameters")->required();
    replay->add_option("-g", o->run.name, "the name of the pipeline in the generator")->required();
    replay
        ->add_option("--trace", o->run.trace_file,
                     "the schedule: a trace, or JSON that holds one under \"trace\"")
        ->required();
    replay->add_option("-o", o->folder, "the folder to write to")->capture_default_str();
    replay->add_option("-e", o->products, "what to make, as for the generator")
        ->capture_default_str();
    replay->add_option("-f", o->function, "the function's name (default: the pipeline's)");
    replay->add_option("-n", o->stem, "the files' name (default: the function's)");
    replay->add_option("--plugin", o->run.plugin,
                       "libautoschedule_cryolite.so (default: that beside this program)");
    replay->add_option("--target", o->run.target, "the Halide target (default: host)");
    replay->callback([o] { replay_trace(*o); });
}

}  // namespace cryolite::tools
