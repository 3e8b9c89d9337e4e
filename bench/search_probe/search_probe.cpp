// The autoscheduler SearchProbe, by which the benches get at an app's graph: it looks on while a
// generator runs, writes down what it was asked for as JSON and ends the process, since there is
// nothing to compile. Its tasks:
//   variants  the table of variants.h; the pipeline does not matter
//   search    one search by `variant`, with `weights` if any: states, kernels, time, memory, the schedule and its cost
//   draw      `count` random schedules by `seed`, as traces; `from`: likely or any, see draw.h
//   predict   the model's cost of each trace in `traces`, a JSON list of texts; with `weights`, the corrected cost
//   stages    of each trace in `traces` the raw terms and the features of every stage: what train/ learns from
//   rows      CPU seconds to price `count` random schedules by `seed`, with and without rows of features; with
//             `weights` also what the correction takes for a stage
// Errors are Halide::CompileErrors, like those of the plugin itself.
#include <Halide.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analytical/cost_model.h"
#include "base/hash.h"
#include "base/options.h"
#include "bench/search_probe/variants.h"
#include "code/legality/apply.h"
#include "featurize/features.h"
#include "graph/builder/build.h"
#include "graph/builder/divide_reductions.h"
#include "graph/halide/pipeline_view.h"
#include "machine/machine_file.h"
#include "model/correction_file.h"
#include "plugin/planning/strategy_plans.h"
#include "plugin/target/target_machine.h"
#include "schedule/trace_text.h"
#include "search/draw.h"
#include "search/search.h"

