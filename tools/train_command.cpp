// cryolite train.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/random.h"
#include "model/weights_file.h"
#include "tools/checks.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/stop_signal.h"
#include "tools/terminal.h"
#include "tools/train/store_samples.h"
#include "tools/train/train_report.h"
#include "train/training.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
    std::vector<std::string> stores, samples, hold_out, hold_out_stores;
    std::string output, report, predictions, date;
    double held_out_schedules = 0;
    bool quiet = false, with_algorithm = false;
    CountRules count;
    TrainingOptions training;
};

void warn(const std::string &message) { std::cerr << "cryolite: warning: " << message << "\n"; }

// A line that is written over on a terminal, and nothing elsewhere.
class ProgressLine {
public:
    explicit ProgressLine(bool quiet) : shows_(!quiet && is_terminal(Stream::Error)) {}
    ~ProgressLine() { clear(); }
    void show(const std::string &text) {
        if (shows_) std::cerr << "\r\x1b[K" << text << std::flush;
    }
    void clear() {
        if (shows_) std::cerr << "\r\x1b[K" << std::flush;
    }

private:
    const bool shows_;
};

// "harris" means harris with any parameters, "harris:radius=3" that one alone.
bool names(const std::vector<std::string> &chosen, const std::string &pipeline) {
    const std::string generator = pipeline.substr(0, pipeline.find(':'));
    return std::ranges::any_of(
        chosen, [&](const std::string &c) { return c == pipeline || c == generator; });
}

std::vector<SampleGroup> groups_of(const Options &o) {
    std::vector<SampleGroup> groups;
    if (!o.samples.empty()) groups = or_fail(read_samples(o.samples));
    ProgressLine line(o.quiet);
    int64_t refused = 0;
    for (const std::string &path : o.stores) {
        auto found = or_fail(samples_of_store(path, o.count, [&](const CountProgress &p) {
            line.show(path + ": counting " + std::to_string(p.problem) + " of " +
                      std::to_string(p.problems) + ", " + p.title);
        }));
        line.clear();
        for (const std::string &why : found.passed_over) warn("passed over: " + why);
        refused += found.refused;
        for (SampleGroup &group : found.groups) groups.push_back(std::move(group));
    }
    if (refused > 0)
        warn(std::to_string(refused) +
             " schedules are left out: their traces do not fit the "
             "pipelines of today");
    if (groups.empty())
        fail("there are no samples to learn from; `cryolite tune` and `cryolite sample` make some");
    return groups;
}

struct Split {
    std::vector<SampleGroup> learned, held_out;
};

// Whether the schedule is among the share that is held out. The hash says it, so that the answer is the same in all
// stores and for all seeds.
bool is_held_out(const TrainingSample &sample, double share) {
    return Random(Hasher().add(std::string_view(sample.hash)).value()).unit() < share;
}

Split split(std::vector<SampleGroup> groups, const Options &o) {
    Split out;
    for (SampleGroup &group : groups) {
        if (names(o.hold_out, group.pipeline) ||
            std::ranges::find(o.hold_out_stores, group.archive) != o.hold_out_stores.end()) {
            out.held_out.push_back(std::move(group));
            continue;
        }
        SampleGroup held_out = group;
        const auto held = [&](const TrainingSample &s) {
            return is_held_out(s, o.held_out_schedules);
        };
        std::erase_if(group.samples, held);
        std::erase_if(held_out.samples, [&](const TrainingSample &s) { return !held(s); });
        if (!group.samples.empty()) out.learned.push_back(std::move(group));
        if (!held_out.samples.empty()) out.held_out.push_back(std::move(held_out));
    }
    return out;
}

