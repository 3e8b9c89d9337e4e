#include "plugin/planning/strategy_plans.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/child_call.h"
#include "base/deadline.h"
#include "code/legality/apply.h"
#include "reference/strategy.h"
#include "schedule/trace_text.h"

namespace cryolite {

std::vector<LoopNest> strategy_plans(const StageGraph &graph, const Machine &machine,
                                     double seconds, const Log &log) {
    const std::vector<std::string> names = strategy_names();
    std::vector<std::unique_ptr<ChildCall>> calls;
    for (const std::string &name : names)
        calls.push_back(std::make_unique<ChildCall>(
            [&] {
                const StrategyResult found = schedule_by(*strategy_named(name), graph, machine);
                return to_text(graph, trace_of(found.nest));
            },
            seconds));
    const Deadline end = Deadline::after(seconds);
    std::vector<LoopNest> plans;
    for (size_t i = 0; i < calls.size(); i++) {
        if (!calls[i]->ended(std::max(0.0, end.left()))) calls[i]->stop();
        const ChildAnswer &answer = calls[i]->answer();
        if (answer.outcome == ChildAnswer::Outcome::Answered)
            if (const Result<Trace> trace = parse_trace(graph, answer.text); trace.ok())
                if (const auto nest = replay(graph, *trace); nest.ok() && nest->complete()) {
                    plans.push_back(*nest);
                    continue;
                }
        log.info("strategy " + names[i] + " has no plan within " + std::to_string(seconds) +
                 " seconds: the search goes on without it");
    }
    return plans;
}

}  // namespace cryolite
