// cryolite build-task: what `cryolite tune --launcher slurm` runs on a node.
#include <memory>
#include <string>

#include "autotune/tune/build_task.h"
#include "base/atomic_file.h"
#include "base/text_file.h"
#include "tools/commands.h"
#include "tools/failure.h"

namespace cryolite::tools {
namespace {

struct Options {
    std::string task, answer;
};

void build_task(const Options &o) {
    const BuildTask task = or_fail(parse_build_task(or_fail(read_text_file(o.task))));
    const Builder builder(task.generator, task.rules);
    const std::vector<Built> built = builder.build({task.trace}, {task.name});
    or_fail(write_atomically(o.answer, to_json_text(built[0])));
}

}  // namespace

void add_build_task_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("build-task", "Builds a schedule for a tuner elsewhere");
    command->group("");
    command->add_option("task", o->task, "the file that says what to build")->required();
    command->add_option("-o", o->answer, "the file for what came of it")->required();
    command->callback([o] { build_task(*o); });
}

}  // namespace cryolite::tools
