// random_pipeline: a pipeline of imaging and learning operators that a seed draws (recipe.h), to learn from.
#include <Halide.h>

#include "apps/common/plain_schedule.h"
#include "apps/random/build_recipe.h"

namespace cryolite::apps {

using namespace Halide;  // NOLINT(google-build-using-namespace)

class RandomPipeline : public Generator<RandomPipeline> {
public:
    GeneratorParam<uint64_t> seed{"seed", 0};
    // For tests: what the extents of images are divided by.
    GeneratorParam<int> shrink{"shrink", 1, 1, 64};

    void configure() {
        recipe_ = draw_recipe(seed, shrink);
        for (const Step &s : recipe_.steps)
            if (s.op == Operator::Input)
                inputs_.push_back(add_input<Buffer<>>("input" + std::to_string(inputs_.size()),
                                                      halide_type(s.type),
                                                      static_cast<int>(s.extents.size())));
        for (const int i : recipe_.outputs) {
            const Step &s = recipe_.steps[static_cast<size_t>(i)];
            outputs_.push_back(add_output<Buffer<>>("output" + std::to_string(outputs_.size()),
                                                    halide_type(s.type),
                                                    static_cast<int>(s.extents.size())));
        }
    }

    void generate() {
        std::vector<Source> inputs;
        for (const auto *input : inputs_)
            inputs.push_back({[input](const std::vector<Expr> &at) { return (*input)(at); },
                              [input] { return Func(*input); }});
        built_ = build_recipe(recipe_, inputs);
        for (size_t i = 0; i < built_.size(); i++) *outputs_[i] = built_[i];
    }

    void schedule() {
        size_t next = 0;
        for (const Step &s : recipe_.steps)
            if (s.op == Operator::Input) inputs_[next++]->set_estimates(region_of(s));
        for (size_t i = 0; i < outputs_.size(); i++)
            outputs_[i]->set_estimates(
                region_of(recipe_.steps[static_cast<size_t>(recipe_.outputs[i])]));
        if (!using_autoscheduler()) schedule_plain(get_pipeline().outputs(), get_target());
    }

private:
    static Region region_of(const Step &s) {
        Region region;
        for (const int e : s.extents) region.emplace_back(0, e);
        return region;
    }

    Recipe recipe_;
    std::vector<GeneratorInput<Buffer<>> *> inputs_;
    std::vector<GeneratorOutput<Buffer<>> *> outputs_;
    std::vector<Func> built_;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::RandomPipeline, random_pipeline)
