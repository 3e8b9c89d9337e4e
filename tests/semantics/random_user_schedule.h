// Random schedules as users write them for a part of a pipeline's Funcs: by hand, before Cryolite is
// asked for the rest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Halide.h>

#include "base/random.h"
#include "tests/semantics/random_pipeline.h"

namespace cryolite {

// Some directives that belong together, as text and to be carried out.
struct UserDirectives {
    std::string text;
    // funcs: in the order of the graph's Funcs (graph/builder/build.h), inputs undefined.
    std::function<void(const std::vector<Halide::Func> &funcs)> apply;
};

// Only such that Halide lowers the pipeline with them alone. The same pipeline and seed give the same
// directives.
std::vector<UserDirectives> draw_user_schedule(const RandomPipeline &pipeline, Random random);

void apply_user_schedule(const RandomPipeline &pipeline,
                         const std::vector<UserDirectives> &directives);

}  // namespace cryolite
