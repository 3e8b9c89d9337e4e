#include "tools/report/explain_results.h"

#include <algorithm>
#include <filesystem>

#include "analytical/explain/explanation_json.h"
#include "base/atomic_file.h"
#include "tools/explain/explain_generator.h"
#include "tools/report/read_report.h"
#include "tools/scratch_folder.h"
#include "tools/tune/results.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

Result<bool> write_explanation(const fs::path &to, GeneratorRun run, const std::string &trace) {
    const ScratchFolder scratch;
    if (!scratch.exists())
        return Error{"cannot make a folder in '" + fs::temp_directory_path().string() + "'"};
    run.trace_file = scratch.file("trace");
    if (const auto w = write_atomically(run.trace_file, trace); !w.ok()) return w;
    const auto explanation = explain_generator(run);
    if (!explanation.ok()) return explanation.error();
    return write_atomically(to.string(), explanation_json(*explanation));
}

}  // namespace

Result<bool> write_explanations(const std::string &folder, const Generator &generator,
                                const TuneResult &result) {
    const fs::path place(folder);
    GeneratorRun run{generator.program,
                     generator.name,
                     generator.parameters,
                     generator.plugin,
                     generator.target,
                     "",
                     ""};
    // Weights that the user gave count for the whole run.
    const auto are_weights = [](const std::string &p) {
        return p.starts_with("autoscheduler.weights=");
    };
    if (std::ranges::none_of(run.parameters, are_weights)) {
        const char *file = has_network(result.weights) ? network_file : "weights.json";
        run.parameters.push_back("autoscheduler.weights=" + (place / file).string());
    }
    for (const auto &[schedule, file] : {std::pair{&result.best, best_explanation_file},
                                         {&result.one_shot, one_shot_explanation_file}}) {
        std::error_code ignored;
        fs::remove(place / file, ignored);
        if (!*schedule) continue;
        const auto written = write_explanation(place / file, run, (*schedule)->trace);
        if (!written.ok()) return written;
    }
    return true;
}

}  // namespace cryolite::tools
