#include "plugin/plugin_options.h"

#include "reference/strategy.h"

namespace cryolite {
namespace {

std::vector<std::string> strategies() {
    std::vector<std::string> names = strategy_names();
    names.insert(names.begin(), "search");
    names.emplace_back("autogpu");
    return names;
}

}  // namespace

LogLevel PluginOptions::level() const {
    return log_level == "warning" ? LogLevel::Warning
           : log_level == "info"  ? LogLevel::Info
           : log_level == "debug" ? LogLevel::Debug
                                  : LogLevel::Silent;
}

OptionTable plugin_option_table(PluginOptions &o) {
    OptionTable t;
    t.choice(
         "mode", &o.mode,
         {"one_shot", "top_k", "plain", "replay", "improve", "as_scheduled", "draw", "count"},
         "one_shot: search for a schedule; top_k: search for several, compile them and the plain "
         "schedule, run them here on data drawn at random, and take the fastest that computes what "
         "the plain one does; plain: every Func at root, vectorised and parallel "
         "(on a GPU a kernel each), with no search; replay: the schedule recorded in trace_file; "
         "improve: search from the schedule that the pipeline's author has written, for one that "
         "is "
         "predicted to be as fast or faster; as_scheduled: that schedule itself, as far as "
         "Cryolite can express it; draw: many "
         "schedules for a tuner to measure, written to draw_file, and the plain one is emitted "
         "(`cryolite tune` asks for it); count: terms and features of the schedules in "
         "samples_file, written to draw_file (`cryolite train` asks for it)")
        .choice(
            "strategy", &o.strategy, strategies(),
            "who schedules in mode=one_shot and top_k. search: Cryolite; the others are published "
            "schedulers to compare it with, which plan by formulas and search nothing. temporal, "
            "spatial: every Func at root, its loops tiled for what comes back to the caches, or "
            "for the lines of transposed arrays; reuse: fused, folded and tiled groups of Funcs; "
            "autogpu: groups of Funcs as kernels. Targets with a GPU take search or autogpu, "
            "others any but autogpu")
        .flag(
            "plans", &o.plans,
            "strategy=search also tries what the strategies for CPUs plan in a quarter of its time")
        .choice(
            "tensor_cores", &o.tensor_cores, {"off", "auto", "require"},
            "what becomes of matrix products of 16-bit floats or bytes where the target has "
            "cuda_capability_75 or more. off: they are scheduled like all Funcs; auto: each is "
            "multiplied by tensor cores where the cost model predicts less time so; require: each "
            "that can be, whatever the prediction, and an error if there is none. A schedule "
            "written to a file needs Cryolite's library tensorcore for them")
        .flag("tensor_cores_tf32", &o.tensor_cores_tf32,
              "tensor_cores also takes matrix products of 32-bit floats, where the target has "
              "cuda_capability_80 or more. Their factors are rounded to 10 bits of mantissa "
              "(tf32), so each product is wrong by up to a thousandth of itself; the sums have 32 "
              "bits. It changes nothing with tensor_cores=off or on other targets")
        .flag("divide", &o.divide,
              "reductions whose points feed neither the cores nor the lanes of a vector are done "
              "in parts that are combined at the end (rfactor), where a short search predicts that "
              "it pays (sums of floats are then rounded otherwise; Halide 20 or newer), and sums "
              "that "
              "are read as a whole, or Funcs that gather along their rows, are read through a copy "
              "(in)")
        .integer("parallelism", &o.parallelism, 0, 4096,
                 "cores to schedule for, or multiprocessors of a GPU; 0: those of the machine")
        .text(
            "machine", &o.machine,
            "the machine to schedule for: auto (this computer if the target is its own, else the "
            "preset nearest to the target), the name of a preset (of a GPU for a target with one), "
            "or a file that `cryolite machine calibrate` wrote: a path with a / or ending in .json "
            "(build systems see its name, not its contents: give a changed file another name)")
        .integer("top_k", &o.top_k, 1, 64,
                 "schedules that mode=top_k tries beside the plain one; each has another structure")
        .real("benchmark_seconds", &o.benchmark_seconds, 0.1, 3600,
              "seconds for which mode=top_k times all of them together, by turns, at most. It "
              "comes on top of "
              "time_limit, as compiling them does")
        .text("inputs", &o.inputs,
              "what mode=top_k runs on: NAME:FILE, with spaces between, of .npy, .pgm and .ppm "
              "files. "
              "Other inputs are drawn at random")
        .text("trace_file", &o.trace_file,
              "a recorded trace (what featurization holds), for mode=replay")
        .choice(
            "small_sizes", &o.small_sizes, {"compiled", "unchecked"},
            "for mode=replay: what becomes of sizes that do not hold whole parts of an output. "
            "unchecked: the pipeline must not run on them, and nothing checks that. It compiles "
            "faster, for who runs it at the estimates alone")
        .text(
            "generator", &o.generator,
            "for mode=improve and as_scheduled: the generator whose own schedule is meant. It is "
            "run once more in this process, without an autoscheduler. Empty: the schedule that is "
            "on the Funcs already, or else the only generator of the program")
        .text("generator_parameters", &o.generator_parameters,
              "what that generator was given besides: KEY:VALUE, with spaces between")
        .choice(
            "model", &o.model, {"auto", "analytical", "learned"},
            "what prices schedules. analytical: the cost model's terms as they are, whatever "
            "weights "
            "says; learned: corrected by weights, and an error without any; auto: learned where "
            "weights names a file, else analytical")
        .text("weights", &o.weights,
              "what corrects the cost model's terms: a file of factors, as `cryolite tune` writes "
              "one (weights.json), or of a network, as `cryolite train` does. none or empty: "
              "nothing does")
        .real("risk", &o.risk, 0, 10,
              "what a network's doubt costs: schedules are priced at the members' mean correction "
              "and so many of their standard deviations more, term by term. 0: at the mean; 1 "
              "keeps away from what the members disagree about")
        .integer("draws", &o.draws, 0, 100'000,
                 "schedules that mode=draw draws; 0: it describes the pipeline alone")
        .real("draw_seconds", &o.draw_seconds, 0.1, 1e6,
              "seconds that mode=draw may take; it draws fewer schedules then")
        .real("draw_any", &o.draw_any, 0, 1,
              "of those, the share that mode=draw draws whatever the model says of them: for "
              "`cryolite "
              "sample`, which learns from all kinds")
        .text("draw_file", &o.draw_file, "the file that mode=draw and count write")
        .text(
            "samples_file", &o.samples_file,
            "what mode=draw learns from, and count counts: the schedules that were measured so far")
        .text("explain", &o.explain,
              "a file to write: the schedule's loops, features and predicted seconds by term, as "
              "JSON; `cryolite explain FILE` shows it")
        .integer("beam_size", &o.search.beam_size, 0, 4096,
                 "states that the search carries from Func to Func; 0: 64 up to 8 Funcs, else 32")
        .integer("num_passes", &o.search.num_passes, 0, 64,
                 "passes over the pipeline, each followed by hill climbing; of several passes each "
                 "climbs from several of its ends, and the first looks ahead at what the next "
                 "Funcs will cost (up to 24 Funcs); later ones tell more structures apart and draw "
                 "other tilings, and more, and leave Funcs alone that cannot matter; 0: 2")
        .integer("seed", &o.search.seed, 0, int64_t{1} << 62,
                 "seed of all that is drawn; the same seed gives the same schedule")
        .integer("tilings", &o.search.tilings_per_placement, 1, 100000,
                 "tilings tried for each place of a Func; fewer in long pipelines")
        .integer(
            "threads", &o.search.threads, 0, 1024,
            "threads of the search itself, which change its time and not its result; 0: all cores")
        .real("time_limit", &o.search.time_limit_seconds, 0.01, 1e6,
              "seconds that scheduling may take, verify included: at the end the search finishes "
              "the best schedule so far, plainly where it must")
        .integer(
            "compile_limit", &o.compile_limit, 1, 1'000'000,
            "seconds of one core that compiling may take. The search avoids schedules that are "
            "predicted to take longer where it can. Where verify finds that Halide takes longer "
            "to lower the schedule, one of less code or with fewer Funcs inside of others' loops "
            "is taken, and at last the plain one, with a warning")
        .integer("memory_limit_mb", &o.memory_limit_mb, 16, 1 << 20,
                 "megabytes by which scheduling may let the process grow: memos are forgotten, "
                 "which costs time alone, and past that the search keeps fewer states")
        .flag("verify", &o.verify,
              "lower the scheduled pipeline once, in a child process that can be given up, and "
              "fall back to a plainer schedule if Halide refuses it, takes too long or crashes, "
              "or would refuse buffers of the estimated sizes")
        .choice(
            "log_level", &o.log_level, {"silent", "warning", "info", "debug"},
            "what is written to standard error. warning: a line for each thing that was given up; "
            "info: also the loops, what is predicted of them, and how the search went");
    return t;
}

Result<PluginOptions> parse_plugin_options(const std::map<std::string, std::string> &values) {
    PluginOptions options;
    auto parsed = plugin_option_table(options).parse(values);
    if (!parsed.ok()) return parsed.error();
    options.search.memory_limit_bytes = options.memory_limit_mb << 20;
    options.search.compile_budget_seconds = static_cast<double>(options.compile_limit);
    return options;
}

}  // namespace cryolite
