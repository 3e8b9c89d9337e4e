#include "tests/robustness/lane_work.h"

#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <sstream>

#include "tests/robustness/process_use.h"

namespace cryolite::robustness {

namespace {

using Clock = std::chrono::steady_clock;

// What the check may take beyond compiling, with its reference and runs.
constexpr double check_share = 5;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

template <typename T>
void say(const char *label, const T &value) {
    std::cout << figure_mark << label << "=" << value << "\n" << std::flush;
}

// The alarm ends the process if the phase takes longer. 0: no end.
void begin(const char *phase, double seconds) {
    say("phase", phase);
    alarm(static_cast<unsigned>(std::ceil(seconds)));
}

// The same by the clock of the processor, which other work on the machine does not move. 0: no end.
void limit_cpu_seconds(double seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(std::ceil(seconds));
    setitimer(ITIMER_PROF, &timer, nullptr);
}

double all_cpu_seconds() { return cpu_seconds() + cpu_seconds_of_children(); }

size_t funcs_of(const Halide::Pipeline &pipeline) {
    std::vector<Halide::Internal::Function> outputs;
    for (const Halide::Func &f : pipeline.outputs()) outputs.push_back(f.function());
    return Halide::Internal::build_environment(outputs).size();
}

void schedule(Workload &workload, const Contender &contender, const Halide::Target &target) {
    say("funcs", funcs_of(workload.pipeline()));
    begin_to_count_megabytes();
    const double cpu_before = all_cpu_seconds();
    const auto start = Clock::now();
    const Halide::AutoSchedulerResults results =
        schedule_by(contender, workload.pipeline(), target);
    say("schedule_seconds", seconds_since(start));
    say("schedule_cpu_seconds", all_cpu_seconds() - cpu_before);
    say("schedule_megabytes", peak_megabytes());
    std::cout << results.schedule_source << "\n";
}

void compile(Workload &workload, const Halide::Target &target) {
    Halide::Pipeline pipeline = workload.pipeline();
    const double before = cpu_seconds();
    // A call of the JIT lowers again: a module for it cannot be had in parts.
    pipeline.compile_to_module(pipeline.infer_arguments(), "measured", target);
    const double lowering = cpu_seconds() - before;
    say("lowering_seconds", lowering);
    pipeline.compile_jit(target);
    say("llvm_seconds", std::max(0.0, cpu_seconds() - before - 2 * lowering));
    say("megabytes", peak_megabytes());
}

double sample(Halide::Pipeline &pipeline, Halide::Realization &outputs,
              const Halide::Target &target) {
    const auto start = Clock::now();
    int calls = 0;
    do {
        pipeline.realize(outputs, target);
        calls++;
    } while (seconds_since(start) < sample_seconds);
    return seconds_since(start) / calls;
}

}  // namespace

void work_in_lane(const WorkloadMaker &maker, const Contender &contender,
                  const LaneLimits &limits) {
    const Halide::Target target = Halide::get_host_target();
    begin("scheduling", limits.seconds);
    const std::unique_ptr<Workload> workload = maker.make(contender, target);
    schedule(*workload, contender, target);
    begin("compiling", 0);
    limit_cpu_seconds(2 * limits.seconds);  // twice lowered: see compile()
    const Halide::Target built =
        limits.profiles ? target.with_feature(Halide::Target::Profile) : target;
    compile(*workload, built);
    limit_cpu_seconds(0);
    if (contender.kind != Contender::Kind::Peer) {
        begin("checking", check_share * limits.seconds);
        say("wrong", workload->check(target, std::cout) != Verdict::Agrees);
    }
    begin("running", limits.seconds);
    Halide::Pipeline pipeline = workload->pipeline();
    std::optional<Halide::Realization> outputs = workload->prepare_run(target);
    if (outputs) pipeline.realize(*outputs, built);  // pages and caches are warm then
    alarm(0);
    say("ready", outputs.has_value());
    for (char command; outputs && read(STDIN_FILENO, &command, 1) == 1;) {
        alarm(static_cast<unsigned>(std::ceil(limits.seconds)));
        say("run", sample(pipeline, *outputs, built));
        alarm(0);
    }
}

}  // namespace cryolite::robustness
