// cryolite_train: learns weights for the plugin's option `weights` from measured schedules. docs/train.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "model/network.h"
#include "model/weights_file.h"
#include "train/predict.h"
#include "train/training.h"

namespace cryolite {
namespace {

using nlohmann::json;

struct Arguments {
    std::vector<std::string> samples, hold_out, hold_out_archives;
    std::string output, predictions, date;
    bool quiet = false;
    TrainingOptions training;
};

std::string hexadecimal(uint64_t v) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
    return text;
}

int fail(const std::string &message) {
    std::fprintf(stderr, "cryolite_train: %s\n", message.c_str());
    return 1;
}

bool holds(const std::vector<std::string> &names, const std::string &name) {
    return std::ranges::find(names, name) != names.end();
}

// Over the groups with at least as many samples as a rank correlation needs.
struct Summary {
    double spearman = 0, log_regret = 0, log_regret_of_5 = 0;
    int groups = 0;

    void add(const SampleGroup &group, const std::vector<double> &predicted) {
        if (group.samples.size() < 3) return;
        const GroupMetrics m = metrics_of(group, predicted);
        spearman += m.spearman;
        log_regret += std::log(m.regret);
        log_regret_of_5 += std::log(m.regret_of_5);
        groups++;
    }
    void print(const char *what) const {
        if (groups == 0) return;
        std::printf("%-28s %3d groups: mean Spearman %.3f, regret %.3f, of 5 %.3f\n", what, groups,
                    spearman / groups, std::exp(log_regret / groups),
                    std::exp(log_regret_of_5 / groups));
    }
};

int run(Arguments arguments) {
    const auto all = read_samples(arguments.samples);
    if (!all.ok()) return fail(all.error().message);
    std::vector<SampleGroup> learned, held_out;
    for (const SampleGroup &group : *all)
        (holds(arguments.hold_out, group.pipeline) ||
                 holds(arguments.hold_out_archives, group.archive)
             ? held_out
             : learned)
            .push_back(group);
    if (learned.empty()) return fail("all samples are held out; there are none to learn from");

    Weights weights;
    weights.parameters = train_network(learned, arguments.training, [&](const TrainingProgress &p) {
        if (arguments.quiet) return;
        std::fprintf(stderr, "\rmember %zu, epoch %d: loss %.4f, left out %.4f ", p.member + 1,
                     p.epoch, p.loss, p.left_out_loss);
    });
    if (!arguments.quiet) std::fprintf(stderr, "\n");
    WeightsManifest &manifest = weights.manifest;
    manifest.data = hexadecimal(hash_of(learned));
    manifest.seed = arguments.training.seed;
    manifest.date = arguments.date;
    manifest.held_out = arguments.hold_out;
    for (const std::string &archive : arguments.hold_out_archives)
        manifest.held_out.push_back("archive " + archive);
    std::vector<std::string> pipelines;
    for (const SampleGroup &group : learned) {
        manifest.samples += static_cast<int64_t>(group.samples.size());
        if (!holds(pipelines, group.pipeline)) pipelines.push_back(group.pipeline);
    }
    manifest.pipelines = static_cast<int64_t>(pipelines.size());

    // What the plugin will compute, from what the file will hold.
    const auto stored = parse_weights(weights_bytes(weights), arguments.output);
    if (!stored.ok()) return fail(stored.error().message);
    json predictions = json::array();
    Summary before, after, learned_before, learned_after;
    double trust = 0;
    size_t held_out_stages = 0;
    for (const SampleGroup &group : *all) {
        const bool is_held_out = holds(arguments.hold_out, group.pipeline) ||
                                 holds(arguments.hold_out_archives, group.archive);
        const auto analytical = predicted_seconds(group, NoCorrection());
        const Network network(stored->parameters, group.machine);
        const auto corrected = predicted_seconds(group, network);
        if (is_held_out)
            for (const Sample &sample : group.samples)
                for (const SampleStage &stage : sample.stages) {
                    trust += network.trust(stage.row);
                    held_out_stages++;
                }
        (is_held_out ? before : learned_before).add(group, analytical);
        (is_held_out ? after : learned_after).add(group, corrected);
        json hashes = json::array();
        for (const Sample &s : group.samples) hashes.push_back(s.hash);
        predictions.push_back({{"archive", group.archive},
                               {"pipeline", group.pipeline},
                               {"held_out", is_held_out},
                               {"hashes", hashes},
                               {"analytical", analytical},
                               {"learned", corrected}});
    }
    learned_before.print("learned from, analytical");
    learned_after.print("learned from, corrected");
    before.print("held out, analytical");
    after.print("held out, corrected");
    if (held_out_stages > 0)
        std::printf("trust in the correction of held out stages: %.2f in the mean\n",
                    trust / static_cast<double>(held_out_stages));
    if (after.groups > 0)
        manifest.metrics = {{"spearman", after.spearman / after.groups},
                            {"spearman_analytical", before.spearman / before.groups},
                            {"regret", std::exp(after.log_regret / after.groups)},
                            {"regret_analytical", std::exp(before.log_regret / before.groups)}};
    if (!arguments.output.empty())
        if (const auto written = write_atomically(arguments.output, weights_bytes(weights));
            !written.ok())
            return fail(written.error().message);
    if (!arguments.predictions.empty())
        if (const auto written = write_atomically(arguments.predictions, predictions.dump() + "\n");
            !written.ok())
            return fail(written.error().message);
    return 0;
}

}  // namespace
}  // namespace cryolite

