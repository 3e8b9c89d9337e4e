// The commands of `cryolite`. Each adds itself, with its options and its help, to the command line,
// and runs when it was parsed. A command that fails says why on standard error and throws
// CLI::RuntimeError with the exit status.
#pragma once

#include <CLI/CLI.hpp>

namespace cryolite::tools {

// What a computer is believed to be, where each value comes from, and measuring this one.
void add_machine_command(CLI::App &app);

// Why a schedule is predicted to take as long as it does, and two schedules compared.
void add_explain_command(CLI::App &app);

// Tuning: draw, build, measure, learn, again.
void add_tune_command(CLI::App &app);

// Samples of many pipelines, for the learned model.
void add_sample_command(CLI::App &app);

// Weights of the learned model, out of stores.
void add_train_command(CLI::App &app);

// A schedule built for a tuner on another computer. Not for users: help does not name it.
void add_build_task_command(CLI::App &app);

// What tuners have measured.
void add_store_command(CLI::App &app);

// A tuning run as a page with its figures and charts.
void add_report_command(CLI::App &app);

// Schedules that are to be measured elsewhere, in a folder.
void add_pack_command(CLI::App &app);

// A recorded schedule as a library or a header.
void add_replay_command(CLI::App &app);

// What makes a shell complete all of these; added last.
void add_completion_command(CLI::App &app);

}  // namespace cryolite::tools
