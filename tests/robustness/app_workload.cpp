// The apps of the group "corpus" as workloads, with their schedules by hand.
#include <cmath>
#include <cstring>
#include <utility>

#include "apps/common/app_list.h"
#include "apps/corpus/corpus_apps.h"
#include "tests/robustness/workload.h"

namespace cryolite::robustness {

namespace {

using apps::AppDescription;
using apps::Argument;

Halide::Buffer<> made_of(const Argument &argument, Halide::Type type) {
    Halide::Buffer<> buffer(type, argument.extents);
    apps::fill_argument(argument, buffer.data());
    return buffer;
}

// One made pipeline of an app, with its inputs.
class App {
public:
    App(const AppDescription &description, const std::string &schedule, const Contender &contender,
        const Halide::Target &target)
        : description_(description) {
        Halide::AutoschedulerParams scheduler;
        // A generator that knows of an autoscheduler leaves the schedule to it.
        if (schedule.empty()) scheduler = {contender.name, contender.options};
        const Halide::GeneratorContext context(target, scheduler);
        generator_ =
            Halide::Internal::GeneratorRegistry::create(description.generator_name(), context);
        for (const auto &[key, value] : description.parameters)
            generator_->set_generatorparam_value(key, value);
        if (!schedule.empty()) generator_->set_generatorparam_value("schedule", schedule);
        pipeline = generator_->build_pipeline();
    }

    Halide::Realization prepare_run() {
        std::vector<Halide::Buffer<>> outputs;
        for (const Argument &a : description_.arguments) {
            if (a.kind == Argument::Kind::OutputBuffer) {
                const size_t i = outputs.size();
                outputs.push_back(made_of(a, pipeline.outputs().at(i).types().at(0)));
                continue;
            }
            auto parameter = generator_->input_parameter(a.name).at(0);
            if (a.kind == Argument::Kind::InputBuffer) {
                parameter.set_buffer(made_of(a, parameter.type()));
                continue;
            }
            apps::with_element_type(a.type, [&](auto value) {
                apps::fill_argument(a, &value);
                parameter.set_scalar(value);
            });
        }
        return Halide::Realization(std::move(outputs));
    }

    Halide::Pipeline pipeline;

private:
    const AppDescription &description_;
    Halide::Internal::AbstractGeneratorPtr generator_;
};

template <typename T>
bool agree(const Halide::Buffer<> &expected, const Halide::Buffer<> &found,
           const apps::Tolerance &tolerance, std::ostream &log) {
    const auto *e = static_cast<const T *>(expected.data());
    const auto *f = static_cast<const T *>(found.data());
    size_t different = 0;
    const size_t count = expected.number_of_elements();
    for (size_t i = 0; i < count; i++) {
        const auto wanted = static_cast<double>(e[i]), had = static_cast<double>(f[i]);
        const double bound = tolerance.absolute + tolerance.relative * std::abs(wanted);
        if (std::abs(wanted - had) <= bound || std::memcmp(&e[i], &f[i], sizeof(T)) == 0) continue;
        if (different++ == 0)
            log << "element " << i << " is " << had << " and not " << wanted << "\n";
    }
    const double share = static_cast<double>(different) / static_cast<double>(count);
    if (different > 0) log << different << " of " << count << " elements differ\n";
    return share <= tolerance.fraction;
}

class AppWorkload : public Workload {
public:
    AppWorkload(const AppDescription &description, const Contender &contender,
                const Halide::Target &target)
        : description_(description),
          app_(description_, contender.kind == Contender::Kind::Hand ? "manual" : "", contender,
               target) {}

    Halide::Pipeline pipeline() override { return app_.pipeline; }

    Verdict check(const Halide::Target &target, std::ostream &log) override {
        App plain(description_, "root", {}, target);
        Halide::Realization expected = plain.prepare_run(), found = app_.prepare_run();
        plain.pipeline.realize(expected, target);
        try {
            app_.pipeline.realize(found, target);
        } catch (const Halide::Error &error) {
            log << "the scheduled pipeline failed: " << error.what() << "\n";
            return Verdict::Differs;
        }
        size_t i = 0;
        for (const Argument &a : description_.arguments) {
            if (a.kind != Argument::Kind::OutputBuffer) continue;
            bool same = false;
            apps::with_element_type(a.type, [&](auto value) {
                same = agree<decltype(value)>(expected[i], found[i], description_.tolerance, log);
            });
            if (!same) return Verdict::Differs;
            i++;
        }
        return Verdict::Agrees;
    }

    std::optional<Halide::Realization> prepare_run(const Halide::Target &) override {
        return app_.prepare_run();
    }

private:
    const AppDescription description_;
    App app_;
};

}  // namespace

std::vector<WorkloadMaker> app_workloads() {
    std::vector<WorkloadMaker> all;
    for (const AppDescription &description : apps::corpus_apps())
        all.push_back({"apps", description.name, true,
                       [description](const Contender &contender, const Halide::Target &target) {
                           return std::make_unique<AppWorkload>(description, contender, target);
                       }});
    return all;
}

}  // namespace cryolite::robustness
