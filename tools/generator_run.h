// A Halide generator run with the plugin, in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "autotune/tune/generator.h"
#include "base/result.h"

namespace cryolite::tools {

struct GeneratorRun {
    std::string generator;                // the path of the program
    std::string name;                     // -g
    std::vector<std::string> parameters;  // KEY=VALUE, as the generator takes them
    std::string plugin;
    std::string target;   // empty: that among the parameters, or host
    std::string machine;  // empty: the plugin's default
    // The file of the schedule to take, as the plugin's trace_file, or JSON with the trace under "trace": a sample, or
    // an explanation. Empty: what the plugin chooses.
    std::string trace_file;
    // The schedule that the generator has itself, as far as the plugin can express it.
    bool as_scheduled = false;
};

// What the generator is to make.
struct Asked {
    std::string folder, products;      // -o, -e
    std::string function, stem;        // -f, -n; empty: the generator's default
    std::vector<std::string> options;  // of the plugin: NAME=VALUE
};

// What the generator said. Errors: a missing or failing generator (with what it said: bad parameters, options and
// traces are its to refuse), a missing plugin or trace.
Result<std::string> run_generator(const GeneratorRun &run, const Asked &asked);

// A trace as it is in its file, or out of JSON. Errors: no such file, JSON without a trace.
Result<std::string> read_trace(const std::string &path);

// The plugin beside this program: in its folder, in that of installed libraries, or in ../plugin (the build tree).
// Where a wheel has installed one for each version of Halide, the one for the generator's Halide. Errors: there is
// none.
Result<std::string> find_plugin(const std::string &generator);

// The program cryolite_runner, in the same way.
Result<std::string> find_runner();

// The program of a generator: its path, or NAME of NAME.generator beside this program or among the apps of the build
// tree. Errors: there is none.
Result<std::string> find_generator(const std::string &path_or_name);

// Of inputs, which are the program and its parameters. target: that of --target, or empty. Errors: what is not
// KEY=VALUE, a second target.
Result<bool> check_parameters(const std::vector<std::string> &inputs, const std::string &target);

// What is tuned or packed, from a command line. inputs: the program, then its parameters. plugin: empty: that beside
// this program. Errors: those of Generator::check(), a missing plugin.
Result<Generator> tuned_generator(const std::vector<std::string> &inputs, const std::string &name,
                                  const std::string &target, const std::string &plugin);

}  // namespace cryolite::tools
