// The pipelines of the corpus as workloads.
#include <utility>

#include "tests/robustness/comparison.h"
#include "tests/robustness/kinds/kinds.h"
#include "tests/robustness/workload.h"

namespace cryolite::robustness {

namespace {

class SubjectWorkload : public Workload {
public:
    SubjectWorkload(const Entry &entry, const Contender &contender, const Halide::Target &target)
        : entry_(entry), is_by_hand_(contender.kind == Contender::Kind::Hand) {
        entry.make(subject_);
        if (contender.kind == Contender::Kind::Peer) estimate_inputs();
        if (is_by_hand_) subject_.hand_schedule(target);
        pipeline_ = subject_.pipeline();
    }

    Halide::Pipeline pipeline() override { return pipeline_; }

    Verdict check(const Halide::Target &target, std::ostream &log) override {
        Subject reference;
        entry_.make(reference);
        schedule_reference(reference);
        Comparison comparison(reference, subject_, pipeline_, target, log);
        comparison.compile();
        return is_by_hand_ ? comparison.at(Run::Estimates) : comparison.at_all_sizes();
    }

    std::optional<Halide::Realization> prepare_run(const Halide::Target &target) override {
        std::vector<Halide::Buffer<>> outputs;
        for (const Output &o : subject_.outputs) {
            const Box box = region(o.sizes, Run::Estimates, false);
            if (points(box) > most_points_run) return std::nullopt;
            for (const Halide::Type &type : o.func.types())
                outputs.push_back(make_data(type, box, {0, 0}, 0));
        }
        Halide::Realization realization(std::move(outputs));
        set_parameters(subject_, Run::Estimates);
        for (Input &input : subject_.inputs) {
            input.image.reset();
            if (!input.sizes.empty()) set(input, region(input.sizes, Run::Estimates, false));
        }
        pipeline_.infer_input_bounds(realization, target);
        for (Input &input : subject_.inputs) {
            const Halide::Buffer<> wanted = input.image.get();
            if (!input.sizes.empty() || !wanted.defined()) continue;
            Box box;
            for (int d = 0; d < wanted.dimensions(); d++)
                box.push_back({wanted.dim(d).min(), wanted.dim(d).max()});
            set(input, box);
        }
        return realization;
    }

private:
    // Mullapudi2016 refuses inputs without estimates. They are about as large as the outputs.
    void estimate_inputs() {
        const Sizes &like = subject_.outputs.front().sizes;
        for (const Input &input : subject_.inputs) {
            if (!input.sizes.empty()) continue;
            for (int d = 0; d < input.image.dimensions(); d++) {
                const auto i = static_cast<size_t>(d);
                Halide::ImageParam image = input.image;
                image.dim(d).set_estimate(0, i < like.size() ? like[i].extent : 1);
            }
        }
    }

    static void set(Input &input, const Box &box) {
        input.image.set(make_data(input.image.type(), box, input.values, 1));
    }

    const Entry entry_;
    const bool is_by_hand_;
    Subject subject_;
    Halide::Pipeline pipeline_;
};

WorkloadMaker maker(const std::string &theme, const Entry &entry) {
    WorkloadMaker made;
    made.theme = theme;
    made.name = entry.name;
    made.make = [entry](const Contender &contender, const Halide::Target &target) {
        return std::make_unique<SubjectWorkload>(entry, contender, target);
    };
    return made;
}

WorkloadMaker maker_of_kind(const std::string &theme, const Entry &entry) {
    Subject subject;
    entry.make(subject);
    WorkloadMaker made = maker(theme, entry);
    made.has_hand_schedule = subject.hand_schedule != nullptr;
    made.is_set_aside = is_set_aside(entry.name);
    return made;
}

}  // namespace

std::vector<WorkloadMaker> all_workloads() {
    std::vector<WorkloadMaker> all;
    for (const Theme &theme : corpus({}))
        for (const Entry &entry : theme.entries) {
            all.push_back(maker(theme.name, entry));
            all.back().has_user_schedule = theme.has_user_schedules;
        }
    for (const Entry &entry : large_graphs({})) all.push_back(maker("large_graphs", entry));
    for (const Theme &theme : kinds())
        for (const Entry &entry : theme.entries) all.push_back(maker_of_kind(theme.name, entry));
#ifdef CRYOLITE_HAS_APPS
    for (WorkloadMaker &app : app_workloads()) all.push_back(std::move(app));
#endif
    return all;
}

}  // namespace cryolite::robustness
