#include "tests/semantics/checker.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "base/random.h"
#include "tests/semantics/buffers.h"
#include "tests/semantics/guarded_allocations.h"

namespace cryolite {

namespace {

// The sizes of one run: what the user of the compiled pipeline chooses.
struct RunSize {
    std::string label;
    std::vector<Box> outputs;
    std::vector<Box> bounded_inputs;  // empty for inputs whose size follows from the outputs
    std::vector<int32_t> parameters;
};

// Runs `what` and turns an exception into its message. Halide's errors are no std::exception.
template <typename What>
std::optional<std::string> error_of(What &&what) {
    try {
        what();
    } catch (const Halide::Error &error) {
        return error.what();
    } catch (const std::exception &error) {
        return error.what();
    }
    return std::nullopt;
}

int64_t pick_extent(Random &random, int which, int64_t estimate) {
    static constexpr std::array<int, 12> primes = {2, 3, 5, 7, 11, 13, 17, 19, 23, 31, 37, 61};
    switch (which) {
        case 0: return estimate;
        case 1: return 1;
        case 2: {
            const int64_t prime = primes[random.below(primes.size())];
            return std::min(prime, 2 * estimate + 3);
        }
        default: return random.between(1, estimate + estimate / 2 + 3);
    }
}

Box pick_box(Random &random, int which, const Box &estimate) {
    Box box;
    for (const Interval &i : estimate) {
        const int64_t extent = pick_extent(random, which, i.extent());
        const int64_t min = which == 0 ? i.min : which == 1 ? 0 : random.between(-9, 12);
        box.push_back({min, min + extent - 1});
    }
    return box;
}

RunSize pick_size(Random random, int which, const RandomPipeline &pipeline) {
    static constexpr std::array<const char *, 4> labels = {"estimates", "ones", "primes", "random"};
    RunSize size;
    size.label = labels[static_cast<size_t>(std::min(which, 3))];
    for (const PipelineOutput &output : pipeline.outputs) {
        if (output.same_region_as >= 0) {
            size.outputs.push_back(size.outputs[static_cast<size_t>(output.same_region_as)]);
            continue;
        }
        Box box = pick_box(random, which, output.estimate);
        for (size_t d = 0; d < box.size(); d++) {
            if (output.fixed[d]) box[d] = output.estimate[d];
        }
        size.outputs.push_back(box);
    }
    for (const PipelineInput &input : pipeline.inputs) {
        size.bounded_inputs.push_back(input.bounded ? pick_box(random, which, input.estimate)
                                                    : Box{});
    }
    for (const PipelineParameter &parameter : pipeline.parameters) {
        const int64_t value = which == 0
                                  ? parameter.values.min
                                  : random.between(parameter.values.min, parameter.values.max);
        size.parameters.push_back(static_cast<int32_t>(value));
    }
    return size;
}

void print(std::ostream &log, const Box &box) {
    for (const Interval &i : box) log << " [" << i.min << ", " << i.max << "]";
}

void set_parameters(const RandomPipeline &pipeline, const RunSize &size) {
    for (size_t i = 0; i < pipeline.parameters.size(); i++) {
        Halide::Param<int32_t> param = pipeline.parameters[i].param;
        param.set(size.parameters[i]);
    }
}

// One buffer per output and tuple element, in the order that realize() wants.
std::vector<GuardedBuffer> make_outputs(const RandomPipeline &pipeline, const RunSize &size) {
    std::vector<GuardedBuffer> buffers;
    for (size_t i = 0; i < pipeline.outputs.size(); i++) {
        for (const Halide::Type &type : pipeline.outputs[i].func.types()) {
            buffers.emplace_back(type, size.outputs[i]);
        }
    }
    return buffers;
}

Halide::Realization realization(const std::vector<GuardedBuffer> &buffers) {
    std::vector<Halide::Buffer<>> list;
    for (const GuardedBuffer &buffer : buffers) list.push_back(buffer.inside);
    return Halide::Realization(std::move(list));
}

// The region of each input that the pipeline asks for; bounded inputs have their own size, and an
// input that nothing reads has none.
std::vector<std::optional<Box>> required_inputs(RandomPipeline &pipeline, const RunSize &size,
                                                const std::vector<GuardedBuffer> &outputs,
                                                const Halide::Target &target) {
    for (size_t i = 0; i < pipeline.inputs.size(); i++) {
        Halide::ImageParam image = pipeline.inputs[i].image;
        image.reset();
        if (pipeline.inputs[i].bounded)
            image.set(make_input(image.type(), size.bounded_inputs[i], 0));
    }
    Halide::Realization out = realization(outputs);
    pipeline.pipeline.infer_input_bounds(out, target);
    std::vector<std::optional<Box>> regions;
    for (const PipelineInput &input : pipeline.inputs) {
        regions.emplace_back();
        if (!input.image.get().defined()) continue;
        regions.back().emplace();
        for (int d = 0; d < input.image.dimensions(); d++) {
            regions.back()->push_back(
                {input.image.get().dim(d).min(), input.image.get().dim(d).max()});
        }
    }
    return regions;
}

void set_inputs(RandomPipeline &reference, RandomPipeline &scheduled,
                const std::vector<std::optional<Box>> &regions, uint64_t seed, std::ostream &log) {
    Random random = Random(seed).fork("input data");
    for (size_t i = 0; i < regions.size(); i++) {
        const uint64_t data_seed = random();
        if (!regions[i]) continue;
        Halide::ImageParam image = reference.inputs[i].image, same = scheduled.inputs[i].image;
        log << "  " << image.name() << ":";
        print(log, *regions[i]);
        log << "\n";
        Halide::Buffer<> data = make_input(image.type(), *regions[i], data_seed);
        data.set_host_dirty();  // or a device would not see it
        image.set(data);
        same.set(data);
    }
}

// True if `regions` grew.
bool grow(std::vector<std::optional<Box>> &regions, const std::vector<std::optional<Box>> &others) {
    bool grew = false;
    for (size_t i = 0; i < regions.size(); i++) {
        if (!regions[i] || !others[i]) continue;
        const Box before = *regions[i];
        grow_to_hull(*regions[i], *others[i]);
        grew = grew || *regions[i] != before;
    }
    return grew;
}

struct Comparison {
    RandomPipeline &reference;
    RandomPipeline &scheduled;
    Halide::Target host, target;
    std::ostream &log;
    uint64_t pipeline_seed;
    SizeProfile profile;
    Scheduler by_hand;

