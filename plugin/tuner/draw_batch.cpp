#include "plugin/tuner/draw_batch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analytical/cost_model.h"
#include "analytical/log_spread.h"
#include "autotune/workload.h"
#include "base/hash.h"
#include "base/hex_bytes.h"
#include "base/text_file.h"
#include "base/version.h"
#include "code/legality/apply.h"
#include "machine/machine_file.h"
#include "model/coefficients_file.h"
#include "model/correction_file.h"
#include "model/fit.h"
#include "model/network.h"
#include "plugin/tuner/learned_stages.h"
#include "schedule/trace_text.h"
#include "search/next_batch.h"
#include "search/search.h"
#include "train/fine_tune.h"

namespace cryolite {
namespace {

using nlohmann::json;

constexpr int draw_version = 1;
constexpr size_t most_starts = 16;  // fast schedules that are changed
// What a slow schedule counts in the fit, against the fastest: how the fast ones differ is what a search needs to know.
constexpr double least_weight = 0.05;

struct Measured {
    LoopNest nest;
    double seconds;
};

struct Samples {
    std::vector<Measured> timed;  // the fastest first
    std::unordered_set<uint64_t> known;
    int64_t refused = 0;  // their traces do not fit the pipeline
    bool any = false;
};

Result<Samples> read_samples(const StageGraph &graph, const std::string &path) {
    Samples samples;
    if (path.empty()) return samples;
    const auto text = read_text_file(path);
    if (!text.ok()) return Error{"samples_file: " + text.error().message};
    const json file = json::parse(*text, nullptr, false);
    if (!file.is_object() || !file.contains("samples") || !file["samples"].is_array())
        return Error{"samples_file: '" + path + "' is no JSON with a list under 'samples'"};
    for (const json &sample : file["samples"]) {
        if (!sample.is_object() || !sample.contains("trace") || !sample["trace"].is_string())
            return Error{"samples_file: '" + path + "' has a sample without a trace"};
        samples.any = true;
        const auto trace = parse_trace(graph, sample["trace"].get<std::string>());
        if (!trace.ok()) {
            samples.refused++;
            continue;
        }
        auto nest = replay(graph, *trace);
        if (!nest.ok() || !nest->complete()) {
            samples.refused++;
            continue;
        }
        samples.known.insert(nest->hash());
        const json seconds = sample.value("seconds", json());
        if (seconds.is_number() && seconds.get<double>() > 0)
            samples.timed.push_back({std::move(*nest), seconds.get<double>()});
    }
    std::ranges::stable_sort(samples.timed, {}, &Measured::seconds);
    return samples;
}

struct Learned {
    std::shared_ptr<const Coefficients> coefficients;
    double rank_correlation = 0, analytical_rank_correlation = 0;
    std::optional<Weights> network = {};  // where the option `weights` names one
};

Learned learned_from(const Samples &samples, const StageGraph &graph, const Machine &machine) {
    Learned out{std::make_shared<Coefficients>(), 0, 0};
    if (samples.timed.empty()) return out;
    CostModel model(graph, machine);
    const OverlapRule rule = overlap_rule(machine);
    std::vector<MeasuredSchedule> schedules;
    std::vector<double> measured;
    for (const Measured &m : samples.timed) {
        const ScheduleTime time = model.explain(m.nest);
        schedules.push_back({{time.stages.begin(), time.stages.end()},
                             m.seconds,
                             std::max(least_weight, samples.timed[0].seconds / m.seconds)});
        measured.push_back(m.seconds);
    }
    const auto correlation = [&](const Coefficients &c) {
        std::vector<double> predicted;
        for (const MeasuredSchedule &s : schedules)
            predicted.push_back(predicted_seconds(s, c, rule));
        return rank_correlation(predicted, measured);
    };
    const Coefficients fitted = fit_coefficients(schedules, rule);
    out.analytical_rank_correlation = correlation(Coefficients());
    out.rank_correlation = correlation(fitted);
    out.coefficients = std::make_shared<Coefficients>(fitted);
    return out;
}

// The network of the option `weights`, made to fit the samples. Nothing: the option names no network.
Result<std::optional<Weights>> fine_tuned_network(const Samples &samples, const StageGraph &graph,
                                                  const Machine &machine,
                                                  const PluginOptions &options, const Log &log) {
    if (!options.search.correction || !options.search.correction->reads_rows())
        return std::optional<Weights>();
    auto weights = read_network(options.weights);
    if (!weights.ok()) return weights.error();
    CostModel model(graph, machine);
    Featurizer featurizer(graph, machine, 0);
    SampleGroup group{"", "", machine.name, overlap_rule(machine), {}};
    for (const Measured &m : samples.timed) {
        TrainingSample sample{hexadecimal(m.nest.hash()), m.seconds, 0,
                              stages_to_learn(model, featurizer, m.nest)};
        if (!sample.stages.empty()) group.samples.push_back(std::move(sample));
    }
    FineTuned tuned = fine_tuned(weights->parameters, group, 0);
    log.info("the network: rank correlation " + std::to_string(tuned.rank_before) + " before, " +
             std::to_string(tuned.rank_after) + " after, of schedules that it did not learn from");
    if (tuned.kept != FineTuned::Kept::AsItWas) {
        WeightsManifest &m = weights->manifest;
        m.data = hexadecimal(hash_of({group}));
        m.samples += static_cast<int64_t>(group.samples.size());
        m.pipelines++;
        m.metrics = {{"tuned_spearman", tuned.rank_after},
                     {"tuned_spearman_before", tuned.rank_before}};
        weights->parameters = std::move(tuned.parameters);
    }
    return std::optional<Weights>(std::move(*weights));
}

// Of all samples, predicted by the correction.
double rank_correlation_by(const std::shared_ptr<const Correction> &correction,
                           const Samples &samples, const StageGraph &graph,
                           const Machine &machine) {
    CostModel model(graph, machine);
    model.correct_by(correction);
    std::vector<double> predicted, measured;
    for (const Measured &m : samples.timed) {
        predicted.push_back(model.evaluate(m.nest).seconds);
        measured.push_back(m.seconds);
    }
    return rank_correlation(predicted, measured);
}

// What is drawn beyond the count, to choose the most doubtful of; and the share of the batch that is chosen so.
constexpr double drawn_beyond = 0.5, doubtful_share = 0.25;

// A part of the batch teaches the most: where the members disagree. The rest stays in its order.
std::vector<BatchEntry> with_doubtful(std::vector<BatchEntry> drawn, size_t count,
                                      const StageGraph &graph, const Machine &machine,
                                      const Correction &correction) {
    if (drawn.size() <= count) return drawn;
    const auto best =
        static_cast<ptrdiff_t>(std::ceil((1 - doubtful_share) * static_cast<double>(count)));
    std::vector<std::vector<double>> seconds(drawn.size());
    for (const auto &member : correction.members()) {
        CostModel model(graph, machine);
        model.correct_by(member);
        for (size_t i = 0; i < drawn.size(); i++)
            seconds[i].push_back(model.evaluate(drawn[i].nest).seconds);
    }
    std::vector<std::pair<double, size_t>> doubts;
    for (size_t i = static_cast<size_t>(best); i < drawn.size(); i++)
        doubts.push_back({-log_spread(seconds[i]), i});
    std::ranges::sort(doubts);
    std::vector<size_t> kept;
    for (size_t i = 0; i < static_cast<size_t>(best); i++) kept.push_back(i);
    for (size_t i = 0; kept.size() < count; i++) kept.push_back(doubts[i].second);
    std::ranges::sort(kept);
    std::vector<BatchEntry> out;
    for (size_t i : kept) out.push_back(std::move(drawn[i]));
    return out;
}

std::string halide_version() {
    return std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." +
           std::to_string(HALIDE_VERSION_PATCH);
}

}  // namespace

Result<std::string> drawn_batch(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                const Halide::Target &target, const Platform &platform,
                                const PluginOptions &options, const Log &log) {
    const StageGraph &graph = built.graph;
    const Machine &machine = platform.host.machine;
    const auto samples = read_samples(graph, options.samples_file);
    if (!samples.ok()) return samples.error();
    // Corrections are for CPUs so far (docs/options.md).
    Learned learned{std::make_shared<Coefficients>()};
    std::shared_ptr<const Correction> correction;
    if (!platform.gpu) {
        learned = learned_from(*samples, graph, machine);
        correction = learned.coefficients;
        auto network = fine_tuned_network(*samples, graph, machine, options, log);
        if (!network.ok()) return network.error();
        learned.network = std::move(*network);
        if (learned.network) {
            correction =
                std::make_shared<Network>(learned.network->parameters, machine.name, options.risk);
            learned.rank_correlation = rank_correlation_by(correction, *samples, graph, machine);
        }
    }

    json draws = json::array();
    const auto add = [&](const LoopNest &nest, const char *origin, double seconds) {
        draws.push_back({{"origin", origin},
                         {"trace", to_text(graph, trace_of(nest))},
                         {"predicted_seconds", seconds}});
    };
    BatchOptions batch;
    batch.count = static_cast<size_t>(options.draws);
    batch.search = options.search;
    batch.search.deadline = Deadline::after(options.draw_seconds);
    batch.any_share = options.draw_any;
    batch.known = samples->known;
    for (const Measured &m : samples->timed)
        if (batch.fastest.size() < most_starts) batch.fastest.push_back(m.nest);
    if (samples->any) {
        if (!platform.gpu) batch.search.correction = correction;
    } else if (options.draws > 0) {
        const LoopNest plain = plain_schedule(graph, platform.hardware());
        add(plain, "plain", CostModel(graph, platform.hardware()).evaluate(plain).seconds);
        batch.known.insert(plain.hash());
    }
    const bool has_doubts =
        samples->any && batch.search.correction && !batch.search.correction->members().empty();
    if (has_doubts)
        batch.count += static_cast<size_t>(drawn_beyond * static_cast<double>(batch.count));
    std::vector<BatchEntry> drawn = next_batch(graph, platform.hardware(), batch);
    if (has_doubts)
        drawn = with_doubtful(std::move(drawn), static_cast<size_t>(options.draws), graph, machine,
                              *batch.search.correction);
    for (const BatchEntry &e : drawn)
        add(e.nest, !samples->any && e.origin == Origin::Beam ? "one shot" : name(e.origin),
            e.predicted_seconds);
    log.info("drew " + std::to_string(draws.size()) + " schedules; learned from " +
             std::to_string(samples->timed.size()));

    const LearnedCoefficients weights{*learned.coefficients, machine.name,
                                      static_cast<int64_t>(samples->timed.size()),
                                      learned.rank_correlation};
    json learned_weights = json::parse(coefficients_text(weights));
    if (learned.network) learned_weights["network"] = hex_of_bytes(weights_bytes(*learned.network));
    return json{{"cryolite_draw", draw_version},
                {"problem",
                 {{"algorithm", hexadecimal(graph.algorithm_hash())},
                  {"workload", json::parse(workload_text(pipeline, built))},
                  {"target", target.to_string()},
                  {"machine", machine_file_text({machine, "", {}})},
                  {"machine_name", platform.gpu ? platform.gpu->device.name : machine.name},
                  {"threads", machine.cores},
                  {"halide", halide_version()},
                  {"cryolite", version()}}},
                {"weights", std::move(learned_weights)},
                {"rank_correlation",
                 {{"learned", learned.rank_correlation},
                  {"analytical", learned.analytical_rank_correlation}}},
                {"refused", samples->refused},
                {"draws", draws}}
               .dump(1) +
           "\n";
}

}  // namespace cryolite
