// The autoscheduler CompileProbe: while an app's generator runs it compiles schedules of the app's
// pipeline (compile_samples.h), writes what that took as JSON and ends the process. Where the target has a GPU, the
// schedules are for the GPU; no GPU is needed to compile them.
// Errors are Halide::CompileErrors, like those of the plugin itself.
#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/options.h"
#include "bench/compile_probe/compile_samples.h"
#include "plugin/target/target_gpu.h"
#include "plugin/target/target_machine.h"

namespace cryolite::bench {
namespace {

[[noreturn]] void give_up(const std::string &message) {
    throw Halide::CompileError("CompileProbe: " + message);
}

template <typename T>
T or_give_up(Result<T> result) {
    if (!result.ok()) give_up(result.error().message);
    return std::move(result).value();
}

nlohmann::json list_in(const std::string &path) {
    std::ifstream file(path);
    nlohmann::json list = nlohmann::json::parse(file, nullptr, false);
    if (!list.is_array()) give_up("there is no list in '" + path + "'");
    return list;
}

void look_on(const Halide::Pipeline &pipeline, const Halide::Target &target,
             const Halide::AutoschedulerParams &params, Halide::AutoSchedulerResults *) {
    std::string report, measured, traces, machine_name = "auto";
    int64_t parallelism = 0, count = 8, seed = 0;
    CompileQuestion question;
    OptionTable table;
    table.text("report", &report, "the file to write")
        .text("measured", &measured, "an older report: compile nothing, predict its schedules anew")
        .text("traces", &traces, "a JSON list of traces: compile these, draw none")
        .text("machine", &machine_name, "auto, a preset of a CPU or a GPU, or a machine file")
        .integer("parallelism", &parallelism, 0, 4096, "cores to schedule for; 0: the machine's")
        .integer("seed", &seed, 0, int64_t{1} << 62, "of what is drawn")
        .integer("limit_seconds", &question.limit_seconds, 1, 86400, "CPU seconds per schedule")
        .integer("count", &count, 1, 1'000'000, "schedules to compile");
    or_give_up(table.parse(params.extra));
    question.count = static_cast<size_t>(count);
    question.seed = static_cast<uint64_t>(seed);
    const bool has_gpu = target.has_gpu_feature();
    const Machine machine = or_give_up(machine_of_target(target, has_gpu ? "auto" : machine_name,
                                                         has_gpu ? 0 : parallelism))
                                .machine;
    std::optional<gpu::GpuDevice> gpu;
    if (has_gpu) gpu = gpu_of_target(target, machine_name, parallelism).device;
    const Hardware hardware{machine, gpu ? &*gpu : nullptr};
    std::vector<Halide::Internal::Function> outputs;
    for (const Halide::Func &f : pipeline.outputs()) outputs.push_back(f.function());
    const BuiltGraph built = or_give_up(build_graph(outputs, target));
    std::ofstream file(report);
    if (!measured.empty()) {
        file << predicted_again(list_in(measured), built.graph, hardware).dump() << '\n';
    } else {
        const std::vector<Drawn> schedules = traces.empty()
                                                 ? drawn_schedules(built.graph, hardware, question)
                                                 : replayed(built.graph, list_in(traces));
        file << compile_samples(pipeline, built, target, hardware, schedules, question).dump()
             << '\n';
    }
    if (!file.flush()) give_up("cannot write '" + report + "'");
    std::_Exit(0);  // lowering a pipeline that nobody scheduled may take longer than any search
}

struct Registration {
    Registration() { Halide::Pipeline::add_autoscheduler("CompileProbe", look_on); }
} registration;

}  // namespace
}  // namespace cryolite::bench