    Verdict run(const RunSize &size, uint64_t seed) {
        const Verdict verdict = run(scheduled, size, seed);
        if (verdict != Verdict::Differs || !by_hand) return verdict;
        log << "  with the schedule by hand alone:\n";
        std::ostringstream ignored;
        RandomPipeline alone = make_random_pipeline(pipeline_seed, profile);
        by_hand(alone, pipeline_seed, ignored);
        if (run(alone, size, seed) == Verdict::Agrees) return verdict;
        log << "  the schedule by hand fails alone\n";
        return Verdict::Agrees;
    }

private:
    Verdict run(RandomPipeline &scheduled, const RunSize &size, uint64_t seed) {
        log << "size " << size.label << "\n";
        for (size_t i = 0; i < size.outputs.size(); i++) {
            log << "  " << reference.outputs[i].func.name() << ":";
            print(log, size.outputs[i]);
            log << "\n";
        }
        for (int32_t value : size.parameters) log << "  parameter " << value << "\n";
        set_parameters(reference, size);
        set_parameters(scheduled, size);
        std::vector<GuardedBuffer> expected = make_outputs(reference, size);
        std::vector<GuardedBuffer> actual = make_outputs(scheduled, size);
        std::vector<std::optional<Box>> regions;
        if (const auto error = error_of([&] {
                regions = required_inputs(reference, size, expected, host);
                set_inputs(reference, scheduled, regions, seed, log);
                Halide::Realization out = realization(expected);
                reference.pipeline.realize(out, host);
            })) {
            log << "the reference failed: " << *error << "\n";
            return Verdict::ReferenceFailed;
        }
        GuardedAllocations allocations;
        auto run_scheduled = [&] {
            log << std::flush;  // it may crash
            return error_of([&] {
                Halide::Realization out = realization(actual);
                scheduled.pipeline.realize(&allocations, out, target);
                for (GuardedBuffer &buffer : actual) buffer.inside.copy_to_host();
            });
        };
        std::optional<std::string> error = run_scheduled();
        if (error && error->find("Input buffer") != std::string::npos &&
            widen_by_default_schedule(scheduled, regions, size, expected, seed)) {
            error = run_scheduled();
        }
        if (error) {
            log << "the scheduled pipeline failed: " << *error << "\n";
            return Verdict::Differs;
        }
        if (allocations.damaged > 0) {
            log << "  store outside of an intermediate Func's buffer\n";
            return Verdict::Differs;
        }
        size_t at = 0;
        for (const PipelineOutput &output : reference.outputs) {
            for (double bound : output.error_bounds) {
                log << "  comparing " << output.func.name() << "\n";
                if (!same_values(expected[at].inside, actual[at].inside, bound, log) ||
                    !actual[at].red_zone_intact(log)) {
                    return Verdict::Differs;
                }
                at++;
            }
        }
        return Verdict::Agrees;
    }

