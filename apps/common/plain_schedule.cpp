#include "apps/common/plain_schedule.h"

#include <map>
#include <string>
#include <vector>

namespace cryolite::apps {
namespace {

// The names of a stage's loops over pure variables, innermost first. Halide appends an outermost
// placeholder loop to every list of dimensions; it is no loop of the algorithm.
std::vector<std::string> pure_loops(const Halide::Internal::Definition &definition) {
    std::vector<std::string> loops;
    const std::vector<Halide::Internal::Dim> &dims = definition.schedule().dims();
    for (const Halide::Internal::Dim &dim : dims) {
        if (!dim.is_rvar() && dim.var != Halide::Var::outermost().name()) {
            loops.push_back(dim.var);
        }
    }
    return loops;
}

void schedule_stage(Halide::Stage stage, const std::vector<std::string> &loops, int vector_width) {
    if (loops.empty()) {
        stage.unscheduled();  // said on purpose: Halide warns of stages that look forgotten
        return;
    }
    const Halide::Var innermost(loops.front());
    const Halide::Var outermost(loops.back());
    if (loops.size() > 1) {
        stage.parallel(outermost);
    }
    if (vector_width > 1) {
        stage.vectorize(innermost, vector_width, Halide::TailStrategy::GuardWithIf);
    }
}

}  // namespace

void schedule_plain(Halide::Func output, const Halide::Target &target) {
    const std::map<std::string, Halide::Internal::Function> environment =
        Halide::Internal::find_transitive_calls(output.function());
    for (const auto &[name, function] : environment) {
        Halide::Func func(function);
        func.compute_root();
        if (function.has_extern_definition() || !function.has_pure_definition()) {
            continue;
        }
        const int vector_width = target.natural_vector_size(function.output_types()[0]);
        schedule_stage(func, pure_loops(function.definition()), vector_width);
        for (int i = 0; i < func.num_update_definitions(); i++) {
            schedule_stage(func.update(i), pure_loops(function.update(i)), vector_width);
        }
    }
}

}  // namespace cryolite::apps
