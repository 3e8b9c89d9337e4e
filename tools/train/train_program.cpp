// cryolite_train: learns weights for the plugin's option `weights` from measured schedules. docs/train.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/random.h"
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
    double held_out_schedules = 0;
    bool quiet = false;
    TrainingOptions training;
};

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

struct Split {
    std::vector<SampleGroup> learned, held_out;
};

// Whether the schedule is among the share that is held out. The hash says it, so that the answer is the same in all
// archives and for all seeds.
bool is_held_out(const TrainingSample &sample, double share) {
    return Random(Hasher().add(std::string_view(sample.hash)).value()).unit() < share;
}

Split split(const std::vector<SampleGroup> &groups, const Arguments &arguments) {
    Split out;
    for (const SampleGroup &group : groups) {
        if (holds(arguments.hold_out, group.pipeline) ||
            holds(arguments.hold_out_archives, group.archive)) {
            out.held_out.push_back(group);
            continue;
        }
        SampleGroup learned = group, held_out = group;
        const auto held = [&](const TrainingSample &s) {
            return is_held_out(s, arguments.held_out_schedules);
        };
        std::erase_if(learned.samples, held);
        std::erase_if(held_out.samples, [&](const TrainingSample &s) { return !held(s); });
        if (!learned.samples.empty()) out.learned.push_back(std::move(learned));
        if (!held_out.samples.empty()) out.held_out.push_back(std::move(held_out));
    }
    return out;
}

WeightsManifest manifest_of(const Split &samples, const Arguments &arguments) {
    WeightsManifest manifest;
    manifest.data = hexadecimal(hash_of(samples.learned));
    manifest.seed = arguments.training.seed;
    manifest.date = arguments.date;
    manifest.held_out = arguments.hold_out;
    for (const std::string &archive : arguments.hold_out_archives)
        manifest.held_out.push_back("archive " + archive);
    std::vector<std::string> pipelines;
    for (const SampleGroup &group : samples.learned) {
        manifest.samples += static_cast<int64_t>(group.samples.size());
        if (!holds(pipelines, group.pipeline)) pipelines.push_back(group.pipeline);
    }
    manifest.pipelines = static_cast<int64_t>(pipelines.size());
    return manifest;
}

// Predictions of both models, for people and for `predictions`.
struct Judgement {
    Summary analytical, learned;
    double trust = 0;  // summed over the stages
    size_t stages = 0;

    void judge(const std::vector<SampleGroup> &groups, const NetworkParameters &parameters,
               bool held_out, json &predictions) {
        for (const SampleGroup &group : groups) {
            const Network network(parameters, group.machine);
            const std::vector<double> before = predicted_seconds(group, NoCorrection()),
                                      after = predicted_seconds(group, network);
            analytical.add(group, before);
            learned.add(group, after);
            json measured = json::array();
            for (const TrainingSample &sample : group.samples) {
                measured.push_back(sample.seconds);
                stages += sample.stages.size();
                for (const SampleStage &stage : sample.stages) trust += network.trust(stage.row);
            }
            predictions.push_back({{"archive", group.archive},
                                   {"pipeline", group.pipeline},
                                   {"held_out", held_out},
                                   {"measured", measured},
                                   {"analytical", before},
                                   {"learned", after}});
        }
    }

    std::map<std::string, double> metrics() const {
        if (learned.groups == 0) return {};
        return {{"spearman", learned.spearman / learned.groups},
                {"spearman_analytical", analytical.spearman / analytical.groups},
                {"regret", std::exp(learned.log_regret / learned.groups)},
                {"regret_analytical", std::exp(analytical.log_regret / analytical.groups)}};
    }
};

int run(const Arguments &arguments) {
    const auto all = read_samples(arguments.samples);
    if (!all.ok()) return fail(all.error().message);
    const Split samples = split(*all, arguments);
    if (samples.learned.empty())
        return fail("all samples are held out; there are none to learn from");

    Weights weights;
    weights.manifest = manifest_of(samples, arguments);
    weights.parameters =
        train_network(samples.learned, arguments.training, [&](const TrainingProgress &p) {
            if (!arguments.quiet)
                std::fprintf(stderr, "\rmember %zu, epoch %d: loss %.4f, left out %.4f ",
                             p.member + 1, p.epoch, p.loss, p.left_out_loss);
        });
    if (!arguments.quiet) std::fprintf(stderr, "\n");

    // What is judged is what a file will hold.
    const auto stored = parse_weights(weights_bytes(weights), arguments.output);
    if (!stored.ok()) return fail(stored.error().message);
    json predictions = json::array();
    Judgement seen, unseen;
    seen.judge(samples.learned, stored->parameters, false, predictions);
    unseen.judge(samples.held_out, stored->parameters, true, predictions);
    seen.analytical.print("learned from, analytical");
    seen.learned.print("learned from, corrected");
    unseen.analytical.print("held out, analytical");
    unseen.learned.print("held out, corrected");
    if (unseen.stages > 0)
        std::printf("trust in the correction of held out stages: %.2f in the mean\n",
                    unseen.trust / static_cast<double>(unseen.stages));
    weights.manifest.metrics = unseen.metrics();

    const auto write = [](const std::string &path, const std::string &bytes) {
        if (path.empty()) return true;
        const auto written = write_atomically(path, bytes);
        if (!written.ok()) fail(written.error().message);
        return written.ok();
    };
    const bool written = write(arguments.output, weights_bytes(weights)) &&
                         write(arguments.predictions, predictions.dump() + "\n");
    return written ? 0 : 1;
}

}  // namespace
}  // namespace cryolite

int main(int argc, char **argv) {
    using namespace cryolite;
    Arguments a;
    TrainingOptions &t = a.training;
    bool with_algorithm = !t.without_algorithm;
    CLI::App app{"Learns weights for autoscheduler.weights from measured schedules."};
    app.add_option("--samples", a.samples, "folders or files of samples (docs/train.md)")
        ->required();
    app.add_option("-o,--output", a.output, "the weights file to write");
    app.add_option("--hold-out", a.hold_out, "pipelines to judge by and not to learn from")
        ->delimiter(',');
    app.add_option("--hold-out-archive", a.hold_out_archives, "the same for whole archives")
        ->delimiter(',');
    app.add_option("--hold-out-schedules", a.held_out_schedules,
                   "the same for a share of the schedules of every other pipeline")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--left-out-share", t.left_out_share,
                   "of the pipelines, by which a member says when to stop; 0: it never stops early")
        ->check(CLI::Range(0.0, 0.9));
    app.add_option("--predictions", a.predictions,
                   "JSON to write: the predicted time of each sample");
    app.add_option("--date", a.date, "to write into the file");
    app.add_option("--seed", t.seed, "of all that is drawn (0)");
    app.add_option("--members", t.members, "networks of the ensemble (3)")
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
    app.add_flag("--with-algorithm,!--without-algorithm", with_algorithm,
                 "learn from the algorithm's features as well");
    app.add_flag("--without-schedule", t.without_schedule, "learn without the schedule's features");
    app.add_flag("--without-terms", t.without_terms, "learn without the terms' shares");
    app.add_flag("--without-ranges", t.without_ranges, "correct in full what lies beyond them");
    app.add_flag("--without-network", t.without_network, "learn the machines' factors alone");
    app.add_flag("--quiet", a.quiet, "no progress");
    CLI11_PARSE(app, argc, argv);
    t.without_algorithm = !with_algorithm;
    return run(a);
}
