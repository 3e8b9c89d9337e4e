// Compiles schedules of the robustness tests' pipelines (compile_samples.h) and writes what that took as
// JSON: {pipeline: samples}.
//   bench_compile_corpus REPORT COUNT LIMIT_SECONDS [NAME or THEME]...
//   bench_compile_corpus REPORT --measured OLDER_REPORT
// The second compiles nothing and predicts anew what the first has measured.
#include <algorithm>
#include <fstream>
#include <iostream>

#include "bench/compile_probe/compile_samples.h"
#include "plugin/target/target_machine.h"
#include "tests/robustness/corpus.h"

int main(int argc, char **argv) {
    using namespace cryolite;
    if (argc < 4) {
        std::cerr << "usage: bench_compile_corpus REPORT COUNT LIMIT_SECONDS [NAME or THEME]...\n";
        return 2;
    }
    bench::CompileQuestion question;
    nlohmann::json measured;
    const bool offline = std::string(argv[2]) == "--measured";
    if (offline) {
        std::ifstream older(argv[3]);
        measured = nlohmann::json::parse(older);
    } else {
        question.count = static_cast<size_t>(std::stoul(argv[2]));
        question.limit_seconds = std::stol(argv[3]);
    }
    const std::vector<std::string> names(argv + 4, argv + argc);
    const auto wanted = [&](const std::string &name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const Halide::Target target = Halide::get_host_target();
    const auto machine = machine_of_target(target, "auto", 2);
    if (!machine.ok()) {
        std::cerr << machine.error().message << "\n";
        return 1;
    }
    nlohmann::json report = nlohmann::json::object();
    for (const robustness::Theme &theme : robustness::corpus({}))
        for (const robustness::Entry &entry : theme.entries) {
            if (!names.empty() && !wanted(entry.name) && !wanted(theme.name)) continue;
            robustness::Subject subject;
            entry.make(subject);
            const Halide::Pipeline pipeline = subject.pipeline();
            std::vector<Halide::Internal::Function> outputs;
            for (const Halide::Func &f : pipeline.outputs()) outputs.push_back(f.function());
            const auto built = build_graph(outputs, target);
            if (!built.ok()) {
                std::cerr << entry.name << ": " << built.error().message << "\n";
                continue;
            }
            if (!offline)
                report[entry.name] = bench::compile_samples(
                    pipeline, *built, target, machine->machine,
                    bench::drawn_schedules(built->graph, machine->machine, question), question);
            else if (measured.contains(entry.name))
                report[entry.name] =
                    bench::predicted_again(measured[entry.name], built->graph, machine->machine);
            std::cerr << entry.name << "\n";
            std::ofstream(argv[1]) << report.dump() << "\n";
        }
    return 0;
}
