// `cryolite`: the tools beside the plugin. One file per command, listed in commands.h.
#include <cstdio>
#include <exception>
#include <iostream>

#include "base/version.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/usage.h"

int main(int argc, char **argv) {
    using namespace cryolite::tools;
    try {
        CLI::App app("Cryolite, an autoscheduler for Halide: the tools beside its plugin.",
                     "cryolite");
        app.set_version_flag("--version", std::string("cryolite ") + cryolite::version());
        app.require_subcommand(1);
        add_machine_command(app);
        add_explain_command(app);
        add_tune_command(app);
        add_sample_command(app);
        add_train_command(app);
        add_build_task_command(app);
        add_replay_command(app);
        add_store_command(app);
        add_report_command(app);
        add_pack_command(app);
        add_completion_command(app);
        try {
            app.parse(argc, argv);
        } catch (const CLI::CallForHelp &) {
            std::cout << help_text(app);
        } catch (const CLI::CallForVersion &asked) {
            std::cout << asked.what() << "\n";
        } catch (const CLI::RuntimeError &failed) {
            return failed.get_exit_code();
        } catch (const CLI::ParseError &wrong) {
            complain(usage_error_text(app, wrong));
            return usage_status;
        }
    } catch (const std::exception &e) {
        complain(e.what());
        return 1;
    }
    std::cout.flush();
    if (!std::cout) {
        complain("standard output cannot be written in full");
        return 1;
    }
    return 0;
}
