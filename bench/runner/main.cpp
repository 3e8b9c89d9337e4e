// bench_runner: runs one compiled variant of one app in a process of its own, times it, compares
// its output with a reference's and prints one JSON object. Everything that decides what to run
// and what the numbers mean is in bench/harness.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/common/app_list.h"
#include "bench/runner/call_arguments.h"
#include "bench/runner/compare_outputs.h"
#include "bench/runner/measure.h"
#include "bench/runner/variant_library.h"

namespace cryolite::bench {
namespace {

struct Request {
    std::string app, library, function, compare_with, write_output;
    std::vector<std::string> inputs;
    int threads = 1;
    bool once = false;
    MeasureOptions measure;
};

apps::AppDescription find_app(const std::string &name) {
    for (apps::AppDescription &app : apps::app_list()) {
        if (app.name == name) {
            return app;
        }
    }
    throw std::runtime_error("there is no app " + name);
}

std::map<std::string, std::string> input_files(const std::vector<std::string> &inputs) {
    std::map<std::string, std::string> files;
    for (const std::string &input : inputs) {
        const std::size_t equals = input.find('=');
        if (equals == std::string::npos) {
            throw std::runtime_error("--input takes NAME=FILE, not " + input);
        }
        files[input.substr(0, equals)] = input.substr(equals + 1);
    }
    return files;
}

std::string read_file(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw std::runtime_error("cannot read " + path);
    }
    return {std::istreambuf_iterator<char>(stream), {}};
}

// What a measurement depends on beside the compiled variant.
nlohmann::json call_description(const apps::AppDescription &app) {
    nlohmann::json arguments = nlohmann::json::array();
    for (const apps::Argument &argument : app.arguments) {
        arguments.push_back({argument.name, int(argument.kind), int(argument.type),
                             argument.extents, int(argument.fill), argument.low, argument.high,
                             argument.seed});
    }
    return {
        {"arguments", arguments},
        {"tolerance", {app.tolerance.absolute, app.tolerance.relative, app.tolerance.fraction}}};
}

nlohmann::json list_apps() {
    nlohmann::json names = nlohmann::json::array();
    for (const apps::AppDescription &app : apps::app_list()) {
        names.push_back({{"name", app.name},
                         {"generator", app.generator_name()},
                         {"parameters", app.parameters},
                         {"call", call_description(app)}});
    }
    return names;
}

// `reference` holds all outputs one after the other; the worst of them counts.
Comparison compare_all(const CallArguments &arguments, const std::string &reference,
                       const apps::AppDescription &app) {
    const std::vector<std::span<const std::byte>> outputs = arguments.outputs();
    const std::size_t first_output = app.arguments.size() - outputs.size();
    Comparison worst{true, 0.0, 0.0};
    std::size_t offset = 0;
    for (std::size_t i = 0; i < outputs.size(); i++) {
        if (offset + outputs[i].size() > reference.size()) {
            throw std::runtime_error("the reference output has another size");
        }
        const Comparison one = compare_outputs(
            outputs[i].data(), reinterpret_cast<const std::byte *>(reference.data()) + offset,
            outputs[i].size(), app.arguments[first_output + i].type, app.tolerance);
        worst.equal = worst.equal && one.equal;
        worst.differing_fraction = std::max(worst.differing_fraction, one.differing_fraction);
        worst.largest_difference = std::max(worst.largest_difference, one.largest_difference);
        offset += outputs[i].size();
    }
    if (offset != reference.size()) {
        throw std::runtime_error("the reference output has another size");
    }
    return worst;
}

nlohmann::json run(const Request &request) {
    const apps::AppDescription app = find_app(request.app);
    const VariantLibrary variant(request.library,
                                 request.function.empty() ? request.app : request.function, app,
                                 request.threads);
    CallArguments arguments(app, variant, input_files(request.inputs));
    Measurement measurement;
    if (request.once) {
        measurement = time_once([&] { arguments.call(); });
    } else {
        measurement = measure([&] { arguments.call(); }, request.measure);
    }
    arguments.copy_outputs_to_host();

    nlohmann::json answer{{"seconds", measurement.seconds_per_call},
                          {"calls_per_sample", measurement.calls_per_sample},
                          {"notes", arguments.notes()}};
    if (!request.compare_with.empty()) {
        const Comparison comparison = compare_all(arguments, read_file(request.compare_with), app);
        answer["comparison"] = {{"equal", comparison.equal},
                                {"differing_fraction", comparison.differing_fraction},
                                {"largest_difference", comparison.largest_difference}};
    }
    if (!request.write_output.empty()) {
        std::ofstream stream(request.write_output, std::ios::binary);
        for (const std::span<const std::byte> output : arguments.outputs()) {
            stream.write(reinterpret_cast<const char *>(output.data()),
                         std::streamsize(output.size()));
        }
        if (!stream.flush()) {
            throw std::runtime_error("cannot write " + request.write_output);
        }
    }
    return answer;
}

}  // namespace
}  // namespace cryolite::bench

int main(int argc, char **argv) {
    cryolite::bench::Request request;
    CLI::App line("Times one compiled variant of an app and prints JSON");
    bool list = false;
    CLI::Option *list_option =
        line.add_flag("--list", list, "Print the apps and their generators and end");
    line.add_option("--app", request.app, "Name of the app")->excludes(list_option);
    line.add_option("--library", request.library, "The variant's shared library");
    line.add_option("--function", request.function, "The compiled function (default: the app)");
    line.add_option("--threads", request.threads, "Threads of the pipeline");
    line.add_option("--input", request.inputs, "NAME=FILE: raw contents of an input");
    line.add_option("--compare-with", request.compare_with, "Raw output of the reference");
    line.add_option("--write-output", request.write_output, "Where to write the raw output");
    line.add_flag("--once", request.once, "Time one call, without a warm-up");
    line.add_option("--seconds", request.measure.seconds, "Time to spend on samples");
    line.add_option("--warm-up-seconds", request.measure.warm_up_seconds, "Time before them");
    line.add_option("--min-samples", request.measure.min_samples, "Samples to take at least");
    CLI11_PARSE(line, argc, argv);
    try {
        const nlohmann::json answer =
            list ? cryolite::bench::list_apps() : cryolite::bench::run(request);
        std::cout << answer.dump() << '\n';
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
