#include "tests/semantics/sources.h"

#include <cstdlib>
#include <string_view>

#include "base/random.h"
#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "graph/builder/build.h"
#include "graph/builder/divide_reductions.h"
#include "machine/presets.h"
#include "plugin/autoscheduler.h"
#include "reference/autogpu/schedule.h"
#include "reference/strategy.h"
#include "schedule/trace_text.h"
#include "search/divisions/divisions.h"
#include "search/divisions/reductions.h"
#include "search/search.h"
#include "tests/semantics/random_trace.h"
#include "tests/semantics/random_user_schedule.h"

namespace cryolite {

namespace {

constexpr std::string_view actions_label = "actions ";

// Without the check of the algorithm, which comes after the calls and is nearly the same in all sources.
std::string_view scheduling_calls(std::string_view source) {
    return source.substr(0, source.find("// What follows refuses"));
}

// What must hold of any complete schedule, whoever made it; then emission.
SchedulingOutcome emit_checked(const BuiltGraph &built, Trace trace, LoopNest nest,
                               const std::vector<bool> &keep, std::ostream &log) {
    log << actions_label << trace.size() << "\n";
    if (!keep.empty()) {
        RandomTrace kept = keep_actions(built.graph, trace, keep);
        trace = std::move(kept.trace);
        nest = std::move(kept.nest);
    }
    const std::string text = to_text(built.graph, trace);
    log << text << to_tree_text(nest) << std::flush;
    if (!nest.complete()) return {false, "the schedule is not complete"};
    if (const std::string problem = validate(nest); !problem.empty()) {
        return {false, "validate: " + problem};
    }
    const Result<Trace> parsed = parse_trace(built.graph, text);
    if (!parsed) return {false, "the trace's text does not parse: " + parsed.error().message};
    if (*parsed != trace) return {false, "the trace's text parses to another trace"};
    const Result<LoopNest, ReplayFailure> replayed = replay(built.graph, trace_of(nest));
    if (!replayed) {
        return {false, "the canonical trace is refused at action " +
                           std::to_string(replayed.error().failed_at) + ": " +
                           name(replayed.error().reason) + "\n" +
                           to_text(built.graph, trace_of(nest))};
    }
    if (replayed->hash() != nest.hash()) {
        return {false, "the canonical trace makes another loop nest:\n" + to_tree_text(*replayed)};
    }
    const Result<Emitted> emitted = emit(built, nest);
    if (!emitted) return {false, "emit: " + emitted.error().message};
    log << scheduling_calls(emitted->source) << std::flush;
    return {};
}

std::vector<Halide::Internal::Function> outputs_of(const RandomPipeline &pipeline) {
    std::vector<Halide::Internal::Function> outputs;
    for (const PipelineOutput &output : pipeline.outputs) outputs.push_back(output.func.function());
    return outputs;
}

Result<BuiltGraph> build(const RandomPipeline &pipeline) {
    return build_graph(outputs_of(pipeline), Halide::get_host_target());
}

SchedulingOutcome schedule_random_trace(const RandomPipeline &pipeline, uint64_t seed,
                                        const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build(pipeline);
    if (!built) return {false, "build_graph: " + built.error().message};
    const RandomTrace drawn = draw_random_trace(built->graph, Random(seed).fork("random trace"));
    return emit_checked(*built, drawn.trace, drawn.nest, keep, log);
}

// A documented machine, so that a seed means the same schedule on every computer.
Machine test_machine() { return machine_presets().front().machine; }

// They vary with the seed: small beams and single tilings reach odd states.
SearchOptions drawn_options(uint64_t seed) {
    Random random = Random(seed).fork("search options");
    SearchOptions options;
    options.seed = static_cast<int64_t>(seed);
    options.threads = 1;
    options.beam_size = int64_t{1} << random.between(0, 4);
    options.num_passes = random.between(1, 2);
    options.tilings_per_placement = int64_t{1} << random.between(0, 5);
    options.time_limit_seconds = 20;
    return options;
}

SchedulingOutcome schedule_by_search(const RandomPipeline &pipeline, uint64_t seed,
                                     const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build(pipeline);
    if (!built) return {false, "build_graph: " + built.error().message};
    const SearchResult found = search(built->graph, test_machine(), drawn_options(seed));
    return emit_checked(*built, trace_of(found.nest), found.nest, keep, log);
}

// A division of one of the graph's reductions; nothing if it has none.
std::optional<DividedReduction> draw_division(const StageGraph &graph, Random &random) {
    using Kind = DividedReduction::Kind;
    std::vector<DividedReduction> all;
    for (const Stage &stage : graph.stages())
        for (size_t l : dividable_loops(graph, stage))
            for (Kind kind : {Kind::Lanes, Kind::Blocks})
                if (can_divide_reductions)
                    all.push_back({graph.func(stage.func).name, stage.index, stage.loops[l].name,
                                   kind, random.between(1, 9)});
    for (const Func &f : graph.funcs())
        if (f.stages.size() > 1 && !f.is_output() && !f.locked)
            all.push_back({f.name, 1, "", Kind::Copy, 0});
    // Of equal values of a tuple the first may have to win, which lanes do not keep.
    std::erase_if(all, [&](const DividedReduction &d) {
        return d.kind == Kind::Lanes && graph.func(graph.find(d.func)).values.size() > 1;
    });
    if (all.empty()) return std::nullopt;
    return all[random.below(all.size())];
}

// Up to three, each of which Halide takes. They are tried on copies, since a refusal leaves a half-done change.
Result<BuiltGraph> build_divided(const RandomPipeline &pipeline, Random random, std::ostream &log) {
    const std::vector<Halide::Internal::Function> outputs = outputs_of(pipeline);
    std::vector<DividedReduction> divisions;
    Result<BuiltGraph> built = build(pipeline);
    for (int i = 0; i < 3 && built.ok(); i++) {
        const auto next = draw_division(built->graph, random);
        if (!next) break;
        std::vector<DividedReduction> more = divisions;
        more.push_back(*next);
        auto [copies, environment] =
            Halide::Internal::deep_copy(outputs, Halide::Internal::build_environment(outputs));
        Result<BuiltGraph> tried = build_divided_graph(copies, Halide::get_host_target(), more);
        if (!tried.ok()) {
            log << "not divided: " << tried.error().message << "\n";
            continue;
        }
        divisions = std::move(more);
        built = std::move(tried);
    }
    return build_divided_graph(outputs, Halide::get_host_target(), divisions);
}

// Reductions are divided first, whether it pays or not.
SchedulingOutcome schedule_divided(const RandomPipeline &pipeline, uint64_t seed,
                                   const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build_divided(pipeline, Random(seed).fork("divisions"), log);
    if (!built) return {false, "build_divided_graph: " + built.error().message};
    if (seed % 3 == 0) {
        SearchOptions options;
        options.seed = static_cast<int64_t>(seed);
        options.threads = options.num_passes = 1;
        options.beam_size = 4;
        const SearchResult found = search(built->graph, test_machine(), options);
        return emit_checked(*built, trace_of(found.nest), found.nest, keep, log);
    }
    const RandomTrace drawn = draw_random_trace(built->graph, Random(seed).fork("random trace"));
    return emit_checked(*built, drawn.trace, drawn.nest, keep, log);
}

SchedulingOutcome schedule_by_hand(const RandomPipeline &pipeline, uint64_t seed,
                                   std::ostream &log) {
    const std::vector<UserDirectives> by_hand =
        draw_user_schedule(pipeline, Random(seed).fork("user schedule"));
    log << "by hand:\n";
    for (const UserDirectives &d : by_hand) log << d.text;
    log << std::flush;
    apply_user_schedule(pipeline, by_hand);
    return {};
}

// The whole way through the plugin, which may take a plainer schedule where Halide refuses one.
SchedulingOutcome schedule_around_user(const RandomPipeline &pipeline, uint64_t seed,
                                       const std::vector<bool> &, std::ostream &log) {
    schedule_by_hand(pipeline, seed, log);
    const Result<BuiltGraph> built = build(pipeline);
    if (!built) return {false, "build_graph: " + built.error().message};
    const LoopNest plain = plain_schedule(built->graph, test_machine());
    if (const std::string problem = validate(plain); !problem.empty())
        return {false, "validate the plain schedule: " + problem};
    Random random = Random(seed).fork("search options");
    std::map<std::string, std::string> options;
    options["mode"] = seed % 4 == 0 ? "plain" : "one_shot";
    options["seed"] = std::to_string(seed);
    options["threads"] = "1";
    options["beam_size"] = std::to_string(int64_t{1} << random.between(0, 3));
    options["num_passes"] = "1";
    options["tilings"] = std::to_string(int64_t{1} << random.between(0, 4));
    options["log_level"] = "info";
    Halide::AutoSchedulerResults results;
    autoschedule(pipeline.pipeline, Halide::get_host_target(), {"Cryolite", options}, &results);
    const std::string text(results.featurization.begin(), results.featurization.end());
    log << scheduling_calls(results.schedule_source) << std::flush;
    if (text.empty()) return {};
    // `built` is the graph of another pipeline then.
    if (const auto divisions = divisions_in(text); !divisions || !divisions->empty())
        return {divisions.ok(), "the divisions of the trace do not parse"};
    const Result<Trace> trace = parse_trace(built->graph, text);
    if (!trace) return {false, "the trace's text does not parse: " + trace.error().message};
    const Result<LoopNest, ReplayFailure> nest = replay(built->graph, *trace);
    if (!nest) return {false, std::string("the trace is refused: ") + name(nest.error().reason)};
    const std::string problem = validate(*nest);
    return {problem.empty(), "validate: " + problem};
}

SchedulingOutcome schedule_plainly(const RandomPipeline &pipeline, uint64_t,
                                   const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build(pipeline);
    if (!built) return {false, "build_graph: " + built.error().message};
    const LoopNest nest = plain_schedule(built->graph, test_machine());
    return emit_checked(*built, trace_of(nest), nest, keep, log);
}

template <Strategy strategy>
SchedulingOutcome schedule_by_strategy(const RandomPipeline &pipeline, uint64_t,
                                       const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build(pipeline);
    if (!built) return {false, "build_graph: " + built.error().message};
    const StrategyResult found = schedule_by(strategy, built->graph, test_machine());
    log << found.report.text() << "\n";
    for (const std::string &note : found.report.notes) log << note << "\n";
    return emit_checked(*built, trace_of(found.nest), found.nest, keep, log);
}

// What any OpenCL device has.
gpu::GpuDevice test_gpu() {
    gpu::GpuDevice device;
    device.limits = gpu_limits(7, 0)->limits;
    device.limits.threads_per_block = 256;
    device.shared_bytes_per_block = 32 << 10;
    device.conditional_barriers = false;
    return device;
}

SchedulingOutcome schedule_for_gpu(const RandomPipeline &pipeline, uint64_t seed,
                                   const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build(pipeline);
    if (!built) return {false, "build_graph: " + built.error().message};
    const StrategyResult found = auto_gpu_schedule(built->graph, test_gpu(), test_machine(),
                                                   static_cast<gpu::NestedFusion>(seed % 3));
    log << found.report.text() << "\n";
    for (const std::string &note : found.report.notes) log << note << "\n";
    const auto fault = find_kernel_fault(found.nest, launch_limits(test_gpu()));
    if (fault) return {false, "a kernel cannot be launched: " + fault->text};
    return emit_checked(*built, trace_of(found.nest), found.nest, keep, log);
}

// Every fifth schedule is the plain one.
SchedulingOutcome searched_kernels(const BuiltGraph &built, uint64_t seed,
                                   const std::vector<bool> &keep, std::ostream &log) {
    const gpu::GpuDevice gpu = test_gpu();
    const Machine host = test_machine();
    SearchOptions options = drawn_options(seed);
    options.cost_noise = seed % 2 ? 4 : 1;  // other places than the cheapest
    const LoopNest nest = seed % 5 == 0 ? plain_schedule(built.graph, {host, &gpu})
                                        : search(built.graph, {host, &gpu}, options).nest;
    const auto fault = find_kernel_fault(nest, launch_limits(gpu));
    if (fault) return {false, "a kernel cannot be launched: " + fault->text};
    return emit_checked(built, trace_of(nest), nest, keep, log);
}

SchedulingOutcome schedule_by_gpu_search(const RandomPipeline &pipeline, uint64_t seed,
                                         const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build(pipeline);
    if (!built) return {false, "build_graph: " + built.error().message};
    return searched_kernels(*built, seed, keep, log);
}

SchedulingOutcome random_kernels(const BuiltGraph &built, uint64_t seed,
                                 const std::vector<bool> &keep, std::ostream &log) {
    RandomTraceLimits limits;
    limits.gpu = launch_limits(test_gpu());
    const RandomTrace drawn =
        draw_random_trace(built.graph, Random(seed).fork("random kernels"), limits);
    return emit_checked(built, drawn.trace, drawn.nest, keep, log);
}

SchedulingOutcome schedule_random_kernels(const RandomPipeline &pipeline, uint64_t seed,
                                          const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build(pipeline);
    if (!built) return {false, "build_graph: " + built.error().message};
    return random_kernels(*built, seed, keep, log);
}

// Reductions are divided first, whether it pays or not.
SchedulingOutcome schedule_divided_kernels(const RandomPipeline &pipeline, uint64_t seed,
                                           const std::vector<bool> &keep, std::ostream &log) {
    const Result<BuiltGraph> built = build_divided(pipeline, Random(seed).fork("divisions"), log);
    if (!built) return {false, "build_divided_graph: " + built.error().message};
    return seed % 2 ? searched_kernels(*built, seed, keep, log)
                    : random_kernels(*built, seed, keep, log);
}

using TraceScheduler = SchedulingOutcome (*)(const RandomPipeline &, uint64_t seed,
                                             const std::vector<bool> &keep, std::ostream &log);
struct TraceSource {
    const char *name;
    TraceScheduler scheduler;
};
constexpr TraceSource trace_sources[] = {{"random_trace", schedule_random_trace},
                                         {"search", schedule_by_search},
                                         {"divided", schedule_divided},
                                         {"plain", schedule_plainly},
                                         {"partial", schedule_around_user},
                                         {"temporal", schedule_by_strategy<Strategy::Temporal>},
                                         {"spatial", schedule_by_strategy<Strategy::Spatial>},
                                         {"reuse", schedule_by_strategy<Strategy::Reuse>},
                                         {"autogpu", schedule_for_gpu},
                                         {"random_kernels", schedule_random_kernels},
                                         {"gpu_search", schedule_by_gpu_search},
                                         {"divided_kernels", schedule_divided_kernels}};

}  // namespace

bool is_for_gpu(const std::string &name) {
    return name == "autogpu" || name == "random_kernels" || name == "gpu_search" ||
           name == "divided_kernels";
}

Scheduler find_hand_scheduler(const std::string &name) {
    return name == "partial" ? Scheduler(schedule_by_hand) : nullptr;
}

std::vector<std::string> scheduler_names() {
    std::vector<std::string> names;
    for (const TraceSource &source : trace_sources) names.emplace_back(source.name);
    names.emplace_back("root");
    names.emplace_back("default");
    return names;
}

Scheduler find_scheduler(const std::string &name, std::vector<bool> keep) {
    for (const TraceSource &source : trace_sources) {
        if (source.name != name) continue;
        return [scheduler = source.scheduler, keep = std::move(keep)](
                   const RandomPipeline &pipeline, uint64_t seed, std::ostream &log) {
            return scheduler(pipeline, seed, keep, log);
        };
    }
    if (name == "root") return schedule_all_root;
    if (name == "default") return schedule_default;
    return nullptr;
}

size_t actions_in_log(const std::string &log) {
    const std::string label = "\n" + std::string(actions_label);
    const size_t at = log.find(label);
    if (at == std::string::npos) return 0;
    return static_cast<size_t>(std::strtoull(log.c_str() + at + label.size(), nullptr, 10));
}

}  // namespace cryolite
