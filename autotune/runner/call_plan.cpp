#include "autotune/runner/call_plan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "autotune/runner/call_arguments.h"
#include "autotune/runner/device.h"
#include "autotune/runner/element.h"
#include "autotune/runner/json_fields.h"

namespace cryolite {
namespace {

using Kind = PlannedArgument::Kind;
using nlohmann::json;
using nlohmann::ordered_json;

Kind kind_of(const halide_filter_argument_t &argument) {
    switch (argument.kind) {
        case halide_argument_kind_input_buffer: return Kind::Input;
        case halide_argument_kind_output_buffer: return Kind::Output;
        default: return Kind::Scalar;
    }
}

const char *name_of(Kind kind) {
    return kind == Kind::Input ? "input" : kind == Kind::Output ? "output" : "scalar";
}

// ---- scalars -------------------------------------------------------------------------------

uint64_t bits_of(const std::string &name, halide_type_t type, const ScalarValue &value) {
    const double number = std::visit([](auto v) { return static_cast<double>(v); }, value);
    uint64_t bits = 0;
    auto *to = reinterpret_cast<std::byte *>(&bits);
    if (is_float(type)) {
        write_element(to, type, number);
        return bits;
    }
    if (std::holds_alternative<double>(value) && number != std::floor(number))
        throw RequestError("'scalars." + name + "' must be a whole number");
    if (!(number >= least_of(type) && number <= largest_of(type)))
        throw RequestError("'scalars." + name + "' is out of the range of " + type_name(type));
    if (std::holds_alternative<double>(value))
        write_element(to, type, number);
    else
        write_element(to, type, std::visit([](auto v) { return static_cast<uint64_t>(v); }, value));
    return bits;
}

uint64_t scalar_of(const halide_filter_argument_t &argument, const RunRequest &request) {
    const auto given = request.scalars.find(argument.name);
    const halide_type_t type = argument.type;
    if (type.code == halide_type_handle) {
        if (given != request.scalars.end())
            throw RequestError("'scalars." + given->first + "' is a pointer and always null");
        return 0;
    }
    if (given != request.scalars.end()) return bits_of(argument.name, type, given->second);
    const halide_scalar_value_t *value =
        argument.scalar_estimate != nullptr ? argument.scalar_estimate : argument.scalar_def;
    if (value == nullptr)
        throw RequestError(
            "scalar '" + std::string(argument.name) +
            "' has neither an estimate nor a default: give its value under 'scalars'");
    uint64_t bits = 0;
    std::memcpy(&bits, value, static_cast<size_t>(type.bytes()));
    return bits;
}

// ---- buffers -------------------------------------------------------------------------------

// Of outputs all extents must be known. What is not known of an input is 0: the reference tells it later.
std::vector<Range> region_of(const halide_filter_argument_t &argument, const RunRequest &request) {
    const std::string name = argument.name;
    const auto dimensions = static_cast<size_t>(argument.dimensions);
    const auto shape = request.shapes.find(name);
    const bool has_shape = shape != request.shapes.end();
    if (has_shape && shape->second.size() != dimensions)
        throw RequestError("'shapes." + name + "' has " + std::to_string(shape->second.size()) +
                           " extents, and the argument has " + std::to_string(dimensions) +
                           " dimensions");
    // (min, extent) of each dimension; any of these pointers may be null.
    const int64_t *const *estimates = argument.buffer_estimates;
    const auto estimate = [&](size_t i) { return estimates == nullptr ? nullptr : estimates[i]; };
    std::vector<Range> region(dimensions);
    int64_t elements = 1;
    for (size_t d = 0; d < dimensions; d++) {
        if (const int64_t *min = estimate(2 * d)) region[d].min = static_cast<int32_t>(*min);
        if (const int64_t *extent = estimate(2 * d + 1))
            region[d].extent = static_cast<int32_t>(*extent);
        if (has_shape) region[d].extent = shape->second[d];
        if (region[d].extent <= 0 && kind_of(argument) == Kind::Output)
            throw RequestError("output '" + name + "' has no estimate of dimension " +
                               std::to_string(d) +
                               ": give its extents under 'shapes', or estimates in the generator");
        elements *= std::max(1, region[d].extent);
        if (elements > std::numeric_limits<int32_t>::max())
            throw RequestError("'" + name + "' has more elements than Halide can count");
    }
    return region;
}

// ---- the request against the metadata ------------------------------------------------------

template <typename T>
void check_names(const CallPlan &plan, const std::map<std::string, T> &given, const char *field,
                 std::initializer_list<Kind> kinds) {
    for (const auto &[name, value] : given) {
        std::string names;
        bool is_there = false;
        for (const PlannedArgument &a : plan.arguments) {
            if (std::ranges::find(kinds, a.kind) == kinds.end()) continue;
            is_there = is_there || a.name == name;
            names += (names.empty() ? "" : ", ") + a.name;
        }
        if (!is_there)
            throw RequestError("'" + std::string(field) + "." + name +
                               "' is no argument of the pipeline: it has " +
                               (names.empty() ? "none that could be given there" : names));
    }
}

std::string described(const std::string &name, Kind kind, halide_type_t type, size_t dimensions) {
    std::string text = std::string(name_of(kind)) + " '" + name + "' of " + type_name(type);
    if (kind != Kind::Scalar) text += " with " + std::to_string(dimensions) + " dimensions";
    return text;
}

std::string described(const halide_filter_argument_t &a) {
    return described(a.name, kind_of(a), a.type, static_cast<size_t>(a.dimensions));
}

}  // namespace

size_t PlannedArgument::elements() const {
    size_t count = 1;
    for (const Range &r : region) count *= static_cast<size_t>(r.extent);
    return count;
}

size_t CallPlan::output_bytes() const {
    size_t bytes = 0;
    for (const PlannedArgument &a : arguments)
        if (a.kind == Kind::Output) bytes += a.elements() * static_cast<size_t>(a.type.bytes());
    return bytes;
}

CallPlan plan_call(const FilterLibrary &reference, const RunRequest &request) {
    const halide_filter_metadata_t &metadata = reference.metadata();
    CallPlan plan;
    plan.has_device = is_for_device(metadata.target);
    for (int32_t i = 0; i < metadata.num_arguments; i++) {
        const halide_filter_argument_t &a = metadata.arguments[i];
        plan.arguments.push_back({a.name, kind_of(a), a.type, {}, 0});
    }
    check_names(plan, request.inputs, "inputs", {Kind::Input});
    check_names(plan, request.scalars, "scalars", {Kind::Scalar});
    check_names(plan, request.shapes, "shapes", {Kind::Input, Kind::Output});
    for (int32_t i = 0; i < metadata.num_arguments; i++) {
        PlannedArgument &planned = plan.arguments[static_cast<size_t>(i)];
        if (planned.kind == Kind::Scalar)
            planned.scalar = scalar_of(metadata.arguments[i], request);
        else
            planned.region = region_of(metadata.arguments[i], request);
    }
    const std::vector<Dimensions> required = required_dimensions(reference, plan);
    for (size_t i = 0; i < required.size(); i++)
        if (plan.arguments[i].kind == Kind::Input)
            for (size_t d = 0; d < required[i].size(); d++)
                plan.arguments[i].region[d] = {required[i][d].min, required[i][d].extent};
    return plan;
}

std::string mismatch(const CallPlan &plan, const FilterLibrary &library) {
    const halide_filter_metadata_t &metadata = library.metadata();
    if (static_cast<size_t>(metadata.num_arguments) != plan.arguments.size())
        return "it has " + std::to_string(metadata.num_arguments) +
               " arguments, and the reference has " + std::to_string(plan.arguments.size());
    for (size_t i = 0; i < plan.arguments.size(); i++) {
        const PlannedArgument &a = plan.arguments[i];
        const std::string here = described(metadata.arguments[i]),
                          there = described(a.name, a.kind, a.type, a.region.size());
        if (here != there)
            return "argument " + std::to_string(i) + " is " + here + ", and the reference has " +
                   there;
    }
    return "";
}

std::string to_text(const CallPlan &plan) {
    ordered_json arguments = ordered_json::array();
    for (const PlannedArgument &a : plan.arguments) {
        ordered_json region = ordered_json::array();
        for (const Range &r : a.region) region.push_back({r.min, r.extent});
        arguments.push_back({{"name", a.name},
                             {"kind", static_cast<int>(a.kind)},
                             {"code", static_cast<int>(a.type.code)},
                             {"bits", a.type.bits},
                             {"scalar", a.scalar},
                             {"region", region}});
    }
    return json_text({{"has_device", plan.has_device}, {"arguments", arguments}});
}

CallPlan call_plan_of(std::string_view text) {
    const json value = parsed_json(text);
    CallPlan plan;
    plan.has_device = value.at("has_device");
    for (const json &a : value.at("arguments")) {
        PlannedArgument planned;
        planned.name = a.at("name");
        planned.kind = static_cast<Kind>(a.at("kind").get<int>());
        planned.type = halide_type_t(static_cast<halide_type_code_t>(a.at("code").get<int>()),
                                     a.at("bits").get<uint8_t>());
        planned.scalar = a.at("scalar");
        for (const json &r : a.at("region"))
            planned.region.push_back({r.at(0).get<int32_t>(), r.at(1).get<int32_t>()});
        plan.arguments.push_back(std::move(planned));
    }
    return plan;
}

}  // namespace cryolite
