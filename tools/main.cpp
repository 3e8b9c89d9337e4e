// `cryolite`: the tools beside the plugin. One file per command, listed in commands.h.
#include <cstdio>
#include <exception>
#include <iostream>

#include "tools/commands.h"

int main(int argc, char **argv) {
    try {
        CLI::App app("Cryolite, an autoscheduler for Halide: the tools beside its plugin.",
                     "cryolite");
        app.require_subcommand(1);
        cryolite::tools::add_machine_command(app);
        cryolite::tools::add_explain_command(app);
        cryolite::tools::add_tune_command(app);
        cryolite::tools::add_build_task_command(app);
        cryolite::tools::add_replay_command(app);
        cryolite::tools::add_store_command(app);
        cryolite::tools::add_report_command(app);
        cryolite::tools::add_pack_command(app);
        CLI11_PARSE(app, argc, argv);
    } catch (const std::exception &e) {
        std::cerr << "cryolite: " << e.what() << "\n";
        return 1;
    }
    std::cout.flush();
    if (!std::cout) {
        std::cerr << "cryolite: standard output cannot be written in full\n";
        return 1;
    }
    return 0;
}
