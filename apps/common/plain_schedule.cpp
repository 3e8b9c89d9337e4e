#include "apps/common/plain_schedule.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace cryolite::apps {
namespace {

// Halide reads an input through a Func of its own, `NAME_im`, that only loads it. At root it would
// be a copy of the input, which nobody who writes this schedule would make.
bool only_loads_an_input(const Halide::Internal::Function &function) {
    if (!function.has_pure_definition() || function.has_update_definition() ||
        function.values().size() != 1) {
        return false;
    }
    const auto *load = function.values()[0].as<Halide::Internal::Call>();
    if (load == nullptr || load->call_type != Halide::Internal::Call::Image ||
        load->args.size() != function.args().size()) {
        return false;
    }
    for (std::size_t i = 0; i < load->args.size(); i++) {
        const auto *variable = load->args[i].as<Halide::Internal::Variable>();
        if (variable == nullptr || variable->name != function.args()[i]) {
            return false;
        }
    }
    return true;
}

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

void schedule_stage_for_cpu(Halide::Stage stage, const std::vector<std::string> &loops,
                            int vector_width) {
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

void schedule_stage_for_gpu(Halide::Stage stage, const std::vector<std::string> &loops) {
    constexpr auto guard = Halide::TailStrategy::GuardWithIf;
    if (loops.empty()) {
        stage.gpu_single_thread();
        return;
    }
    const Halide::Var x(loops[0]), block_x("block_x"), thread_x("thread_x");
    if (loops.size() == 1) {
        stage.gpu_tile(x, block_x, thread_x, 64, guard);
        return;
    }
    const Halide::Var y(loops[1]), block_y("block_y"), thread_y("thread_y");
    stage.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, guard);
    if (loops.size() == 2) {
        return;
    }
    Halide::Var grid(loops[2]);
    for (std::size_t i = 3; i < loops.size(); i++) {
        const Halide::Var fused("grid_" + std::to_string(i));
        stage.fuse(grid, Halide::Var(loops[i]), fused);
        grid = fused;
    }
    stage.gpu_blocks(grid);
}

void schedule_stage(const Halide::Stage &stage, const Halide::Internal::Definition &definition,
                    const Halide::Type &type, const Halide::Target &target) {
    if (target.has_gpu_feature()) {
        schedule_stage_for_gpu(stage, pure_loops(definition));
    } else {
        schedule_stage_for_cpu(stage, pure_loops(definition), target.natural_vector_size(type));
    }
}

}  // namespace

void schedule_plain(const std::vector<Halide::Func> &outputs, const Halide::Target &target) {
    std::map<std::string, Halide::Internal::Function> environment;
    for (const Halide::Func &output : outputs) {
        environment.merge(Halide::Internal::find_transitive_calls(output.function()));
    }
    for (const auto &[name, function] : environment) {
        const bool is_output = std::any_of(
            outputs.begin(), outputs.end(),
            [&name = name](const Halide::Func &output) { return output.name() == name; });
        if (!is_output && only_loads_an_input(function)) {
            continue;
        }
        Halide::Func func(function);
        func.compute_root();
        if (function.has_extern_definition() || !function.has_pure_definition()) {
            continue;
        }
        const Halide::Type type = function.output_types()[0];
        schedule_stage(func, function.definition(), type, target);
        for (int i = 0; i < func.num_update_definitions(); i++) {
            schedule_stage(func.update(i), function.update(i), type, target);
        }
    }
}

}  // namespace cryolite::apps
