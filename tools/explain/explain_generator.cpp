#include "tools/explain/explain_generator.h"

#include <filesystem>

#include "analytical/explain/explanation_json.h"
#include "tools/scratch_folder.h"

namespace cryolite::tools {

Result<Explanation> explain_generator(const GeneratorRun &run, std::string *warnings) {
    namespace fs = std::filesystem;
    const ScratchFolder scratch;
    if (!scratch.exists())
        return Error{"cannot make a folder in '" + fs::temp_directory_path().string() + "'"};
    const std::string written = scratch.file("explanation.json");
    // A schedule is the least that a generator can be asked for.
    const auto said =
        run_generator(run, {scratch.path(), "schedule", "", "", {"explain=" + written}});
    if (!said.ok()) return said.error();
    if (!fs::exists(written))
        return Error{"generator '" + run.generator +
                     "' ran without asking Cryolite for a schedule; is its pipeline scheduled by "
                     "hand, or the plugin older than this program?" +
                     (said->empty() ? "" : " It said: " + *said)};
    if (warnings != nullptr) *warnings = *said;
    auto explanation = read_explanation(written);
    if (explanation.ok()) explanation->pipeline = run.name;
    return explanation;
}

}  // namespace cryolite::tools
