#include "tools/train/train_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "model/network.h"
#include "tools/text_table.h"
#include "train/predict.h"

namespace cryolite::tools {
namespace {

constexpr size_t worst_shown = 10;
constexpr size_t fewest_to_rank = 3;

std::string number(double value, const char *format = "%.3f") {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

// [sample]: log(predicted / measured), without the factor that the whole group is off by, which ranks nothing.
std::vector<double> misses(const SampleGroup &group, const std::vector<double> &predicted) {
    std::vector<double> out;
    double mean = 0;
    for (size_t i = 0; i < predicted.size(); i++) {
        out.push_back(std::log(std::max(predicted[i], 1e-30) / group.samples[i].seconds));
        mean += out.back() / static_cast<double>(predicted.size());
    }
    for (double &miss : out) miss -= mean;
    return out;
}

double mean_size(const std::vector<double> &values) {
    double sum = 0;
    for (double v : values) sum += std::abs(v);
    return sum / static_cast<double>(std::max<size_t>(1, values.size()));
}

// The term with the most exposed seconds of the schedule, as the network corrects it.
Term dominating(const TrainingSample &sample, const OverlapRule &rule, const Network &network) {
    Terms sum{};
    for (const SampleStage &stage : sample.stages) {
        Terms terms = stage.raw;
        network.correct(stage.row, terms);
        const Overlap overlap = explained_overlap(terms, TermTarget::Cpu, rule);
        for (size_t k = 0; k < num_terms; k++) sum[k] += overlap.exposed[k];
    }
    return static_cast<Term>(std::ranges::max_element(sum) - sum.begin());
}

struct Miss {
    const SampleGroup *group;
    size_t sample;
    bool held_out;
    Term term;
    double analytical, learned, predicted;  // two misses as logarithms; seconds
};

}  // namespace

TrainReport::TrainReport(const std::vector<SampleGroup> &learned_from,
                         const std::vector<SampleGroup> &held_out,
                         const NetworkParameters &parameters, std::vector<TrainingProgress> epochs)
    : parameters_(parameters), epochs_(std::move(epochs)) {
    for (const auto *of : {&learned_from, &held_out})
        for (const SampleGroup &group : *of)
            groups_.push_back({&group, of == &held_out, predicted_seconds(group, NoCorrection()),
                               predicted_seconds(group, Network(parameters, group.machine))});
}

RankSummary TrainReport::summary(bool held_out, bool learned) const {
    RankSummary out;
    for (const JudgedGroup &g : groups_) {
        if (g.held_out != held_out || g.group->samples.size() < fewest_to_rank) continue;
        const std::vector<double> &predicted = learned ? g.learned : g.analytical;
        const GroupMetrics m = metrics_of(*g.group, predicted);
        out.groups++;
        out.spearman += m.spearman;
        out.pick += std::log(m.regret);
        out.pick_of_5 += std::log(m.regret_of_5);
        out.off += mean_size(misses(*g.group, predicted));
    }
    if (out.groups == 0) return out;
    const double n = out.groups;
    out.spearman /= n;
    for (double *value : {&out.pick, &out.pick_of_5, &out.off}) *value = std::exp(*value / n);
    return out;
}

std::map<std::string, double> TrainReport::metrics() const {
    const RankSummary before = summary(true, false), after = summary(true, true);
    if (after.groups == 0) return {};
    return {{"spearman", after.spearman},
            {"spearman_analytical", before.spearman},
            {"regret", after.pick},
            {"regret_analytical", before.pick}};
}

std::string TrainReport::curve_text() const {
    if (epochs_.empty()) return "";
    size_t members = 0;
    int last = 0;
    for (const TrainingProgress &p : epochs_) {
        members = std::max(members, p.member + 1);
        last = std::max(last, p.epoch);
    }
    std::vector<std::vector<std::string>> rows(static_cast<size_t>(last) + 1,
                                               std::vector<std::string>(1 + 2 * members));
    rows[0][0] = "epoch";
    for (size_t m = 0; m < members; m++) {
        rows[0][1 + 2 * m] = "member " + std::to_string(m + 1);
        rows[0][2 + 2 * m] = "left out";
    }
    for (size_t e = 1; e < rows.size(); e++) rows[e][0] = std::to_string(e);
    for (const TrainingProgress &p : epochs_) {
        rows[static_cast<size_t>(p.epoch)][1 + 2 * p.member] = number(p.loss, "%.4f");
        rows[static_cast<size_t>(p.epoch)][2 + 2 * p.member] = number(p.left_out_loss, "%.4f");
    }
    return "Loss by epoch, of what a member learns from and of what it leaves out to stop by\n\n" +
           text_table(rows, {Align::Right}) + "\n";
}

std::string TrainReport::ranks_text() const {
    std::vector<std::vector<std::string>> rows{
        {"schedules", "model", "groups", "Spearman, mean", "pick", "best of 5", "off by"}};
    for (const bool held_out : {false, true})
        for (const bool learned : {false, true}) {
            const RankSummary s = summary(held_out, learned);
            if (s.groups == 0) continue;
            rows.push_back({held_out ? "held out" : "learned from",
                            learned ? "network" : "analytical", std::to_string(s.groups),
                            number(s.spearman), number(s.pick), number(s.pick_of_5),
                            number(s.off)});
        }
    if (rows.size() == 1) return "No group has three schedules: nothing can be ranked.\n\n";
    return "Ranks. A group is one pipeline on one machine. pick: the time of the schedule with the "
           "least prediction over\nthe least time. off by: the factor between predicted and "
           "measured times, beside one that a group shares.\n\n" +
           text_table(rows, {Align::Left, Align::Left, Align::Right}) + "\n";
}

std::string TrainReport::pipelines_text() const {
    std::vector<std::vector<std::string>> rows{{"pipeline", "store", "", "schedules",
                                                "Spearman before", "after", "pick before", "after",
                                                "off by before", "after"}};
    for (const JudgedGroup &g : groups_) {
        const GroupMetrics before = metrics_of(*g.group, g.analytical),
                           after = metrics_of(*g.group, g.learned);
        rows.push_back({g.group->pipeline, g.group->archive, g.held_out ? "held out" : "",
                        std::to_string(g.group->samples.size()), number(before.spearman, "%.2f"),
                        number(after.spearman, "%.2f"), number(before.regret, "%.2f"),
                        number(after.regret, "%.2f"),
                        number(std::exp(mean_size(misses(*g.group, g.analytical))), "%.2f"),
                        number(std::exp(mean_size(misses(*g.group, g.learned))), "%.2f")});
    }
    return "Predicted against measured, by pipeline\n\n" +
           text_table(rows, {Align::Left, Align::Left, Align::Left, Align::Right}) + "\n";
}

std::string TrainReport::misses_text() const {
    struct OfTerm {
        size_t schedules = 0;
        double before = 0, after = 0;
    };
    std::array<OfTerm, num_terms> by_term{};
    std::vector<Miss> all;
    for (const JudgedGroup &g : groups_) {
        const Network network(parameters_, g.group->machine);
        const std::vector<double> before = misses(*g.group, g.analytical),
                                  after = misses(*g.group, g.learned);
        for (size_t i = 0; i < g.group->samples.size(); i++) {
            const Term term = dominating(g.group->samples[i], g.group->overlap, network);
            all.push_back({g.group, i, g.held_out, term, before[i], after[i], g.learned[i]});
            OfTerm &of = by_term[index(term)];
            of.schedules++;
            of.before += std::abs(before[i]);
            of.after += std::abs(after[i]);
        }
    }
    std::vector<std::pair<double, size_t>> order;
    for (size_t k = 0; k < num_terms; k++)
        if (by_term[k].schedules > 0)
            order.push_back({-by_term[k].after / static_cast<double>(by_term[k].schedules), k});
    std::ranges::sort(order);
    std::vector<std::vector<std::string>> terms{
        {"dominating term", "schedules", "off by before", "after"}};
    for (const auto &[off, k] : order) {
        const auto n = static_cast<double>(by_term[k].schedules);
        terms.push_back({std::string(term_table()[k].name), std::to_string(by_term[k].schedules),
                         number(std::exp(by_term[k].before / n)),
                         number(std::exp(by_term[k].after / n))});
    }
    std::ranges::stable_sort(all, std::greater<>(),
                             [](const Miss &m) { return std::abs(m.learned); });
    std::vector<std::vector<std::string>> worst{{"pipeline", "", "dominating term", "schedule",
                                                 "measured, ms", "predicted, ms", "off by before",
                                                 "after"}};
    for (size_t i = 0; i < std::min(worst_shown, all.size()); i++) {
        const Miss &m = all[i];
        const TrainingSample &sample = m.group->samples[m.sample];
        worst.push_back({m.group->pipeline, m.held_out ? "held out" : "",
                         std::string(info(m.term).name), sample.hash, number(sample.seconds * 1e3),
                         number(m.predicted * 1e3), number(std::exp(m.analytical), "%.2f"),
                         number(std::exp(m.learned), "%.2f")});
    }
    return "Misses by the term that takes the most time, the worst first\n\n" +
           text_table(terms, {Align::Left, Align::Right}) +
           "\nThe worst misses: times as long as measured, beside the factor that the pipeline "
           "shares\n\n" +
           text_table(worst, {Align::Left, Align::Left, Align::Left, Align::Left, Align::Right});
}

std::string TrainReport::text() const {
    return curve_text() + ranks_text() + pipelines_text() + misses_text();
}

}  // namespace cryolite::tools