namespace cryolite::bench {
namespace {

using nlohmann::json;

struct Question {
    std::string task, report, variant = "full", traces, machine = "auto", from = "likely", weights;
    int64_t parallelism = 0, seed = 0, count = 1;
};

[[noreturn]] void give_up(const std::string &message) {
    throw Halide::CompileError("SearchProbe: " + message);
}

template <typename T>
T or_give_up(Result<T> result) {
    if (!result.ok()) give_up(result.error().message);
    return std::move(result).value();
}

Question parse(const std::map<std::string, std::string> &values) {
    Question q;
    OptionTable table;
    table
        .choice("task", &q.task, {"variants", "search", "draw", "predict", "stages", "rows"},
                "what to do")
        .text("report", &q.report, "the file to write")
        .text("variant", &q.variant, "of the search")
        .text("traces", &q.traces, "file with the traces to predict")
        .text("weights", &q.weights, "file of what was learned, to predict and search with")
        .text("machine", &q.machine, "auto, a preset or a machine file")
        .integer("parallelism", &q.parallelism, 0, 4096, "cores to schedule for; 0: the machine's")
        .choice("from", &q.from, {"likely", "any"}, "what is drawn")
        .integer("seed", &q.seed, 0, int64_t{1} << 62, "of what is drawn")
        .integer("count", &q.count, 1, 1'000'000, "schedules to draw");
    or_give_up(table.parse(values));
    return q;
}

// Null without weights.
std::shared_ptr<const Correction> correction_of(const Question &q, const Machine &machine) {
    if (q.weights.empty()) return nullptr;
    return or_give_up(read_correction(q.weights, machine.name));
}

struct Usage {
    double cpu_seconds;
    int64_t peak_kilobytes;
};

Usage usage_so_far() {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return {static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
            u.ru_maxrss};
}

int64_t resident_kilobytes() {
    std::ifstream file("/proc/self/statm");
    int64_t total_pages = 0, resident_pages = 0;
    file >> total_pages >> resident_pages;
    return resident_pages * (sysconf(_SC_PAGESIZE) / 1024);
}

json list_variants() {
    json list = json::array();
    for (const Variant &v : variants())
        list.push_back({{"name", v.name}, {"doc", v.doc}, {"same_result", v.same_result}});
    return list;
}

json search_by_variant(const StageGraph &graph, const Machine &machine, const Question &q) {
    const Variant *variant = find_variant(q.variant);
    if (!variant) give_up("there is no variant " + q.variant);
    SearchOptions options;
    options.threads = 1;
    options.seed = q.seed;
    options.correction = correction_of(q, machine);
    options.time_limit_seconds = 1e6;  // counts must not depend on the computer's speed
    Effort with = effort(graph, options);
    variant->change(options, with);
    if (variant->has_plans) options.plans = strategy_plans(graph, machine, 1e6, {});

    const int64_t kilobytes_before = resident_kilobytes();
    const Usage before = usage_so_far();
    const SearchResult found = search(graph, machine, options, with);
    const Usage after = usage_so_far();
    const SearchStatistics &s = found.statistics;
    json rejected = json::object();
    for (size_t i = 0; i < s.rejected.size(); i++)
        if (s.rejected[i]) rejected[name(static_cast<Reason>(i))] = s.rejected[i];
    return {{"states",
             {{"generated", s.states_generated},
              {"duplicate", s.states_duplicate},
              {"too_large", s.states_too_large},
              {"rejected", rejected}}},
            {"kernels_evaluated", s.kernels_evaluated},
            {"funcs_priced", s.funcs_priced},
            {"kernels_remembered", s.kernels_remembered},
            {"seconds", s.seconds_total},
            {"cpu_seconds", after.cpu_seconds - before.cpu_seconds},
            {"kilobytes", std::max<int64_t>(0, after.peak_kilobytes - kilobytes_before)},
            {"hit_memory_limit", s.hit_memory_limit},
            {"predicted_seconds", found.time.seconds},
            {"trace", to_text(graph, trace_of(found.nest))}};
}

json draw(const StageGraph &graph, const Machine &machine, const Question &q) {
    json samples = json::array();
    const DrawFrom from = q.from == "any" ? DrawFrom::Any : DrawFrom::Likely;
    for (const Drawn &d : draw_schedules(graph, machine, static_cast<size_t>(q.count),
                                         static_cast<uint64_t>(q.seed), from))
        samples.push_back({{"hash", hexadecimal(d.nest.hash())},
                           {"trace", to_text(graph, trace_of(d.nest))},
                           {"noise", d.noise},
                           {"beam_size", d.beam_size},
                           {"tilings", d.tilings}});
    return samples;
}

json by_name(const Terms &terms) {
    json named = json::object();
    for (size_t k = 0; k < num_terms; k++)
        if (info(static_cast<Term>(k)).cpu) named[std::string(term_table()[k].name)] = terms[k];
    return named;
}

Result<LoopNest> replayed(const StageGraph &graph, const std::string &text) {
    const Result<Trace> trace = parse_trace(graph, text);
    if (!trace.ok()) return trace.error();
    const auto nest = replay(graph, *trace);
    if (!nest.ok())
        return Error{"action " + std::to_string(nest.error().failed_at + 1) + ": " +
                     name(nest.error().reason)};
    if (!nest->complete()) return Error{"it does not decide every Func"};
    return *nest;
}

// `parts` are what stays exposed of each term (analytical/terms.h), over all stages: they add up to the whole.
// `raw` are the terms of every stage, before they hide each other.
json prediction(CostModel &model, const LoopNest &nest) {
    const ScheduleTime time = model.explain(nest);
    Terms sum{};
    json raw = json::array();
    for (const StageTime &t : time.stages) {
        for (size_t k = 0; k < num_terms; k++) sum[k] += t.overlap.exposed[k];
        raw.push_back(by_name(t.raw));
    }
    return {{"seconds", time.seconds}, {"parts", by_name(sum)}, {"raw", std::move(raw)}};
}

// The features that are not 0, as two lists: their places in the row, and their values.
json stages_of(CostModel &model, Featurizer &featurizer, const LoopNest &nest) {
    const ScheduleTime time = model.explain(nest);
    const Features features = featurizer.features(nest);
    if (features.too_large()) return {{"refused", "a kernel is too large"}};
    json stages = json::array();
    for (const StageTime &t : time.stages) {
        json at = json::array(), values = json::array();
        const std::span<const double> row = features.row(t.stage);
        for (size_t f = 0; f < row.size(); f++)
            if (row[f] != 0) {
                at.push_back(f);
                values.push_back(row[f]);
            }
        stages.push_back(
            {{"raw", by_name(t.raw)}, {"features", std::move(at)}, {"values", std::move(values)}});
    }
    return {{"seconds", time.seconds}, {"stages", std::move(stages)}};
}

json read_traces(const Question &q) {
    std::ifstream file(q.traces);
    json traces = json::parse(file, nullptr, false);
    if (!traces.is_array()) give_up("there is no list of traces in '" + q.traces + "'");
    return traces;
}

// With the reductions that the first trace divides: those of one pipeline are drawn for the same ones.
BuiltGraph graph_of(const Halide::Pipeline &pipeline, const Halide::Target &target,
                    const Question &q) {
    if (q.task == "predict" || q.task == "stages")
        if (const json traces = read_traces(q); !traces.empty()) {
            const auto divisions = or_give_up(divisions_in(traces[0].get<std::string>()));
            if (!divisions.empty())
                return or_give_up(build_divided_graph(outputs_of(pipeline), target, divisions));
        }
    return or_give_up(build_graph(outputs_of(pipeline), target));
}

template <typename Say>
json for_each_trace(const StageGraph &graph, const Question &q, Say say) {
    const json traces = read_traces(q);
    json answers = json::array();
    for (const json &trace : traces) {
        const Result<LoopNest> nest = replayed(graph, trace.get<std::string>());
        answers.push_back(nest.ok() ? say(*nest) : json{{"refused", nest.error().message}});
    }
    return answers;
}

json predict(const StageGraph &graph, const Machine &machine, const Question &q) {
    CostModel model(graph, machine);
    model.correct_by(correction_of(q, machine));
    return for_each_trace(graph, q, [&](const LoopNest &nest) { return prediction(model, nest); });
}

json stages(const StageGraph &graph, const Machine &machine, const Question &q) {
    CostModel model(graph, machine);
    Featurizer featurizer(graph, machine, 0);
    return for_each_trace(graph, q,
                          [&](const LoopNest &nest) { return stages_of(model, featurizer, nest); });
}

// What a network reads, and no more.
struct ReadsRows : NoCorrection {
    bool reads_rows() const override { return true; }
};

// Of one stage, over all stages of the schedules by turns.
double seconds_of_a_correction(const StageGraph &graph, const Machine &machine,
                               std::span<const Drawn> drawn, const Correction &correction) {
    CostModel model(graph, machine);
    Featurizer featurizer(graph, machine, 0);
    std::vector<std::pair<FeatureRow, Terms>> stages;
    for (const Drawn &d : drawn) {
        const Features features = featurizer.features(d.nest);
        for (const StageTime &t : model.explain(d.nest).stages) {
            const std::span<const double> row = features.row(t.stage);
            if (row.empty()) continue;
            std::copy(row.begin(), row.end(), stages.emplace_back().first.begin());
            stages.back().second = t.raw;
        }
    }
    constexpr double enough_seconds = 1;
    double used = 0, kept = 0;
    int64_t corrected = 0;
    for (const double before = usage_so_far().cpu_seconds; used < enough_seconds;
         used = usage_so_far().cpu_seconds - before)
        for (const auto &[row, raw] : stages) {
            Terms terms = raw;
            correction.correct(row, terms);
            kept += terms[0];
            corrected++;
        }
    // What is never used may never be computed.
    return kept < 0 ? 0 : used / static_cast<double>(corrected);
}

json price_of_rows(const StageGraph &graph, const Machine &machine, const Question &q) {
    const std::vector<Drawn> drawn =
        draw_schedules(graph, machine, static_cast<size_t>(q.count), static_cast<uint64_t>(q.seed));
    CostModel plain(graph, machine, int64_t{256} << 20, KernelMemo::Nothing);
    CostModel with_rows(graph, machine, int64_t{256} << 20, KernelMemo::Nothing);
    const auto correction = correction_of(q, machine);
    with_rows.correct_by(correction ? correction : std::make_shared<ReadsRows>());
    const auto seconds_of = [&](CostModel &model) {
        const double before = usage_so_far().cpu_seconds;
        for (const Drawn &d : drawn) model.evaluate(d.nest);
        return usage_so_far().cpu_seconds - before;
    };
    seconds_of(plain);  // both have expanded what they need before they are timed
    seconds_of(with_rows);
    // By turns, so that both meet the same noise.
    constexpr double enough_seconds = 3;
    double seconds = 0, seconds_with_rows = 0;
    int64_t rounds = 0;
    for (; seconds < enough_seconds; rounds++) {
        seconds += seconds_of(plain);
        seconds_with_rows += seconds_of(with_rows);
    }
    json out = {{"evaluated", rounds * static_cast<int64_t>(drawn.size())},
                {"cpu_seconds", seconds},
                {"cpu_seconds_with_rows", seconds_with_rows}};
    if (correction)
        out["cpu_seconds_of_a_correction"] =
            seconds_of_a_correction(graph, machine, drawn, *correction);
    return out;
}

// A machine file of what was asked of this computer: it stays true when the preset's costs change.
json detected(const Machine &machine) {
    json caches = json::array();
    for (const CacheLevel &c : machine.caches)
        caches.push_back({{"size_bytes", c.size_bytes},
                          {"ways", c.ways},
                          {"line_bytes", c.line_bytes},
                          {"cores_sharing", c.cores_sharing}});
    return {{"cryolite_machine", machine_file_version},
            {"name", machine.name},
            {"preset", machine.name},
            {"cores", machine.cores},
            {"page_bytes", machine.page_bytes},
            {"caches", std::move(caches)}};
}

json answer(const Halide::Pipeline &pipeline, const Halide::Target &target, const Question &q) {
    if (q.task == "variants") return {{"found", list_variants()}};
    const Machine machine = or_give_up(machine_of_target(target, q.machine, q.parallelism)).machine;
    const BuiltGraph built = graph_of(pipeline, target, q);
    json found = q.task == "search"   ? search_by_variant(built.graph, machine, q)
                 : q.task == "draw"   ? draw(built.graph, machine, q)
                 : q.task == "rows"   ? price_of_rows(built.graph, machine, q)
                 : q.task == "stages" ? stages(built.graph, machine, q)
                                      : predict(built.graph, machine, q);
    return {{"algorithm", hexadecimal(built.graph.algorithm_hash())},
            {"machine", q.machine == "auto" ? detected(machine) : json(machine.name)},
            {"schema", hexadecimal(schema_hash())},
            {"overlap",
             {machine.core_exposed_share, machine.memory_exposed_share, machine.overlap_sharpness}},
            {"found", std::move(found)}};
}

void look_on(const Halide::Pipeline &pipeline, const Halide::Target &target,
             const Halide::AutoschedulerParams &params, Halide::AutoSchedulerResults *) {
    const Question q = parse(params.extra);
    const std::string text = answer(pipeline, target, q).dump();
    std::ofstream report(q.report);
    report << text << '\n';
    if (!report.flush()) give_up("cannot write '" + q.report + "'");
    std::_Exit(0);  // lowering a pipeline that nobody scheduled may take longer than any search
}

struct Registration {
    Registration() { Halide::Pipeline::add_autoscheduler("SearchProbe", look_on); }
} registration;

}  // namespace
}  // namespace cryolite::bench