// What is named and not there is a mistake of the command line.
void check_names(const std::vector<SampleGroup> &groups, const Options &o) {
    const auto check = [&](const char *option, const std::vector<std::string> &chosen,
                           const auto &is_there) {
        for (const std::string &name : chosen)
            if (std::ranges::none_of(groups,
                                     [&](const SampleGroup &g) { return is_there(g, name); }))
                fail(std::string(option) + ": no samples are of '" + name + "'");
    };
    check("--hold-out", o.hold_out,
          [](const SampleGroup &g, const std::string &name) { return names({name}, g.pipeline); });
    check("--hold-out-store", o.hold_out_stores,
          [](const SampleGroup &g, const std::string &name) { return g.archive == name; });
}

WeightsManifest manifest_of(const Split &samples, const Options &o) {
    WeightsManifest manifest;
    manifest.data = hexadecimal(hash_of(samples.learned));
    manifest.seed = o.training.seed;
    manifest.date = o.date;
    manifest.held_out = o.hold_out;
    for (const std::string &store : o.hold_out_stores)
        manifest.held_out.push_back("store " + store);
    std::vector<std::string> pipelines;
    for (const SampleGroup &group : samples.learned) {
        manifest.samples += static_cast<int64_t>(group.samples.size());
        if (std::ranges::find(pipelines, group.pipeline) == pipelines.end())
            pipelines.push_back(group.pipeline);
    }
    manifest.pipelines = static_cast<int64_t>(pipelines.size());
    return manifest;
}

std::string predictions_text(const TrainReport &report) {
    json list = json::array();
    for (const JudgedGroup &g : report.groups()) {
        json measured = json::array();
        for (const TrainingSample &sample : g.group->samples) measured.push_back(sample.seconds);
        list.push_back({{"archive", g.group->archive},
                        {"pipeline", g.group->pipeline},
                        {"held_out", g.held_out},
                        {"measured", measured},
                        {"analytical", g.analytical},
                        {"learned", g.learned}});
    }
    return list.dump() + "\n";
}

void write(const std::string &path, const std::string &text) {
    if (!path.empty()) or_fail(write_atomically(path, text));
}

void train(const Options &o) {
    if (o.stores.empty() && o.samples.empty())
        misuse("--store is required: a store of `cryolite tune` or `cryolite sample`");
    std::vector<SampleGroup> groups = groups_of(o);
    check_names(groups, o);
    const Split samples = split(std::move(groups), o);
    if (samples.learned.empty()) fail("all samples are held out; there are none to learn from");

    Weights weights;
    weights.manifest = manifest_of(samples, o);
    std::vector<TrainingProgress> epochs;
    {
        ProgressLine line(o.quiet);
        weights.parameters =
            train_network(samples.learned, o.training, [&](const TrainingProgress &p) {
                if (stop_asked().load()) fail("stopped");
                epochs.push_back(p);
                char text[120];
                std::snprintf(text, sizeof text,
                              "training member %zu of %zu, epoch %d: loss %.4f, left out %.4f",
                              p.member + 1, o.training.members, p.epoch, p.loss, p.left_out_loss);
                line.show(text);
            });
    }
    // What is judged is what the file holds.
    const auto stored = or_fail(parse_weights(weights_bytes(weights), o.output));
    const TrainReport report(samples.learned, samples.held_out, stored.parameters,
                             std::move(epochs));
    weights.manifest.metrics = report.metrics();
    write(o.output, weights_bytes(weights));
    write(o.predictions, predictions_text(report));
    write(o.report, report.text());
    if (o.quiet) return;
    std::cout << "learned from " << weights.manifest.samples << " schedules of "
              << weights.manifest.pipelines << " pipelines\n\n"
              << report.text();
    if (!o.output.empty()) std::cout << "\nwritten: " << o.output << "\n";
    if (!samples.held_out.empty() &&
        report.summary(true, true).pick > report.summary(true, false).pick)
        std::cout << "On what was held out these weights pick worse than the analytical model.\n";
}

