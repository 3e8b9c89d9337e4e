#include "plugin/trial/verify.h"

#include <algorithm>

#include "code/legality/validate.h"
#include "emit/scheduled_copy.h"
#include "plugin/trial/buffer_checks.h"
#include "search/search.h"
#include "tensorcore/schedule_nest.h"

namespace cryolite {
namespace {

struct Lowered {
    std::string error;          // empty: it was lowered
    std::string failing_check;  // see failing_buffer_check()
};

// nest: null for the pipeline as it is.
Lowered lower_copy(const Halide::Pipeline &pipeline, const BuiltGraph &built, const LoopNest *nest,
                   const Halide::Target &target) {
    try {
        const Result<Halide::Pipeline> copy = scheduled_copy(pipeline, built, nest);
        if (!copy.ok()) return {copy.error().message, ""};
        Halide::Pipeline scheduled = *copy;
        if (nest != nullptr) {
            const auto tiled = tensorcore::schedule_tile_kernels(scheduled, *nest, target);
            if (!tiled.ok()) return {tiled.error().message, ""};
        }
        // Its checks are wanted even where the user's build goes without.
        const Halide::Module lowered =
            scheduled.compile_to_module(scheduled.infer_arguments(), "verify",
                                        target.without_feature(Halide::Target::NoBoundsQuery)
                                            .without_feature(Halide::Target::NoAsserts));
        return {"", failing_buffer_check(lowered, built.graph)};
    } catch (const Halide::Error &e) {
        return {e.what(), ""};
    } catch (const std::exception &e) {
        return {e.what(), ""};
    }
}

}  // namespace

std::string what_halide_refuses(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                const LoopNest &nest, const Halide::Target &target,
                                const Machine &machine) {
    if (const std::string wrong = validate(nest); !wrong.empty())
        return "its loops are wrong: " + wrong;
    const Lowered lowered = lower_copy(pipeline, built, &nest, target);
    if (!lowered.error.empty() || lowered.failing_check.empty()) return lowered.error;
    const auto fails_too = [&](const LoopNest *other) {
        const Lowered l = lower_copy(pipeline, built, other, target);
        return l.error.empty() && !l.failing_check.empty();
    };
    const LoopNest plain = plain_schedule(built.graph, machine);
    const bool has_users_schedule = std::ranges::any_of(built.graph.funcs(), &Func::locked);
    // What the user has scheduled may ask for more by itself.
    if (fails_too(&plain) || (has_users_schedule && fails_too(nullptr))) return "";
    return lowered.failing_check;
}

}  // namespace cryolite
