#include "tests/robustness/comparison.h"

#include <algorithm>
#include <utility>

#include "tests/robustness/process_use.h"
#include "tests/semantics/buffers.h"
#include "tests/semantics/guarded_allocations.h"

namespace cryolite::robustness {

namespace {

void print(std::ostream &log, const std::string &name, const Box &box) {
    log << "  " << name << ":";
    for (const Interval &i : box) log << " [" << i.min << ", " << i.max << "]";
    log << "\n";
}

std::vector<GuardedBuffer> make_outputs(const Subject &subject, Run run) {
    std::vector<GuardedBuffer> buffers;
    for (const Output &o : subject.outputs)
        for (const Halide::Type &type : o.func.types())
            buffers.emplace_back(type, region(o.sizes, run, true));
    return buffers;
}

Halide::Realization realization(const std::vector<GuardedBuffer> &buffers) {
    std::vector<Halide::Buffer<>> list;
    for (const GuardedBuffer &b : buffers) list.push_back(b.inside);
    return Halide::Realization(std::move(list));
}

bool small_enough(const Subject &subject, Run run) {
    for (const Output &o : subject.outputs)
        if (points(region(o.sizes, run, true)) > most_points_run) return false;
    return true;
}

// The same data for both. An input without a size gets just what the reference reads.
void set_inputs(Subject &reference, Halide::Pipeline &plain, Subject &scheduled, Run run,
                const Halide::Target &target, const std::vector<GuardedBuffer> &outputs,
                std::ostream &log) {
    auto set = [&](size_t i, const Box &box) {
        print(log, reference.inputs[i].image.name(), box);
        const Halide::Buffer<> data =
            make_data(reference.inputs[i].image.type(), box, reference.inputs[i].values, i + 1);
        reference.inputs[i].image.set(data);
        scheduled.inputs[i].image.set(data);
    };
    for (size_t i = 0; i < reference.inputs.size(); i++) {
        reference.inputs[i].image.reset();
        if (!reference.inputs[i].sizes.empty())
            set(i, region(reference.inputs[i].sizes, run, false));
    }
    plain.infer_input_bounds(realization(outputs), target);
    for (size_t i = 0; i < reference.inputs.size(); i++) {
        const Halide::Buffer<> wanted = reference.inputs[i].image.get();
        if (!reference.inputs[i].sizes.empty() || !wanted.defined()) continue;
        Box box;
        for (int d = 0; d < wanted.dimensions(); d++)
            box.push_back({wanted.dim(d).min(), wanted.dim(d).max()});
        set(i, box);
    }
}

}  // namespace

void set_parameters(Subject &subject, Run run) {
    for (Parameter &p : subject.parameters)
        p.param.set(run == Run::Estimates ? p.estimate : p.other);
}

std::map<std::string, Halide::Internal::Function> funcs_of(const Subject &subject) {
    std::vector<Halide::Internal::Function> outputs;
    for (const Output &o : subject.outputs) outputs.push_back(o.func.function());
    return Halide::Internal::build_environment(outputs);
}

// Each at root in plain loops, or Halide's default, which inlines.
void schedule_reference(const Subject &subject) {
    if (subject.inlined_reference) return;
    for (const auto &[name, function] : funcs_of(subject)) {
        const auto &by_hand = subject.names_scheduled_by_hand;
        if (std::find(by_hand.begin(), by_hand.end(), name) == by_hand.end())
            Halide::Func(function).compute_root();
    }
}

Comparison::Comparison(Subject &reference, Subject &scheduled, const Halide::Pipeline &ours,
                       const Halide::Target &target, std::ostream &log)
    : reference_(reference),
      scheduled_(scheduled),
      plain_(reference.pipeline()),
      ours_(ours),
      target_(target),
      log_(log) {}

void Comparison::compile() {
    for (const auto &[label, pipeline] :
         {std::pair{"reference_compile_seconds=", &plain_}, {"compile_seconds=", &ours_}}) {
        const double before = cpu_seconds();
        pipeline->compile_jit(target_);
        log_ << label << cpu_seconds() - before << "\n" << std::flush;
    }
}

Verdict Comparison::at_all_sizes() {
    for (Run size : all_runs) {
        if (!small_enough(reference_, size)) continue;
        const Verdict verdict = at(size);
        if (verdict != Verdict::Agrees) return verdict;
    }
    return Verdict::Agrees;
}

Verdict Comparison::at(Run run) {
    log_ << "size " << name(run) << "\n";
    set_parameters(reference_, run);
    set_parameters(scheduled_, run);
    const std::vector<GuardedBuffer> expected = make_outputs(reference_, run);
    const std::vector<GuardedBuffer> found = make_outputs(scheduled_, run);
    try {
        set_inputs(reference_, plain_, scheduled_, run, target_, expected, log_);
        plain_.realize(realization(expected), target_);
    } catch (const Halide::Error &error) {
        log_ << "the reference failed: " << error.what() << "\n";
        return Verdict::ReferenceFailed;
    }
    GuardedAllocations allocations;
    log_ << std::flush;  // what follows may crash
    try {
        ours_.realize(&allocations, realization(found), target_);
    } catch (const Halide::Error &error) {
        log_ << "the scheduled pipeline failed: " << error.what() << "\n";
        return Verdict::Differs;
    }
    if (allocations.damaged > 0) {
        log_ << "store outside of an intermediate Func's buffer\n";
        return Verdict::Differs;
    }
    size_t i = 0;
    for (const Output &o : reference_.outputs) {
        for (size_t element = 0; element < o.func.types().size(); element++, i++) {
            print(log_, o.func.name(), region(o.sizes, run, true));
            if (!same_values(expected[i].inside, found[i].inside, o.tolerance, log_) ||
                !found[i].red_zone_intact(log_))
                return Verdict::Differs;
        }
    }
    return Verdict::Agrees;
}

}  // namespace cryolite::robustness