int main(int argc, char **argv) {
    using namespace cryolite;
    Arguments a;
    TrainingOptions &t = a.training;
    CLI::App app{"Learns weights for autoscheduler.weights from measured schedules."};
    app.add_option("--samples", a.samples, "folders or files of samples (docs/train.md)")
        ->required();
    app.add_option("-o,--output", a.output, "the weights file to write");
    app.add_option("--hold-out", a.hold_out, "pipelines to judge by and not to learn from")
        ->delimiter(',');
    app.add_option("--hold-out-archive", a.hold_out_archives, "the same for whole archives")
        ->delimiter(',');
    app.add_option("--predictions", a.predictions,
                   "JSON to write: the predicted time of each sample");
    app.add_option("--date", a.date, "to write into the file");
    app.add_option("--seed", t.seed, "of all that is drawn (0)");
    app.add_option("--members", t.members, "networks of the ensemble (4)")
        ->check(CLI::Range(size_t{1}, most_members));
    app.add_option("--epochs", t.epochs, "at most")->check(CLI::Range(0, 100000));
    app.add_option("--patience", t.patience, "epochs without a gain")->check(CLI::Range(1, 100000));
    app.add_option("--learning-rate", t.learning_rate, "of AdamW");
    app.add_option("--weight-decay", t.weight_decay, "of AdamW");
    app.add_option("--dropped-inputs", t.dropped_inputs, "share")->check(CLI::Range(0.0, 0.9));
    app.add_option("--absolute-part", t.absolute_part, "of the loss");
    app.add_option("--ranking-part", t.ranking_part, "of the loss");
    app.add_option("--correction-penalty", t.correction_penalty, "of the loss");
    app.add_option("--own-penalty", t.own_penalty, "of the loss");
    app.add_option("--factor-penalty", t.factor_penalty, "of the loss");
    app.add_flag("--without-algorithm", t.without_algorithm,
                 "learn without the algorithm's features");
    app.add_flag("--without-schedule", t.without_schedule, "learn without the schedule's features");
    app.add_flag("--without-terms", t.without_terms, "learn without the terms' shares");
    app.add_flag("--without-ranges", t.without_ranges, "correct in full what lies beyond them");
    app.add_flag("--without-network", t.without_network, "learn the machines' factors alone");
    app.add_flag("--quiet", a.quiet, "no progress");
    CLI11_PARSE(app, argc, argv);
    return run(std::move(a));
}
