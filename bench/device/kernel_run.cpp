// Runs many schedules of an app that one library holds, in one process: a start of CUDA's driver takes longer than most
// schedules. For kernel_times.cpp, which names each function's launches.
//   bench_kernel_run APP LIBRARY FUNCTION... prints a line of JSON for each function: whether its outputs are those of
// the first one, and the seconds of each call after the first. A schedule that fails ends the program: the caller goes
// on with the next one.
#include <dlfcn.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/common/app_list.h"
#include "bench/runner/call_arguments.h"
#include "bench/runner/compare_outputs.h"
#include "bench/runner/variant_library.h"

namespace cryolite::bench {
namespace {

constexpr int calls = 6;
constexpr double long_call_seconds = 0.2;  // one of it is enough

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void mark(const std::string &label) {
    using Mark = void(const char *);
    if (auto *f = reinterpret_cast<Mark *>(dlsym(RTLD_DEFAULT, "kernel_times_mark")))
        f(label.c_str());
}

int run(const std::string &name, const std::string &library, std::vector<std::string> functions) {
    apps::AppDescription app;
    for (apps::AppDescription &a : apps::app_list())
        if (a.name == name) app = a;
    if (app.name.empty()) throw std::runtime_error("there is no app " + name);
    std::vector<std::string> reference;
    for (const std::string &function : functions) {
        nlohmann::json answer{{"function", function}};
        const VariantLibrary variant(library, function, app, 4);
        CallArguments arguments(app, variant, {});
        arguments.call();  // compiles the kernels
        mark(function);
        std::vector<double> seconds;
        for (int i = 0; i < calls; i++) {
            const double start = now();
            arguments.call();
            seconds.push_back(now() - start);
            if (seconds.back() > long_call_seconds) break;
        }
        mark("");
        answer["seconds"] = seconds;
        arguments.copy_outputs_to_host();
        const auto outputs = arguments.outputs();
        if (reference.empty())
            for (const auto &o : outputs)
                reference.emplace_back(reinterpret_cast<const char *>(o.data()), o.size());
        const size_t first_output = app.arguments.size() - outputs.size();
        bool equal = true;
        for (size_t i = 0; i < outputs.size(); i++) {
            const Comparison one = compare_outputs(
                outputs[i].data(), reinterpret_cast<const std::byte *>(reference[i].data()),
                outputs[i].size(), app.arguments[first_output + i].type, app.tolerance);
            equal = equal && one.equal;
        }
        answer["equal"] = equal;
        std::cout << answer.dump() << std::endl;
    }
    return 0;
}

}  // namespace
}  // namespace cryolite::bench

int main(int argc, char **argv) {
    if (argc < 4) {
        std::cerr << "usage: bench_kernel_run APP LIBRARY FUNCTION...\n";
        return 2;
    }
    try {
        return cryolite::bench::run(argv[1], argv[2], {argv + 3, argv + argc});
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
