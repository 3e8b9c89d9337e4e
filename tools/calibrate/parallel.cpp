// What a parallel loop costs, in the thread pool that compiled pipelines run in. The tasks do some
// work: with empty ones the calling thread is done before another has woken. The same work as one
// task per core and as many, and the part of one core alone:
//   few  = part + loop + task
//   many = part + loop + tasks_per_core * task
#include <HalideRuntime.h>

#include <algorithm>
#include <memory>

#include "tools/calibrate/find_kernel.h"
#include "tools/calibrate/walked_memory.h"

namespace cryolite::calibrate {
namespace {

constexpr int tasks_per_core = 64;
// 64 dependent additions each: about 200 us for a core's part, and 3 us for the smallest task.
constexpr int64_t part_repetitions = 160 * tasks_per_core;
// Longer than this share of its part no core waits for the start: a core did two cores' parts.
constexpr double longest_start = 0.5;

struct Work {
    const Kernel *kernel;
    int64_t repetitions;
};

int work(void *, int, uint8_t *closure) {
    const Work &w = *reinterpret_cast<const Work *>(closure);
    w.kernel->run(w.repetitions, nullptr);
    return 0;
}

Probe loop_probe(const std::string &name, int tasks, Work w) {
    Probe probe{name, 1, [=](int64_t n) mutable {
                    for (int64_t i = 0; i < n; i++)
                        halide_do_par_for(nullptr, work, 0, tasks, reinterpret_cast<uint8_t *>(&w));
                }};
    probe.statistic = Statistic::Median;
    return probe;
}

Probe part_probe(const std::string &name, Work w) {
    Probe probe{name, 1, [=](int64_t n) {
                    for (int64_t i = 0; i < n; i++) w.kernel->run(w.repetitions, nullptr);
                }};
    probe.statistic = Statistic::Median;
    return probe;
}

}  // namespace

Experiment parallel_experiment(const Machine &machine) {
    const int cores = std::max(1, machine.cores);
    halide_set_num_threads(cores);
    const Kernel &kernel = find_kernel(scalar_kernels(), "dependent_additions");
    const Work part{&kernel, part_repetitions}, small{&kernel, part_repetitions / tasks_per_core};
    return {{part_probe("parallel part", part), loop_probe("parallel few", cores, part),
             loop_probe("parallel many", cores * tasks_per_core, small)},
            [](const Findings &found, Conclusions &out) {
                const Estimate few = found.seconds("parallel few");
                const Estimate part = found.seconds("parallel part");
                if (few.value > (1 + longest_start) * part.value) return;
                const Estimate task =
                    (found.seconds("parallel many") - few) * (1.0 / (tasks_per_core - 1));
                if (task.value > 0) out["parallel_task_seconds"] = task;
                const Estimate loop = few - part - (task.value > 0 ? task : Estimate{});
                if (loop.value > 0) out["parallel_loop_seconds"] = loop;
            }};
}

}  // namespace cryolite::calibrate