void add_training_options(CLI::App &train, TrainingOptions &t, bool &with_algorithm) {
    const char *group = "The training itself (docs/train.md)";
    const auto real = [&](const char *name, double &value, const char *doc, double most) {
        train.add_option(name, value, doc)
            ->check(CLI::Range(0.0, most))
            ->capture_default_str()
            ->group(group);
    };
    train.add_option("--members", t.members, "networks whose corrections are averaged")
        ->check(CLI::Range(size_t{1}, most_members))
        ->capture_default_str()
        ->group(group);
    train.add_option("--epochs", t.epochs, "at most")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str()
        ->group(group);
    train.add_option("--patience", t.patience, "epochs without a gain")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str()
        ->group(group);
    real("--left-out-share", t.left_out_share,
         "of the pipelines, by which a member says when to stop; 0: it never stops early", 0.9);
    real("--learning-rate", t.learning_rate, "of Adam", 1);
    real("--weight-decay", t.weight_decay, "of Adam", 10);
    real("--dropped-inputs", t.dropped_inputs, "share that a step leaves out", 0.9);
    real("--absolute-part", t.absolute_part, "of the loss", 1000);
    real("--ranking-part", t.ranking_part, "of the loss", 1000);
    real("--correction-penalty", t.correction_penalty, "of the loss", 1000);
    real("--factor-penalty", t.factor_penalty, "of the loss", 1000);
    real("--own-penalty", t.own_penalty, "of the loss", 1000);
    train
        .add_flag("--with-algorithm", with_algorithm, "learn from the algorithm's features as well")
        ->group(group);
    train
        .add_flag("--without-schedule", t.without_schedule, "learn without the schedule's features")
        ->group(group);
    train.add_flag("--without-terms", t.without_terms, "learn without the terms' shares")
        ->group(group);
    train.add_flag("--without-ranges", t.without_ranges, "correct in full what lies beyond them")
        ->group(group);
    train.add_flag("--without-network", t.without_network, "learn the machines' factors alone")
        ->group(group);
}

}  // namespace

void add_train_command(CLI::App &app) {
    const auto o = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "train", "Learns weights for the cost model from what was tuned and sampled");
    command->footer(
        "cryolite train --store tuned/tune.sqlite --hold-out harris -o my.safetensors\n"
        "The plugin takes the weights as autoscheduler.weights=my.safetensors.");
    command
        ->add_option("--store", o->stores,
                     "a store of `cryolite tune` or `cryolite sample`; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--generators", o->count.generators,
                     "paths NAME.generator of pipelines in the stores (default: those beside "
                     "this program and apps of the build tree)")
        ->delimiter(',');
    command->add_option("-o", o->output, "the weights file to write")->required();
    command->add_option("--hold-out", o->hold_out, "pipelines to judge by and not to learn from")
        ->delimiter(',');
    command
        ->add_option("--hold-out-store", o->hold_out_stores,
                     "the same for whole stores, by the names of their files without the ending")
        ->delimiter(',');
    command
        ->add_option("--hold-out-schedules", o->held_out_schedules,
                     "the same for a share of the schedules of every other pipeline")
        ->check(CLI::Range(0.0, 1.0));
    command->add_option("--seed", o->training.seed, "of all that is drawn")
        ->check(from_0())
        ->capture_default_str();
    command->add_option("--date", o->date, "a text to write into the file, as 2026-11-26");
    command->add_option("--report", o->report, "a file for the report, beside standard output");
    command->add_option("--predictions", o->predictions,
                        "a file for the predicted times of all schedules, as JSON");
    command->add_option("--samples", o->samples,
                        "folders or files of samples that are counted already (docs/train.md)");
    command->add_option("--plugin", o->count.plugin,
                        "libautoschedule_cryolite.so (default: that beside this program)");
    command->add_flag("--quiet", o->quiet, "say nothing but errors and warnings");
    add_training_options(*command, o->training, o->with_algorithm);
    command->callback([o] {
        o->training.without_algorithm = !o->with_algorithm;
        stop_on_signals();
        o->count.stop = &stop_asked();
        train(*o);
    });
}

}  // namespace cryolite::tools
