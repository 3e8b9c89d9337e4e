#include "tests/semantics/random_pipeline.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "tests/semantics/pipeline_builder.h"

namespace cryolite {

using Halide::Func;

namespace {

void describe_definition(std::ostream &out, const std::string &name,
                         const Halide::Internal::Definition &definition) {
    out << "  " << name << "(";
    for (size_t i = 0; i < definition.args().size(); i++)
        out << (i ? ", " : "") << definition.args()[i];
    out << ") =";
    for (const Halide::Expr &value : definition.values()) out << " {" << value << "}";
    for (const auto &variable : definition.schedule().rvars()) {
        out << " over " << variable.var << " in [" << variable.min << ", +" << variable.extent
            << ")";
    }
    for (const Halide::Expr &predicate : definition.split_predicate())
        out << " where " << predicate;
    out << "\n";
}

std::string describe(const RandomPipeline &pipeline) {
    std::ostringstream out;
    for (const PipelineInput &input : pipeline.inputs) {
        out << "  input " << input.image.type() << " " << input.image.name() << ", "
            << input.image.dimensions() << " dims" << (input.bounded ? ", bounded:" : "");
        for (const Interval &i : input.estimate) out << " [" << i.min << ", " << i.max << "]";
        out << "\n";
    }
    for (const PipelineParameter &parameter : pipeline.parameters) {
        out << "  parameter " << parameter.param.name() << " in [" << parameter.values.min << ", "
            << parameter.values.max << "]\n";
    }
    for (const Func &func : all_funcs(pipeline)) {
        const Halide::Internal::Function function = func.function();
        if (!function.has_pure_definition()) continue;
        describe_definition(out, function.name(), function.definition());
        for (const auto &update : function.updates())
            describe_definition(out, function.name(), update);
        for (const auto &[caller, wrapper] : function.wrappers()) {
            out << "  " << function.name() << ".in(" << caller << ") is "
                << Halide::Internal::Function(wrapper).name() << "\n";
        }
    }
    for (const PipelineOutput &output : pipeline.outputs) {
        out << "  output " << output.func.name() << ":";
        for (size_t d = 0; d < output.estimate.size(); d++) {
            out << (output.fixed[d] ? " bound" : "") << " [" << output.estimate[d].min << ", "
                << output.estimate[d].max << "]";
        }
        out << "\n";
    }
    return out.str();
}

}  // namespace

void PipelineBuilder::add_random_operation() {
    using Operation = void (PipelineBuilder::*)();
    struct Choice {
        Operation operation;
        int weight;
    };
    static constexpr std::array<Choice, 17> choices = {{
        {&PipelineBuilder::add_pointwise, 6},
        {&PipelineBuilder::add_stencil, 7},
        {&PipelineBuilder::add_upsample, 2},
        {&PipelineBuilder::add_downsample, 2},
        {&PipelineBuilder::add_gather, 3},
        {&PipelineBuilder::add_tuple, 1},
        {&PipelineBuilder::add_boundary_of_func, 1},
        {&PipelineBuilder::add_slice, 1},
        {&PipelineBuilder::add_stencil_reduction, 3},
        {&PipelineBuilder::add_inline_reduction, 2},
        {&PipelineBuilder::add_full_reduction, 2},
        {&PipelineBuilder::add_argmax, 1},
        {&PipelineBuilder::add_histogram, 2},
        {&PipelineBuilder::add_scan, 2},
        {&PipelineBuilder::add_recurrence, 1},
        {&PipelineBuilder::add_pure_update, 2},
        {&PipelineBuilder::add_input_reduction, 1},
    }};
    Random random = random_.fork("interpreter", static_cast<uint64_t>(func_count_));
    if (random.chance(profile_.interpreters)) return add_interpreter();
    Random by_channel = random_.fork("channels", static_cast<uint64_t>(func_count_));
    if (by_channel.chance(profile_.channels)) return add_channels();
    Random of_products = random_.fork("products", static_cast<uint64_t>(func_count_));
    if (of_products.chance(profile_.products)) return add_products();
    int total = 0;
    for (const Choice &choice : choices) total += choice.weight;
    int64_t drawn = random_.between(0, total - 1);
    for (const Choice &choice : choices) {
        drawn -= choice.weight;
        if (drawn < 0) return (this->*choice.operation)();
    }
}

void PipelineBuilder::choose_outputs() {
    std::vector<size_t> chosen;
    if (nodes_.back().is_input || !nodes_.back().can_be_output || random_.chance(0.3)) {
        std::vector<size_t> sources = {nodes_.size() - 1};
        for (size_t i = 0; i + 1 < nodes_.size() && sources.size() < 4; i++) {
            if (nodes_[i].readers == 0) sources.push_back(i);
        }
        pointwise(sources, nodes_.back().dims);
    }
    chosen.push_back(nodes_.size() - 1);
    int linked = -1;
    if (random_.chance(0.1)) {
        // An output that reads another, point by point: both cover the same region.
        const Vars v = vars(nodes_[chosen[0]].dims);
        const Term value = read(chosen[0], as_args(v));
        const Term result = combine(random_, std::span(&value, 1), allow_inexact());
        Func func = new_func();
        func(v) = result.value;
        chosen.push_back(add(func, nodes_[chosen[0]].dims, {result.info}, true, 1));
        linked = 0;
    }
    for (size_t i = 0; i < nodes_.size() && chosen.size() < 3; i++) {
        const bool free = nodes_[i].readers == 0 && nodes_[i].can_be_output;
        const bool taken = std::find(chosen.begin(), chosen.end(), i) != chosen.end();
        if (free && !taken && random_.chance(0.4)) chosen.push_back(i);
    }
    for (size_t i = 0; i < chosen.size(); i++) {
        const Node &node = nodes_[chosen[i]];
        PipelineOutput output;
        output.func = node.func;
        output.estimate.resize(static_cast<size_t>(node.dims));
        output.fixed.assign(static_cast<size_t>(node.dims), false);
        for (const ElementInfo &info : node.elements) {
            output.error_bounds.push_back(info.integral ? 0 : 2 * info.error);
        }
        if (i == 1 && linked == 0) output.same_region_as = 0;
        result_.outputs.push_back(output);
    }
}

void PipelineBuilder::add_siblings() {
    Random random = random_.fork("siblings", 0);
    if (!random.chance(profile_.siblings)) return;
    const int dims = static_cast<int>(result_.outputs[0].estimate.size());
    const auto is_output = [&](const Node &node) {
        return std::ranges::any_of(result_.outputs, [&](const PipelineOutput &o) {
            return node.func.defined() && o.func.name() == node.func.name();
        });
    };
    const size_t count = nodes_.size();
    for (int64_t n = random.between(1, 2); n > 0; n--) {
        std::vector<size_t> sources;
        for (int tries = 0; tries < 4; tries++) {
            const size_t i = random.below(count);
            if (!is_output(nodes_[i]) && !std::ranges::count(sources, i)) sources.push_back(i);
        }
        if (sources.empty()) continue;
        const int without =
            dims > 1 && random.chance(0.4) ? static_cast<int>(random.below(dims)) : -1;
        const Node &node = nodes_[pointwise(sources, without < 0 ? dims : dims - 1, without)];
        PipelineOutput output;
        output.func = node.func;
        for (int d = 0; d < dims; d++)
            if (d != without) output.sibling_dims.push_back(static_cast<size_t>(d));
        output.estimate.resize(output.sibling_dims.size());
        output.fixed.assign(output.estimate.size(), false);
        for (const ElementInfo &info : node.elements)
            output.error_bounds.push_back(info.integral ? 0 : 2 * info.error);
        result_.outputs.push_back(output);
    }
}

void PipelineBuilder::add_wrappers() {
    for (size_t i = 0; i < nodes_.size(); i++) {
        if (!random_.chance(0.04) || nodes_[i].readers == 0) continue;
        const bool is_output = std::any_of(
            result_.outputs.begin(), result_.outputs.end(), [&](const PipelineOutput &o) {
                return nodes_[i].func.defined() && o.func.name() == nodes_[i].func.name();
            });
        if (is_output) continue;
        result_.wrappers.push_back(nodes_[i].is_input ? nodes_[i].image.in() : nodes_[i].func.in());
    }
}

void PipelineBuilder::set_sizes() {
    static constexpr std::array<int, 17> extents = {1,  2,  3,  5,  7,  8,  13,  16, 17,
                                                    31, 33, 47, 64, 65, 90, 100, 128};
    for (PipelineOutput &output : result_.outputs) {
        if (!output.sibling_dims.empty()) {
            for (size_t d = 0; d < output.estimate.size(); d++)
                output.estimate[d] = result_.outputs[0].estimate[output.sibling_dims[d]];
        } else if (output.same_region_as >= 0) {
            output.estimate = result_.outputs[0].estimate;
            output.fixed = result_.outputs[0].fixed;
        } else {
            for (size_t d = 0; d < output.estimate.size(); d++) {
                const int64_t extent =
                    d < 2 ? extents[random_.below(extents.size())] : random_.between(1, 4);
                const int64_t min = random_.chance(0.15) ? random_.between(-5, 20) : 0;
                output.estimate[d] = {min, min + extent - 1};
            }
            while (points(output.estimate) > static_cast<double>(profile_.max_output_points)) {
                for (Interval &i : output.estimate) i.max = i.min + (i.extent() + 1) / 2 - 1;
            }
            if (output.estimate.size() >= 3 && random_.chance(0.5)) {
                output.fixed[2] = true;
            }
        }
        for (size_t d = 0; d < output.estimate.size(); d++) {
            const Halide::Var var = output.func.args()[d];
            const int min = static_cast<int>(output.estimate[d].min);
            const int extent = static_cast<int>(output.estimate[d].extent());
            output.func.set_estimate(var, min, extent);
            if (output.fixed[d]) output.func.bound(var, min, extent);
        }
    }
}

RandomPipeline PipelineBuilder::build() {
    const int count = random_.chance(0.6)
                          ? static_cast<int>(random_.between(1, 7))
                          : static_cast<int>(random_.between(1, profile_.max_funcs));
    const int64_t num_inputs = random_.between(1, 3);
    for (int64_t i = 0; i < num_inputs; i++) add_input();
    for (int guard = 0; func_count_ < count - 1 && guard < 4 * count; guard++) {
        add_random_operation();
    }
    choose_outputs();
    add_siblings();
    add_wrappers();
    set_sizes();
    std::vector<Func> outputs;
    for (const PipelineOutput &output : result_.outputs) outputs.push_back(output.func);
    result_.pipeline = Halide::Pipeline(outputs);
    result_.description = describe(result_);
    return result_;
}

RandomPipeline make_random_pipeline(uint64_t seed, const SizeProfile &profile) {
    return PipelineBuilder(seed, profile).build();
}

std::vector<Func> all_funcs(const RandomPipeline &pipeline) {
    std::vector<Halide::Internal::Function> outputs;
    for (const PipelineOutput &output : pipeline.outputs) outputs.push_back(output.func.function());
    std::vector<Func> funcs;
    for (const auto &[name, function] : Halide::Internal::build_environment(outputs)) {
        funcs.emplace_back(function);
    }
    for (const Func &wrapper : pipeline.wrappers) {
        const bool listed = std::any_of(funcs.begin(), funcs.end(),
                                        [&](const Func &f) { return f.name() == wrapper.name(); });
        if (!listed) funcs.push_back(wrapper);
    }
    return funcs;
}

}  // namespace cryolite
