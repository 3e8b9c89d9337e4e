#include "bench/compile_probe/compile_samples.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <unordered_set>

#include "analytical/compile/compile_cost.h"
#include "base/random.h"
#include "code/legality/apply.h"
#include "emit/emit.h"
#include "schedule/trace_text.h"
#include "search/search.h"

namespace cryolite::bench {
namespace {

using Halide::Internal::Function;
using nlohmann::json;

double cpu_seconds() {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

BuiltGraph copied_graph(const BuiltGraph &built, const Halide::Pipeline &pipeline,
                        std::vector<Halide::Func> &outputs) {
    std::vector<Function> functions;
    for (const Halide::Func &f : pipeline.outputs()) functions.push_back(f.function());
    auto [copied_outputs, copied] =
        Halide::Internal::deep_copy(functions, Halide::Internal::build_environment(functions));
    BuiltGraph copy = built;
    for (Function &f : copy.functions)
        if (f.get_contents().defined()) f = copied.at(f.name());
    for (const Function &f : copied_outputs) outputs.emplace_back(f);
    return copy;
}

// In a child process: a line per step to `out`.
void compile(const Halide::Pipeline &pipeline, const BuiltGraph &built, const LoopNest &nest,
             const Halide::Target &target, int out) {
    const auto say = [&](const std::string &line) {
        const std::string text = line + "\n";
        [[maybe_unused]] const auto written = write(out, text.data(), text.size());
    };
    try {
        std::vector<Halide::Func> outputs;
        const BuiltGraph copy = copied_graph(built, pipeline, outputs);
        const auto emitted = emit(copy, nest);
        if (!emitted.ok()) return say("error " + emitted.error().message);
        Halide::Pipeline scheduled(outputs);
        double before = cpu_seconds();
        const Halide::Module lowered =
            scheduled.compile_to_module(scheduled.infer_arguments(), "compiled",
                                        target.with_feature(Halide::Target::NoRuntime));
        say("lowering " + std::to_string(cpu_seconds() - before));
        before = cpu_seconds();
        const std::string object = "/proc/self/fd/" + std::to_string(fileno(std::tmpfile()));
        lowered.compile({{Halide::OutputFileType::object, object}});
        say("llvm " + std::to_string(cpu_seconds() - before));
    } catch (const Halide::Error &e) {
        say(std::string("error ") + e.what());
    }
}

std::string in_child(const CompileQuestion &q, const auto &work) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return "error no pipe";
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        const auto seconds =
            static_cast<rlim_t>(cpu_seconds()) + static_cast<rlim_t>(q.limit_seconds);
        const rlimit cpu{seconds, seconds};
        setrlimit(RLIMIT_CPU, &cpu);
        const auto bytes = static_cast<rlim_t>(q.limit_megabytes) << 20;
        const rlimit memory{bytes, bytes};
        setrlimit(RLIMIT_AS, &memory);
        work(ends[1]);
        std::_Exit(0);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t n; (n = read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return text;
}

double number_after(const std::string &text, const std::string &word) {
    const size_t at = text.find(word);
    return at == text.npos ? -1 : std::strtod(text.c_str() + at + word.size(), nullptr);
}

json prediction(const CodeSize &size) {
    const CompileCost cost = compile_cost(size);
    json out{{"lowering_seconds", cost.lowering_seconds()}, {"llvm_seconds", cost.llvm_seconds()}};
    for (const auto &[name, value] : code_size_fields(size)) out[std::string(name)] = value;
    return out;
}

}  // namespace

std::vector<Drawn> drawn_schedules(const StageGraph &graph, Hardware hardware,
                                   const CompileQuestion &q) {
    constexpr std::array<double, 5> noises{1.1, 2.5, 6, 50, 1000};
    std::vector<Drawn> drawn{{"plain", plain_schedule(graph, hardware)}};
    SearchOptions options;
    options.time_limit_seconds = 1e6;
    options.compile_budget_seconds = 0;  // those that take long are wanted, too
    std::unordered_set<uint64_t> seen{drawn[0].nest.hash()};
    for (size_t i = 1; i < 3 * q.count && drawn.size() < q.count; i++) {
        Random random = Random(q.seed).fork("compiled schedule", i);
        Effort e = effort(graph, options);
        e.beam_size = 4;
        e.tilings = std::min<int64_t>(e.tilings, 16);
        if (i > 1) {
            e.beam_size = 1;
            e.tilings = std::max<int64_t>(2, e.tilings >> random.below(4));
            options.cost_noise = noises[random.below(noises.size())];
            options.seed = static_cast<int64_t>(random() >> 1);
        }
        e.passes = 1;
        e.refine = false;
        LoopNest nest = search(graph, hardware, options, e).nest;
        if (seen.insert(nest.hash()).second)
            drawn.push_back({i == 1 ? "chosen" : "drawn", std::move(nest)});
    }
    return drawn;
}

std::vector<Drawn> replayed(const StageGraph &graph, const json &traces) {
    std::vector<Drawn> schedules;
    for (const json &text : traces) {
        const auto trace = parse_trace(graph, text.get<std::string>());
        if (!trace.ok()) continue;
        auto nest = replay(graph, *trace);
        if (nest.ok() && nest->complete()) schedules.push_back({"given", std::move(*nest)});
    }
    return schedules;
}

json predicted_again(const json &samples, const StageGraph &graph, Hardware hardware) {
    CompileModel model(graph, *hardware.cpu);
    json out = json::array();
    for (json sample : samples) {
        const auto trace = parse_trace(graph, sample["trace"].get<std::string>());
        if (!trace.ok()) continue;
        const auto nest = replay(graph, *trace);
        if (!nest.ok() || !nest->complete()) continue;
        sample["predicted"] = prediction(model.size(*nest));
        out.push_back(std::move(sample));
    }
    return out;
}

json compile_samples(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                     const Halide::Target &target, Hardware hardware,
                     const std::vector<Drawn> &schedules, const CompileQuestion &q) {
    json samples = json::array();
    CompileModel model(built.graph, *hardware.cpu);
    for (const Drawn &d : schedules) {
        const std::string text =
            in_child(q, [&](int out) { compile(pipeline, built, d.nest, target, out); });
        json sample{{"kind", d.kind},
                    {"trace", to_text(built.graph, trace_of(d.nest))},
                    {"predicted", prediction(model.size(d.nest))}};
        const double lowering = number_after(text, "lowering "), llvm = number_after(text, "llvm ");
        if (lowering >= 0) sample["lowering_seconds"] = lowering;
        if (llvm >= 0) sample["llvm_seconds"] = llvm;
        const size_t error = text.find("error ");
        sample["status"] = error != text.npos ? text.substr(error)
                           : llvm >= 0        ? "compiled"
                           : lowering >= 0    ? "llvm"
                                              : "lowering";
        samples.push_back(std::move(sample));
    }
    return samples;
}

}  // namespace cryolite::bench
