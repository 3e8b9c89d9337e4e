// cryolite explain.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analytical/explain/explanation_json.h"
#include "base/atomic_file.h"
#include "tools/commands.h"
#include "tools/explain/comparison_table.h"
#include "tools/explain/explain_generator.h"
#include "tools/explain/explanation_table.h"
#include "tools/failure.h"

namespace cryolite::tools {
namespace {

struct Options {
    std::vector<std::string> inputs;
    std::string json, compare;
    bool as_scheduled = false;
    GeneratorRun run;
    Shown shown;
};

void show(const Explanation &explanation, const Options &o) {
    const std::string table = or_fail(explanation_table(explanation, o.shown));
    const std::string json = explanation_json(explanation);
    const bool prints_json = o.json == "-";
    if (!o.json.empty() && !prints_json) or_fail(write_atomically(o.json, json));
    std::cout << (prints_json ? json : table);
}

void show_both(const Side &first, const Side &second, const Options &o) {
    std::cout << or_fail(comparison_table(first, second, o.shown));
}

// What the plugin warns of is passed on.
Explanation explained(const GeneratorRun &run) {
    std::string warnings;
    Explanation explanation = or_fail(explain_generator(run, &warnings));
    if (!warnings.empty()) std::cerr << warnings << "\n";
    return explanation;
}

void check_stored(const Options &o) {
    if (o.as_scheduled) misuse("--as-scheduled is for a generator, which needs -g NAME, too");
    for (const auto &[option, value] : {std::pair{"--trace", o.run.trace_file},
                                        {"--compare", o.compare},
                                        {"--plugin", o.run.plugin},
                                        {"--target", o.run.target},
                                        {"--machine", o.run.machine}})
        if (!value.empty())
            misuse(std::string(option) + " is for a generator, which needs -g NAME, too");
    if (o.inputs.size() > 2)
        misuse("one stored explanation is shown and two are compared, not " +
               std::to_string(o.inputs.size()) + "; a generator needs -g NAME");
    for (const std::string &path : o.inputs)
        if (!path.ends_with(".json"))
            misuse("'" + path +
                   "' is no stored explanation, which ends in .json; a generator needs -g NAME");
}

void check_run(const Options &o) {
    or_misuse(check_parameters(o.inputs, o.run.target));
    if (o.as_scheduled && !o.compare.empty())
        misuse("--as-scheduled compares with --trace FILE, or with what is chosen");
}

void check(const Options &o) {
    const bool is_stored = o.run.name.empty();
    is_stored ? check_stored(o) : check_run(o);
    const bool shows_two = is_stored ? o.inputs.size() > 1 : !o.compare.empty();
    if (shows_two && !o.json.empty())
        misuse("--json holds one schedule; explain the two one by one to have both as JSON");
}

void explain_stored(const Options &o) {
    std::vector<Explanation> stored;
    for (const std::string &path : o.inputs) stored.push_back(or_fail(read_explanation(path)));
    if (stored.size() == 1) return show(stored[0], o);
    const bool same_name = o.inputs[0] == o.inputs[1];
    show_both({o.inputs[0], stored[0]}, {same_name ? "again" : o.inputs[1], stored[1]}, o);
}

// The generator's own schedule, then beside what is chosen or recorded.
void explain_as_scheduled(Options o) {
    GeneratorRun by_hand = o.run;
    by_hand.as_scheduled = true;
    by_hand.trace_file.clear();
    const Explanation first = explained(by_hand);
    if (!o.json.empty()) return show(first, o);
    const Explanation second = explained(o.run);
    const std::string name = o.run.trace_file.empty() ? "chosen" : o.run.trace_file;
    show_both({"by hand", first}, {name, second}, o);
}

void explain_run(Options o) {
    o.run.generator = o.inputs[0];
    o.run.parameters.assign(o.inputs.begin() + 1, o.inputs.end());
    if (o.run.plugin.empty()) o.run.plugin = or_fail(find_plugin(o.run.generator));
    if (o.as_scheduled) return explain_as_scheduled(std::move(o));
    const Explanation first = explained(o.run);
    if (o.compare.empty()) return show(first, o);
    const std::string name = o.run.trace_file.empty() ? "chosen" : o.run.trace_file;
    o.run.trace_file = o.compare;
    const Explanation second = explained(o.run);
    show_both({name, first}, {name == o.compare ? "again" : o.compare, second}, o);
}

}  // namespace

void add_explain_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *explain = app.add_subcommand(
        "explain",
        "Why a schedule is predicted to take as long as it does: loops, stages, terms, features");
    explain->footer(
        "cryolite explain GENERATOR -g NAME [KEY=VALUE...]    what the plugin chooses\n"
        "cryolite explain GENERATOR -g NAME --trace FILE      a recorded schedule\n"
        "cryolite explain GENERATOR -g NAME --as-scheduled    the generator's own schedule\n"
        "cryolite explain A.json [B.json]                     stored explanations");
    explain
        ->add_option("inputs", o->inputs,
                     "a Halide generator and its parameters (with -g), or one or two stored "
                     "explanations")
        ->required();
    explain->add_option("-g", o->run.name, "the name of the pipeline in the generator");
    explain->add_option("--trace", o->run.trace_file,
                        "the schedule: a trace, or JSON that holds one under \"trace\" (default: "
                        "what the plugin chooses)");
    explain->add_option("--compare", o->compare,
                        "a second schedule of the pipeline, to be shown beside the first");
    explain->add_flag("--as-scheduled", o->as_scheduled,
                      "the schedule that the generator has itself, beside the one of --trace or "
                      "what the plugin chooses; with --json, that schedule alone");
    explain->add_option("--plugin", o->run.plugin,
                        "libautoschedule_cryolite.so (default: that beside this program)");
    explain->add_option("--target", o->run.target, "the Halide target (default: host)");
    explain->add_option("--machine", o->run.machine,
                        "a preset or a machine file (default: this computer)");
    explain->add_option("--json", o->json, "a file to write the explanation to; -: print it");
    explain->add_option("--stage", o->shown.stage,
                        "a stage (blur_x.s0) or a Func in full: its terms, and the machine's "
                        "values that they are made from");
    explain->add_flag("--features", o->shown.features, "the features of the stages, too");
    explain->callback([o] {
        o->shown.columns = columns(Stream::Output);
        check(*o);
        o->run.name.empty() ? explain_stored(*o) : explain_run(*o);
    });
}

}  // namespace cryolite::tools
