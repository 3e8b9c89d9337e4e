#include "tests/golden/app_graph.h"

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "apps/common/app_list.h"
#include "graph/halide/pipeline_view.h"
#include "plugin/target/target_machine.h"

namespace cryolite::testing {

Halide::Target golden_target() { return Halide::Target("x86-64-linux-avx2-fma-f16c-sse41-avx"); }

Machine golden_machine() {
    auto found = machine_of_target(golden_target(), "x86-avx2", 4);
    if (!found.ok()) throw std::runtime_error(found.error().message);
    return found->machine;
}

SearchOptions golden_options() {
    SearchOptions options;
    options.beam_size = 8;
    options.tilings_per_placement = 16;
    options.threads = 1;
    options.time_limit_seconds = 1e6;  // a limit of time would make the result a matter of speed
    return options;
}

namespace {

Halide::Pipeline build_pipeline(const std::string &name, const Halide::GeneratorContext &context) {
    const std::vector<apps::AppDescription> all = apps::app_list();
    const auto app = std::find_if(all.begin(), all.end(),
                                  [&](const apps::AppDescription &a) { return a.name == name; });
    if (app == all.end()) throw std::runtime_error("no app is called " + name);
    const auto generator =
        Halide::Internal::GeneratorRegistry::create(app->generator_name(), context);
    for (const auto &[key, value] : app->parameters)
        generator->set_generatorparam_value(key, value);
    return generator->build_pipeline();
}

}  // namespace

BuiltGraph build_app(const std::string &name) {
    const Halide::Pipeline pipeline = build_pipeline(
        name,
        Halide::GeneratorContext(golden_target(), Halide::AutoschedulerParams("Cryolite", {})));
    auto built = build_graph(outputs_of(pipeline), golden_target());
    if (!built.ok()) throw std::runtime_error(name + ": " + built.error().message);
    return std::move(built).value();
}

Halide::Pipeline app_by_hand(const std::string &name, const Halide::Target &target) {
    return build_pipeline(name, Halide::GeneratorContext(target));
}

std::string unnumbered(const std::string &text) {
    return std::regex_replace(text, std::regex("\\$[0-9]+"), "");
}

}  // namespace cryolite::testing
