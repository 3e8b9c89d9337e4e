#include "plugin/prediction_log.h"

#include <cstdio>

#include "analytical/cost_model.h"

namespace cryolite {
namespace {

// Where the predicted time goes, a line per stage with its terms before they hide each other.
std::string times_text(const StageGraph &graph, const ScheduleTime &time) {
    std::string text;
    for (const StageTime &t : time.stages) {
        char line[256];
        std::snprintf(line, sizeof line,
                      "  %-24s.s%d %9.3f ms, bound by %-10s %.0f realisations, speed-up %.2f:",
                      graph.func_of(t.stage).name.c_str(), graph.stage(t.stage).index,
                      t.seconds() * 1e3, name(t.overlap.bound_by), t.realisations, t.speedup);
        text += line;
        for (size_t k = 0; k < num_terms; k++) {
            if (t.corrected[k] <= 0.01 * t.seconds()) continue;
            std::snprintf(line, sizeof line, " %s %.3f", term_table()[k].name.data(),
                          t.corrected[k] * 1e3);
            text += line;
        }
        text += "\n";
    }
    return text;
}

}  // namespace

void log_prediction(const LoopNest &nest, const Platform &platform, const Learned &learned,
                    const Log &log) {
    if (!log.enabled(LogLevel::Info)) return;
    CostModel model(nest.graph(), platform.hardware());
    model.correct_by(learned);
    const ScheduleTime time = model.explain(nest);
    log.info("predicted " + std::to_string(time.seconds * 1e3) + " ms on " +
             (platform.gpu ? platform.gpu->device.name : platform.host.machine.name));
    log.info("predicted times:\n" + times_text(nest.graph(), time));
}

}  // namespace cryolite
