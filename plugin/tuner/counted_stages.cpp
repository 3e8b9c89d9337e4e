#include "plugin/tuner/counted_stages.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text_file.h"
#include "code/legality/apply.h"
#include "plugin/tuner/learned_stages.h"
#include "schedule/trace_text.h"

namespace cryolite {
namespace {

using nlohmann::json;

constexpr int count_version = 1;

Result<std::vector<std::string>> read_traces(const std::string &path) {
    const auto text = read_text_file(path);
    if (!text.ok()) return Error{"mode=count reads samples_file: " + text.error().message};
    const json file = json::parse(*text, nullptr, false);
    try {
        std::vector<std::string> traces;
        for (const json &sample : file.at("samples"))
            traces.push_back(sample.at("trace").get<std::string>());
        if (!traces.empty()) return traces;
    } catch (const json::exception &) {
    }
    return Error{"samples_file: '" + path + "' holds no samples with traces"};
}

json by_name(const Terms &terms) {
    json named = json::object();
    for (size_t k = 0; k < num_terms; k++)
        if (info(static_cast<Term>(k)).cpu && terms[k] != 0)
            named[std::string(term_table()[k].name)] = terms[k];
    return named;
}

json stage_of(const SampleStage &stage) {
    json places = json::array(), values = json::array();
    for (size_t f = 0; f < stage.row.size(); f++)
        if (stage.row[f] != 0) {
            places.push_back(f);
            values.push_back(stage.row[f]);
        }
    return {{"raw", by_name(stage.raw)},
            {"features", std::move(places)},
            {"values", std::move(values)}};
}

json refused(const std::string &why, bool is_of_another_graph = false) {
    return {{"refused", why}, {"is_of_another_graph", is_of_another_graph}};
}

class Counter {
public:
    Counter(const StageGraph &graph, const Machine &machine,
            std::vector<DividedReduction> divisions)
        : graph_(graph),
          divisions_(std::move(divisions)),
          model_(graph, machine),
          featurizer_(graph, machine, 0) {}

    json count(const std::string &text) {
        if (const auto divisions = divisions_in(text); divisions.ok() && *divisions != divisions_)
            return refused("it divides other reductions", true);
        const auto trace = parse_trace(graph_, text);
        if (!trace.ok()) return refused(trace.error().message);
        const auto nest = replay(graph_, *trace);
        if (!nest.ok())
            return refused("action " + std::to_string(nest.error().failed_at + 1) + ": " +
                           name(nest.error().reason));
        if (!nest->complete()) return refused("it does not decide every Func");
        json stages = json::array();
        for (const SampleStage &stage : stages_to_learn(model_, featurizer_, *nest))
            stages.push_back(stage_of(stage));
        if (stages.empty()) return refused("a kernel is too large");
        return {{"stages", std::move(stages)}};
    }

private:
    const StageGraph &graph_;
    const std::vector<DividedReduction> divisions_;
    CostModel model_;
    Featurizer featurizer_;
};

}  // namespace

Result<std::vector<DividedReduction>> divisions_to_count(const std::string &samples_file) {
    const auto traces = read_traces(samples_file);
    if (!traces.ok()) return traces.error();
    return divisions_in(traces->front());
}

Result<std::string> counted_stages(const StageGraph &graph, const Machine &machine,
                                   const std::string &samples_file) {
    const auto traces = read_traces(samples_file);
    if (!traces.ok()) return traces.error();
    auto divisions = divisions_in(traces->front());
    if (!divisions.ok()) return divisions.error();
    Counter counter(graph, machine, std::move(*divisions));
    json found = json::array();
    for (const std::string &trace : *traces) found.push_back(counter.count(trace));
    const OverlapRule rule = overlap_rule(machine);
    return json{{"cryolite_count", count_version},
                {"schema", hexadecimal(schema_hash())},
                {"machine", machine.name},
                {"overlap", {rule.core_exposed_share, rule.memory_exposed_share, rule.sharpness}},
                {"found", std::move(found)}}
               .dump() +
           "\n";
}

}  // namespace cryolite