    // Two schedules are plain: all at root, and Halide's default, which inlines. A Func inside of a
    // predicated reduction needs more under the latter, so that what either needs is allowed.
    bool widen_by_default_schedule(RandomPipeline &scheduled,
                                   std::vector<std::optional<Box>> &regions, const RunSize &size,
                                   const std::vector<GuardedBuffer> &expected, uint64_t seed) {
        const auto error = error_of([&] {
            RandomPipeline plain = make_random_pipeline(pipeline_seed, profile);
            std::ostringstream ignored;
            if (by_hand) by_hand(plain, pipeline_seed, ignored);
            set_parameters(plain, size);
            if (!grow(regions, required_inputs(plain, size, expected, host))) {
                regions.clear();
                return;
            }
            log << "  with what the schedule by hand, or Halide's default, needs:\n";
            set_inputs(reference, scheduled, regions, seed, log);
            Halide::Realization out = realization(expected);
            reference.pipeline.realize(out, host);
        });
        return !error && !regions.empty();
    }
};

}  // namespace

SchedulingOutcome schedule_all_root(const RandomPipeline &pipeline, uint64_t, std::ostream &) {
    for (Halide::Func func : all_funcs(pipeline)) func.compute_root();
    return {};
}

SchedulingOutcome schedule_default(const RandomPipeline &, uint64_t, std::ostream &) { return {}; }

Verdict check(uint64_t seed, const Scheduler &scheduler, std::ostream &log,
              const CheckOptions &options) {
    log << "seed " << seed << "\n" << std::flush;
    const Halide::Target host = Halide::get_host_target();
    std::optional<RandomPipeline> reference, scheduled;
    if (const auto error = error_of([&] {
            reference = make_random_pipeline(seed, options.profile);
            log << reference->description << std::flush;
            schedule_all_root(*reference, seed, log);
            reference->pipeline.compile_jit(host);
        })) {
        log << "the reference does not compile: " << *error << "\n";
        return Verdict::ReferenceFailed;
    }
    SchedulingOutcome outcome;
    if (const auto error = error_of([&] {
            scheduled = make_random_pipeline(seed, options.profile);
            outcome = scheduler(*scheduled, seed, log);
            log << std::flush;
            if (outcome.ok) scheduled->pipeline.compile_jit(options.target);
        })) {
        log << "the scheduled pipeline does not compile: " << *error << "\n";
        return Verdict::Differs;
    }
    if (!outcome.ok) {
        log << "scheduling failed: " << outcome.error << "\n";
        return Verdict::Differs;
    }
    Comparison comparison{*reference, *scheduled,      host,           options.target, log,
                          seed,       options.profile, options.by_hand};
    const Random random = Random(seed).fork("run sizes");
    for (int which = 0; which < options.sizes; which++) {
        const RunSize size =
            pick_size(random.fork("size", static_cast<uint64_t>(which)), which, *reference);
        const Verdict verdict = comparison.run(size, seed);
        log << std::flush;
        if (verdict != Verdict::Agrees) return verdict;
    }
    return Verdict::Agrees;
}

}  // namespace cryolite
